//! Profiles and `--set`.

use super::*;
use crate::sample::Sampler;
use crate::spec::{Number, Role, Setting};

fn with(text: &str, profile: Option<&str>, set: &[&str]) -> Parsed {
    let set = set.iter().map(ToString::to_string).collect();
    parse("small.toml", text, &Overrides { profile: profile.map(Into::into), set })
}

fn set(arguments: &[&str]) -> Parsed {
    let parsed = with(BURGERS, None, arguments);
    assert!(parsed.diagnostics.is_empty(), "{}", render(&parsed.sources, &parsed.diagnostics, false));
    parsed
}

fn set_complaints(arguments: &[&str]) -> String {
    let parsed = with(BURGERS, None, arguments);
    render(&parsed.sources, &parsed.diagnostics, false)
}

const PROFILE: &str = "
[network]
hidden = '4x20'
activation = 'sin'
[train]
stages = [{ method = 'adam', steps = 5 }, { method = 'adamflip', steps = 6 }]
[profile.paper]
title = 'As in the paper'
[profile.paper.term.pde]
points = 100
[profile.paper.network]
hidden = '8x20'
[profile.paper.train]
seed = 7
stages = [{ method = 'fl', steps = 9 }]
[profile.quick.term.pde]
points = 'wrong, but not chosen'
";

#[test]
fn a_profile_merges_tables_and_replaces_lists() {
    let parsed = with(&format!("{SMALL}{PROFILE}"), Some("paper"), &[]);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let spec = parsed.spec;
    assert_eq!(spec.title.as_deref(), Some("As in the paper"));
    assert_eq!(spec.terms[0].points.as_ref().unwrap().value, 100);
    assert_eq!(spec.terms[0].equations[0].value, "u_xx = 0");
    assert_eq!(spec.network.hidden, [20; 8]);
    assert_eq!(spec.network.activations, [crate::jet::Activation::Sin; 8]);
    assert_eq!(spec.train.seed, 7);
    assert_eq!(spec.train.stages.len(), 1);
}

#[test]
fn without_a_profile_the_file_stands_and_set_wins_over_a_profile() {
    let text = format!("{SMALL}{PROFILE}");
    let plain = with(&text, None, &[]);
    assert!(plain.diagnostics.is_empty(), "{:?}", plain.diagnostics);
    assert_eq!(plain.spec.terms[0].points.as_ref().unwrap().value, 10);
    let both = with(&text, Some("paper"), &["train.seed=8", "term.pde.points=50"]);
    assert_eq!((both.spec.train.seed, both.spec.terms[0].points.as_ref().unwrap().value), (8, 50));
}

