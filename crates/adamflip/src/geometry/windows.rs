//! Windows: slabs of a domain along time.

use super::Domain;

/// Slabs of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Windows {
    /// The number of the time coordinate.
    pub coordinate: usize,
    /// Where they begin, and where the last ends.
    pub bounds: Vec<f64>,
}

impl Windows {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Do they lie in the domain one after the other, from its first time on?
    pub fn is_valid(&self, domain: &Domain) -> bool {
        let (lower, upper) = (domain.lower[self.coordinate], domain.upper[self.coordinate]);
        let rising = self.bounds.windows(2).all(|pair| pair[0] < pair[1]);
        self.bounds.len() > 1 && rising && self.bounds[0] == lower && self.bounds[self.count()] <= upper
    }

    /// The window of a time; the first and the last go on beyond their ends.
    pub fn of(&self, time: f64) -> usize {
        self.bounds[1..self.count()].partition_point(|&start| start <= time)
    }

    /// The domain of one window.
    pub fn slab(&self, domain: &Domain, window: usize) -> Domain {
        let mut slab = domain.clone();
        slab.lower[self.coordinate] = self.bounds[window];
        slab.upper[self.coordinate] = self.bounds[window + 1];
        slab
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_the_window_that_begins_there() {
        let windows = Windows { coordinate: 0, bounds: vec![0.0, 1.0, 2.0, 4.0] };
        let found = [-1.0, 0.0, 0.5, 1.0, 2.0, 4.0, 5.0].map(|time| windows.of(time));
        assert_eq!(found, [0, 0, 0, 1, 2, 2, 2]);
        let one = Windows { coordinate: 0, bounds: vec![0.0, 1.0] };
        assert_eq!(one.of(0.5), 0);
    }
}
