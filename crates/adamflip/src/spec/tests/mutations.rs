//! The shipped files, and what remains of one after random changes.

use proptest::prelude::*;

use super::*;
use crate::diagnostic::Span;
use crate::spec::{Number, Role, Setting, Shape, ShapeForm, Spec};

#[test]
fn shipped_files_have_no_errors() {
    let heat = include_str!("../../../../../problems/heat_forward.toml");
    let navier_stokes = include_str!("../../../../../problems/navier_stokes.toml");
    for text in [BURGERS, heat, navier_stokes] {
        assert_eq!(complaints(text), "");
    }
    assert_eq!(read(navier_stokes).spec.terms[0].equations.len(), 3);
}

#[test]
fn burgers_is_read_as_it_is_written() {
    let spec = read(BURGERS).spec;
    assert_eq!(spec.title.as_deref(), Some("Viscous Burgers equation"));
    let axes: Vec<&str> = spec.domain.iter().map(|axis| axis.name.value.as_str()).collect();
    assert_eq!(axes, ["x", "t"]);
    assert_eq!(spec.domain[0].lower.value, Number::Literal(-1.0));
    assert_eq!(spec.constants[0].1.value, Number::Text("0.01/pi".into()));
    let terms: Vec<&str> = spec.terms.iter().map(|term| term.name.value.as_str()).collect();
    assert_eq!(terms, ["pde", "initial", "walls"]);
    assert_eq!((spec.terms[0].role, spec.terms[1].role), (Role::Objective, Role::Constraint));
    assert_eq!((spec.terms[2].on.len(), spec.terms[2].points.as_ref().unwrap().value), (2, 100));
    let reference = spec.reference.unwrap();
    assert_eq!(reference.fields[0].1.value, "cole_hopf(x, t, nu)");
    assert_eq!((reference.grid[0].1.value, reference.grid[1].1.value), (201, 101));
    assert_eq!(spec.network.hidden, [20; 4]);
    assert_eq!(spec.train.stages[1].method.value, "newtonflip");
    let (name, rate) = &spec.train.stages[0].settings[0];
    assert!(name.value == "lr" && matches!(rate.value, Setting::Number(lr) if lr > 0.0));
}

#[test]
fn defaults_follow_the_place_of_a_term() {
    let text = format!(
        "{SMALL}tolerance = 'rms <= 1e-3'\n[term.wall]\non = 'x = 0'\nequation = 'u = 0'\npoints = 2e3\n"
    );
    let spec = read(&text).spec;
    assert_eq!((spec.terms[0].role, spec.terms[1].role), (Role::Objective, Role::Constraint));
    assert_eq!(spec.terms[1].points.as_ref().unwrap().value, 2000);
    assert_eq!(spec.terms[0].tolerance.as_ref().unwrap().limit, 1e-3);
    assert_eq!((spec.network.hidden, spec.train.stages.len()), (vec![20; 4], 0));
}

#[test]
fn a_mark_or_other_line_ends_change_nothing() {
    for text in [format!("\u{feff}{BURGERS}"), BURGERS.replace('\n', "\r\n")] {
        let parsed = read(&text);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        let equation = &parsed.spec.terms[0].equations[0];
        assert_eq!(&parsed.sources[0].text[equation.span.start..equation.span.end], equation.value);
    }
}

#[test]
fn the_span_of_a_text_is_its_content_unless_it_has_escapes() {
    for (literal, content) in [
        ("'u = é'", "u = é"),
        ("\"u = 0\"", "u = 0"),
        ("'''u = 0'''", "u = 0"),
        ("\"\"\"\nu = 0\"\"\"", "u = 0"),
        ("'''\r\nu = 0'''", "u = 0"),
        ("\"u\\t= 0\"", "\"u\\t= 0\""),
        ("\"\"\"u = \\\n 0\"\"\"", "\"\"\"u = \\\n 0\"\"\""),
    ] {
        let text = SMALL.replace("'u_xx = 0'", literal);
        let parsed = read(&text);
        let span = parsed.spec.terms[0].equations[0].span;
        assert_eq!(&text[span.start..span.end], content);
    }
}

