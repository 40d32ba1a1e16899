//! The part of a residual that is linear in the fields' derivatives with constant coefficients: such
//! combinations can be propagated through a network as a single stream instead of one a derivative.

use super::graph::{Binary, Graph, Id, Leaf, Node, Unary};

impl Graph {
    /// Splits `id` into Σ coefficient·jet + rest. Constants are distributed over sums: `0.1*(u_xx + u_yy)`
    /// gives both jets. Coefficients are nonzero, the jets distinct and in the order in which they were made.
    /// A jet that the rest uses too is still among `leaves(&[rest])`. What would get an infinite coefficient
    /// (`u_t/1e-310`) stays in the rest.
    pub fn linear_parts(&mut self, id: Id) -> (Vec<(Leaf, f64)>, Id) {
        let reachable = self.reachable(&[id]);
        let mut coefficients = vec![0.0; id.index() + 1];
        coefficients[id.index()] = 1.0;
        let (mut linear, mut remaining) = (Vec::new(), Vec::new());
        // Downward: by its turn, a node has received the coefficients from all sums that it is a summand of.
        for &id in reachable.iter().rev() {
            let coefficient = coefficients[id.index()];
            if coefficient == 0.0 {
                continue;
            }
            match *self.node(id) {
                Node::Leaf(leaf @ Leaf::Jet { .. }) => linear.push((leaf, coefficient)),
                node => match self.summands(node) {
                    [None, None] => remaining.push((id, coefficient)),
                    summands if !distribute(&mut coefficients, coefficient, summands) => {
                        remaining.push((id, coefficient));
                    }
                    _ => {}
                },
            }
        }
        linear.reverse();
        let rest = self.weighted_sum(remaining.into_iter().rev());
        (linear, rest)
    }

    /// The node as a sum of constants times expressions; nothing where it is not one.
    fn summands(&self, node: Node) -> [Option<(Id, f64)>; 2] {
        match node {
            Node::Unary(Unary::Negate, a) => [Some((a, -1.0)), None],
            Node::Binary(Binary::Add, a, b) => [Some((a, 1.0)), Some((b, 1.0))],
            Node::Binary(Binary::Subtract, a, b) => [Some((a, 1.0)), Some((b, -1.0))],
            // A constant factor always stands first.
            Node::Binary(Binary::Multiply, a, b) => [self.constant_value(a).map(|factor| (b, factor)), None],
            Node::Binary(Binary::Divide, a, b) => {
                [self.constant_value(b).map(|divisor| (a, 1.0 / divisor)), None]
            }
            _ => [None, None],
        }
    }

    fn weighted_sum(&mut self, terms: impl Iterator<Item = (Id, f64)>) -> Id {
        let mut sum = self.constant(0.0);
        for (term, weight) in terms {
            let weighted = self.weighted(weight, term);
            sum = self.add(sum, weighted);
        }
        sum
    }

    /// The product; as it stands where simplification would make an infinite factor of two finite ones.
    fn weighted(&mut self, weight: f64, term: Id) -> Id {
        let weight = self.constant(weight);
        let product = self.mul(weight, term);
        let infinite = |&id: &Id| self.constant_value(id).is_some_and(|value| !value.is_finite());
        match self.reachable(&[product]).iter().any(infinite) {
            true => self.intern(Node::Binary(Binary::Multiply, weight, term)),
            false => product,
        }
    }
}

/// Adds to the coefficients of all summands; to none, and false, where one would not be finite.
fn distribute(coefficients: &mut [f64], coefficient: f64, summands: [Option<(Id, f64)>; 2]) -> bool {
    let summands = || summands.into_iter().flatten();
    let before = summands().map(|(summand, _)| coefficients[summand.index()]).collect::<Vec<_>>();
    for (summand, factor) in summands() {
        coefficients[summand.index()] += coefficient * factor;
    }
    let finite = summands().all(|(summand, _)| coefficients[summand.index()].is_finite());
    if !finite {
        for ((summand, _), before) in summands().zip(before) {
            coefficients[summand.index()] = before;
        }
    }
    finite
}

