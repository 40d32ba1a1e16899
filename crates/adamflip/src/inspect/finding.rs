//! What was found, as data and in words.

use super::place::{brief, part_text, point_text};
use crate::geometry::Part;
use crate::problem::{Known, Problem};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Probably not meant.
    Warning,
    /// Worth knowing; it may well be meant.
    Note,
}

/// A piece of the boundary, or an end of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BoundaryPart {
    /// Where a coordinate has this value.
    Face(usize, f64),
    /// What lies on the boundary of this shape, by its number in the region.
    Shape(usize),
}

/// Something about a problem that its author should know. Terms, fields, unknowns and coordinates by number.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Parts of a term's place on which none of its points lies.
    Unsampled {
        /// The term.
        term: usize,
        /// How many parts its place has.
        parts: usize,
        /// Those without a point.
        empty: Vec<Part>,
    },
    /// Two terms give a field different values at the same points.
    Disagreement {
        /// The terms; the same one twice for two equations of one.
        terms: [usize; 2],
        /// The field.
        field: usize,
        /// The point where they differ the most.
        point: Vec<f64>,
        /// The field there, by each of them.
        values: [f64; 2],
        /// They hold at the same place, and do not merely meet at an edge.
        same_place: bool,
    },
    /// An inequality and another condition between which there is no room.
    NoRoom {
        /// The terms; the same one twice for two inequalities of one.
        terms: [usize; 2],
        /// The numbers of both in their terms.
        equations: [usize; 2],
        /// The point where they are farthest apart.
        point: Vec<f64>,
        /// By how much, in the unit of the first.
        gap: f64,
    },
    /// A condition that the values of another do not meet at the points that both have.
    Kink {
        /// The term that gives the values, and the one with the condition.
        terms: [usize; 2],
        /// The condition's number in its term.
        equation: usize,
        /// The point where it is missed the most.
        point: Vec<f64>,
        /// Left minus right there.
        residual: f64,
        /// The condition is one on derivatives.
        slope: bool,
    },
    /// A term gives values that do not have the period of the network.
    NotPeriodic {
        /// The term.
        term: usize,
        /// The field.
        field: usize,
        /// The periodic coordinate.
        coordinate: usize,
        /// Its period.
        period: f64,
        /// The point where the period begins.
        point: Vec<f64>,
        /// The field, or its slope, there and a period further.
        values: [f64; 2],
        /// The slope, not the field itself.
        slope: bool,
    },
    /// No equation mentions the field.
    UnusedField(usize),
    /// No equation mentions the unknown.
    UnusedUnknown(usize),
    /// No loss changes with the unknown at the start.
    IdleUnknown(usize),
    /// No loss changes with the network of these fields at the start.
    IdleNetwork(usize),
    /// A term has residuals at the start that are infinite or not a number.
    NotFinite {
        /// The term.
        term: usize,
        /// The equation's number in the term.
        equation: usize,
        /// At this many of these points.
        points: [usize; 2],
        /// For example here.
        point: Vec<f64>,
    },
    /// The losses of two terms at the start are of very different size.
    Scales {
        /// The term of the largest loss, and the loss.
        largest: (usize, f64),
        /// The term of the smallest one.
        smallest: (usize, f64),
    },
    /// The reference does not satisfy a term's equations.
    Unsolved {
        /// The term.
        term: usize,
        /// The equation's number in the term.
        equation: usize,
        /// The root mean square of its residual.
        rms: f64,
        /// Where the residual is largest.
        point: Vec<f64>,
        /// The residual there.
        residual: f64,
    },
    /// The reference could not be put into all equations of these terms: a derivative of it is not known, or
    /// an unknown.
    Unchecked(Vec<usize>),
    /// Most of a coordinate's range has no data.
    Unobserved {
        /// The coordinate.
        coordinate: usize,
        /// The parts of its range without data.
        gaps: Vec<(f64, f64)>,
        /// An unknown field that depends on the coordinate.
        field: Option<usize>,
    },
    /// A term differentiates something that jumps along a coordinate.
    Jump {
        /// The term.
        term: usize,
        /// The coordinate.
        coordinate: usize,
    },
    /// A term takes a field at a point outside the domain.
    Outside {
        /// The term.
        term: usize,
        /// The point.
        point: Vec<f64>,
    },
    /// Fields that are zero everywhere meet every equation.
    ZeroFields,
    /// Where these coefficients are zero, the equations that mention them hold for every field.
    ZeroCoefficients {
        /// The first such term.
        term: usize,
        /// The coefficients.
        names: Vec<String>,
    },
    /// An ansatz that vanishes or is fixed nowhere where a term asks for it.
    IdleAnsatz,
    /// No term places a condition there.
    MissingCondition(BoundaryPart),
}