#[test]
fn an_unknown_profile_lists_the_others() {
    let parsed = with(&format!("{SMALL}{PROFILE}"), Some("papre"), &[]);
    insta::assert_snapshot!(render(&parsed.sources, &parsed.diagnostics, false), @r#"
    error: there is no profile `papre`
     --> --profile:1:1
      |
    1 | papre
      | ^^^^^ unknown profile
      |
      = hint: did you mean `paper`? the file has the profiles paper, quick

    1 error in small.toml
    "#);
    let parsed = with(SMALL, Some("paper"), &[]);
    assert!(render(&parsed.sources, &parsed.diagnostics, false).contains("hint: the file has no profiles"));
}

#[test]
fn an_error_in_the_chosen_profile_is_shown_in_the_profile() {
    let parsed = with(&format!("{SMALL}{PROFILE}"), Some("quick"), &[]);
    insta::assert_snapshot!(render(&parsed.sources, &parsed.diagnostics, false), @r#"
    error: `points` of [term.pde] must be a whole number
      --> small.toml:23:11
       |
    23 | points = 'wrong, but not chosen'
       |           ^^^^^^^^^^^^^^^^^^^^^ this is text
       |
       = hint: write for example `100`

    1 error in small.toml
    "#);
}

#[test]
fn values_of_every_kind_can_be_set() {
    let spec = set(&[
        "network.hidden=4x20",
        "train.seed = 3",
        "train.max_seconds=1.5",
        "train.sampler=sobol",
        "train.stages[1].lr=5e-4",
        "train.stages[1].betas=[0.9, 0.99]",
        "term.pde.equation=u_t = 0",
        "term.walls.on=[\"x = -1\"]",
        "term.walls.role=\"objective\"",
        "constants.nu=0.02/pi",
        "constants.mu=2",
        "domain.t=[0, 2]",
    ])
    .spec;
    assert_eq!(spec.network.hidden, [20; 4]);
    assert_eq!((spec.train.seed, spec.train.max_seconds), (3, Some(1.5)));
    assert_eq!(spec.train.sampler, Sampler::Sobol);
    let settings = &spec.train.stages[1].settings;
    let setting = |name: &str| &settings.iter().find(|(key, _)| key.value == name).unwrap().1.value;
    assert_eq!(setting("lr"), &Setting::Number(5e-4));
    assert_eq!(setting("betas"), &Setting::Numbers(vec![0.9, 0.99]));
    assert_eq!(spec.terms[0].equations[0].value, "u_t = 0");
    assert_eq!(spec.terms[2].on.len(), 1);
    assert_eq!(spec.terms[2].role, Role::Objective);
    assert_eq!(spec.constants[0].1.value, Number::Text("0.02/pi".into()));
    assert_eq!(spec.constants[1].1.value, Number::Literal(2.0));
    assert_eq!(spec.domain[1].upper.value, Number::Literal(2.0));
}

#[test]
fn the_last_set_wins_and_whole_lists_can_be_replaced() {
    let spec = set(&["train.seed=1", "train.seed=2", "train.stages=[{method='adam', steps=5}]"]).spec;
    assert_eq!(spec.train.seed, 2);
    assert_eq!(spec.train.stages.len(), 1);
    assert_eq!(spec.train.stages[0].steps.value, 5);
}

#[test]
fn a_set_value_points_into_its_own_argument() {
    let parsed = set(&["train.seed=1", "term.pde.equation='u_t = 0'"]);
    let equation = &parsed.spec.terms[0].equations[0];
    let source = &parsed.sources[equation.span.source];
    assert_eq!((source.name.as_str(), equation.span.source), ("--set", 2));
    assert_eq!(&source.text[equation.span.start..equation.span.end], "u_t = 0");
}

#[test]
fn errors_in_set_are_shown_in_the_argument() {
    insta::assert_snapshot!(set_complaints(&[
        "train.seed",
        "train.seed=x",
        "trian.seed=1",
        "train.sede=1",
        "train.stages[2].lr=1",
        "train.stages.lr=1",
        "train.stages[x].lr=1",
        "train..seed=1",
        "title.x=1",
        "train[0]=1",
        "train.stages=[1, 2",
        "term.new.points=5",
        "profile.paper.title=x",
        "",
    ]), @r#"
    error: `--set` needs a key, `=` and a value
     --> --set:1:1
      |
    1 | train.seed
      | ^^^^^^^^^^ no `=` here
      |
      = hint: write for example `--set train.seed=1` or `--set train.stages[0].lr=1e-3`

    error: `seed` of [train] must be a whole number
     --> --set:1:12
      |
    1 | train.seed=x
      |            ^ this is text
      |
      = hint: write for example `100`

    error: unknown key `trian` in the problem file
     --> --set:1:1
      |
    1 | trian.seed=1
      | ^^^^^ unknown key
      |
      = hint: did you mean `train`? the keys of the problem file are title, fields, domain, shapes, constants, define, unknowns, term, reference, network, train, profile

    error: unknown key `sede` in [train]
     --> --set:1:7
      |
    1 | train.sede=1
      |       ^^^^ unknown key
      |
      = hint: did you mean `seed`? the keys of [train] are seed, sampler, resample, stages, plan, grow, max_seconds, accuracy, windows, start, observe, tolerance, patience, stop_when_feasible, lanes

    error: `train.stages` has 2 entries
     --> --set:1:13
      |
    1 | train.stages[2].lr=1
      |             ^^^ beyond the last
      |
      = hint: entries are counted from `[0]` to `[1]`

    error: `train.stages` is a list
     --> --set:1:14
      |
    1 | train.stages.lr=1
      |              ^^ a key
      |
      = hint: say which entry: `train.stages[0].lr`

    error: `[x]` is not an index
     --> --set:1:13
      |
    1 | train.stages[x].lr=1
      |             ^^^ not an index
      |
      = hint: write for example `--set train.seed=1` or `--set train.stages[0].lr=1e-3`

    error: a key is missing in the path of `--set`
     --> --set:1:7
      |
    1 | train..seed=1
      |       ^ empty
      |
      = hint: write for example `--set train.seed=1` or `--set train.stages[0].lr=1e-3`

    error: `title` is text, it has no keys
     --> --set:1:7
      |
    1 | title.x=1
      |       ^ no such key
      |
      = hint: write `--set title=…` to replace it

    error: `train` is a table, it has no entries
     --> --set:1:6
      |
    1 | train[0]=1
      |      ^^^ no such entry
      |
      = hint: write for example `--set train.seed=1` or `--set train.stages[0].lr=1e-3`

    error: the value of `--set` is not valid TOML: unclosed array, expected `]`
     --> --set:1:19
      |
    1 | train.stages=[1, 2
      |                   ^
      |
      = hint: check brackets, quotes and commas, and that the shell leaves them alone

    error: the term `new` has no equation
     --> --set:1:6
      |
    1 | term.new.points=5
      |      ^^^ what holds here?
      |
      = hint: the terms of the file are pde, initial, walls

    error: a profile cannot be changed by `--set`
     --> --set:1:1
      |
    1 | profile.paper.title=x
      | ^^^^^^^
      |
      = hint: set the keys themselves: `train.seed=1`

    error: `--set` needs a key, `=` and a value
     --> --set:1:1
      |
    1 |
      | ^ no `=` here
      |
      = hint: write for example `--set train.seed=1` or `--set train.stages[0].lr=1e-3`

    14 errors in small.toml
    "#);
}

#[test]
fn a_profile_takes_periods_back() {
    let text = format!("{SMALL}[network]\nperiodic = [\"x\"]\n[profile.plain]\nnetwork.periodic = []\n");
    let periods = |profile| with(&text, profile, &[]).spec.network.periodic.len();
    assert_eq!((periods(None), periods(Some("plain"))), (1, 0));
}
