//! Which derivatives travel through the network, and the rules by which they pass its primitives.
//!
//! A *stream* carries L u for a fixed linear operator L = Σ c ∂^μ: a single partial derivative, or a
//! combination such as ∂_t − ν(∂_xx + ∂_yy) that an equation needs only as a whole. Linear layers act on
//! every stream alike. For a pointwise function Faà di Bruno's formula gives
//!
//! L σ(z) = σ′(z)·L z + Σ c Σ_{partitions π of μ, |π| ≥ 2} σ^{(|π|)}(z) Π_{B ∈ π} ∂^B z,
//!
//! so a combined stream needs the lower partial derivatives ∂^B z one by one, but none of its own parts. For
//! a product Leibniz' rule gives L(ab) = a·L b + b·L a + Σ c Σ ∂^B a ∂^{μ∖B} b over the proper subsets B.

use crate::derivative::Partial;

/// A linear differential operator Σ c ∂^μ with constant coefficients, its parts sorted, each μ once.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
    parts: Vec<(Partial, f64)>,
}

impl Operator {
    /// Σ c ∂^μ over the given parts; equal μ are added up.
    pub fn new(parts: impl IntoIterator<Item = (Partial, f64)>) -> Self {
        let mut sum: Vec<(Partial, f64)> = Vec::new();
        for (partial, coefficient) in parts {
            match sum.iter_mut().find(|(known, _)| *known == partial) {
                Some((_, total)) => *total += coefficient,
                None => sum.push((partial, coefficient)),
            }
        }
        sum.sort_by_key(|&(partial, _)| partial);
        Self { parts: sum }
    }

    /// The parts (μ, c).
    pub fn parts(&self) -> &[(Partial, f64)] {
        &self.parts
    }

    /// The single partial derivative that this operator is, if it is one.
    pub fn as_partial(&self) -> Option<Partial> {
        match self.parts[..] {
            [(partial, 1.0)] => Some(partial),
            _ => None,
        }
    }

    /// What the operator makes of the coordinate function x_c: the coefficient of ∂_c.
    pub(crate) fn of_coordinate(&self, coordinate: usize) -> f64 {
        let is_slope = |partial: &Partial| partial.order() == 1 && partial.order_in(coordinate) == 1;
        self.parts.iter().filter(|(partial, _)| is_slope(partial)).map(|(_, c)| c).sum()
    }

    fn order(&self) -> usize {
        self.parts.iter().map(|(partial, _)| partial.order()).max().unwrap_or(0)
    }
}

impl From<Partial> for Operator {
    fn from(partial: Partial) -> Self {
        Self { parts: vec![(partial, 1.0)] }
    }
}

/// One summand of Faà di Bruno's formula beyond σ′·L z: coefficient·σ^{(order)}(z)·Π z\[factors\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Composition {
    pub(crate) coefficient: f64,
    /// The number of factors, 2 to 4, and the order of σ's derivative.
    pub(crate) order: usize,
    /// The streams of the factors; the first `order` entries count.
    pub(crate) factors: [usize; 4],
}

/// One summand of Leibniz' rule beyond a·L b + b·L a: coefficient·a\[left\]·b\[right\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cross {
    pub(crate) coefficient: f64,
    pub(crate) left: usize,
    pub(crate) right: usize,
}

/// The streams of one term and their rules. Stream 0 is the value; every factor of a rule has a smaller
/// number.
#[derive(Clone, Debug)]
pub struct Streams {
    operators: Vec<Operator>,
    compositions: Vec<Vec<Composition>>,
    crosses: Vec<Vec<Cross>>,
    diagonal: Option<Diagonal>,
}

/// The shape of most equations: a value, `slopes` streams of first order, and further streams whose
/// compositions are squares of the slopes alone, Σ_i c_i z_i². Its kernels keep everything in registers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Diagonal {
    pub(crate) slopes: usize,
    pub(crate) curvatures: usize,
    /// c, one row of `slopes` numbers a curvature.
    pub(crate) coefficients: Vec<f64>,
}

impl Streams {
    /// The wanted operators with everything that they need on the way: the value, and every lower partial
    /// derivative that the rules of the wanted ones mention.
    ///
    /// # Panics
    /// If a combination contains the value itself: u + u_xx is not a stream, since a bias enters u alone.
    pub fn new(wanted: &[Operator]) -> Self {
        let derivative =
            |o: &Operator| o.as_partial().is_some() || o.parts().iter().all(|(p, _)| p.order() > 0);
        assert!(wanted.iter().all(derivative), "a combined stream consists of derivatives");
        let mut partials = vec![Partial::VALUE];
        let mut combined = Vec::new();
        for operator in wanted {
            partials.extend(operator.parts().iter().flat_map(|&(partial, _)| partial.proper_parts()));
            match operator.as_partial() {
                Some(partial) => partials.push(partial),
                None => combined.push(operator.clone()),
            }
        }
        partials.sort_unstable();
        partials.dedup();
        combined.dedup();
        let mut operators: Vec<Operator> = partials.into_iter().map(Operator::from).collect();
        operators.extend(combined);
        operators.sort_by_key(Operator::order);
        Self::with_rules(operators)
    }

