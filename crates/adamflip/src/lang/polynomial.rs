//! Expressions as polynomials of what cannot be taken apart further: products multiplied out, like terms
//! collected.
//!
//! What decides whether an expression is 0 by identity. Quotients by one product are negative powers; other
//! quotients, functions and choices are factors of their own, over operands that are collected themselves. No
//! relation between different functions is used (sin² + cos² stays), so an expression that is not 0 here may
//! still vanish.

use std::collections::BTreeMap;

use super::graph::{Binary, Graph, Id, Node, Unary};

/// Factors and their powers, sorted.
type Product = Vec<(Id, i32)>;
/// Every product with its coefficient, and the size of the summands that it was made of.
type Polynomial = BTreeMap<Product, (f64, f64)>;

/// Products in a polynomial at most: an equation of physics has tens.
const MOST_PRODUCTS: usize = 4000;
/// What is left of coefficients that cancel, relative to their size: rounding of constants like 0.01/π.
const ROUNDING: f64 = 1e-12;
/// Powers of sums that are multiplied out.
const HIGHEST: i32 = 8;

impl Graph {
    /// The expression multiplied out and collected; nothing where that has too many summands.
    pub fn collected(&mut self, id: Id) -> Option<Id> {
        let polynomial = self.polynomial(id)?;
        Some(self.sum_of(&polynomial))
    }

    fn polynomial(&mut self, id: Id) -> Option<Polynomial> {
        let mut known: BTreeMap<Id, Polynomial> = BTreeMap::new();
        for id in self.reachable(&[id]) {
            let polynomial = match *self.node(id) {
                Node::Constant(value) => constant(value),
                Node::Leaf(_) => single(id),
                Node::Unary(Unary::Negate, a) => scaled(&known[&a], -1.0),
                Node::Unary(Unary::Square, a) => product(&known[&a], &known[&a])?,
                Node::Unary(Unary::Power(n), a) => self.raised(&known[&a], n)?,
                Node::Binary(Binary::Add, a, b) => sum(&known[&a], &known[&b], 1.0),
                Node::Binary(Binary::Subtract, a, b) => sum(&known[&a], &known[&b], -1.0),
                Node::Binary(Binary::Multiply, a, b) => product(&known[&a], &known[&b])?,
                Node::Binary(Binary::Divide, a, b) => {
                    let inverse = self.raised(&known[&b], -1)?;
                    product(&known[&a], &inverse)?
                }
                node => {
                    let images: Vec<(Id, Id)> =
                        node.children().map(|child| (child, self.sum_of(&known[&child]))).collect();
                    let image =
                        |id: Id| images.iter().find(|(of, _)| *of == id).map_or(id, |&(_, image)| image);
                    let whole = self.rebuild(node, image);
                    self.constant_value(whole).map_or_else(|| single(whole), constant)
                }
            };
            if polynomial.len() > MOST_PRODUCTS {
                return None;
            }
            known.insert(id, polynomial);
        }
        known.remove(&id)
    }

    fn raised(&mut self, base: &Polynomial, n: i32) -> Option<Polynomial> {
        if let (1, Some((factors, &(coefficient, _)))) = (base.len(), base.first_key_value()) {
            let raised = factors.iter().map(|&(id, power)| Some((id, power.checked_mul(n)?)));
            let value = coefficient.powi(n);
            return Some(BTreeMap::from([(raised.collect::<Option<_>>()?, (value, value.abs()))]));
        }
        if (1..=HIGHEST).contains(&n) {
            return (1..n).try_fold(base.clone(), |power, _| product(&power, base));
        }
        let whole = self.sum_of(base);
        Some(match self.constant_value(whole) {
            Some(value) => constant(value.powi(n)),
            None => BTreeMap::from([(vec![(whole, n)], (1.0, 1.0))]),
        })
    }

