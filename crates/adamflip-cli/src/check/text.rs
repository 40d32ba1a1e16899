//! The report of `check` for people.

use super::report::{Cost, NetworkReport, Report, StageReport, TermReport, UnknownReport, brief};
use crate::progress::clock;
use crate::summary::counted;

/// The whole report.
pub(super) fn text(report: &Report) -> String {
    let title = report.title.as_deref().unwrap_or(&report.problem);
    let mut lines = vec![format!("{title} ({})", report.problem), String::new()];
    lines.extend(facts(report).iter().map(|(name, fact)| format!("{name:<12} {fact}")));
    for (name, term) in &report.terms.0 {
        lines.push(String::new());
        lines.extend(term_lines(name, term));
    }
    lines.push(String::new());
    lines.extend(cost(&report.cost).iter().map(|(name, fact)| format!("{name:<12} {fact}")));
    if !report.warnings.is_empty() {
        lines.push(String::new());
    }
    lines.extend(report.warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.join("\n")
}

fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let range = |(name, [lower, upper]): &(String, [f64; 2])| {
        format!("{name} in [{}, {}]", brief(*lower), brief(*upper))
    };
    let mut facts = vec![
        ("coordinates", report.coordinates.0.iter().map(range).collect::<Vec<_>>().join(", ")),
        ("fields", report.fields.join(", ")),
    ];
    if !report.unknowns.0.is_empty() {
        let unknowns = report.unknowns.0.iter().map(unknown_text);
        facts.push(("unknowns", unknowns.collect::<Vec<_>>().join("; ")));
    }
    facts.extend(report.networks.iter().map(|network| ("network", network_text(network))));
    facts.push(("stages", report.stages.iter().map(stage_text).collect::<Vec<_>>().join(", then ")));
    facts.push(("seed", report.seed.to_string()));
    if let Some(reference) = &report.reference {
        let grid: Vec<String> = reference.grid.iter().map(usize::to_string).collect();
        facts.push((
            "reference",
            format!("{} on a grid of {}", reference.fields.join(", "), grid.join(" x ")),
        ));
    }
    facts
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
    let kind =
        if network.architecture == "mlp" { String::new() } else { format!(" {}", network.architecture) };
    let scaled = if network.scale_inputs { ", inputs scaled to [-1, 1]" } else { "" };
    format!(
        "({}) of ({}): {hidden}{kind} {}{scaled}, {} parameters",
        network.fields.join(", "),
        network.inputs.join(", "),
        network.activations.join(", "),
        network.parameters
    )
}

fn stage_text(stage: &StageReport) -> String {
    let gain = stage.gain.map_or(String::new(), |gain| format!(", gain {}", brief(gain)));
    format!("{} steps of {} (lr {:e}{gain})", stage.steps, stage.method, stage.lr)
}

fn term_lines(name: &str, term: &TermReport) -> Vec<String> {
    let place = if term.place == "everywhere" { term.place.clone() } else { format!("on {}", term.place) };
    let mut first =
        format!("{name}: {}, {} {place} ({})", term.role, counted(term.points, "point"), term.sampler);
    if term.weight != 1.0 {
        first += &format!(", weight {}", brief(term.weight));
    }
    if let Some(tolerance) = &term.tolerance {
        first += &format!(", tolerance {tolerance}");
    }
    let mut lines = vec![first];
    lines.extend(term.equations.iter().map(|equation| format!("  {equation}")));
    let sites = if term.sites > 1 { format!(" at {} sites a point", term.sites) } else { String::new() };
    let streams = counted(term.streams.len(), "stream");
    lines.push(format!("  {streams}{sites}: {}", term.streams.join(", ")));
    if term.by_construction {
        lines.push("  met by construction of the ansatz".to_owned());
    }
    lines
}

fn cost(cost: &Cost) -> Vec<(&'static str, String)> {
    let threads = counted(cost.threads, "thread");
    let size = format!("{} points, {:.1} Mflop", cost.points, cost.flops_per_step as f64 / 1e6);
    let mut facts = vec![("a step", size)];
    facts.push(match (cost.ms_per_step, cost.seconds) {
        (Some(ms), Some(seconds)) => (
            "time",
            format!(
                "{ms:.3} ms a step on {threads}, measured; about {} for {} steps",
                clock(seconds),
                cost.steps
            ),
        ),
        _ if cost.steps == 0 => ("time", "no steps".to_owned()),
        _ => ("time", "not measured: the first steps meet infinite numbers".to_owned()),
    });
    facts.extend(cost.memory_mb.map(|memory| ("memory", format!("{memory:.0} MB, measured"))));
    facts
}
