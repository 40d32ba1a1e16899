//! At most 256 colours for an image.
//!
//! Colours are added one by one, each time the one that is farthest from those chosen so far (Gonzalez,
//! *Clustering to minimize the maximum intercluster distance*, 1985); what fills areas counts more than the
//! few pixels along smoothed edges, whose exact shade nobody sees. An image with 256 colours or fewer keeps
//! them exactly.

use std::collections::HashMap;

type Pixel = [u8; 4];

const MOST: usize = 256;

/// The chosen colours, and the number of every colour of the image.
pub(super) struct Palette {
    chosen: Vec<Pixel>,
    numbers: HashMap<Pixel, u8>,
}

impl Palette {
    pub(super) fn of(pixels: &[Pixel]) -> Self {
        let counted = counted(pixels);
        let (chosen, nearest) = cover(&counted);
        let numbers =
            counted.into_iter().zip(nearest).map(|((colour, _), number)| (colour, number)).collect();
        Self { chosen, numbers }
    }

    /// Red, green, blue of each colour.
    pub(super) fn colours(&self) -> Vec<u8> {
        self.chosen.iter().flat_map(|pixel| pixel[..3].to_vec()).collect()
    }

    /// Alpha of each colour; none where all are opaque.
    pub(super) fn alpha(&self) -> Option<Vec<u8>> {
        let alpha: Vec<u8> = self.chosen.iter().map(|pixel| pixel[3]).collect();
        alpha.iter().any(|&alpha| alpha != 0xff).then_some(alpha)
    }

    /// The number of each pixel's colour.
    pub(super) fn numbers(&self, pixels: &[Pixel]) -> Vec<u8> {
        let mut numbers = Vec::with_capacity(pixels.len());
        for run in pixels.chunk_by(|a, b| a == b) {
            let number = self.numbers.get(&run[0]).copied().unwrap_or(0);
            numbers.resize(numbers.len() + run.len(), number);
        }
        numbers
    }
}

/// The colours that occur, in the order of their first pixels, and how often they do.
fn counted(pixels: &[Pixel]) -> Vec<(Pixel, usize)> {
    let mut places: HashMap<Pixel, usize> = HashMap::new();
    let mut found: Vec<(Pixel, usize)> = Vec::new();
    // Most pixels are like the one before.
    for run in pixels.chunk_by(|a, b| a == b) {
        let place = *places.entry(run[0]).or_insert(found.len());
        if place == found.len() {
            found.push((run[0], 0));
        }
        found[place].1 += run.len();
    }
    found
}

/// The chosen colours, and for every colour the number of the nearest of them.
fn cover(counted: &[(Pixel, usize)]) -> (Vec<Pixel>, Vec<u8>) {
    let colours: Vec<Pixel> = counted.iter().map(|(colour, _)| *colour).collect();
    // Squared like the distances: a colour of 64 pixels weighs 7 times as much as one of a single pixel.
    let weights: Vec<u64> = counted.iter().map(|(_, count)| u64::from(1 + count.ilog2()).pow(2)).collect();
    let mut chosen = Vec::new();
    let mut nearest = vec![0; colours.len()];
    let mut distances = vec![u32::MAX; colours.len()];
    let mut next = colours.first().copied();
    while let Some(colour) = next.filter(|_| chosen.len() < MOST) {
        for (i, &other) in colours.iter().enumerate() {
            let distance = distance(colour, other);
            if distance < distances[i] {
                (distances[i], nearest[i]) = (distance, chosen.len() as u8);
            }
        }
        chosen.push(colour);
        let weighted = |&i: &usize| weights[i] * u64::from(distances[i]);
        let farthest = (0..colours.len()).max_by_key(weighted).filter(|&i| distances[i] > 0);
        next = farthest.map(|i| colours[i]);
    }
    (chosen, nearest)
}

/// The square of the distance; alpha counts most, so that nothing transparent takes a colour.
fn distance(a: Pixel, b: Pixel) -> u32 {
    let square = |channel: usize| u32::from(a[channel].abs_diff(b[channel])).pow(2);
    square(0) + square(1) + square(2) + 16 * square(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_exactly() {
        let pixels = [[1, 2, 3, 0xff], [1, 2, 3, 0xff], [9, 9, 9, 0xff], [0, 0, 0, 0]];
        let palette = Palette::of(&pixels);
        assert_eq!(palette.chosen.len(), 3);
        for (pixel, number) in pixels.iter().zip(palette.numbers(&pixels)) {
            assert_eq!(palette.chosen[number as usize], *pixel);
        }
        assert_eq!(palette.alpha().map(|alpha| alpha.contains(&0)), Some(true));
        assert_eq!(Palette::of(&pixels[..3]).alpha(), None);
    }

    #[test]
    fn many_colours_are_hardly_changed() {
        let shade = |map: &colorous::Gradient, i: usize| {
            let colour = map.eval_rational(i, 1000);
            [colour.r, colour.g, colour.b, 0xff]
        };
        let maps = [colorous::VIRIDIS, colorous::RED_BLUE];
        let pixels: Vec<Pixel> = maps.iter().flat_map(|map| (0..1000).map(|i| shade(map, i))).collect();
        let palette = Palette::of(&pixels);
        assert_eq!(palette.chosen.len(), 256);
        let differences = pixels.iter().zip(palette.numbers(&pixels)).map(|(pixel, number)| {
            let other = palette.chosen[number as usize];
            (0..3).map(|channel| pixel[channel].abs_diff(other[channel])).max()
        });
        // Both maps together are about 1200 units long: 256 colours along them are less than 5 apart.
        assert!(differences.flatten().max() <= Some(5));
    }

    #[test]
    fn areas_keep_their_colours_at_the_cost_of_edges() {
        let area = [40, 90, 140, 0xff];
        let near = [41, 90, 140, 0xff];
        let edges = (0..=0xff_u8).flat_map(|i| [[i, 0xff - i, i / 2, 0xff], [0xff - i, i / 3, i, 0xff]]);
        let pixels: Vec<Pixel> = edges.chain([area; 9000]).chain([near; 9000]).collect();
        let palette = Palette::of(&pixels);
        assert!(palette.chosen.contains(&area) && palette.chosen.contains(&near));
    }

    #[test]
    fn no_pixels_have_no_colours() {
        assert!(Palette::of(&[]).chosen.is_empty());
    }
}
