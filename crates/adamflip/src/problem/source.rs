//! Where a term's points come from: drawn in a place, read from a file, or drawn once with the reference's
//! values.

use std::borrow::Cow;

use rand::Rng;

use super::at_points::at_points;
use super::windows::InterfaceValues;
use crate::geometry::{Domain, Place, Points};
use crate::lang::Tape;
use crate::sample::{self, SampleError, Sampler};
use crate::spec::Adaptive;

/// Where points come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Drawn in a place, afresh whenever the plan says so.
    Drawn {
        /// Where.
        place: Place,
        /// How.
        sampler: Sampler,
        /// How many.
        count: usize,
        /// Whether the equations need outward normals.
        normals: bool,
        /// Chosen by residual from a pool.
        adaptive: Option<Adaptive>,
        /// The coordinate along which every point is the end of a line; the place has it at its own end.
        line: Option<usize>,
        /// What the interface condition of a window reads there: further attributes.
        interface: Option<InterfaceValues>,
    },
    /// Given by a file, with its other columns as attributes.
    Given {
        /// The file's name.
        file: String,
        /// Are the columns measured? Those of a cloud are normals, as exact as its points.
        measured: bool,
        /// The points.
        points: Points,
        /// This many of them are chosen; all where it does not say.
        take: Option<usize>,
        /// Noise to be added to the attributes.
        noise: f64,
        /// What was assumed or left out in reading.
        notes: Vec<String>,
    },
    /// Drawn once; what is observed there is computed from the known solution.
    Observed {
        /// Where.
        place: Place,
        /// How.
        sampler: Sampler,
        /// How many.
        count: usize,
        /// The observed values, from the coordinates.
        values: Tape,
        /// Noise to be added to them.
        noise: f64,
    },
}

/// The streams of a seed that belong to a term's noise: far from those of its rounds of points.
const NOISE: u64 = u32::MAX as u64;

/// The shortest line of fresh ones, as a share of the longest: nodes of different lines lie between each
/// other.
const SHORTEST: f64 = 0.75;

