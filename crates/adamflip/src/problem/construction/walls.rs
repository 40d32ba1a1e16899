//! `fourier_hard = ["x"]`: conditions at both ends of a coordinate met by a Fourier parametrization.
//!
//! With s = (x − a)/(b − a) networks see x as c = cos(πs) alone, so their values w are even about both ends,
//! w_x = 0 there, and
//!
//! ```text
//! u = lift + envelope·w       value, value: sin(πs)      value, slope: sin(πs/2)      slope, slope: 1
//!                             slope, value: cos(πs/2)    periodic: cos and sin of 2πs, no envelope
//! ```
//!
//! Each is the corresponding Fourier series: sin(πs)·T_k(c) spans sin(kπs), T_k(c) = cos(kπs), and the odd
//! half waves likewise. The envelope vanishes where a value is given; where a slope is given, both its slope
//! and w's vanish. The lift has the given values and slopes: linear in x, quadratic for two slopes. With
//! several coordinates envelopes multiply, and each lift takes what the earlier ones leave of its conditions
//! (a Boolean sum), exact where conditions fit at corners.
//!
//! As for Fourier series, convergence is fast where the solution less its lift continues evenly (or oddly)
//! beyond its ends, as those of equations with constant coefficients and even order do. Reference: Dong, Ni
//! (J. Comput. Phys. 435, 2021) for periodic layers; Lyu, Wu, Du, Chen (2021) for exact conditions by ansatz.

mod condition;
mod message;

use std::f64::consts::PI;

use super::{Construction, values};
use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::Domain;
use crate::lang::{Function, Id, Leaf};
use crate::problem::names::Names;
use crate::problem::place::place;
use crate::spec;
use condition::{Condition, Wall, at, is_wall};
use message::{Gap, mixed, no_fit, unsaid, unusable};

/// What conditions that fit at a corner differ by, relative to numbers of size one.
const FIT: f64 = 1e-9;

impl Construction {
    /// The fields as the conditions at the ends of the coordinates ask for.
    pub(super) fn meet_walls(
        &mut self,
        spec: &spec::Spec,
        names: &Names,
        domain: &Domain,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let mut built: Vec<(Option<Id>, Option<Id>)> = vec![(None, None); spec.fields.len()];
        for name in &spec.network.fourier_hard {
            let Some(coordinate) = names.coordinates.iter().position(|known| *known == name.value) else {
                return;
            };
            if let Some(wrong) = unusable(name, coordinate, spec, domain) {
                return diagnostics.push(wrong);
            }
            let mut ends = Vec::new();
            for field in 0..spec.fields.len() {
                match self.ends(spec, names, domain, (coordinate, field)) {
                    Ok(found) => ends.push(found),
                    Err(at) => {
                        return diagnostics.push(unsaid(name, &names.fields[field], at, &names.coordinates));
                    }
                }
            }
            let periodic = ends.iter().filter(|ends| ends.contains(&Condition::Periodic)).count();
            if periodic > 0 {
                let all = ends.iter().all(|ends| *ends == [Condition::Periodic; 2]);
                match all {
                    true => {
                        self.periods.push((coordinate, domain.upper[coordinate] - domain.lower[coordinate]))
                    }
                    false => return diagnostics.push(mixed(name)),
                }
                continue;
            }
            self.even.push(coordinate);
            for (field, ends) in ends.into_iter().enumerate() {
                let range = (domain.lower[coordinate], domain.upper[coordinate]);
                let (lift, envelope) = built[field];
                let ends = self.remaining(lift, ends, coordinate, range);
                built[field] = (
                    self.lifted(lift, ends, coordinate, range),
                    self.enveloped(envelope, ends, coordinate, range),
                );
            }
        }
        self.finish(&built, spec, names, domain, diagnostics);
    }

    fn finish(
        &mut self,
        built: &[(Option<Id>, Option<Id>)],
        spec: &spec::Spec,
        names: &Names,
        domain: &Domain,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        for (field, &(lift, envelope)) in built.iter().enumerate() {
            if let Some(lift) = lift
                && let Some(name) = self.misfit(lift, field, spec, names, domain)
            {
                return diagnostics.push(no_fit(&name, &names.fields[field]));
            }
            if lift.is_none() && envelope.is_none() {
                continue;
            }
            let mut id = self.current(field);
            id = envelope.map_or(id, |envelope| self.graph.mul(envelope, id));
            id = lift.map_or(id, |lift| self.graph.add(lift, id));
            self.fields[field] = Some(id);
        }
    }

    /// What the terms say of a field at both ends; otherwise the end of which nothing (or too much) is said.
    fn ends(
        &mut self,
        spec: &spec::Spec,
        names: &Names,
        domain: &Domain,
        (coordinate, field): (usize, usize),
    ) -> Result<[Condition; 2], Gap> {
        let (lower, upper) = (domain.lower[coordinate], domain.upper[coordinate]);
        let mut found: [Option<Condition>; 2] = [None; 2];
        for term in spec.terms.iter().filter(|term| !term.on.is_empty() && term.data.is_none()) {
            let Some(place) = place(&term.on, names, domain, &mut Vec::new()) else { continue };
            for part in &place.parts {
                for (end, (value, other)) in [(lower, upper), (upper, lower)].into_iter().enumerate() {
                    if !is_wall(part, coordinate, value) {
                        continue;
                    }
                    for text in &term.equations {
                        let wall =
                            Wall { coordinate, value, other, outward: if end == 0 { -1.0 } else { 1.0 } };
                        let Ok(read) = wall.read(&mut self.graph, text, names, field) else {
                            return Err(Gap::Unusable(text.clone()));
                        };
                        // A periodic condition at one end speaks for both.
                        match (read, found[end]) {
                            (None, _) => {}
                            (Some(Condition::Periodic), _) => found = [Some(Condition::Periodic); 2],
                            (Some(_), Some(known)) if known != Condition::Periodic => {
                                return Err(Gap::Twice(text.clone()));
                            }
                            (Some(read), _) => found[end] = Some(read),
                        }
                    }
                }
            }
        }
        match found {
            [Some(first), Some(second)] => Ok([first, second]),
            [None, _] => Err(Gap::Silent(coordinate, lower)),
            _ => Err(Gap::Silent(coordinate, upper)),
        }
    }

