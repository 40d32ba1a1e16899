//! Generators of point transformations, and what they do to derivatives: prolongation.
//!
//! A generator X = Σ ξ_i ∂/∂x_i + Σ η_a ∂/∂u_a moves coordinates and fields; the moved field's derivatives
//! move with it:
//!
//! ```text
//! η_a^{J,k} = D_k η_a^J − Σ_i (D_k ξ_i) u_{a,J,i},        η_a^∅ = η_a,
//! pr X [F]  = Σ ξ_i ∂F/∂x_i + Σ η_a^J ∂F/∂u_{a,J},        Q_a = η_a − Σ ξ_i u_{a,i}
//! ```
//!
//! with total derivatives D_k. The recursion needs no derivative beyond those of F, unlike the closed form
//! D_J Q + Σ ξ_i u_{J,i}, whose highest ones cancel. A family of solutions is mapped to itself where pr X
//! \[F\] vanishes on F = 0; a solution is its own image where its characteristic Q vanishes. Reference:
//! Olver, Applications of Lie Groups to Differential Equations (1993), theorem 2.36.

use super::differentiate::NotDifferentiable;
use super::function::Function;
use super::graph::{Binary, Graph, HERE, Id, Leaf, Node, Unary};
use crate::derivative::Partial;

/// The coefficients of a generator, expressions of coordinates and fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    /// ξ_i, one for each coordinate.
    pub coordinates: Vec<Id>,
    /// η_a, one for each field.
    pub fields: Vec<Id>,
}

impl Graph {
    /// Q_a: how fast the field changes at a fixed point while the group moves its graph.
    pub fn characteristic(&mut self, generator: &Generator, field: usize) -> Id {
        let mut sum = generator.fields[field];
        for (coordinate, &speed) in generator.coordinates.iter().enumerate() {
            let Some(partial) = Partial::VALUE.then(coordinate) else { continue };
            let slope = self.leaf(Leaf::Jet { field, partial, site: HERE });
            let carried = self.mul(speed, slope);
            sum = self.sub(sum, carried);
        }
        sum
    }

    /// η_a^J: how fast a derivative of the field changes.
    pub fn prolonged(
        &mut self,
        generator: &Generator,
        field: usize,
        partial: Partial,
    ) -> Result<Id, NotDifferentiable> {
        let (mut speed, mut before) = (generator.fields[field], Partial::VALUE);
        for by in partial.coordinates() {
            speed = self.differentiate(speed, by)?;
            for (i, &along) in generator.coordinates.iter().enumerate() {
                let stretch = self.differentiate(along, by)?;
                if self.constant_value(stretch) == Some(0.0) {
                    continue;
                }
                let next = before.then(i).ok_or(NotDifferentiable::Order { field })?;
                let slope = self.leaf(Leaf::Jet { field, partial: next, site: HERE });
                let product = self.mul(stretch, slope);
                speed = self.sub(speed, product);
            }
            before = before.then(by).ok_or(NotDifferentiable::Order { field })?;
        }
        Ok(speed)
    }

    /// pr X \[F\]: how fast an expression of the point and of the fields' derivatives there changes.
    pub fn along(&mut self, generator: &Generator, id: Id) -> Result<Id, NotDifferentiable> {
        let mut speeds = Vec::new();
        for leaf in self.leaves(&[id]) {
            let speed = match leaf {
                Leaf::Coordinate(coordinate) => generator.coordinates[coordinate],
                Leaf::Jet { field, partial, site: HERE } => self.prolonged(generator, field, partial)?,
                Leaf::Unknown(_) => continue,
                Leaf::Jet { .. } | Leaf::Attribute(_) => return Err(NotDifferentiable::Attribute),
                Leaf::Slot(_) => return Err(NotDifferentiable::Slot),
            };
            speeds.push((leaf, speed));
        }
        self.refuse_moving_jumps(id, &speeds)?;
        self.tangent(id, &speeds)
    }