impl Source {
    /// Where points are drawn; nowhere where they are given. The first stand for whole lines, as many as
    /// there are; fresh ones for lines of different lengths, so that no value of the coordinate is left out
    /// for good. A grid is the same each time.
    pub fn place(&self, domain: &Domain, round: u64) -> Option<Cow<'_, Place>> {
        match self {
            Source::Drawn { place, sampler, line: Some(along), .. }
                if round > 0 && *sampler != Sampler::Grid =>
            {
                let (lower, upper) = (domain.lower[*along], domain.upper[*along]);
                let mut place = place.clone();
                for part in &mut place.parts {
                    part.fixed.retain(|(coordinate, _)| coordinate != along);
                    part.ranges.push((*along, lower + SHORTEST * (upper - lower), upper));
                }
                Some(Cow::Owned(place))
            }
            Source::Drawn { place, .. } | Source::Observed { place, .. } => Some(Cow::Borrowed(place)),
            Source::Given { .. } => None,
        }
    }

    /// The same with at most this many points.
    pub fn with_at_most(&self, most: usize) -> Self {
        let mut source = self.clone();
        match &mut source {
            Source::Drawn { count, .. } | Source::Observed { count, .. } => *count = most.min(*count),
            Source::Given { points, take, .. } => *take = Some(take.unwrap_or(points.len()).min(most)),
        }
        source
    }

    /// Whether points are added during training.
    pub fn grows(&self) -> bool {
        matches!(self, Source::Drawn { adaptive: Some(Adaptive::Rar { .. }), .. })
    }

    /// Whether the points stay what they are.
    pub fn is_fixed(&self) -> bool {
        !matches!(self, Source::Drawn { .. })
    }

    /// Whether every drawing gives the same points.
    pub fn repeats(&self, domain: &Domain) -> bool {
        match self {
            Source::Drawn { adaptive: Some(_), .. } => false,
            Source::Drawn { sampler: Sampler::Grid, .. } => true,
            // Lines begin at one point, but end at different ones.
            Source::Drawn { place, line, .. } => line.is_none() && !domain.has_extent(place),
            Source::Given { .. } | Source::Observed { .. } => true,
        }
    }

    /// How many points an equation is enforced at.
    pub fn count(&self) -> usize {
        match self {
            Source::Drawn { count, .. } | Source::Observed { count, .. } => *count,
            Source::Given { points, take, .. } => take.map_or(points.len(), |take| take.min(points.len())),
        }
    }

    /// The points of the term with this number (from 1); `round` counts the resamplings.
    ///
    /// Every term and round has a stream of random numbers of its own: more terms or rounds leave the others'
    /// points where they are.
    pub fn draw(&self, domain: &Domain, seed: u64, number: u64, round: u64) -> Result<Points, SampleError> {
        self.draw_at_most(usize::MAX, domain, seed, number, round)
    }

    /// The same of [`Source::with_at_most`] so many points, without a copy of those that are given.
    pub fn draw_at_most(
        &self,
        most: usize,
        domain: &Domain,
        seed: u64,
        number: u64,
        round: u64,
    ) -> Result<Points, SampleError> {
        let mut rng = sample::stream(seed, number << 32 | round);
        let mut disturb = sample::stream(seed, number << 32 | NOISE);
        match self {
            Source::Drawn { place, sampler, count, normals, line, interface, .. } => {
                let place = self.place(domain, round).unwrap_or(Cow::Borrowed(place));
                let mut points = match normals {
                    false => sample::draw(domain, &place, *sampler, most.min(*count), &mut rng)?,
                    true => sample::draw_with_normals(domain, &place, *sampler, most.min(*count), &mut rng)?,
                };
                if let Some(along) = line {
                    lengthen(points.column_mut(*along), domain.lower[*along], domain.upper[*along]);
                }
                interface.iter().for_each(|values| values.append(&mut points));
                Ok(points)
            }
            Source::Given { points, take, noise, .. } => {
                let take = take.unwrap_or(points.len()).min(most);
                let points = match take < points.len() {
                    false => points.clone(),
                    true => points.select(&sample::any(points.len(), take, &mut rng)),
                };
                Ok(with_noise(points, *noise, &mut disturb))
            }
            Source::Observed { place, sampler, count, values, noise } => {
                let mut points = sample::draw(domain, place, *sampler, most.min(*count), &mut rng)?;
                at_points(values, &points).iter().for_each(|column| points.push_attribute(column));
                Ok(with_noise(points, *noise, &mut disturb))
            }
        }
    }
}

/// More of the ends of lines, which were drawn evenly, come to lie near the last: what is after the end of a
/// line it does not see.
fn lengthen(ends: &mut [f64], lower: f64, upper: f64) {
    let room = (1.0 - SHORTEST) * (upper - lower);
    ends.iter_mut().for_each(|end| *end = upper - (upper - *end).powi(2) / room);
}

/// Adds Gaussian noise to every attribute; its standard deviation is `noise` times the attribute's root mean
/// square.
fn with_noise(mut points: Points, noise: f64, rng: &mut impl Rng) -> Points {
    if noise > 0.0 {
        for attribute in 0..points.attributes() {
            let column = points.attribute_mut(attribute);
            let square = column.iter().map(|value| value * value).sum::<f64>() / column.len().max(1) as f64;
            let deviation = noise * square.sqrt();
            column.iter_mut().for_each(|value| *value += deviation * sample::normal(rng));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_deviation_asked_for() {
        let mut points = Points::new(1, 20_000);
        points.push_attribute(&[2.0; 20_000]);
        let noisy = with_noise(points, 0.1, &mut sample::stream(1, 0));
        let column = noisy.attribute(0);
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        let variance = column.iter().map(|v| (v - 2.0) * (v - 2.0)).sum::<f64>() / column.len() as f64;
        // 20,000 numbers of deviation 0.2: the mean within 5·0.2/√20000, the deviation within 5% with near
        // certainty.
        assert!((mean - 2.0).abs() < 7.1e-3, "{mean}");
        assert!((variance.sqrt() / 0.2 - 1.0).abs() < 0.05, "{variance}");
    }
}
