//! Texts that are read after the problem is understood, in the notation of its equations: what a prediction
//! asks for.

use super::names::Names;
use super::network::Ansatz;
use super::reference::usual_count;
use super::term::expand;
use super::{Grid, Problem, Residual};
use crate::diagnostic::{Diagnostic, Spanned};
use crate::jet::MAX_STREAMS;
use crate::lang::{self, Graph, Id};
use crate::spec::Caputo;

/// What texts are read with: the names of the problem, and how its fields follow from the networks' outputs.
#[derive(Clone, Debug)]
pub(super) struct Notation {
    pub(super) names: Names,
    pub(super) ansatz: Ansatz,
}

impl Problem {
    /// Expressions of fields, derivatives, coordinates, unknowns, constants and definitions, ready to be
    /// evaluated at any points; histories by Gauss–Jacobi nodes of each point's own. All errors at once.
    pub fn expressions(&self, texts: &[Spanned<String>]) -> Result<Residual, Vec<Diagnostic>> {
        let (mut graph, mut mistakes) = (Graph::new(), Vec::new());
        let ids: Vec<Id> = texts
            .iter()
            .filter_map(|text| self.applied(text, &mut graph).map_err(|wrong| mistakes.extend(wrong)).ok())
            .collect();
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let names = &self.notation.names;
        let expanded = expand(names, &self.unknowns, Caputo::Scattered, None, &mut graph, &ids);
        let expanded = expanded.map_err(|refusals| -> Vec<Diagnostic> {
            let place = |index: usize| texts.get(index).map(|text| text.span).unwrap_or_default();
            let diagnostic = |refusal: super::nonlocal::NonlocalError| {
                let diagnostic = Diagnostic::new(place(refusal.equation), refusal.message);
                diagnostic.label(refusal.label).hint(refusal.hint)
            };
            refusals.into_iter().map(diagnostic).collect()
        })?;
        let networks: Vec<Vec<usize>> = self.networks.iter().map(|network| network.fields.clone()).collect();
        let residual = Residual::new(&mut graph, &expanded.residuals, &networks);
        let most = residual.groups.iter().map(|group| group.streams.count()).max().unwrap_or(0);
        match most > MAX_STREAMS {
            true => Err(texts.last().map(|last| too_many_streams(last, most)).into_iter().collect()),
            false => Ok(residual),
        }
    }

    /// One expression with the ansatz put in.
    fn applied(&self, text: &Spanned<String>, graph: &mut Graph) -> Result<Id, Vec<Diagnostic>> {
        let Notation { names, ansatz } = &self.notation;
        let id = lang::expression(text, &names.scope(&[]), graph)?;
        let applied = ansatz.apply(graph, &[id], names).map_err(|why| {
            let diagnostic = Diagnostic::new(text.span, "the ansatz cannot be differentiated for this");
            vec![diagnostic.label(why.to_string()).hint("ask for lower derivatives")]
        })?;
        Ok(applied[0])
    }

    /// Whether some field is built from its network's output so that conditions hold.
    pub fn has_ansatz(&self) -> bool {
        let by_file = self.networks.iter().any(|network| !network.shape.ansatz.is_empty());
        by_file || self.notation.ansatz.construction.is_any()
    }

    /// A number that may be written with the problem's constants: `0.5`, `2*pi`, `L/2`.
    pub fn number(&self, text: &Spanned<String>) -> Result<f64, Vec<Diagnostic>> {
        lang::number(text, &self.notation.names.constant_scope())
    }

    /// The grid over the whole domain that is used where nothing says how fine.
    pub fn usual_grid(&self) -> Grid {
        Grid {
            lower: self.domain.lower.clone(),
            upper: self.domain.upper.clone(),
            counts: vec![usual_count(self.coordinates.len()); self.coordinates.len()],
        }
    }
}