    /// What an earlier lift leaves of conditions.
    fn remaining(
        &mut self,
        lift: Option<Id>,
        ends: [Condition; 2],
        coordinate: usize,
        (lower, upper): (f64, f64),
    ) -> [Condition; 2] {
        let Some(lift) = lift else { return ends };
        let mut at = |condition: Condition, value: f64| {
            let trace = self.trace(lift, condition, coordinate, value);
            match (condition, trace) {
                (Condition::Value(given), Some(trace)) => Condition::Value(self.graph.sub(given, trace)),
                (Condition::Slope(given), Some(trace)) => Condition::Slope(self.graph.sub(given, trace)),
                (other, _) => other,
            }
        };
        [at(ends[0], lower), at(ends[1], upper)]
    }

    /// The value or the slope of an expression at an end.
    fn trace(&mut self, id: Id, condition: Condition, coordinate: usize, value: f64) -> Option<Id> {
        let id = match condition {
            Condition::Slope(_) => self.graph.differentiate(id, coordinate).ok()?,
            _ => id,
        };
        Some(at(&mut self.graph, id, coordinate, value))
    }

    /// The lift with these conditions too; none where it is 0.
    fn lifted(
        &mut self,
        before: Option<Id>,
        ends: [Condition; 2],
        coordinate: usize,
        (lower, upper): (f64, f64),
    ) -> Option<Id> {
        let length = upper - lower;
        let graph = &mut self.graph;
        let x = graph.leaf(Leaf::Coordinate(coordinate));
        let [a, b, l] = [lower, upper, length].map(|value| graph.constant(value));
        let (from, to) = (graph.sub(x, a), graph.sub(x, b));
        let lift = match ends {
            [Condition::Value(first), Condition::Value(second)] => {
                let change = graph.sub(second, first);
                let share = graph.div(from, l);
                let part = graph.mul(share, change);
                graph.add(first, part)
            }
            [Condition::Value(first), Condition::Slope(second)] => {
                let part = graph.mul(from, second);
                graph.add(first, part)
            }
            [Condition::Slope(first), Condition::Value(second)] => {
                let part = graph.mul(to, first);
                graph.add(second, part)
            }
            [Condition::Slope(first), Condition::Slope(second)] => {
                let linear = graph.mul(from, first);
                let (square, twice) = (graph.square(from), graph.constant(0.5 / length));
                let (change, scaled) = (graph.sub(second, first), graph.mul(twice, square));
                let bent = graph.mul(scaled, change);
                graph.add(linear, bent)
            }
            _ => graph.constant(0.0),
        };
        let zero = graph.constant(0.0);
        let sum = before.map_or(lift, |before| graph.add(before, lift));
        (sum != zero).then_some(sum)
    }

    /// The envelope with the factor of these conditions; none where it is 1.
    fn enveloped(
        &mut self,
        before: Option<Id>,
        ends: [Condition; 2],
        coordinate: usize,
        (lower, upper): (f64, f64),
    ) -> Option<Id> {
        let (function, wave) = match ends {
            [Condition::Value(_), Condition::Value(_)] => (Function::Sin, PI),
            [Condition::Value(_), Condition::Slope(_)] => (Function::Sin, 0.5 * PI),
            [Condition::Slope(_), Condition::Value(_)] => (Function::Cos, 0.5 * PI),
            _ => return before,
        };
        let graph = &mut self.graph;
        let (x, a) = (graph.leaf(Leaf::Coordinate(coordinate)), graph.constant(lower));
        let (from, wave) = (graph.sub(x, a), graph.constant(wave / (upper - lower)));
        let phase = graph.mul(wave, from);
        let factor = graph.function(function, phase);
        Some(before.map_or(factor, |before| graph.mul(before, factor)))
    }

    /// The coordinate whose conditions a lift of several does not meet.
    fn misfit(
        &mut self,
        lift: Id,
        field: usize,
        spec: &spec::Spec,
        names: &Names,
        domain: &Domain,
    ) -> Option<Spanned<String>> {
        for &coordinate in &self.even.clone() {
            let ends = self.ends(spec, names, domain, (coordinate, field)).ok()?;
            for (condition, value) in
                ends.into_iter().zip([domain.lower[coordinate], domain.upper[coordinate]])
            {
                let (Condition::Value(given) | Condition::Slope(given)) = condition else { continue };
                let trace = self.trace(lift, condition, coordinate, value)?;
                let difference = self.graph.sub(given, trace);
                let columns = values(&self.graph, &[difference, given], domain, &[(coordinate, value)])?;
                if columns[0].iter().zip(&columns[1]).any(|(d, given)| d.abs() > FIT * (1.0 + given.abs())) {
                    return spec
                        .network
                        .fourier_hard
                        .iter()
                        .find(|name| name.value == names.coordinates[coordinate])
                        .cloned();
                }
            }
        }
        None
    }
}