#[cfg(test)]
mod tests {
    use super::super::oracle;
    use super::*;
    use proptest::prelude::*;

    /// Shows the parts: coefficient·jet for each, then the rest.
    fn parts(text: &str) -> (Vec<(String, f64)>, String) {
        let mut graph = Graph::new();
        let id = oracle::equation(text, &mut graph);
        let (linear, rest) = graph.linear_parts(id);
        let mut name = |leaf| {
            let id = graph.leaf(leaf);
            graph.display(id, &oracle::scope())
        };
        let linear = linear.into_iter().map(|(leaf, coefficient)| (name(leaf), coefficient)).collect();
        (linear, graph.display(rest, &oracle::scope()))
    }

    fn named(parts: &[(&str, f64)]) -> Vec<(String, f64)> {
        parts.iter().map(|&(name, coefficient)| (name.to_owned(), coefficient)).collect()
    }

    #[test]
    fn burgers() {
        let (linear, rest) = parts("u_t + u*u_x = 0.25*u_xx");
        assert_eq!(linear, named(&[("u_t", 1.0), ("u_xx", -0.25)]));
        assert_eq!(rest, "u*u_x");
    }

    #[test]
    fn heat() {
        let (linear, rest) = parts("u_t = 0.5*(u_xx + u_yy) + sin(x)");
        assert_eq!(linear, named(&[("u_t", 1.0), ("u_xx", -0.5), ("u_yy", -0.5)]));
        assert_eq!(rest, "-sin(x)");
    }

    #[test]
    fn navier_stokes_momentum() {
        let (linear, rest) = parts("u_t + (u*u_x + v*u_y) = -p_x + (u_xx + u_yy)/4");
        let expected = [("u_t", 1.0), ("p_x", 1.0), ("u_xx", -0.25), ("u_yy", -0.25)];
        assert_eq!(linear, named(&expected));
        assert_eq!(rest, "u*u_x + v*u_y");
    }

    #[test]
    fn unknown_coefficients_are_not_constants() {
        let (linear, rest) = parts("u_t = kappa*u_xx");
        assert_eq!(linear, named(&[("u_t", 1.0)]));
        assert_eq!(rest, "-kappa*u_xx");
    }

    #[test]
    fn cancelled_and_gathered_terms() {
        let (linear, rest) = parts("u_t + 2*(u - v) + u = 3*u + u_t - 1");
        assert_eq!(linear, named(&[("v", -2.0)]));
        assert_eq!(rest, "1");
    }

    #[test]
    fn coefficients_are_finite() {
        let (linear, rest) = parts("u_t/1e-310 + u_xx = 1");
        assert_eq!(linear, named(&[("u_xx", 1.0)]));
        assert!(rest.contains("u_t"), "{rest}");
        let (linear, rest) = parts("1e200*(1e200*u_t + sin(x)) + v = 0");
        assert_eq!(linear, named(&[("v", 1.0)]));
        assert!(rest.contains("u_t") && !rest.contains("inf"), "{rest}");
        let (linear, rest) = parts("1e308*u_t + (1e308*u_t + x) = 0");
        assert_eq!(linear, named(&[]));
        assert!(rest.contains("u_t") && !rest.contains("inf"), "{rest}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_parts_add_up(text in oracle::smooth(oracle::LEAVES, 4), seed in 0_u64..1000) {
            let mut graph = Graph::new();
            let id = oracle::parse(&text, &mut graph);
            let (linear, rest) = graph.linear_parts(id);
            let leaf = oracle::leaf_values(seed);
            let sum = linear.iter().map(|&(l, c)| c * leaf(l)).sum::<f64>() + oracle::evaluate(&graph, rest, &leaf);
            let value = oracle::evaluate(&graph, id, &leaf);
            // The same sum in another order.
            prop_assert!((sum - value).abs() < 1e-9 * (1.0 + value.abs()), "{text}");
        }
    }
}
