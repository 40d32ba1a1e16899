//! Rewriting: leaves replaced by expressions, and what depends on the point alone taken out of the inner
//! loop.

use super::graph::{Graph, HERE, Id, Leaf, Node};

/// On what the value of an expression depends, from least to most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Depends {
    Nothing,
    Coordinates,
    Solution,
}

impl Graph {
    /// The expression with leaves replaced; `None` keeps a leaf.
    pub fn substitute(&mut self, id: Id, replace: &mut dyn FnMut(Leaf) -> Option<Id>) -> Id {
        let mut image = self.identity();
        for id in self.reachable(&[id]) {
            image[id.index()] = match *self.node(id) {
                Node::Leaf(leaf) => replace(leaf).unwrap_or(id),
                node => self.rebuild(node, |id| image[id.index()]),
            };
        }
        image[id.index()]
    }

    /// The expression of another graph, without jets elsewhere (their sites are the other graph's).
    pub(crate) fn imported(&mut self, other: &Self, id: Id) -> Id {
        let mut image = vec![id; id.index() + 1];
        for id in other.reachable(&[id]) {
            image[id.index()] = self.rebuild(*other.node(id), |id| image[id.index()]);
        }
        image[id.index()]
    }

    /// The expression at another point: coordinates replaced by the given ones, jets moved there. Attributes
    /// stay those of the point itself.
    pub fn moved(&mut self, id: Id, coordinates: &[Id]) -> Id {
        let mut image = self.identity();
        for id in self.reachable(&[id]) {
            image[id.index()] = match *self.node(id) {
                Node::Leaf(Leaf::Coordinate(c)) => coordinates[c],
                Node::Leaf(Leaf::Jet { field, partial, site }) => {
                    let there: Vec<Id> = match site {
                        HERE => coordinates.to_vec(),
                        site => {
                            let own = self.site_coordinates(site).to_vec();
                            own.into_iter().map(|own| self.moved(own, coordinates)).collect()
                        }
                    };
                    let site = self.site(there);
                    self.leaf(Leaf::Jet { field, partial, site })
                }
                node => self.rebuild(node, |id| image[id.index()]),
            };
        }
        image[id.index()]
    }

    /// Takes out the maximal subexpressions that depend on coordinates (alone, or with constants): each is
    /// replaced by `Leaf::Slot(first_slot + i)`, `hoisted[i]` being the expression. Returns
    /// `(hoisted, rewritten outputs)`. They need evaluating only when the points change, not at every step.
    pub fn hoist(&mut self, outputs: &[Id], first_slot: usize) -> (Vec<Id>, Vec<Id>) {
        let reachable = self.reachable(outputs);
        let depends = self.dependence(&reachable);
        let mut image = self.identity();
        let mut hoisted = Vec::new();
        for id in self.taken_out(&reachable, &depends, outputs) {
            image[id.index()] = self.leaf(Leaf::Slot(first_slot + hoisted.len()));
            hoisted.push(id);
        }
        for id in reachable {
            if depends[id.index()] == Depends::Solution {
                image[id.index()] = self.rebuild(*self.node(id), |id| image[id.index()]);
            }
        }
        (hoisted, outputs.iter().map(|output| image[output.index()]).collect())
    }

    fn dependence(&self, reachable: &[Id]) -> Vec<Depends> {
        let mut depends = vec![Depends::Nothing; self.len()];
        for &id in reachable {
            depends[id.index()] = match self.node(id) {
                Node::Leaf(Leaf::Coordinate(_) | Leaf::Attribute(_)) => Depends::Coordinates,
                Node::Leaf(_) => Depends::Solution,
                node => node.children().map(|child| depends[child.index()]).max().unwrap_or(Depends::Nothing),
            };
        }
        depends
    }

    /// Expressions of the coordinates that are an output or an operand of something that depends on the
    /// solution.
    fn taken_out(&self, reachable: &[Id], depends: &[Depends], outputs: &[Id]) -> Vec<Id> {
        let mut taken = outputs.to_vec();
        for &id in reachable {
            if depends[id.index()] == Depends::Solution {
                taken.extend(self.node(id).children());
            }
        }
        taken.retain(|id| depends[id.index()] == Depends::Coordinates);
        taken.sort_unstable();
        taken.dedup();
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle;
    use super::*;
    use proptest::prelude::*;

    /// Shows what is taken out and what remains of one equation.
    fn hoisted(text: &str) -> (Vec<String>, String) {
        let mut graph = Graph::new();
        let id = oracle::equation(text, &mut graph);
        let (hoisted, outputs) = graph.hoist(&[id], 3);
        let show = |&id: &Id| graph.display(id, &oracle::scope());
        (hoisted.iter().map(show).collect(), show(&outputs[0]))
    }

    #[test]
    fn burgers_has_nothing_to_take_out() {
        let (hoisted, rest) = hoisted("u_t + u*u_x = 0.25*u_xx");
        assert!(hoisted.is_empty());
        assert_eq!(rest, "u_t + u*u_x - 0.25*u_xx");
    }

    #[test]
    fn initial_condition() {
        let (hoisted, rest) = hoisted("u = -sin(pi*x)");
        assert_eq!(hoisted, ["sin(pi*x)"]);
        assert_eq!(rest, "u + #3");
    }

    #[test]
    fn heat_with_a_source_and_a_bare_coordinate() {
        let (hoisted, rest) = hoisted("u_t = x*(u_xx + u_yy) + exp(-t)*sin(x)*u + 2");
        assert_eq!(hoisted, ["x", "exp(-t)*sin(x)"]);
        assert_eq!(rest, "u_t - (#3*(u_xx + u_yy) + #4*u + 2)");
    }

    #[test]
    fn navier_stokes_momentum() {
        let (hoisted, rest) = hoisted("u_t + u*u_x + v*u_y + p_x = 0.01*(u_xx + u_yy) + x*t^2 - cos(x)");
        assert_eq!(hoisted, ["x*t^2", "cos(x)"]);
        assert_eq!(rest, "u_t + u*u_x + v*u_y + p_x - (0.01*(u_xx + u_yy) + #3 - #4)");
    }

    #[test]
    fn outputs_of_every_kind() {
        let mut graph = Graph::new();
        let texts = ["x", "3", "u", "x + u", "kappa*x"];
        let outputs = texts.map(|text| oracle::parse(text, &mut graph));
        let (hoisted, rewritten) = graph.hoist(&outputs, 0);
        assert_eq!(hoisted, [outputs[0]]);
        let shown: Vec<_> = rewritten.iter().map(|&id| graph.display(id, &oracle::scope())).collect();
        assert_eq!(shown, ["#0", "3", "u", "#0 + u", "kappa*#0"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn putting_back_restores_the_value(text in oracle::smooth(oracle::LEAVES, 4), seed in 0_u64..1000) {
            let mut graph = Graph::new();
            let id = oracle::parse(&text, &mut graph);
            let (hoisted, rewritten) = graph.hoist(&[id], 0);
            let left = graph.leaves(&rewritten);
            prop_assert!(!left.iter().any(|leaf| matches!(leaf, Leaf::Coordinate(_))));
            let restored = graph.substitute(rewritten[0], &mut |leaf| match leaf {
                Leaf::Slot(slot) => Some(hoisted[slot]),
                _ => None,
            });
            let leaf = oracle::leaf_values(seed);
            let (a, b) = (oracle::evaluate(&graph, id, &leaf), oracle::evaluate(&graph, restored, &leaf));
            // Simplification may move a sign, never more than rounding.
            prop_assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()), "{text}: {a} {b}");
        }
    }
}