impl Finding {
    /// How much it matters.
    pub fn level(&self) -> Level {
        match self {
            Self::MissingCondition(_)
            | Self::Unchecked(_)
            | Self::Unobserved { field: None, .. }
            | Self::Kink { slope: true, .. }
            | Self::NotPeriodic { slope: true, .. }
            | Self::Outside { .. } => Level::Note,
            _ => Level::Warning,
        }
    }

    /// The finding in words.
    pub fn text(&self, problem: &Problem) -> String {
        let fields = |fields: &[usize]| {
            let names: Vec<&str> = fields.iter().map(|&field| problem.fields[field].as_str()).collect();
            names.join(", ")
        };
        match *self {
            Self::Unsampled { term, parts, ref empty } => unsampled(problem, term, parts, empty),
            Self::Disagreement { terms, field, ref point, values, same_place } => {
                disagreement(problem, terms, field, point, values, same_place)
            }
            Self::NoRoom { terms, equations, ref point, gap } => {
                let side = |i: usize| {
                    let term = &problem.terms[terms[i]];
                    format!("`{}` of [term.{}]", term.equations[equations[i]], term.name)
                };
                format!(
                    "{} and {} contradict each other: at {} they are {} apart; move one of them",
                    side(0),
                    side(1),
                    point_text(point, problem),
                    brief(gap)
                )
            }
            Self::Kink { terms: [first, second], equation, ref point, residual, slope } => {
                let (term, which) = (&problem.terms[first].name, which(problem, second, equation));
                format!(
                    "[term.{term}] does not satisfy {which} where they meet: at {} left minus right is {}; {}",
                    point_text(point, problem),
                    brief(residual),
                    consequence(slope)
                )
            }
            Self::NotPeriodic { term, field, coordinate, period, ref point, values, slope } => {
                let (x, mut end) = (&problem.coordinates[coordinate], point.clone());
                end[coordinate] += period;
                let field = &problem.fields[field];
                let what = if slope { format!("d({field}, {x})") } else { field.clone() };
                format!(
                    "[term.{}] is not periodic in {x} as the network is: {what} = {} at {}, and {} at {}; {}",
                    problem.terms[term].name,
                    brief(values[0]),
                    point_text(point, problem),
                    brief(values[1]),
                    point_text(&end, problem),
                    consequence(slope)
                )
            }
            Self::UnusedField(field) => format!("no equation mentions the field `{}`", problem.fields[field]),
            Self::UnusedUnknown(unknown) => {
                let name = &problem.unknowns[unknown].name;
                format!("no equation mentions the unknown `{name}`: it stays at its start")
            }
            Self::IdleUnknown(unknown) => {
                let (name, start) =
                    (&problem.unknowns[unknown].name, brief(problem.unknowns[unknown].first()));
                format!(
                    "no loss changes with `{name}` at {start}: training cannot move it; change its `start`"
                )
            }
            Self::IdleNetwork(network) => {
                let fields = fields(&problem.networks[network].fields);
                format!("no loss changes with the network of {fields} at the start: it cannot be trained")
            }
            Self::NotFinite { term, equation, points: [some, all], ref point } => format!(
                "{} is infinite or not a number at {some} of {all} points before the first step, e.g. at {}",
                which(problem, term, equation),
                point_text(point, problem)
            ),
            Self::Scales { largest, smallest } => scales(problem, largest, smallest),
            Self::Unsolved { term, equation, rms, ref point, residual } => {
                let (which, point) = (which(problem, term, equation), point_text(point, problem));
                format!(
                    "the reference does not satisfy {which}: left minus right is {rms:.1e} (rms), \
                     {residual:.1e} at {point}"
                )
            }
            Self::Unchecked(ref terms) => {
                let names: Vec<String> =
                    terms.iter().map(|&term| format!("[term.{}]", problem.terms[term].name)).collect();
                let why = match is_table(problem) {
                    true => "a table shows values only, and these only at its own points",
                    false => "not all that it takes is known",
                };
                format!("whether the reference satisfies {} was not looked at: {why}", names.join(", "))
            }
            Self::Unobserved { coordinate, ref gaps, field } => unobserved(problem, coordinate, gaps, field),
            Self::Jump { term, coordinate } => format!(
                "[term.{}] differentiates by {} something that jumps along it, and the derivative has no jump: give each side a \
                 field of its own with conditions where they meet, or smooth it",
                problem.terms[term].name, problem.coordinates[coordinate]
            ),
            Self::Outside { term, ref point } => format!(
                "[term.{}] takes a field outside the domain, e.g. at {}: no other equation holds there",
                problem.terms[term].name,
                point_text(point, problem)
            ),
            Self::ZeroFields => {
                "every equation holds where all fields are 0, and training may well end there: add a condition that 0 does not \
                 meet, such as a norm"
                    .into()
            }
            Self::ZeroCoefficients { term, ref names } => format!(
                "[term.{}] holds for all fields where {} = 0: fix one of its coefficients, or add a condition that sets their scale",
                problem.terms[term].name,
                names.join(" = ")
            ),
            Self::IdleAnsatz => {
                "no term is met by the ansatz, and it fixes no field on a boundary: is it the right formula?"
                    .into()
            }
            Self::MissingCondition(spot) => format!("nothing is said on {}", spot.text(problem)),
        }
    }
}