/// Every span that `lang` and the later stages may point to.
fn spans(spec: &Spec) -> Vec<Span> {
    let mut spans: Vec<Span> = spec.fields.iter().map(|field| field.span).collect();
    spans.extend(spec.domain.iter().flat_map(|axis| [axis.name.span, axis.lower.span, axis.upper.span]));
    spans.extend(spec.constants.iter().flat_map(|(name, value)| [name.span, value.span]));
    spans.extend(spec.unknowns.iter().flat_map(|unknown| [unknown.name.span, unknown.start.span]));
    for term in &spec.terms {
        spans.push(term.name.span);
        spans.extend(term.points.as_ref().map(|points| points.span));
        let texts =
            term.equations.iter().chain(&term.on).chain(&term.observe).chain(&term.cloud).chain(&term.data);
        spans.extend(texts.chain(term.columns.iter().flatten()).map(|text| text.span));
        spans.extend(term.adaptive.iter().map(|adaptive| adaptive.span));
    }
    spans.extend(spec.inside.iter().map(|inside| inside.span));
    spans.extend(spec.shapes.iter().flat_map(shape_spans));
    for define in &spec.defines {
        spans.extend([define.name.span, define.body.span]);
        spans.extend(define.parameters.iter().flatten().map(|parameter| parameter.span));
    }
    spans.extend(spec.unknowns.iter().flat_map(|unknown| unknown.of.iter().flatten()).map(|name| name.span));
    spans.extend(spec.network.periodic.iter().map(|(name, _)| name.span));
    spans.extend(spec.network.ansatz.iter().map(|(_, formula)| formula.span));
    if let Some(reference) = &spec.reference {
        spans.extend(reference.fields.iter().flat_map(|(name, text)| [name.span, text.span]));
        spans.extend(reference.grid.iter().flat_map(|(name, count)| [name.span, count.span]));
    }
    for stage in &spec.train.stages {
        spans.extend([stage.span, stage.method.span, stage.steps.span]);
        spans.extend(stage.settings.iter().flat_map(|(name, value)| [name.span, value.span]));
    }
    spans
}

fn shape_spans(shape: &Shape) -> Vec<Span> {
    let mut spans = vec![shape.name.span];
    spans.extend(shape.axes.iter().flatten().map(|axis| axis.span));
    match &shape.form {
        ShapeForm::Box(axes) => spans.extend(axes.iter().flat_map(|axis| [axis.name.span, axis.lower.span])),
        ShapeForm::Disk { center, radius } | ShapeForm::Ball { center, radius } => {
            spans.extend(center.iter().chain([radius]).map(|number| number.span));
        }
        ShapeForm::Ellipse { center, radii, angle } => {
            spans.extend(center.iter().chain(radii).chain(angle).map(|number| number.span));
        }
        ShapeForm::Polygon(corners, span) => {
            spans.push(*span);
            spans.extend(corners.iter().flatten().map(|number| number.span));
        }
    }
    spans
}

fn check(text: &str, overrides: &Overrides) {
    let parsed = parse("mutated.toml", text, overrides);
    let reported = parsed.diagnostics.iter().map(|diagnostic| diagnostic.span);
    for span in spans(&parsed.spec).into_iter().chain(reported) {
        let source = &parsed.sources[span.source].text;
        assert!(source.get(span.start..span.end).is_some(), "{span:?} is not inside of {source:?}");
    }
    render(&parsed.sources, &parsed.diagnostics, true);
}

/// Cuts `length` bytes at a place and puts something else there; broken letters become replacement
/// characters.
fn mutate(text: &str, changes: &[(usize, usize, String)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (place, length, insertion) in changes {
        let start = place % (bytes.len() + 1);
        let end = (start + length).min(bytes.len());
        bytes.splice(start..end, insertion.bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Letters that mean something in TOML, so that a few changes reach far.
const LETTERS: &str = "[\\[\\]{}=.,\"'#\n\r\t \\\\a-z0-9_+é-]{0,4}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_files_never_panic(changes in prop::collection::vec((any::<usize>(), 0usize..6, LETTERS), 1..6)) {
        check(&mutate(BURGERS, &changes), &Overrides::default());
        check(&mutate(super::notation::ALL, &changes), &Overrides::default());
    }

    #[test]
    fn any_text_and_argument_never_panic(text in ".{0,200}", argument in "[a-z.\\[\\]0-9]{0,12}=?.{0,12}", profile in ".{0,4}") {
        check(&text, &Overrides { profile: Some(profile), set: vec![argument.clone()] });
        check(BURGERS, &Overrides { profile: None, set: vec![argument] });
    }
}