    fn with_rules(operators: Vec<Operator>) -> Self {
        let stream =
            |partial: Partial| operators.iter().position(|o| o.as_partial() == Some(partial)).unwrap_or(0);
        let compositions: Vec<_> = operators.iter().map(|o| compositions(o, &stream)).collect();
        let crosses = operators.iter().map(|o| crosses(o, &stream)).collect();
        let diagonal = diagonal(&compositions);
        Self { operators, compositions, crosses, diagonal }
    }

    /// How many streams.
    pub fn count(&self) -> usize {
        self.operators.len()
    }

    /// The operator of every stream.
    pub fn operators(&self) -> &[Operator] {
        &self.operators
    }

    /// The stream that carries this operator.
    pub fn find(&self, operator: &Operator) -> Option<usize> {
        self.operators.iter().position(|known| known == operator)
    }

    /// The highest order of a derivative.
    pub fn order(&self) -> usize {
        self.operators.iter().map(Operator::order).max().unwrap_or(0)
    }

    pub(crate) fn compositions(&self) -> &[Vec<Composition>] {
        &self.compositions
    }

    pub(crate) fn diagonal(&self) -> Option<&Diagonal> {
        self.diagonal.as_ref()
    }

    pub(crate) fn crosses(&self) -> &[Vec<Cross>] {
        &self.crosses
    }
}

/// The set partitions of `remaining` (a bit set), each as a list of bit sets.
fn partitions(remaining: usize) -> Vec<Vec<usize>> {
    if remaining == 0 {
        return vec![Vec::new()];
    }
    let first = remaining & remaining.wrapping_neg();
    let others = remaining & !first;
    let mut found = Vec::new();
    let mut subset = others;
    // Every subset of the others joins the first element in its block; the rest is partitioned in turn.
    loop {
        for mut partition in partitions(others & !subset) {
            partition.push(first | subset);
            found.push(partition);
        }
        if subset == 0 {
            return found;
        }
        subset = (subset - 1) & others;
    }
}

fn compositions(operator: &Operator, stream: &impl Fn(Partial) -> usize) -> Vec<Composition> {
    let mut sum: Vec<Composition> = Vec::new();
    for &(partial, c) in operator.parts() {
        for partition in partitions((1 << partial.order()) - 1).iter().filter(|p| p.len() >= 2) {
            let mut factors = [usize::MAX; 4];
            for (factor, &block) in factors.iter_mut().zip(partition) {
                *factor = stream(partial.subset(block));
            }
            factors.sort_unstable();
            match sum.iter_mut().find(|known| known.factors == factors) {
                Some(known) => known.coefficient += c,
                None => sum.push(Composition { coefficient: c, order: partition.len(), factors }),
            }
        }
    }
    sum
}

/// The diagonal form, where the compositions allow it.
fn diagonal(compositions: &[Vec<Composition>]) -> Option<Diagonal> {
    let derivatives = &compositions[1..];
    let slopes = derivatives.iter().take_while(|rules| rules.is_empty()).count();
    let curvatures = &derivatives[slopes..];
    let mut coefficients = vec![0.0; slopes * curvatures.len()];
    for (row, rules) in curvatures.iter().enumerate() {
        for c in rules {
            let [first, second, ..] = c.factors;
            if c.order != 2 || first != second || first > slopes {
                return None;
            }
            coefficients[row * slopes + first - 1] = c.coefficient;
        }
    }
    Some(Diagonal { slopes, curvatures: curvatures.len(), coefficients })
}

fn crosses(operator: &Operator, stream: &impl Fn(Partial) -> usize) -> Vec<Cross> {
    let mut sum: Vec<Cross> = Vec::new();
    for &(partial, c) in operator.parts() {
        let all = (1usize << partial.order()) - 1;
        for subset in 1..all {
            let left = stream(partial.subset(subset));
            let right = stream(partial.subset(all & !subset));
            match sum.iter_mut().find(|known| (known.left, known.right) == (left, right)) {
                Some(known) => known.coefficient += c,
                None => sum.push(Cross { coefficient: c, left, right }),
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partial(coordinates: &[usize]) -> Partial {
        Partial::new(coordinates).unwrap()
    }

    #[test]
    fn burgers_operator_travels_as_one_stream() {
        let collapsed = Operator::new([(partial(&[1]), 1.0), (partial(&[0, 0]), -0.1)]);
        let streams = Streams::new(&[collapsed, partial(&[0]).into()]);
        assert_eq!(streams.count(), 3, "u, u_x and u_t − ν u_xx");
        let rule = &streams.compositions()[2];
        assert_eq!(
            rule,
            &[Composition { coefficient: -0.1, order: 2, factors: [1, 1, usize::MAX, usize::MAX] }]
        );
    }

    #[test]
    fn fourth_order_has_the_bell_number_of_partitions() {
        let streams = Streams::new(&[partial(&[0, 1, 2, 3]).into()]);
        // 15 partitions of four different coordinates, one of them the whole; all 14 proper parts are
        // carried.
        assert_eq!(streams.compositions().last().unwrap().len(), 14);
        assert_eq!(streams.count(), 16);
    }

    #[test]
    fn repeated_coordinates_merge() {
        let streams = Streams::new(&[partial(&[0, 0, 0, 0]).into()]);
        // (u⁗): 4 u′u‴, 3 u″², 6 u′²u″, u′⁴.
        let mut coefficients: Vec<f64> = streams.compositions()[4].iter().map(|c| c.coefficient).collect();
        coefficients.sort_by(f64::total_cmp);
        assert_eq!(coefficients, [1.0, 3.0, 4.0, 6.0]);
    }
}
