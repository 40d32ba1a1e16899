//! What is measured of a run: numbers of its summary, by the names that tables and `--metric` give them.

use adamflip::diagnostic::nearest;
use adamflip::problem::{Problem, Role};
use serde_json::Value;

use crate::error::RunError;

/// One number of a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metric {
    /// The mean of the relative errors of all fields with a reference.
    Error,
    /// The relative error of a field.
    FieldError(String),
    /// The largest root mean square of a constraint.
    Violation,
    /// The mean square of the residuals of a term.
    MeanSquare(String),
    /// The largest residual of a term.
    Largest(String),
    /// How far an unknown is from its truth.
    UnknownError(String),
    /// The value of an unknown whose truth is not known.
    Unknown(String),
    /// The time of training.
    Seconds,
    /// Steps a second.
    Speed,
}

/// Which of two numbers is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The smaller.
    Smaller,
    /// The larger.
    Larger,
    /// Neither of them.
    Neither,
}

impl Metric {
    /// What tables call it.
    pub fn name(&self) -> String {
        match self {
            Self::Error => "rel_l2".to_owned(),
            Self::FieldError(field) => format!("rel_l2.{field}"),
            Self::Violation => "violation".to_owned(),
            Self::MeanSquare(term) => format!("mse.{term}"),
            Self::Largest(term) => format!("max.{term}"),
            Self::UnknownError(unknown) => format!("error.{unknown}"),
            Self::Unknown(unknown) => format!("value.{unknown}"),
            Self::Seconds => "seconds".to_owned(),
            Self::Speed => "steps/s".to_owned(),
        }
    }

    /// Which of two numbers of it is better.
    pub fn better(&self) -> Better {
        match self {
            Self::Speed => Better::Larger,
            Self::Unknown(_) => Better::Neither,
            _ => Better::Smaller,
        }
    }

    /// The number in a summary; not a number where there is none.
    pub fn of(&self, summary: &Value) -> f64 {
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let term = |name: &str, key: &str| number(&summary["terms"][name][key]);
        match self {
            Self::Error => mean(members(&summary["rel_l2"]).map(|(_, error)| number(error))),
            Self::FieldError(field) => number(&summary["rel_l2"][field]),
            Self::Violation => {
                let constraints = members(&summary["terms"]).filter(|(_, term)| term["role"] == "constraint");
                let roots = constraints.map(|(_, term)| number(&term["mse"]).sqrt());
                roots.reduce(|a, b| if a.is_nan() || a > b { a } else { b }).unwrap_or(f64::NAN)
            }
            Self::MeanSquare(name) => term(name, "mse"),
            Self::Largest(name) => term(name, "max"),
            Self::UnknownError(name) => number(&summary["unknowns"][name]["error"]),
            Self::Unknown(name) => number(&summary["unknowns"][name]["value"]),
            Self::Seconds => number(&summary["seconds"]),
            Self::Speed => number(&summary["steps"]) / number(&summary["seconds"]),
        }
    }
}

fn members(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flatten()
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0), |(sum, count), number| (sum + number, count + 1));
    sum / f64::from(count)
}

/// What can be measured of a problem, in the order of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The fields with a reference.
    pub(crate) fields: Vec<String>,
    /// The terms, and whether each is a constraint.
    terms: Vec<(String, bool)>,
    /// The unknowns, and whether the truth is known.
    unknowns: Vec<(String, bool)>,
}

impl Shape {
    pub(crate) fn of(problem: &Problem) -> Self {
        let known = problem.reference.iter().flat_map(|reference| &reference.fields);
        let terms = problem.terms.iter();
        let unknowns = problem.unknowns.iter();
        Self {
            fields: known.map(|(field, _)| problem.fields[*field].clone()).collect(),
            terms: terms.map(|term| (term.name.clone(), term.role == Role::Constraint)).collect(),
            unknowns: unknowns.map(|unknown| (unknown.name.clone(), unknown.truth.is_some())).collect(),
        }
    }

    /// Takes in what another form of the problem has besides.
    pub(crate) fn join(&mut self, other: Self) {
        let new: Vec<String> =
            other.fields.into_iter().filter(|field| !self.fields.contains(field)).collect();
        self.fields.extend(new);
        join(&mut self.terms, other.terms);
        join(&mut self.unknowns, other.unknowns);
    }

    /// The columns of a table: errors, constraints, unknowns, time. Where there is no reference the
    /// objectives tell how good a solution is.
    pub(crate) fn metrics(&self) -> Vec<Metric> {
        let mut metrics: Vec<Metric> = self.fields.iter().cloned().map(Metric::FieldError).collect();
        for (term, constraint) in &self.terms {
            if *constraint || self.fields.is_empty() {
                metrics.push(Metric::MeanSquare(term.clone()));
            }
            if *constraint {
                metrics.push(Metric::Largest(term.clone()));
            }
        }
        metrics.extend(self.unknowns.iter().map(|(unknown, truth)| match truth {
            true => Metric::UnknownError(unknown.clone()),
            false => Metric::Unknown(unknown.clone()),
        }));
        metrics.extend([Metric::Seconds, Metric::Speed]);
        metrics
    }

    /// What results are sorted by where nothing is said.
    pub(crate) fn first(&self) -> Metric {
        if !self.fields.is_empty() {
            Metric::Error
        } else if self.terms.iter().any(|(_, constraint)| *constraint) {
            Metric::Violation
        } else {
            self.terms.first().map_or(Metric::Seconds, |(term, _)| Metric::MeanSquare(term.clone()))
        }
    }

    /// The metric of a name.
    /// What tables call it.
    pub(crate) fn named(&self, name: &str) -> Result<Metric, RunError> {
        let all = self.all();
        if let Some(found) = all.iter().find(|metric| metric.name() == name) {
            return Ok(found.clone());
        }
        let names: Vec<String> = all.iter().map(Metric::name).collect();
        let list = names.join(", ");
        let hint = match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`? There are {list}"),
            None => format!("there are {list}"),
        };
        Err(RunError::input(format!("unknown metric `{name}`"), hint))
    }

    fn all(&self) -> Vec<Metric> {
        let mut all = Vec::new();
        if !self.fields.is_empty() {
            all.push(Metric::Error);
        }
        all.extend(self.fields.iter().cloned().map(Metric::FieldError));
        if self.terms.iter().any(|(_, constraint)| *constraint) {
            all.push(Metric::Violation);
        }
        all.extend(self.terms.iter().map(|(term, _)| Metric::MeanSquare(term.clone())));
        all.extend(self.terms.iter().map(|(term, _)| Metric::Largest(term.clone())));
        let known = self.unknowns.iter().filter(|(_, truth)| *truth);
        all.extend(known.map(|(unknown, _)| Metric::UnknownError(unknown.clone())));
        all.push(Metric::Seconds);
        all
    }
}

fn join(ours: &mut Vec<(String, bool)>, theirs: Vec<(String, bool)>) {
    for (name, flag) in theirs {
        match ours.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known |= flag,
            None => ours.push((name, flag)),
        }
    }
}

#[cfg(test)]
mod tests;
