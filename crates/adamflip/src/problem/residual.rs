//! The residuals of one term as tapes over streams.

use super::collapse::collapse;
use crate::jet::Streams;
use crate::lang::{Graph, Id, Tape};

/// Residuals r = left − right of a term: what depends on coordinates alone is computed once for a set of points
/// (`given`), the rest every step (`tape`).
#[derive(Clone, Debug)]
pub struct Residual {
    /// The derivatives that must travel through the network.
    pub streams: Streams,
    /// Columns that depend on the coordinates alone; its inputs are coordinates.
    pub given: Tape,
    /// The residuals; its inputs are unknowns and slots. Slot `stream·fields + field` is an output of the network,
    /// slot `streams·fields + i` is the i-th given column.
    pub tape: Tape,
}

impl Residual {
    /// Prepares the residuals of a term for a network with so many outputs.
    pub fn new(graph: &mut Graph, residuals: &[Id], fields: usize) -> Self {
        let (streams, rewritten) = collapse(graph, residuals, fields);
        let (given, outputs) = graph.hoist(&rewritten, streams.count() * fields);
        Self { given: Tape::lower(graph, &given), tape: Tape::lower(graph, &outputs), streams }
    }

    /// The number of equations.
    pub fn equations(&self) -> usize {
        self.tape.outputs().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Span, Spanned};
    use crate::lang::{Scope, equation};

    fn streams(coordinates: &[&str], fields: &[&str], equations: &[&str]) -> usize {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let (coordinates, fields) = (owned(coordinates), owned(fields));
        let constants = [("nu".to_owned(), 0.01 / std::f64::consts::PI)];
        let scope = Scope {
            coordinates: &coordinates,
            fields: &fields,
            unknowns: &[],
            constants: &constants,
            ..Scope::default()
        };
        let mut graph = Graph::new();
        let spanned = |text: &&str| Spanned { value: (*text).to_owned(), span: Span::default() };
        let ids: Vec<Id> =
            equations.iter().map(|text| equation(&spanned(text), &scope, &mut graph).unwrap()).collect();
        Residual::new(&mut graph, &ids, fields.len()).streams.count()
    }

    #[test]
    fn equations_get_as_few_streams_as_they_need() {
        type Names = &'static [&'static str];
        #[rustfmt::skip]
        let cases: &[(Names, Names, Names, usize, &str)] = &[
            (&["x", "t"],      &["u"],           &["u_t + u*u_x = nu*u_xx"],        3, "u, u_x, u_t − ν u_xx"),
            (&["x", "y", "t"], &["u"],           &["u_t = 0.1*(u_xx + u_yy)"],      4, "u, u_x, u_y, u_t − ν Δu"),
            (&["x", "y"],      &["u"],           &["-u_xx - u_yy = sin(x)"],        4, "u, u_x, u_y, Δu"),
            (&["x", "t"],      &["u"],           &["u_t + 2*u_x = 0"],              2, "u, u_t + 2 u_x"),
            (&["x", "t"],      &["u"],           &["u_t + 6*u*u_x + u_xxx = 0"],    4, "u, u_x, u_xx, u_t + u_xxx"),
            (&["x", "t"],      &["u"],           &["u_t = u_xx*u"],                 4, "u_xx is nonlinear: u, u_x, u_t, u_xx"),
            (&["x", "t"],      &["u"],           &["u = sin(x)"],                   1, "u"),
            (&["x", "t"],      &["u", "v"],      &["u_t = u_xx", "v_t = 2*v_xx"],   4, "two combinations for two candidates"),
            (&["x", "y", "t"], &["u", "v", "p"], &[
                "u_t + u*u_x + v*u_y + p_x = nu*(u_xx + u_yy)",
                "v_t + u*v_x + v*v_y + p_y = nu*(v_xx + v_yy)",
                "u_x + v_y = 0"],                                                   4, "value, x, y, ∂_t − νΔ"),
        ];
        for (coordinates, fields, equations, expected, why) in cases {
            assert_eq!(streams(coordinates, fields, equations), *expected, "{equations:?}: {why}");
        }
    }
}
