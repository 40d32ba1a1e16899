//! Coloured cells as an image inside the text of a figure.

/// The address of an image that holds its own data: PNG in base 64. Pixels are rows from the top: red, green,
/// blue, and alpha if the colours say so.
pub(super) fn data_address(
    width: u32,
    height: u32,
    colours: png::ColorType,
    pixels: &[u8],
) -> Result<String, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(colours);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(format!("data:image/png;base64,{}", base64(&file)))
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
        assert!(data_address(2, 2, png::ColorType::Rgb, &[0; 3]).is_err());
        assert!(data_address(0, 2, png::ColorType::Rgba, &[]).is_err());
    }
}
