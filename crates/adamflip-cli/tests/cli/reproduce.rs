//! `reproduce`: cells, results that are kept, tables, status, and what is refused.

use super::*;

/// A small problem with the coordinates, terms and the unknown of an inverse problem, in two stages.
const INVERSE: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
y = [0, 1]
t = [0, 1]
[unknowns]
kappa = { start = 1, truth = 0.1 }
[term.pde]
equation = "u_t = kappa*u_xx + kappa*u_yy"
points = 20
role = "constraint"
[term.initial]
on = "t = 0"
equation = "u = sin(pi*x)*sin(pi*y)"
points = 6
role = "constraint"
[term.walls]
on = ["x = 0", "x = 1", "y = 0", "y = 1"]
equation = "u = 0"
points = 6
role = "constraint"
[term.data]
data = "reference"
points = 9
role = "objective"
[reference]
u = "sin(pi*x)*sin(pi*y)*exp(-0.2*pi^2*t)"
grid = { x = 9, y = 9, t = 5 }
[network]
hidden = "2x5"
[train]
stages = [{ method = "adam", steps = 6 }, { method = "adamflip_split", steps = 4 }]
[profile.paper]
train.stages = [{ method = "adam", steps = 5 }, { method = "adamflip", steps = 5, gain = { pde = 10, walls = 20 } }]
[profile.quick]
train.stages = [{ method = "adam", steps = 2 }, { method = "adamflip", steps = 2, gain = 10 }]
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("problems")).unwrap();
    std::fs::write(desk.path("problems/heat_inverse.toml"), INVERSE).unwrap();
    desk
}

const MAIN: [&str; 8] =
    ["reproduce", "heat_inverse", "--studies", "main", "--methods", "adamflip,trsqp,best", "--seeds", "0,1"];

