//! Images: their pixels, their palette, and PNG in base 64.

use super::palette::Palette;

/// Pixels in rows from the top: red, green, blue, alpha. Nothing is half transparent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Image {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) pixels: Vec<[u8; 4]>,
}

impl Image {
    /// The bytes of a PNG file with a palette: a byte a pixel is a third of what colours would take, and maps
    /// and lines need no more than its 256.
    pub(super) fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let palette = Palette::of(&self.pixels);
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        // Neighbouring numbers of a palette are not neighbouring colours: differences do not help.
        encoder.set_filter(png::Filter::NoFilter);
        encoder.set_palette(palette.colours());
        if let Some(alpha) = palette.alpha() {
            encoder.set_trns(alpha);
        }
        encoder.write_header()?.write_image_data(&palette.numbers(&self.pixels))?;
        Ok(file)
    }
}

/// The address of an image that holds its own data.
pub(super) fn data_address(image: &Image) -> Result<String, png::EncodingError> {
    Ok(png_address(&image.png()?))
}

/// The address of a PNG file that is part of the page.
pub fn png_address(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", base64(png))
}

/// RFC 4648, section 4: three bytes make four characters of six bits each.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |word, i| word << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let sextet = word >> (18 - 6 * i) & 63;
            text.push(if i > chunk.len() { '=' } else { char::from(ALPHABET[sextet as usize]) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of RFC 4648, section 10.
    #[test]
    fn base64_vectors() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfb]), "//77");
    }

    #[test]
    fn sizes_that_do_not_match_are_refused() {
        let image = |width, height, count| Image { width, height, pixels: vec![[0, 0, 0, 0xff]; count] };
        assert!(image(2, 2, 1).png().is_err());
        assert!(image(0, 2, 0).png().is_err());
        assert!(image(2, 2, 4).png().is_ok());
    }
}