fn too_many_streams(text: &Spanned<String>, count: usize) -> Diagnostic {
    Diagnostic::new(text.span, format!("this needs {count} derivative streams"))
        .label(format!("at most {MAX_STREAMS} at once"))
        .hint("ask for fewer derivatives at once")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Span;
    use crate::geometry::Points;
    use crate::{objective, train};

    const TEXT: &str = r#"
        fields = ["u"]
        [domain]
        x = [-1, 1]
        t = [0, 1]
        [constants]
        nu = 0.25
        [define]
        flux = "nu*u_x"
        "square(s)" = "s^2"
        [unknowns]
        kappa = { start = 3.0, bounds = [0, 10] }
        [term.a]
        equation = "u_t = kappa*u_xx"
        points   = 4
        [network]
        hidden = [5, 5]
        ansatz = "sin(pi*x) + t*(1 - x^2)*N"
    "#;

    fn spanned(text: &str) -> Spanned<String> {
        Spanned { value: text.to_owned(), span: Span { source: 0, start: 0, end: text.len() } }
    }

    fn values(texts: &[&str], at: [f64; 2]) -> Vec<f64> {
        let problem = crate::testing::problem(TEXT);
        let (model, θ) = train::model(&problem, 1);
        let texts: Vec<_> = texts.iter().map(|text| spanned(text)).collect();
        let residual = problem.expressions(&texts).unwrap();
        let mut points = Points::new(2, 1);
        points.column_mut(0)[0] = at[0];
        points.column_mut(1)[0] = at[1];
        objective::values(&residual, &model, &problem.unknowns, &θ, &points).concat()
    }

    #[test]
    fn everything_that_equations_may_mention() {
        let v =
            values(&["u", "flux", "u_x", "square(u)", "kappa*u", "x + t", "nu", "u(0, t)", "2"], [0.5, 0.25]);
        assert_eq!(v[1], 0.25 * v[2]);
        assert_eq!(v[3], v[0] * v[0]);
        // κ goes through the logistic function and back: rounding.
        assert!((v[4] - 3.0 * v[0]).abs() < 1e-14);
        assert_eq!(v[5..7], [0.75, 0.25]);
        assert_eq!(v[8], 2.0);
        // The ansatz: known values where its factor vanishes.
        assert!((values(&["u"], [0.5, 0.0])[0] - 1.0).abs() < 1e-15);
        assert!((values(&["u(1, t)"], [0.5, 0.7])[0]).abs() < 1e-15);
    }

    #[test]
    fn derivatives_and_integrals_agree_with_differences() {
        let h = 1e-4;
        let u = |x: f64, t: f64| values(&["u"], [x, t])[0];
        let v = values(&["u_x", "u_xt", "integral(u, x)", "d(u^2, t)"], [0.3, 0.6]);
        // Central differences with step 1e-4: h² times third derivatives up to 100, and rounding 1e-16/h².
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} and {b}");
        close(v[0], (u(0.3 + h, 0.6) - u(0.3 - h, 0.6)) / (2.0 * h));
        let mixed = u(0.3 + h, 0.6 + h) - u(0.3 + h, 0.6 - h) - u(0.3 - h, 0.6 + h) + u(0.3 - h, 0.6 - h);
        close(v[1], mixed / (4.0 * h * h));
        close(v[3], (u(0.3, 0.6 + h).powi(2) - u(0.3, 0.6 - h).powi(2)) / (2.0 * h));
        // Simpson's rule with 200 steps is good to (1/100)⁴ of fourth derivatives.
        let simpson: f64 = (0..=200)
            .map(|i| match i {
                0 | 200 => u(f64::from(i) / 100.0 - 1.0, 0.6),
                i if i % 2 == 1 => 4.0 * u(f64::from(i) / 100.0 - 1.0, 0.6),
                i => 2.0 * u(f64::from(i) / 100.0 - 1.0, 0.6),
            })
            .sum();
        close(v[2], simpson / 300.0);
    }

    #[test]
    fn every_error_at_once() {
        let problem = crate::testing::problem(TEXT);
        let texts = ["u_y", "v", "u +", "grad(u)", "u_n", "u_xxxxx"].map(spanned);
        let mistakes = problem.expressions(&texts).unwrap_err();
        assert_eq!(mistakes.len(), texts.len(), "{mistakes:#?}");
        assert!(mistakes.iter().all(|mistake| mistake.hint.is_some()), "{mistakes:#?}");
    }
}
