//! The report of `check` for people.

use adamflip::inspect::brief;

use super::report::{
    CheckReport, Cost, NetworkReport, ReferenceReport, SizeReport, StageReport, UnknownReport,
};
use super::term::TermReport;
use crate::words::clock;
use crate::words::counted;

/// Lists go on in the next line beyond this many characters.
const WIDTH: usize = 110;
/// Expressions are cut beyond this many: two lines or so.
const LONGEST: usize = 200;

/// The whole report.
pub(super) fn text(report: &CheckReport) -> String {
    let mut lines = vec![match &report.title {
        Some(title) => format!("{title} ({})", report.problem),
        None => report.problem.clone(),
    }];
    lines.push(String::new());
    lines.extend(facts(report).iter().map(|(name, fact)| format!("{name:<12} {fact}")));
    for (name, term) in &report.terms.0 {
        lines.push(String::new());
        lines.extend(term_lines(name, term));
    }
    lines.push(String::new());
    lines.extend(cost(&report.cost).iter().map(|(name, fact)| format!("{name:<12} {fact}")));
    if !(report.warnings.is_empty() && report.notes.is_empty()) {
        lines.push(String::new());
    }
    lines.extend(report.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.extend(report.notes.iter().map(|note| format!("note: {note}")));
    lines.join("\n")
}

fn facts(report: &CheckReport) -> Vec<(&'static str, String)> {
    let mut facts = vec![("coordinates", ranges(&report.coordinates.0))];
    let sought = report.fields.iter().filter(|field| !report.unknown_fields.contains(field));
    facts.push(("fields", sought.cloned().collect::<Vec<_>>().join(", ")));
    if !report.sizes.0.is_empty() {
        facts.push(("sizes", sizes(&report.sizes.0)));
    }
    let unknowns = report.unknowns.0.iter().map(unknown_text);
    let fields = report.unknown_fields.iter().map(|field| format!("{field}, a field"));
    let unknowns: Vec<String> = unknowns.chain(fields).collect();
    if !unknowns.is_empty() {
        facts.push(("unknowns", unknowns.join("; ")));
    }
    for network in &report.networks {
        facts.push(("network", network_text(network)));
        facts.extend(network.ansatz.iter().map(|text| ("ansatz", cut(text))));
    }
    facts.push(("stages", report.stages.iter().map(stage_text).collect::<Vec<_>>().join(", then ")));
    facts.extend(report.windows.as_ref().map(|windows| ("windows", windows.clone())));
    facts.extend(report.values.map(|count| ("constants", format!("come to their values in {count} steps"))));
    let fresh = match report.resample {
        0 => String::new(),
        steps => format!(", fresh points every {}", counted(steps, "step")),
    };
    facts.push(("seed", format!("{}{fresh}", report.seed)));
    facts.extend(report.reference.as_ref().map(|reference| ("reference", reference_text(reference))));
    facts
}

/// `u up to 27 (reference), v up to 0.001 (conditions)`.
fn sizes(sizes: &[(String, SizeReport)]) -> String {
    let text = |(name, of): &(String, SizeReport)| format!("{name} up to {} ({})", rounded(of.size), of.by);
    sizes.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Two digits: the size of what is drawn or measured is not known better.
fn rounded(value: f64) -> String {
    brief(format!("{value:.1e}").parse().unwrap_or(value))
}

/// A long expression by its beginning and its length.
fn cut(text: &str) -> String {
    match text.chars().count() {
        count if count <= LONGEST => text.to_owned(),
        count => {
            let start: String = text.chars().take(LONGEST - 50).collect();
            format!("{start} … ({count} characters; `--json` has them all)")
        }
    }
}

/// `x, y in [0, 1], t in [0, 2]`: neighbours with the same range share it.
fn ranges(coordinates: &[(String, [f64; 2])]) -> String {
    let range = |group: &[(String, [f64; 2])]| {
        let names: Vec<&str> = group.iter().map(|(name, _)| name.as_str()).collect();
        let [lower, upper] = group[0].1;
        format!("{} in [{}, {}]", names.join(", "), brief(lower), brief(upper))
    };
    coordinates.chunk_by(|a, b| a.1 == b.1).map(range).collect::<Vec<_>>().join(", ")
}

fn reference_text(reference: &ReferenceReport) -> String {
    let fields = reference.fields.join(", ");
    let counts: Vec<String> = reference.grid.iter().map(usize::to_string).collect();
    match &reference.grid[..] {
        [] => format!("{fields} at {} points", reference.points),
        [first, rest @ ..] if rest.len() > 3 && rest.iter().all(|count| count == first) => {
            format!("{fields} on a grid of {first}^{}", counts.len())
        }
        _ => format!("{fields} on a grid of {}", counts.join(" x ")),
    }
}

fn unknown_text((name, unknown): &(String, UnknownReport)) -> String {
    let bounds = unknown.bounds.map_or(String::new(), |(a, b)| format!(" in [{}, {}]", brief(a), brief(b)));
    let truth = unknown.truth.map_or(String::new(), |truth| format!(", truth {}", brief(truth)));
    format!("{name} from {}{bounds}{truth}", brief(unknown.start))
}

fn network_text(network: &NetworkReport) -> String {
    let hidden = match &network.hidden[..] {
        [first, rest @ ..] if rest.iter().all(|width| width == first) => {
            format!("{}x{first}", rest.len() + 1)
        }
        widths => widths.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    };
    let mut parts = vec![format!("{hidden} {}", network.activations.join(", "))];
    if network.architecture != "mlp" {
        parts.push(network.architecture.clone());
    }
    let scales = network.fourier_scale.0.iter().map(|(name, scale)| format!("{} in {name}", brief(*scale)));
    let scales = scales.collect::<Vec<_>>().join(", ");
    parts.extend(network.fourier_features.map(|f| format!("{f} Fourier features (scale {scales})")));
    if network.factorized {
        parts.push("factorized weights".to_owned());
    }
    if !network.periodic.is_empty() {
        parts.push(format!("periodic in {}", network.periodic.join(", ")));
    }
    if network.scale_inputs {
        parts.push("inputs scaled to [-1, 1]".to_owned());
    }
    parts.push(counted(network.parameters, "parameter"));
    format!("{} of {}: {}", network.fields.join(", "), network.inputs.join(", "), parts.join(", "))
}

fn stage_text(stage: &StageReport) -> String {
    let end = stage.lr_end.map_or(String::new(), |end| format!(" to {end:e}"));
    let rate = stage.lr.map(|lr| format!("lr {lr:e}{end}"));
    let gain = stage.gain.map(|gain| format!("gain {}", brief(gain)));
    let gains = stage.gains.iter().flat_map(|gains| &gains.0);
    let gains = gains.map(|(name, gain)| format!("gain {} of {name}", brief(*gain)));
    let facts: Vec<String> =
        stage.dual.map(str::to_owned).into_iter().chain(rate).chain(gain).chain(gains).collect();
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
    format!("{} of {}{facts}", counted(stage.steps, "step"), stage.method)
}

fn term_lines(name: &str, term: &TermReport) -> Vec<String> {
    let mut first =
        format!("{name}: {}, {} {} ({})", term.role, counted(term.points, "point"), term.place, term.sampler);
    first += match term.pointwise {
        Some(true) => ", at every point",
        Some(false) => ", all points together",
        None => "",
    };
    if term.weight != 1.0 {
        first += &format!(", weight {}", brief(term.weight));
    }
    if let Some(tolerance) = &term.tolerance {
        first += &format!(", tolerance {tolerance}");
    }
    let mut lines = vec![first];
    lines.extend(term.equations.iter().map(|equation| format!("  {}", cut(equation))));
    let sites = if term.sites > 1 { format!(" at {} sites a point", term.sites) } else { String::new() };
    let streams = counted(term.streams.len(), "stream");
    lines.extend(wrapped(format!("  {streams}{sites}:"), &term.streams));
    lines.extend(term.symmetry.map(|how| format!("  the equations admit this symmetry ({how})")));
    if term.by_construction {
        lines.push("  met by construction of the ansatz".to_owned());
    }
    lines
}

/// A list after its heading, in as many lines as it takes.
fn wrapped(heading: String, items: &[String]) -> Vec<String> {
    let mut lines = vec![heading];
    for (index, item) in items.iter().enumerate() {
        let comma = if index + 1 < items.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + item.chars().count() + 2 <= WIDTH => {
                *line += &format!(" {item}{comma}");
            }
            _ => lines.push(format!("    {item}{comma}")),
        }
    }
    lines
}

fn cost(cost: &Cost) -> Vec<(&'static str, String)> {
    let threads = counted(cost.threads, "thread");
    let mut facts = vec![("a step", format!("{} points, {}", cost.points, flops(cost.flops_per_step)))];
    facts.push(match (cost.ms_per_step, cost.seconds) {
        (Some(ms), Some(seconds)) => {
            let all = format!("about {} for {}", clock(seconds), counted(cost.steps, "step"));
            ("time", format!("{} ms a step on {threads}, measured; {all}", three_digits(ms)))
        }
        _ if cost.steps == 0 => ("time", "no steps".to_owned()),
        _ => ("time", "not measured: the first steps meet infinite numbers".to_owned()),
    });
    facts.extend(cost.memory_mb.map(|memory| ("memory", format!("{memory:.0} MB, measured"))));
    facts
}

fn flops(count: usize) -> String {
    match count as f64 {
        count if count >= 1e9 => format!("{} Gflop", three_digits(count / 1e9)),
        count => format!("{} Mflop", three_digits(count / 1e6)),
    }
}

fn three_digits(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        10.0..100.0 => format!("{value:.1}"),
        1.0..10.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_wrapped_and_numbers_short() {
        let items: Vec<String> = (0..40).map(|i| format!("u_x{i}")).collect();
        let lines = wrapped("  40 streams:".to_owned(), &items);
        assert!(lines.len() == 3 && lines.iter().all(|line| line.len() <= WIDTH), "{lines:?}");
        assert!(lines[0].starts_with("  40 streams: u_x0, u_x1,") && lines[2].ends_with("u_x39"));
        assert_eq!([0.0123, 4.567, 45.67, 4567.0].map(three_digits), ["0.012", "4.57", "45.7", "4567"]);
        assert_eq!((flops(1_230_000), flops(2_500_000_000)), ("1.23 Mflop".into(), "2.50 Gflop".into()));
    }

    #[test]
    fn long_expressions_are_cut_and_sizes_are_plain() {
        let (short, long) = ("u".repeat(LONGEST), "u + ".repeat(LONGEST));
        assert_eq!(cut(&short), short);
        let text = cut(&long);
        assert!(
            text.chars().count() <= LONGEST && text.ends_with(" … (800 characters; `--json` has them all)"),
            "{text}"
        );
        let of = |name: &str, size, by| (name.to_owned(), SizeReport { size, by });
        let text = sizes(&[of("x", 26.8123, "reference"), of("y", 1e-9, "conditions")]);
        assert_eq!(text, "x up to 27 (reference), y up to 1e-9 (conditions)");
    }

    #[test]
    fn stages_say_what_they_have() {
        let stage = StageReport {
            method: "lbfgs",
            steps: 3,
            dual: None,
            lr: None,
            lr_end: None,
            gain: None,
            gains: None,
        };
        assert_eq!(stage_text(&stage), "3 steps of lbfgs");
        let gains = [("initial".to_owned(), 100.0), ("walls".to_owned(), 500.0)].into_iter().collect();
        let fl = StageReport { method: "fl", lr: Some(1e-3), gains: Some(gains), ..stage };
        assert_eq!(stage_text(&fl), "3 steps of fl (lr 1e-3, gain 100 of initial, gain 500 of walls)");
        let al = StageReport { method: "al", dual: Some("outer"), lr_end: Some(1e-5), gains: None, ..fl };
        assert_eq!(stage_text(&al), "3 steps of al (outer, lr 1e-3 to 1e-5)");
    }

    #[test]
    fn equal_ranges_are_said_once() {
        let axis = |name: &str, upper| (name.to_owned(), [0.0, upper]);
        assert_eq!(ranges(&[axis("x", 1.0), axis("y", 1.0), axis("t", 2.0)]), "x, y in [0, 1], t in [0, 2]");
    }
}
