//! A grid in one line: `x=-1:1:201,t=0.5`.

use crate::diagnostic::{Diagnostic, Source, Span, Spanned, nearest};
use crate::problem::{BuildError, Grid, Places, Problem};

/// The grid that is used where nobody says which: that of the reference, or the usual one.
pub(super) fn default_grid(problem: &Problem) -> Grid {
    match problem.reference.as_ref().map(|reference| &reference.places) {
        Some(Places::Grid(grid)) => grid.clone(),
        Some(Places::Points(_)) | None => problem.usual_grid(),
    }
}

/// Reads a grid: for every coordinate `name=lower:upper:count`, `name=lower:upper` (as many points as usual)
/// or `name=value`, with commas between. Numbers may be written with the problem's constants. All errors at
/// once.
pub fn read_grid(problem: &Problem, source: &Source) -> Result<Grid, BuildError> {
    let usual = default_grid(problem);
    let mut diagnostics = Vec::new();
    let mut ranges: Vec<Option<Range>> = vec![None; problem.coordinates.len()];
    let mut start = 0;
    for piece in source.text.split(',') {
        let piece = spanned(&source.text, start, start + piece.len());
        start = start + source.text[start..].find(',').unwrap_or(0) + 1;
        match entry(problem, &usual, &piece) {
            Err(mistakes) => diagnostics.extend(mistakes),
            Ok((coordinate, _)) if ranges[coordinate].is_some() => {
                let name = &problem.coordinates[coordinate];
                let mistake = Diagnostic::new(piece.span, format!("`{name}` is given twice"));
                diagnostics.push(mistake.hint("leave one of them away"));
            }
            Ok((coordinate, range)) => ranges[coordinate] = Some(range),
        }
    }
    if diagnostics.is_empty() {
        diagnostics.extend(missing(problem, &usual, &ranges, source.text.len()));
        diagnostics.extend(too_many(&ranges, source.text.len()));
    }
    let ranges = ranges.into_iter().collect::<Option<Vec<Range>>>();
    match ranges.filter(|_| diagnostics.is_empty()) {
        None => Err(BuildError { sources: vec![source.clone()], diagnostics }),
        Some(ranges) => Ok(Grid {
            lower: ranges.iter().map(|range| range.lower).collect(),
            upper: ranges.iter().map(|range| range.upper).collect(),
            counts: ranges.iter().map(|range| range.count).collect(),
        }),
    }
}

/// One coordinate of a grid.
#[derive(Clone, Copy, Debug)]
struct Range {
    lower: f64,
    upper: f64,
    count: usize,
}

/// A part of the text without blanks around it.
fn spanned(text: &str, start: usize, end: usize) -> Spanned<String> {
    let value = text[start..end].trim();
    let start = start + text[start..end].len() - text[start..end].trim_start().len();
    let start = start.min(end);
    Spanned { value: value.to_owned(), span: Span { source: 0, start, end: start + value.len() } }
}

/// A part of a piece, from one of its bytes to another.
fn part(piece: &Spanned<String>, start: usize, end: usize) -> Spanned<String> {
    let inner = spanned(&piece.value, start, end);
    let span = Span {
        source: 0,
        start: piece.span.start + inner.span.start,
        end: piece.span.start + inner.span.end,
    };
    Spanned { span, ..inner }
}

/// `x=-1:1:201`: the coordinate and its range.
fn entry(
    problem: &Problem,
    usual: &Grid,
    piece: &Spanned<String>,
) -> Result<(usize, Range), Vec<Diagnostic>> {
    let coordinates = || problem.coordinates.iter().map(String::as_str);
    let Some(equals) = piece.value.find('=') else {
        let example = example(problem, usual, 0);
        let mistake = Diagnostic::new(piece.span, "this is no range of a coordinate");
        return Err(vec![mistake.label("no `=`").hint(format!("write for example `{example}`"))]);
    };
    let name = part(piece, 0, equals);
    let Some(coordinate) = coordinates().position(|known| known == name.value) else {
        let mistake = Diagnostic::new(name.span, format!("`{}` is not a coordinate", name.value));
        let list: Vec<&str> = coordinates().collect();
        return Err(vec![mistake.label("unknown").hint(match nearest(&name.value, coordinates()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the coordinates are {}", list.join(", ")),
        })]);
    };
    let colons: Vec<usize> = piece.value.match_indices(':').map(|(at, _)| at).collect();
    let range = match colons[..] {
        [] => {
            let value = problem.number(&part(piece, equals + 1, piece.value.len()))?;
            Range { lower: value, upper: value, count: 1 }
        }
        [colon] => {
            let lower = problem.number(&part(piece, equals + 1, colon))?;
            let upper = problem.number(&part(piece, colon + 1, piece.value.len()))?;
            Range { lower, upper, count: usual.counts[coordinate] }
        }
        [first, second] => {
            let lower = problem.number(&part(piece, equals + 1, first))?;
            let upper = problem.number(&part(piece, first + 1, second))?;
            Range { lower, upper, count: count(&part(piece, second + 1, piece.value.len()))? }
        }
        _ => {
            let mistake = Diagnostic::new(piece.span, "a range has a lower end, an upper end and a count");
            let example = example(problem, usual, coordinate);
            return Err(vec![
                mistake.label("too many colons").hint(format!("write for example `{example}`")),
            ]);
        }
    };
    ordered(range, piece).map(|range| (coordinate, range))
}