    fn sum_of(&mut self, polynomial: &Polynomial) -> Id {
        let mut sum = self.constant(0.0);
        for (factors, &(coefficient, _)) in polynomial {
            let mut product = self.constant(coefficient);
            for &(factor, power) in factors.iter().filter(|(_, power)| *power > 0) {
                let factor = self.integer_power(factor, power);
                product = self.mul(product, factor);
            }
            for &(factor, power) in factors.iter().filter(|(_, power)| *power < 0) {
                let divisor = self.integer_power(factor, power.saturating_neg());
                product = self.div(product, divisor);
            }
            sum = self.add(sum, product);
        }
        sum
    }
}

fn constant(value: f64) -> Polynomial {
    let entry = (value != 0.0).then_some((Product::new(), (value, value.abs())));
    entry.into_iter().collect()
}

fn single(id: Id) -> Polynomial {
    BTreeMap::from([(vec![(id, 1)], (1.0, 1.0))])
}

fn scaled(a: &Polynomial, factor: f64) -> Polynomial {
    let scale = |(product, &(value, size)): (&Product, &(f64, f64))| {
        (product.clone(), (factor * value, factor.abs() * size))
    };
    a.iter().map(scale).collect()
}

fn sum(a: &Polynomial, b: &Polynomial, factor: f64) -> Polynomial {
    let mut sum = a.clone();
    b.iter().for_each(|(product, &(value, size))| add(&mut sum, product.clone(), factor * value, size));
    sum
}

fn add(sum: &mut Polynomial, product: Product, value: f64, size: f64) {
    let entry = sum.entry(product.clone()).or_insert((0.0, 0.0));
    *entry = (entry.0 + value, entry.1 + size);
    if entry.0.abs() <= ROUNDING * entry.1 {
        sum.remove(&product);
    }
}

fn product(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    if a.len().saturating_mul(b.len()) > MOST_PRODUCTS * 4 {
        return None;
    }
    let mut result = Polynomial::new();
    for (first, &(value, size)) in a {
        for (second, &(other, other_size)) in b {
            add(&mut result, joined(first, second), value * other, size * other_size);
        }
    }
    Some(result)
}

fn joined(a: &Product, b: &Product) -> Product {
    let mut powers: BTreeMap<Id, i32> = a.iter().copied().collect();
    for &(id, power) in b {
        let joined = powers.entry(id).or_insert(0);
        *joined = joined.saturating_add(power);
    }
    powers.into_iter().filter(|(_, power)| *power != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::super::oracle;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn identities_of_algebra() {
        for text in [
            "(u + v)^2 - u^2 - 2*u*v - v^2",
            "(u - v)*(u + v)/(u*v) - u/v + v/u",
            "2*nu*u_xx - nu*u_xx - nu*u_xx",
            "sin(u + v) - sin(v + u)",
            "1/(u + v) - 1/(v + u)",
            "u_x*(x + 0.1*t) - 0.1*t*u_x - x*u_x",
            "3*(u*u_x)/u - 3*u_x",
        ] {
            let mut graph = Graph::new();
            let id = oracle::parse(text, &mut graph);
            let collected = graph.collected(id).unwrap();
            assert_eq!(graph.constant_value(collected), Some(0.0), "{text}");
        }
        let mut graph = Graph::new();
        let id = oracle::parse("(u + 1)*(u_x - v) - u*u_x", &mut graph);
        let collected = graph.collected(id).unwrap();
        assert_eq!(graph.display(collected, &oracle::scope()), "u_x - u*v - v");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_value_stays(text in oracle::smooth(oracle::LEAVES, 4), seed in 0_u64..1000) {
            let mut graph = Graph::new();
            let id = oracle::parse(&text, &mut graph);
            let Some(collected) = graph.collected(id) else { return Ok(()) };
            let leaf = oracle::leaf_values(seed);
            let (one, other) = (oracle::evaluate(&graph, id, &leaf), oracle::evaluate(&graph, collected, &leaf));
            // The same sums in another order; powers of sums grow to about 1e4.
            prop_assert!((one - other).abs() < 1e-7 * (1.0 + one.abs()), "{text}: {one} {other}");
        }
    }
}
