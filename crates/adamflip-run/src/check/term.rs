//! One term as it was understood: its equations, its points, and the derivatives that travel for it.

use adamflip::inspect::{brief, by_construction, where_text};
use adamflip::jet::Operator;
use adamflip::problem::{Adaptive, Admission, Group, Measure, Problem, Role, Source, Term};
use serde::Serialize;

use crate::words::role_name;

#[derive(Serialize)]
pub(super) struct TermReport {
    pub(super) role: &'static str,
    /// Whether every point is a constraint of its own; absent where the method decides, and of objectives.
    pub(super) pointwise: Option<bool>,
    pub(super) equations: Vec<String>,
    /// `everywhere`, `on x = 0`, `of sensors.csv`.
    pub(super) place: String,
    pub(super) points: usize,
    pub(super) sampler: String,
    pub(super) weight: f64,
    pub(super) tolerance: Option<String>,
    pub(super) streams: Vec<String>,
    /// The points at which networks are evaluated for one point of the term.
    pub(super) sites: usize,
    /// How it was decided that the equations admit the symmetry that the term states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) symmetry: Option<&'static str>,
    /// Met whatever the network computes.
    pub(super) by_construction: bool,
}

impl TermReport {
    pub(super) fn of(term: &Term, problem: &Problem) -> Self {
        let measure = |measure| match measure {
            Measure::Max => "max",
            Measure::Rms => "rms",
            Measure::Mse => "mse",
        };
        Self {
            role: role_name(term.role),
            pointwise: term.pointwise.filter(|_| term.role == Role::Constraint),
            equations: term.equations.iter().map(|text| equation(text, &term.source)).collect(),
            place: where_text(term, problem),
            points: term.points,
            sampler: sampler(&term.source),
            weight: term.weight,
            tolerance: term.tolerance.map(|(of, limit)| format!("{} < {limit:e}", measure(of))),
            streams: term.residual.groups.iter().flat_map(|group| streams(group, problem)).collect(),
            sites: term.residual.sites.len(),
            symmetry: term.symmetry.map(|admission| match admission {
                Admission::Proved => "by algebra",
                Admission::Tested => "by numbers at random points",
            }),
            by_construction: by_construction(term, problem),
        }
    }
}

fn sampler(source: &Source) -> String {
    match source {
        Source::Given { noise, .. } => noisy("as given", *noise),
        Source::Observed { sampler, noise, .. } => noisy(&lower_case(sampler), *noise),
        Source::Drawn { sampler, adaptive, .. } => match adaptive {
            None => lower_case(sampler),
            Some(Adaptive::Rad { .. }) => format!("{}, rad", lower_case(sampler)),
            Some(Adaptive::Rar { .. }) => format!("{}, rar", lower_case(sampler)),
        },
    }
}

fn noisy(text: &str, noise: f64) -> String {
    if noise > 0.0 { format!("{text}, noise {}", brief(noise)) } else { text.to_owned() }
}

/// An equation with six digits a number; what is observed of the reference by that name.
fn equation(text: &str, source: &Source) -> String {
    let text = shortened(text);
    let observed = match source {
        Source::Observed { .. } => text.rsplit_once(" - attribute"),
        _ => None,
    };
    observed.map_or_else(|| text.clone(), |(left, _)| format!("{left} = its value in the reference"))
}

/// Numbers of more than eight characters cut to six digits.
fn shortened(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = first.is_alphanumeric() || first == '_';
        let end = if first.is_ascii_digit() {
            number_end(rest)
        } else if word {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(end);
        match token.parse::<f64>() {
            Ok(value) if token.len() > 8 && first.is_ascii_digit() => short += &brief(value),
            _ => short += token,
        }
        rest = after;
    }
    short
}