    /// A jump that moves changes an equation by more than its derivative away from the jump tells.
    fn refuse_moving_jumps(&mut self, id: Id, speeds: &[(Leaf, Id)]) -> Result<(), NotDifferentiable> {
        let zero = self.constant(0.0);
        let moves = |leaf: Leaf| speeds.iter().any(|&(known, speed)| known == leaf && speed != zero);
        for id in self.reachable(&[id]) {
            let name = match *self.node(id) {
                Node::Binary(Binary::Less | Binary::LessEqual, ..) => "where",
                Node::Unary(Unary::Function(Function::Sign), _) => "sign",
                _ => continue,
            };
            if self.depends_on(id, moves) {
                return Err(NotDifferentiable::Function { name });
            }
        }
        Ok(())
    }

    /// How fast an expression changes when its leaves change so fast; the others stay.
    pub fn tangent(&mut self, id: Id, speeds: &[(Leaf, Id)]) -> Result<Id, NotDifferentiable> {
        let zero = self.constant(0.0);
        let mut tangents = vec![zero; id.index() + 1];
        for id in self.reachable(&[id]) {
            let of = |id: Id| tangents[id.index()];
            tangents[id.index()] = match *self.node(id) {
                Node::Leaf(leaf) => {
                    speeds.iter().find(|(moved, _)| *moved == leaf).map_or(zero, |&(_, speed)| speed)
                }
                // They move with their point even where nothing in them does.
                Node::Caputo { .. } => return Err(NotDifferentiable::Function { name: "caputo" }),
                Node::Integral { .. } => return Err(NotDifferentiable::Function { name: "integral" }),
                node if node.children().all(|child| of(child) == zero) => zero,
                Node::Constant(_) => zero,
                Node::Unary(unary, a) => {
                    let da = of(a);
                    let outer = self.unary_derivative(unary, a, id)?;
                    self.mul(outer, da)
                }
                Node::Binary(binary, a, b) => {
                    let (da, db) = (of(a), of(b));
                    self.binary_derivative(binary, (a, da), (b, db), id)
                }
                Node::Select([condition, yes, no]) => {
                    let (yes, no) = (of(yes), of(no));
                    self.select([condition, yes, no])
                }
                Node::ColeHopf(_) => return Err(NotDifferentiable::Function { name: "cole_hopf" }),
            };
        }
        Ok(tangents[id.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::{self, equation, parse};
    use super::*;

    /// A generator of coordinates x, t, y and fields u, v, p, by its coefficients for x, t and u.
    fn generator(graph: &mut Graph, [x, t, u]: [&str; 3]) -> Generator {
        let zero = graph.constant(0.0);
        let mut parsed = |text: &str| parse(text, graph);
        let (x, t, u) = (parsed(x), parsed(t), parsed(u));
        Generator { coordinates: vec![x, t, zero], fields: vec![u, zero, zero] }
    }

    fn partial(by: &[usize]) -> Partial {
        Partial::new(by).unwrap()
    }

    #[test]
    fn known_coefficients() {
        // (generator, derivative, coefficient): Olver 1993, section 2.4, and scalings by counting.
        #[rustfmt::skip]
        let table: &[([&str; 3], &[usize], &str)] = &[
            (["x", "2*t", "0"],           &[1],          "-2*u_t"),
            (["x", "2*t", "0"],           &[0, 0],       "-2*u_xx"),
            (["x", "2*t", "-u"],          &[0, 0, 1],    "-5*u_xxt"),
            (["t", "0", "1"],             &[1],          "-u_x"),
            (["t", "0", "1"],             &[0, 0],       "0"),
            (["x", "3*t", "-2*u"],        &[0, 0, 0],    "-5*u_xxx"),
            (["6*t", "0", "1"],           &[1],          "-6*u_x"),
            (["4*t", "x", "0"],           &[1],          "-4*u_x"),
            (["4*t", "x", "0"],           &[0, 0],       "-2*u_xt"),
            (["4*t", "x", "0"],           &[1, 1],       "-8*u_xt"),
            // The heat equation's v6 = 4tx ∂x + 4t² ∂t − (x² + 2t)u ∂u.
            (["4*t*x", "4*t^2", "-(x^2 + 2*t)*u"], &[0], "-(x^2 + 6*t)*u_x - 2*x*u"),
            (["4*t*x", "4*t^2", "-(x^2 + 2*t)*u"], &[1], "-(x^2 + 10*t)*u_t - 4*x*u_x - 2*u"),
            (["4*t*x", "4*t^2", "-(x^2 + 2*t)*u"], &[0, 0], "-(x^2 + 10*t)*u_xx - 4*x*u_x - 2*u"),
            // Coefficients of the field: φ^x = φ_x + (φ_u − ξ_x)u_x − ξ_u u_x².
            (["u", "0", "u^2"],           &[0],          "2*u*u_x - u_x^2"),
            (["-u", "0", "x"],            &[0],          "1 + u_x^2"),
            (["-u", "0", "x"],            &[0, 0],       "3*u_x*u_xx"),
        ];
        for (coefficients, by, expected) in table {
            let mut graph = Graph::new();
            let generator = generator(&mut graph, *coefficients);
            let found = graph.prolonged(&generator, 0, partial(by)).unwrap();
            let expected = parse(expected, &mut graph);
            let difference = graph.sub(found, expected);
            let difference = graph.collected(difference).unwrap();
            let shown = graph.display(found, &oracle::scope());
            assert_eq!(graph.constant_value(difference), Some(0.0), "{coefficients:?} {by:?}: {shown}");
        }
    }

    /// The closed form D_J Q + Σ ξ_i u_{J,i} as an independent rule, for orders where its derivatives exist.
    #[test]
    fn the_closed_form_says_the_same() {
        let table = [["x*u + t", "sin(t)*x", "u^2*x"], ["exp(u)", "u", "x*t"], ["t^2", "x - t", "cos(u)"]];
        for coefficients in table {
            for by in [&[0][..], &[1], &[0, 1], &[0, 0], &[0, 0, 1]] {
                let mut graph = Graph::new();
                let generator = generator(&mut graph, coefficients);
                let recursive = graph.prolonged(&generator, 0, partial(by)).unwrap();
                let mut closed = graph.characteristic(&generator, 0);
                for &coordinate in by {
                    closed = graph.differentiate(closed, coordinate).unwrap();
                }
                for (i, &speed) in generator.coordinates.iter().enumerate() {
                    let next = partial(by).then(i).unwrap();
                    let jet = graph.leaf(Leaf::Jet { field: 0, partial: next, site: HERE });
                    let carried = graph.mul(speed, jet);
                    closed = graph.add(closed, carried);
                }
                for seed in 0..4 {
                    let leaf = oracle::leaf_values(seed);
                    let (a, b) =
                        (oracle::evaluate(&graph, recursive, &leaf), oracle::evaluate(&graph, closed, &leaf));
                    // Sums of some fifty products of size one.
                    assert!((a - b).abs() < 1e-11 * (1.0 + a.abs()), "{coefficients:?} {by:?}: {a} {b}");
                }
            }
        }
    }

    /// η^J is the speed of the moved solution's derivative at the moved point: against differences along
    /// exact flows.
    #[test]
    fn finite_differences_along_flowed_solutions() {
        /// u, its image under the group by ε, and where the point goes.
        type Moved = (fn(f64, f64, f64) -> f64, fn(f64, f64, f64) -> (f64, f64));
        fn soliton(x: f64, t: f64) -> f64 {
            2.0 / (x - 4.0 * t).cosh().powi(2)
        }
        #[rustfmt::skip]
        let table: &[([&str; 3], &[usize], Moved)] = &[
            // Heat kernel: scaling.
            (["x", "2*t", "0"], &[0, 0], (
                |ε, x, t| { let (x, t) = (x * (-ε).exp(), t * (-2.0 * ε).exp() + 1.0); (-x * x / (4.0 * t)).exp() / t.sqrt() },
                |ε, x, t| (x * ε.exp(), t * (2.0 * ε).exp()))),
            // Burgers' travelling wave: Galilei.
            (["t", "0", "1"], &[1], (
                |ε, x, t| 1.0 - ((x - ε * t - t) / 2.0).tanh() + ε,
                |ε, x, t| (x + ε * t, t))),
            // KdV soliton: scaling and Galilei.
            (["x", "3*t", "-2*u"], &[0, 0, 0], (
                |ε, x, t| (-2.0 * ε).exp() * soliton(x * (-ε).exp(), t * (-3.0 * ε).exp()),
                |ε, x, t| (x * ε.exp(), t * (3.0 * ε).exp()))),
            (["6*t", "0", "1"], &[1], (
                |ε, x, t| soliton(x - 6.0 * ε * t, t) + ε,
                |ε, x, t| (x + 6.0 * ε * t, t))),
            // The wave equation of speed 1: boost.
            (["t", "x", "0"], &[0, 1], (
                |ε, x, t| { let (x, t) = (x * ε.cosh() - t * ε.sinh(), t * ε.cosh() - x * ε.sinh()); (x - t).sin() + (2.0 * (x + t)).cos() },
                |ε, x, t| (x * ε.cosh() + t * ε.sinh(), t * ε.cosh() + x * ε.sinh()))),
        ];
        let (x, t) = (0.3, 0.4);
        for (coefficients, by, (image, place)) in table {
            let derivative =
                |by: &[usize], ε: f64, x: f64, t: f64| differences(&|x, t| image(ε, x, t), by, x, t);
            let mut graph = Graph::new();
            let generator = generator(&mut graph, *coefficients);
            let speed = graph.prolonged(&generator, 0, partial(by)).unwrap();
            let exact = oracle::evaluate(&graph, speed, &|leaf| match leaf {
                Leaf::Coordinate(0) => x,
                Leaf::Coordinate(1) => t,
                Leaf::Jet { field: 0, partial, .. } => {
                    derivative(&partial.coordinates().collect::<Vec<_>>(), 0.0, x, t)
                }
                _ => 0.0,
            });
            let at = |ε: f64| {
                let (x, t) = place(ε, x, t);
                derivative(by, ε, x, t)
            };
            let h = 1e-2;
            let speed = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            // Fourth-order differences with steps of 1e-2 of functions of scale one, third derivatives of
            // them: 1e-4.
            assert!((exact - speed).abs() < 1e-4 * (1.0 + exact.abs()), "{coefficients:?}: {exact} {speed}");
        }
    }

    fn differences(f: &dyn Fn(f64, f64) -> f64, by: &[usize], x: f64, t: f64) -> f64 {
        let Some((&first, rest)) = by.split_first() else { return f(x, t) };
        let h = 1e-2;
        let at = |i: f64| match first {
            0 => differences(f, rest, x + i * h, t),
            _ => differences(f, rest, x, t + i * h),
        };
        (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h)
    }

    #[test]
    fn equations_along_their_symmetries() {
        // pr X [F] = λ F with the known λ.
        for (coefficients, text, multiple) in [
            (["x", "2*t", "0"], "u_t = u_xx", "-2"),
            (["t", "0", "1"], "u_t + u*u_x = nu*u_xx", "0"),
            (["x", "3*t", "-2*u"], "u_t + 6*u*u_x + u_xxx = 0", "-5"),
            (["x", "t", "0"], "u_tt = 4*u_xx", "-2"),
            (["4*t", "x", "0"], "u_tt = 4*u_xx", "0"),
            (["4*t*x", "4*t^2", "-(x^2 + 2*t)*u"], "u_t = u_xx", "-(x^2 + 10*t)"),
        ] {
            let mut graph = Graph::new();
            let generator = generator(&mut graph, coefficients);
            let id = equation(text, &mut graph);
            let speed = graph.along(&generator, id).unwrap();
            let factor = parse(multiple, &mut graph);
            let expected = graph.mul(factor, id);
            let difference = graph.sub(speed, expected);
            let difference = graph.collected(difference).unwrap();
            assert_eq!(graph.constant_value(difference), Some(0.0), "{text}");
        }
    }

    #[test]
    fn the_highest_order_needs_no_higher_one() {
        let mut graph = Graph::new();
        let generator = generator(&mut graph, ["x", "2*t", "0"]);
        let id = equation("u_tt + u_xxxx = 0", &mut graph);
        let speed = graph.along(&generator, id).unwrap();
        let minus = graph.constant(-4.0);
        let expected = graph.mul(minus, id);
        let difference = graph.sub(speed, expected);
        assert_eq!(graph.collected(difference), Some(graph.constant(0.0)));
    }

    #[test]
    fn what_has_no_prolongation() {
        let mut graph = Graph::new();
        let generator = generator(&mut graph, ["x", "2*t", "0"]);
        for text in [
            "u_t = where(x < 0.5, 1, 2)*u_xx",
            "u_t = integral(u, x)",
            "u_t = u(0, t, y)",
            "caputo(u, t, 0.5) = u",
        ] {
            let id = equation(text, &mut graph);
            assert!(graph.along(&generator, id).is_err(), "{text}");
        }
    }
}