fn count(text: &Spanned<String>) -> Result<usize, Vec<Diagnostic>> {
    match text.value.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(vec![
            Diagnostic::new(text.span, "this is no number of points")
                .label("not a whole number above 0")
                .hint("write how many points the range has, both ends included"),
        ]),
    }
}

fn ordered(range: Range, piece: &Spanned<String>) -> Result<Range, Vec<Diagnostic>> {
    let Range { lower, upper, count } = range;
    let length = upper - lower;
    let fits = length.is_finite() && (length > 0.0 || length == 0.0 && count == 1);
    match fits {
        true => Ok(range),
        false => Err(vec![
            Diagnostic::new(piece.span, format!("the range from {lower} to {upper} is empty"))
                .label("lower end first")
                .hint("for a single place write `name=value`"),
        ]),
    }
}

/// How the coordinate could be written.
fn example(problem: &Problem, usual: &Grid, coordinate: usize) -> String {
    let (lower, upper) = (problem.domain.lower[coordinate], problem.domain.upper[coordinate]);
    format!("{}={lower}:{upper}:{}", problem.coordinates[coordinate], usual.counts[coordinate])
}

fn missing(problem: &Problem, usual: &Grid, ranges: &[Option<Range>], end: usize) -> Option<Diagnostic> {
    let absent: Vec<usize> = (0..ranges.len()).filter(|&c| ranges[c].is_none()).collect();
    let names: Vec<String> = absent.iter().map(|&c| format!("`{}`", problem.coordinates[c])).collect();
    let add: Vec<String> = absent.iter().map(|&c| example(problem, usual, c)).collect();
    let span = Span { source: 0, start: end, end };
    let mistake = Diagnostic::new(span, format!("the grid says nothing of {}", names.join(", ")));
    (!absent.is_empty()).then(|| mistake.label("more is needed").hint(format!("add `,{}`", add.join(","))))
}

/// The number of points must be a number.
fn too_many(ranges: &[Option<Range>], end: usize) -> Option<Diagnostic> {
    let mut counts = ranges.iter().flatten().map(|range| range.count);
    let total = counts.try_fold(1usize, usize::checked_mul).filter(|&total| total <= isize::MAX as usize);
    let mistake =
        Diagnostic::new(Span { source: 0, start: 0, end }, "the grid has more points than can be counted");
    total.is_none().then(|| mistake.hint("lower the counts"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic;

    fn problem() -> Problem {
        let text = "fields = [\"u\"]\n[domain]\nx = [-1, 1]\ntime = [0, 1]\n[constants]\nL = 0.5\n[term.a]\nequation = \"u = 1\"\n\
                    points = 4\n[network]\nhidden = [3]\n[reference]\nu = \"1\"\ngrid = { x = 11, time = 7 }";
        crate::testing::problem(text)
    }

    fn grid(text: &str) -> Result<Grid, String> {
        read_grid(&problem(), &Source { name: "--grid".into(), text: text.into() })
            .map_err(|rejected| diagnostic::render(&rejected.sources, &rejected.diagnostics, false))
    }

    #[test]
    fn ranges_counts_and_single_places() {
        let read = grid("time = 0:2*L , x=-pi:pi:5").unwrap();
        let pi = std::f64::consts::PI;
        assert_eq!(read, Grid { lower: vec![-pi, 0.0], upper: vec![pi, 1.0], counts: vec![5, 7] });
        let nodes: Vec<f64> = (0..5).map(|i| read.node(0, i)).collect();
        assert_eq!(nodes, [-pi, -pi / 2.0, 0.0, pi / 2.0, pi]);
        let cut = grid("x=-1:1:3,time=0.25").unwrap();
        assert_eq!((cut.counts.clone(), cut.node(1, 0)), (vec![3, 1], 0.25));
    }

    #[test]
    fn errors_have_a_place_and_a_hint() {
        for (text, message) in [
            ("x=-1:1:3", "says nothing of `time`"),
            ("", "no range"),
            ("x=-1:1:3,times=0:1:2", "did you mean `time`?"),
            ("x=-1:1:3,q=0:1:2", "the coordinates are x, time"),
            ("x=-1:1:0,time=0", "no number of points"),
            ("x=-1:1:2.5,time=0", "no number of points"),
            ("x=1:-1:5,time=0", "lower end first"),
            ("x=1:1:5,time=0", "is empty"),
            ("x=1:2:3:4,time=0", "too many colons"),
            ("x=a:2:3,time=0", "error"),
            ("x=,time=0", "error"),
            ("x=1/0:1:3,time=0", "error"),
            ("x=0:1:3,x=0:1:3,time=0", "given twice"),
            ("x=0:1:9999999999,time=0:1:9999999999", "more points than can be counted"),
            ("x=0:1:99999999999999999999,time=0", "no number of points"),
        ] {
            let shown = grid(text).unwrap_err();
            assert!(shown.contains(message) && shown.contains("hint"), "{text}: {shown}");
        }
        insta::assert_snapshot!(grid("x=-1:1:three,time=0:L/0:5").unwrap_err(), @r#"
    error: this is no number of points
     --> --grid:1:8
      |
    1 | x=-1:1:three,time=0:L/0:5
      |        ^^^^^ not a whole number above 0
      |
      = hint: write how many points the range has, both ends included

    error: division by zero
     --> --grid:1:23
      |
    1 | x=-1:1:three,time=0:L/0:5
      |                       ^ the value is 0
      |
      = hint: divide by something that is not zero, or multiply the equation by it

    2 errors in --grid
    "#);
    }
}
