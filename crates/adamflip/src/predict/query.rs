//! What is asked for: expressions in the notation of the problem's equations.

use crate::diagnostic::{Diagnostic, Source, Span, Spanned};
use crate::geometry::Points;
use crate::model::Model;
use crate::objective::values;
use crate::problem::{BuildError, Problem, Residual};

/// Points that are worked off at a time, where the networks are evaluated once a point.
const BLOCK: usize = 1 << 16;
/// At least this many at a time, however many other points an integral needs.
const SMALLEST: usize = 1 << 8;

/// Expressions, each with the text that asks for it.
#[derive(Clone, Debug)]
pub struct Query {
    names: Vec<String>,
    pub(super) residual: Residual,
}

impl Query {
    /// All fields.
    pub fn fields(problem: &Problem) -> Self {
        Self { names: problem.fields.clone(), residual: problem.solution.clone() }
    }

    /// Expressions separated by commas, in one text or several: `u, u_x, u_t + u*u_x`. All errors at once.
    pub fn read(problem: &Problem, sources: &[Source]) -> Result<Self, BuildError> {
        let texts = sources.iter().enumerate().flat_map(|(index, source)| pieces(index, &source.text));
        let texts: Vec<Spanned<String>> = texts.collect();
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            diagnostics.extend(refused(text, &texts[..index], problem));
        }
        let rejected = |diagnostics| BuildError { sources: sources.to_vec(), diagnostics };
        let residual = problem.expressions(&texts).map_err(|mistakes| {
            // An empty piece has its message.
            let written = mistakes.into_iter().filter(|m| !diagnostics.iter().any(|d| d.span == m.span));
            rejected(diagnostics.iter().cloned().chain(written).collect())
        })?;
        if !diagnostics.is_empty() {
            return Err(rejected(diagnostics));
        }
        Ok(Self { names: texts.into_iter().map(|text| text.value).collect(), residual })
    }

    /// The texts of the expressions.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of the expressions at points with these coordinates, a column each. Runs on the current
    /// rayon pool.
    pub fn answers(&self, problem: &Problem, model: &Model, θ: &[f64], points: &[&[f64]]) -> Vec<Vec<f64>> {
        let count = points.first().map_or(0, |column| column.len());
        let mut columns = vec![Vec::with_capacity(count); self.names.len()];
        for first in (0..count).step_by(self.block()) {
            let length = self.block().min(count - first);
            let mut block = Points::new(points.len(), length);
            for (coordinate, column) in points.iter().enumerate() {
                block.column_mut(coordinate).copy_from_slice(&column[first..][..length]);
            }
            let answers = values(&self.residual, model, &problem.unknowns, θ, &block);
            columns.iter_mut().zip(answers).for_each(|(all, part)| all.extend(part));
        }
        columns
    }

    /// How many points to work off at a time.
    pub fn block(&self) -> usize {
        let sites: usize = self.residual.groups.iter().map(|group| group.sites.len()).sum();
        (BLOCK / sites.max(1)).max(SMALLEST)
    }
}

/// What is wrong with an expression besides its content.
fn refused(text: &Spanned<String>, earlier: &[Spanned<String>], problem: &Problem) -> Option<Diagnostic> {
    let (what, hint) = match &text.value {
        value if value.is_empty() => ("nothing is asked for here", "write an expression, for example `u_x`"),
        value if problem.coordinates.contains(value) => {
            ("coordinates are answered without being asked for", "leave it away")
        }
        value if earlier.iter().any(|other| other.value == *value) => {
            ("this is asked for twice", "leave it away")
        }
        _ => return None,
    };
    Some(Diagnostic::new(text.span, what).hint(hint))
}

/// The parts between commas that stand in no parentheses, without blanks around them.
fn pieces(source: usize, text: &str) -> Vec<Spanned<String>> {
    let mut depth = 0i64;
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => {
                pieces.push((start, at));
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push((start, text.len()));
    let piece = |(start, end): (usize, usize)| {
        let value = text[start..end].trim();
        let start = start + text[start..end].len() - text[start..end].trim_start().len();
        let span = Span { source, start: start.min(end), end: start.min(end) + value.len() };
        Spanned { value: value.to_owned(), span }
    };
    pieces.into_iter().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic;

    fn problem() -> Problem {
        let text = "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.a]\nequation = \"u = 1\"\npoints = 4\n\
                    [network]\nhidden = [3]";
        crate::testing::problem(text)
    }

    fn ask(texts: &[&str]) -> Result<Query, String> {
        let source = |text: &&str| Source { name: "--expr".into(), text: (*text).to_owned() };
        let sources: Vec<Source> = texts.iter().map(source).collect();
        Query::read(&problem(), &sources)
            .map_err(|rejected| diagnostic::render(&rejected.sources, &rejected.diagnostics, false))
    }

    #[test]
    fn commas_separate_outside_of_parentheses() {
        let question = ask(&["u,  d(u, x, t) ,max(u, (u_x), 0)", "u(0, t)"]).unwrap();
        assert_eq!(question.names(), ["u", "d(u, x, t)", "max(u, (u_x), 0)", "u(0, t)"]);
        assert_eq!(question.block(), BLOCK / 2);
        assert_eq!(ask(&["integral(integral(u, x), t)"]).unwrap().block(), SMALLEST);
        assert_eq!(Query::fields(&problem()).block(), BLOCK);
    }

    #[test]
    fn errors_are_shown_in_their_place() {
        insta::assert_snapshot!(ask(&["u, u_y + 1,"]).unwrap_err(), @r#"
    error: `u_y` is not a derivative by coordinates
     --> --expr:1:6
      |
    1 | u, u_y + 1,
      |      ^ `y` is not a coordinate
      |
      = hint: the coordinates are `x`, `t`

    error: nothing is asked for here
     --> --expr:1:12
      |
    1 | u, u_y + 1,
      |            ^
      |
      = hint: write an expression, for example `u_x`

    2 errors in --expr
    "#);
    }

    #[test]
    fn what_makes_no_column_is_refused() {
        for (texts, message) in [
            (&["u, u"][..], "asked for twice"),
            (&["u", "u_x, u"], "asked for twice"),
            (&["x"], "without being asked"),
            (&[""], "nothing is asked"),
            (&["u_x,,u"], "nothing is asked"),
            (&["(u"], "error"),
            (&["u))"], "error"),
            (&["u = 0"], "error"),
        ] {
            let shown = ask(texts).unwrap_err();
            assert!(shown.contains(message) && shown.contains("hint"), "{texts:?}: {shown}");
        }
    }
}