fn kept(desk: &Desk, name: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(desk.path(&format!("results/reproduce/{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn cells_are_run_kept_and_shown_beside_the_paper() {
    let desk = desk();
    let output = desk.run(&[&MAIN[..], &["--jobs", "1"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let cells = ["adamflip-0", "adamflip-1", "best-0", "best-1", "trsqp-0", "trsqp-1"];
    let mut files: Vec<String> = cells.iter().map(|cell| format!("main-heat_inverse-{cell}.json")).collect();
    files.extend(
        ["planes", "runs.csv", "tables.csv", "tables.md", "tables.tex", "tables.txt"].map(str::to_owned),
    );
    files.splice(0..0, ["figures".to_owned(), "index.html".to_owned()]);
    assert_eq!(desk.files("results/reproduce"), files);
    assert_eq!(desk.files("results/reproduce/figures"), ["heat_inverse-u.png"]);
    // One of each method, and what they are compared with.
    let planes = ["heat_inverse-reference", "main-heat_inverse-adamflip-0", "main-heat_inverse-best-0"];
    let planes = [&planes[..], &["main-heat_inverse-trsqp-0"]].concat();
    let planes: Vec<String> = planes.iter().map(|name| format!("{name}.npz")).collect();
    assert_eq!(desk.files("results/reproduce/planes"), planes);
    let own = kept(&desk, "main-heat_inverse-adamflip-1");
    assert_eq!((&own["profile"], &own["jobs"], &own["seed"]), (&"paper".into(), &1.into(), &1.into()));
    // The mean of squares is that of the summary, whose sum has another order.
    let (ours, theirs) = (&own["terms"]["walls"]["mean_square"], &own["summary"]["terms"]["walls"]["mse"]);
    assert!((ours.as_f64().unwrap() / theirs.as_f64().unwrap() - 1.0).abs() < 1e-12, "{ours} {theirs}");
    // Of one equation the mean of norms is that of absolute values, not above the root of the mean of
    // squares.
    let norm = own["terms"]["walls"]["mean_norm"].as_f64().unwrap();
    assert!(norm > 0.0 && norm <= ours.as_f64().unwrap().sqrt());
    let command = own["command"].as_str().unwrap();
    assert!(command.contains("--profile=paper") && !command.contains("--finish"), "{command}");
    assert!(kept(&desk, "main-heat_inverse-best-0")["profile"].is_null());
    let command = kept(&desk, "main-heat_inverse-trsqp-0")["command"].as_str().unwrap().to_owned();
    assert!(command.contains("--finish=trsqp") && command.contains("--set=train.max_seconds="), "{command}");
    let text = stdout(&output);
    let row = text.lines().find(|line| line.contains("error of kappa ")).unwrap();
    assert!(row.contains("(2) >   5.00e-4") && row.contains("9.00e-4"), "{row}");
    assert_eq!(
        text.trim_end(),
        std::fs::read_to_string(desk.path("results/reproduce/tables.txt")).unwrap().trim_end()
    );
    let page = std::fs::read_to_string(desk.path("results/reproduce/index.html")).unwrap();
    assert!(page.contains("<img src=\"data:image/png;base64,") && !page.contains("http"));
    let runs = std::fs::read_to_string(desk.path("results/reproduce/runs.csv")).unwrap();
    assert_eq!(runs.lines().count(), 1 + cells.len());
    let row = runs.lines().find(|line| line.starts_with("main,heat_inverse,adamflip,,1,")).unwrap();
    let error = own["summary"]["rel_l2"]["u"].as_f64().unwrap();
    assert!(row.contains(&format!(",{error:e},")), "{row}");
    assert!(
        row.contains(",adamflip solve --seed=1 ") && row.ends_with("problems/heat_inverse.toml"),
        "{row}"
    );
    // Of a run that is being solved again nothing is shown: it is not that of the result.
    std::fs::remove_file(desk.path("results/reproduce/planes/main-heat_inverse-best-0.npz")).unwrap();
    std::fs::write(desk.path("runs/reproduce/runs/main-heat_inverse-best-0/summary.json"), "{}").unwrap();
    assert_eq!(code(&desk.run(&["reproduce", "--tables"])), 0);
    let planes = desk.files("results/reproduce/planes");
    assert!(planes.contains(&"main-heat_inverse-best-1.npz".to_owned()), "{planes:?}");
    assert!(!planes.contains(&"main-heat_inverse-best-0.npz".to_owned()), "{planes:?}");
}

#[test]
fn what_is_kept_is_not_run_again_unless_asked_for() {
    let desk = desk();
    let one = [&MAIN[..6], &["--seeds", "0"]].concat();
    assert_eq!(code(&desk.run(&one)), 0);
    let date = |name: &str| {
        std::fs::metadata(desk.path(&format!("results/reproduce/main-heat_inverse-{name}.json")))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = date("best-0");
    // Neither the runs nor the problems are needed for what is there.
    std::fs::remove_dir_all(desk.path("runs")).unwrap();
    let figure = || std::fs::read(desk.path("results/reproduce/figures/heat_inverse-u.png")).unwrap();
    let first = figure();
    let more = desk.run(&MAIN);
    assert_eq!(code(&more), 0, "{}", stderr(&more));
    assert!(
        stderr(&more).contains("3 of 6 runs have results") && stderr(&more).contains("3 runs in"),
        "{}",
        stderr(&more)
    );
    assert_eq!(desk.files("runs/reproduce/runs").len(), 3);
    assert_eq!(date("best-0"), before);
    assert_eq!(figure(), first, "it stays");
    // A method of another session stands beside those whose runs are gone.
    std::fs::remove_dir_all(desk.path("runs")).unwrap();
    assert_eq!(code(&desk.run(&["reproduce", "heat_inverse", "--methods", "adam", "--studies", "main"])), 0);
    assert!(figure().len() > first.len());
    std::fs::write(desk.path("problems/heat_inverse.toml"), INVERSE.replace("points = 20", "points = 21"))
        .unwrap();
    let changed = desk.run(&MAIN);
    assert!(stderr(&changed).contains("all 6 runs have results"), "{}", stderr(&changed));
    assert!(
        stderr(&changed).contains("6 results of problem files that were changed since"),
        "{}",
        stderr(&changed)
    );
    let again = desk.run(&[&one[..], &["--again"]].concat());
    assert_eq!(code(&again), 0, "{}", stderr(&again));
    assert!(date("best-0") > before);
    assert_eq!(kept(&desk, "main-heat_inverse-best-0")["terms"]["pde"]["points"], 21);
}

#[test]
fn a_result_that_is_missing_is_made_of_the_run_that_is_there() {
    let desk = desk();
    let one = [&MAIN[..6], &["--seeds", "0", "--out", "out", "--results", "kept"]].concat();
    assert_eq!(code(&desk.run(&one)), 0);
    let state = |run: &str| {
        std::fs::read(desk.path(&format!("out/runs/main-heat_inverse-{run}/checkpoint.safetensors"))).unwrap()
    };
    let before = state("best-0");
    std::fs::remove_file(desk.path("kept/main-heat_inverse-best-0.json")).unwrap();
    let output = desk.run(&one);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("1 run had ended before"), "{}", stderr(&output));
    assert!(desk.path("kept/main-heat_inverse-best-0.json").is_file() && state("best-0") == before);
}

#[test]
fn studies_share_what_they_have_in_common() {
    let desk = desk();
    let noise =
        ["reproduce", "heat_inverse", "--studies", "noise", "--seeds", "3", "--profile", "quick", "--json"];
    let output = desk.run(&noise);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let lines = json_lines(&output);
    assert_eq!(
        (&lines[0]["event"], &lines[0]["command"], &lines[0]["runs"]),
        (&"start".into(), &"reproduce".into(), &6.into())
    );
    assert_eq!(lines.last().unwrap()["event"], "reproduction");
    let runs = [
        "main-heat_inverse-adamflip-3",
        "main-heat_inverse-best-3",
        "noise-heat_inverse-adamflip-0.01-3",
        "noise-heat_inverse-adamflip-0.05-3",
        "noise-heat_inverse-best-0.01-3",
        "noise-heat_inverse-best-0.05-3",
    ];
    assert_eq!(desk.files("runs/reproduce-quick/runs"), runs);
    let csv = std::fs::read_to_string(desk.path("runs/reproduce-quick/results/tables.csv")).unwrap();
    let row = csv
        .lines()
        .find(|line| line.starts_with("noise,\"Heat, inverse / error of kappa\",\"best, 5%\",1,0,"));
    assert!(row.is_some(), "{csv}");
    // Runs of other commands are not upset by the folder.
    assert!(!stderr(&desk.run(&["list"])).contains("left out"));
    let mixed = ["reproduce", "--results", "runs/reproduce-quick/results", "--status"];
    bad_input::refused("profile", &desk, &mixed, &["are those of `--profile quick`", "--results DIR"]);
}

#[test]
fn the_status_counts_and_estimates() {
    let desk = desk();
    let status = |desk: &Desk| last_json(&desk.run(&["reproduce", "--status", "--json"]));
    let nothing = status(&desk);
    assert_eq!((&nothing["done"], &nothing["planned"]), (&0.into(), &201.into()));
    assert!(nothing["seconds_left"].is_null());
    assert!(!desk.path("runs").exists() && !desk.path("results").exists(), "it only looks");
    desk.run(&[&MAIN[..6], &["--seeds", "0"]].concat());
    let some = status(&desk);
    assert_eq!(some["done"], 3);
    assert!(some["seconds_left"].as_f64().unwrap() > 0.0);
    let heat = some["studies"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["study"] == "main" && row["problem"] == "heat_inverse");
    assert_eq!((&heat.unwrap()["done"], &heat.unwrap()["planned"]), (&3.into(), &18.into()));
    let text = stdout(&desk.run(&["reproduce", "--status"]));
    assert!(
        text.contains(" 3 of 201 runs have results, about ") && text.contains(" gain    heat_forward"),
        "{text}"
    );
}

#[test]
fn tables_are_made_of_whatever_there_is() {
    let desk = desk();
    desk.run(&[&MAIN[..6], &["--seeds", "0"]].concat());
    let text = |name: &str, from: &str, to: &str| {
        let path = desk.path(&format!("results/reproduce/{name}.json"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(path, text.replace(from, to)).unwrap();
    };
    // One that diverged does not count, and a file that is no result is passed over.
    text("main-heat_inverse-best-0", "\"status\": \"max_steps\"", "\"status\": \"diverged\"");
    std::fs::write(desk.path("results/reproduce/main-heat_inverse-al-0.json"), "{").unwrap();
    let output = desk.run(&["reproduce", "--tables", "--problems", "nowhere"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("main-heat_inverse-al-0.json` is passed over: "), "{}", stderr(&output));
    let row = stdout(&output).lines().find(|line| line.contains("error of kappa ")).unwrap().to_owned();
    assert!(row.ends_with("diverged (1)"), "{row}");
}

#[test]
fn errors_show_before_anything_is_trained() {
    let desk = desk();
    let cases: [(&[&str], &[&str]); 8] = [
        (&["heat"], &["invalid value 'heat'", "heat_forward"]),
        (&["--methods", "adamflop"], &["invalid value 'adamflop'", "adamflip"]),
        (&["--studies", "all"], &["invalid value 'all'"]),
        (&["--seeds", "x"], &["--seeds"]),
        (&["--problems", "nowhere"], &["there is no folder `nowhere`", "--problems DIR"]),
        (&["burgers_forward"], &["the folder `problems` has no `burgers_forward.toml`", "--problems DIR"]),
        (&["--tables"], &["there are no results in `results/reproduce`"]),
        (&["--status", "--again"], &["--status", "--again"]),
    ];
    for (options, expected) in cases {
        bad_input::refused("option", &desk, &[&["reproduce"], options].concat(), expected);
    }
    std::fs::write(desk.path("problems/heat_inverse.toml"), INVERSE.replace("kappa*u_xx", "kappa*u_xz"))
        .unwrap();
    bad_input::refused("equation", &desk, &["reproduce", "heat_inverse"], &["u_xz", "heat_inverse.toml"]);
}

#[cfg(unix)]
#[test]
fn control_c_is_clean_and_the_same_command_goes_on() {
    use std::io::BufRead;
    let desk = desk();
    let long = INVERSE.replace("steps = 6", "steps = 100000000");
    std::fs::write(desk.path("problems/heat_inverse.toml"), &long).unwrap();
    let command =
        ["reproduce", "heat_inverse", "--methods", "best", "--studies", "main", "--seeds", "0", "--json"];
    let mut child = desk.start(&command);
    let lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut events = lines.map(|line| serde_json::from_str::<serde_json::Value>(&line).unwrap());
    assert!(events.any(|event| event["running"][0]["step"].as_u64() > Some(0)));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(
        stderr(&output).contains("the same command goes on:\n  adamflip reproduce heat_inverse"),
        "{}",
        stderr(&output)
    );
    assert!(!desk.path("results").exists());
    // With the file changed it starts again, for it would go on with the old one.
    std::fs::write(desk.path("problems/heat_inverse.toml"), INVERSE).unwrap();
    let output = desk.run(&command);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("starts again: its problem file was changed since"),
        "{}",
        stderr(&output)
    );
    assert_eq!(kept(&desk, "main-heat_inverse-best-0")["summary"]["steps"], 10);
}
