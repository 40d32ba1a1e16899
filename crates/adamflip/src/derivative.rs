//! Partial derivatives as multi-indices: the one word that the equation language and the jet engine share.

/// The highest total order of a derivative that the language accepts and the jet engine propagates.
pub const MAX_ORDER: usize = 4;

/// A partial derivative ∂^μ of total order at most [`MAX_ORDER`]: the sorted list of the coordinates by which
/// one differentiates. `u_xxt` in coordinates (x, t) is `[0, 0, 1]`; the empty list is the value itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Partial {
    order: u8,
    by: [u8; MAX_ORDER],
}

impl Partial {
    /// The value itself, no derivative.
    pub const VALUE: Self = Self { order: 0, by: [0; MAX_ORDER] };

    /// The derivative by the listed coordinates, in any order; `None` beyond [`MAX_ORDER`].
    pub fn new(coordinates: &[usize]) -> Option<Self> {
        coordinates.iter().try_fold(Self::VALUE, |partial, &coordinate| partial.then(coordinate))
    }

    /// This derivative differentiated once more; `None` beyond [`MAX_ORDER`] (or the 256th coordinate).
    pub fn then(mut self, coordinate: usize) -> Option<Self> {
        let order = self.order();
        let coordinate = u8::try_from(coordinate).ok()?;
        if order == MAX_ORDER {
            return None;
        }
        self.by[order] = coordinate;
        self.by[..=order].sort_unstable();
        self.order += 1;
        Some(self)
    }

    /// The total order |μ|.
    pub fn order(self) -> usize {
        self.order.into()
    }

    /// The coordinates by which one differentiates, sorted, with repetition.
    pub fn coordinates(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.by[..self.order()].iter().map(|&c| c.into())
    }

    /// The derivative by those of the coordinates whose bit is set in `subset`.
    pub fn subset(&self, subset: usize) -> Self {
        let chosen = self.coordinates().enumerate().filter(|(bit, _)| subset >> bit & 1 == 1);
        chosen.fold(Self::VALUE, |partial, (_, coordinate)| partial.then(coordinate).unwrap_or(partial))
    }

    /// Every ∂^ν with ν a proper, non-empty part of μ: what the chain and product rules of ∂^μ mention. With
    /// repetition.
    pub fn proper_parts(self) -> impl Iterator<Item = Self> {
        let all = (1usize << self.order()) - 1;
        (1..all.max(1)).map(move |subset| self.subset(subset))
    }

    /// How often one differentiates by this coordinate.
    pub fn order_in(&self, coordinate: usize) -> usize {
        self.coordinates().filter(|&c| c == coordinate).count()
    }
}

impl std::fmt::Debug for Partial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "∂{:?}", &self.by[..self.order()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_differentiation_does_not_matter() {
        assert_eq!(Partial::new(&[1, 0, 1]), Partial::new(&[0, 1, 1]));
        assert_eq!(Partial::new(&[1, 0, 1]).unwrap().order_in(1), 2);
    }

    #[test]
    fn fifth_order_is_refused() {
        assert_eq!(Partial::new(&[0; 5]), None);
    }
}