/// Where the number at the start of a text ends, its exponent included.
fn number_end(text: &str) -> usize {
    let digits = |from: usize| {
        text[from..]
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .map_or(text.len(), |length| from + length)
    };
    let mantissa = digits(0);
    let Some(exponent) = text[mantissa..].strip_prefix('e') else { return mantissa };
    let sign = usize::from(exponent.starts_with(['-', '+']));
    let end = digits(mantissa + 1 + sign);
    if end > mantissa + 1 + sign { end } else { mantissa }
}

/// The streams of a group, as they would be written in equations.
fn streams(group: &Group, problem: &Problem) -> Vec<String> {
    let fields = &problem.networks[group.network].fields;
    let fields: Vec<&str> = fields.iter().map(|&field| problem.fields[field].as_str()).collect();
    let text = |operator| operator_text(operator, &fields, &problem.coordinates);
    group.streams.operators().iter().map(text).collect()
}

/// A stream as it would be written in an equation: `u_t - 0.0031831 u_xx`; of several fields, `(u, v)_t`.
fn operator_text(operator: &Operator, fields: &[&str], coordinates: &[String]) -> String {
    let field = match fields {
        [field] => (*field).to_owned(),
        fields => format!("({})", fields.join(", ")),
    };
    let mut text = String::new();
    for (partial, factor) in operator.parts() {
        let sign = match (text.is_empty(), *factor < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let size = if factor.abs() == 1.0 { String::new() } else { format!("{} ", brief(factor.abs())) };
        let by: Vec<&str> = partial.coordinates().map(|c| coordinates[c].as_str()).collect();
        // One letter, with or without a number: the subscript can be read.
        let short = |name: &&str| name.chars().skip(1).all(|c| c.is_ascii_digit());
        let derivative = match by.len() {
            0 => field.clone(),
            _ if by.iter().all(short) => format!("{field}_{}", by.concat()),
            _ => format!("d({field}, {})", by.join(", ")),
        };
        text += &format!("{sign}{size}{derivative}");
    }
    text
}

pub(super) fn lower_case(name: impl std::fmt::Debug) -> String {
    format!("{name:?}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use adamflip::derivative::Partial;

    fn operator(parts: &[(&[usize], f64)]) -> Operator {
        Operator::new(parts.iter().map(|&(by, factor)| (Partial::new(by).unwrap(), factor)))
    }

    #[test]
    fn streams_are_written_as_in_equations() {
        let names = |names: [&str; 2]| names.map(str::to_owned);
        let (burgers, long) = (names(["x", "t"]), names(["x1", "tau"]));
        let text = |parts: &[(&[usize], f64)]| operator_text(&operator(parts), &["u"], &burgers);
        let two = |parts: &[(&[usize], f64)]| operator_text(&operator(parts), &["u", "v"], &long);
        assert_eq!(text(&[(&[], 1.0)]), "u");
        assert_eq!(text(&[(&[1], 1.0), (&[0, 0], -0.01 / std::f64::consts::PI)]), "u_t - 0.0031831 u_xx");
        assert_eq!(text(&[(&[0], -1.0), (&[0, 1], 2.0)]), "-u_x + 2 u_xt");
        assert_eq!(two(&[(&[0, 0], 1.0)]), "(u, v)_x1x1");
        assert_eq!(two(&[(&[0, 1], 1.0)]), "d((u, v), x1, tau)");
    }

    #[test]
    fn numbers_in_equations_are_short() {
        let cases = [
            ("u - u(6.283185307179586, y, t) = 0", "u - u(6.28319, y, t) = 0"),
            ("0.020000000000000004*S^2*V_SS + 0.05*V", "0.02*S^2*V_SS + 0.05*V"),
            (
                "u_x12345678901 + x123456789 = 1.5e-7 - 1.23456789e-12",
                "u_x12345678901 + x123456789 = 1.5e-7 - 1.23457e-12",
            ),
            ("exp(-4)*été + 2 = 123456789", "exp(-4)*été + 2 = 123457000"),
        ];
        for (text, short) in cases {
            assert_eq!(shortened(text), short);
        }
    }
}