/// Whether some field of the reference is a table.
fn is_table(problem: &Problem) -> bool {
    let fields = problem.reference.iter().flat_map(|reference| &reference.fields);
    fields.into_iter().any(|(_, known)| matches!(known, Known::Values(_)))
}

/// What a contradiction of values, or of slopes, means for the solution.
fn consequence(slope: bool) -> &'static str {
    match slope {
        true => "the solution has a kink there, near which errors stay larger",
        false => "the solution jumps there, which no network can follow: correct one of the two",
    }
}

fn unsampled(problem: &Problem, term: usize, parts: usize, empty: &[Part]) -> String {
    let term = &problem.terms[term];
    let empty: Vec<String> = empty.iter().map(|part| part_text(part, problem)).collect();
    let points = if term.points == 1 { "1 point".to_owned() } else { format!("{} points", term.points) };
    format!(
        "[term.{}] has {points} for {parts} parts: none lies on {}; raise `points` to {parts} or more",
        term.name,
        empty.join(", ")
    )
}

fn disagreement(
    problem: &Problem,
    terms: [usize; 2],
    field: usize,
    point: &[f64],
    [a, b]: [f64; 2],
    same_place: bool,
) -> String {
    let [first, second] = terms.map(|index| format!("[term.{}]", problem.terms[index].name));
    let verb = if same_place { "contradict each other" } else { "disagree where they meet" };
    let who = match terms[0] == terms[1] {
        true => format!("two equations of {first}"),
        false => format!("{first} and {second}"),
    };
    // cos(π/2) is meant to be 0.
    let clean = |value: f64, other: f64| brief(if value.abs() < 1e-12 * other.abs() { 0.0 } else { value });
    let (a, b, field) = (clean(a, b), clean(b, a), &problem.fields[field]);
    format!("{who} {verb}: at {} they say {field} = {a} and {field} = {b}", point_text(point, problem))
}

fn scales(problem: &Problem, largest: (usize, f64), smallest: (usize, f64)) -> String {
    let loss = |(term, loss): (usize, f64)| format!("{loss:.1e} of [term.{}]", problem.terms[term].name);
    format!(
        "the losses start {:.0e} apart: {}, {}; balance them with `weight`, or scale the equations",
        largest.1 / smallest.1,
        loss(largest),
        loss(smallest)
    )
}

/// `[term.pde]`, or `equation 2 of [term.pde]`.
fn which(problem: &Problem, term: usize, equation: usize) -> String {
    let term = &problem.terms[term];
    let number =
        if term.equations.len() > 1 { format!("equation {} of ", equation + 1) } else { String::new() };
    format!("{number}[term.{}]", term.name)
}

fn unobserved(problem: &Problem, coordinate: usize, gaps: &[(f64, f64)], field: Option<usize>) -> String {
    let name = &problem.coordinates[coordinate];
    let gap = |(from, to): &(f64, f64)| format!("{} < {name} < {}", brief(*from), brief(*to));
    let gaps: Vec<String> = gaps.iter().map(gap).collect();
    let so = field.map_or(String::new(), |f| format!(": little is known of `{}` there", problem.fields[f]));
    format!("there are no data for {}{so}", gaps.join(" and "))
}

impl BoundaryPart {
    /// `x = 1`, or the name of a shape with what it means.
    pub fn text(self, problem: &Problem) -> String {
        match self {
            Self::Face(coordinate, value) => {
                format!("{} = {}", problem.coordinates[coordinate], brief(value))
            }
            Self::Shape(shape) => {
                let region = problem.domain.inside.as_ref();
                let name = region.and_then(|region| region.shapes.get(shape)).map_or("", |(name, _)| name);
                format!("the boundary of `{name}`")
            }
        }
    }
}
