//! `resume`: the same bits after any interruption, and clear words where a run cannot go on.

use std::io::BufRead;
use std::time::Duration;

use super::*;

/// A run whose folder is `name`, through the whole plan.
fn straight(desk: &Desk, name: &str, options: &[&str]) {
    let output = desk.run(&[&["solve", "bar.toml", "--out", name], options].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

fn state(desk: &Desk, run: &str) -> Vec<u8> {
    std::fs::read(desk.path(run).join("checkpoint.safetensors")).unwrap()
}

/// What a summary says but for times and places.
fn result(desk: &Desk, run: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(desk.path(run).join("summary.json")).unwrap();
    let mut summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    for key in ["seconds", "processor_seconds", "ms_per_step", "run"] {
        summary.as_object_mut().unwrap().remove(key);
    }
    summary
}

/// The steps and losses of a history: all but seconds and what is measured when there is time.
fn rows(desk: &Desk, run: &str) -> Vec<String> {
    let text = std::fs::read_to_string(desk.path(run).join("history.csv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        [&cells[..3], &cells[4..cells.len() - 1]].concat().join(",")
    };
    text.lines().map(row).collect()
}

#[test]
fn after_control_c_the_run_ends_with_the_same_bits() {
    let desk = Desk::new();
    let options = ["--steps", "40000", "--set", "train.resample=7"];
    straight(&desk, "straight", &options);
    let arguments = [&["solve", "bar.toml", "--json", "--out", "broken"], &options[..]].concat();
    let mut child = desk.start(&arguments);
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.by_ref().take(2).count(), 2, "training runs from the second event on");
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let output = desk.run(&["resume", "broken", "--threads", "1"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("going on after step"), "{}", stderr(&output));
    assert!(state(&desk, "broken") == state(&desk, "straight"));
    assert_eq!(result(&desk, "broken"), result(&desk, "straight"));
}

/// Begins a run and kills it this many times at moments that nobody chose, then lets it end. Says how often
/// it was killed, for it may have ended before.
fn killed_and_resumed(
    desk: &Desk,
    run: &str,
    options: &[&str],
    waits: impl Iterator<Item = Duration>,
) -> usize {
    let often = ["--json", "--checkpoint-every", "0.02", "--threads", "1"];
    let first = [&["solve", "bar.toml", "--out", run], &often[..], options].concat();
    let again = [&["resume", run], &often[..]].concat();
    let mut kills = 0;
    for wait in waits {
        let mut child = desk.start(if desk.path(run).exists() { &again } else { &first });
        // Nobody reads, but there is room in a pipe for what a moment says.
        std::thread::sleep(wait);
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
        assert!(ended.is_none_or(|status| status.success()), "{run} after {kills} kills: {said}");
        child.wait().unwrap();
        if ended.is_some() {
            return kills;
        }
        kills += 1;
    }
    // On a busy machine it may never have come to its folder.
    let output = desk.run(if desk.path(run).exists() { &again } else { &first });
    assert_eq!(code(&output), 0, "{run} after {kills} kills: {}", stderr(&output));
    kills
}

#[test]
fn two_hundred_kills_change_no_bit() {
    let desk = Desk::new();
    // Uneven waits: from before the folder is there to many checkpoints.
    let mut number = 7u64;
    let mut waits = std::iter::from_fn(move || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some(Duration::from_millis(5 + (number >> 33) % 150))
    });
    let rad = ["--set", "term.pde.adaptive=rad", "--set", "train.resample=50"];
    let rar = ["--set", "term.pde.adaptive=rar", "--set", "train.resample=500"];
    let plans: [(&str, &[&str], &[&str]); 8] = [
        ("plan", &["--steps", "3000"], &["--set", "train.resample=3"]),
        ("adam", &["--method", "adam", "--steps", "4000"], &rad),
        ("split", &["--method", "adamflip_split", "--steps", "1200"], &[]),
        ("al", &["--method", "al", "--steps", "3000"], &rar),
        ("lbfgs", &["--method", "lbfgs", "--steps", "1200"], &["--set", "train.resample=20"]),
        ("trsqp", &["--method", "trsqp", "--steps", "800"], &[]),
        ("ssbroyden", &["--method", "ssbroyden", "--steps", "800"], &["--set", "train.resample=20"]),
        ("newtonflip", &["--method", "newtonflip", "--steps", "150"], &["--set", "train.resample=1"]),
    ];
    let (mut kills, mut round) = (0, 0);
    while kills < 200 {
        assert!(round < 50, "runs end before they can be killed: only {kills} were");
        for (name, plan, points) in plans {
            let options = [plan, points].concat();
            let (run, expected) = (format!("{name}-{round}"), format!("{name}-straight"));
            if round == 0 {
                straight(&desk, &expected, &options);
            }
            kills += killed_and_resumed(&desk, &run, &options, waits.by_ref().take(17));
            assert!(state(&desk, &run) == state(&desk, &expected), "{run}: other bits");
            assert_eq!(result(&desk, &run), result(&desk, &expected), "{run}");
            assert_eq!(rows(&desk, &run), rows(&desk, &expected), "{run}");
        }
        round += 1;
    }
}

#[test]
fn a_plan_with_another_finish_is_resumed_as_it_was_started() {
    let desk = Desk::new();
    straight(&desk, "run", &["--finish", "al"]);
    let history = std::fs::read_to_string(desk.path("run/history.csv")).unwrap();
    let methods: Vec<&str> = history.lines().skip(1).map(|row| row.split(',').nth(2).unwrap()).collect();
    assert_eq!((methods[19], methods[20], methods.len()), ("adam", "al", 50));
    let output = desk.run(&["resume", "run", "--more", "5", "--json"]);
    assert_eq!((&last_json(&output)["method"], &last_json(&output)["steps"]), (&"al".into(), &55.into()));
}

#[test]
fn a_finished_run_is_written_again_or_extended() {
    let desk = Desk::new();
    straight(&desk, "run", &["--seed", "2"]);
    let (bits, said) = (state(&desk, "run"), result(&desk, "run"));
    std::fs::remove_file(desk.path("run/summary.json")).unwrap();
    let output = desk.run(&["resume", "run"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("`run` had ended (max_steps)"), "{}", stderr(&output));
    assert!(state(&desk, "run") == bits && result(&desk, "run") == said);
    // What it took is not what it takes to write it again.
    let summary = || std::fs::read_to_string(desk.path("run/summary.json")).unwrap();
    let text = summary().replace("\"seconds\": ", "\"seconds\": 7");
    std::fs::write(desk.path("run/summary.json"), &text).unwrap();
    desk.run(&["resume", "run"]);
    let seconds = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["seconds"].clone();
    assert!(seconds(&text).as_f64().unwrap() >= 7.0 && seconds(&summary()) == seconds(&text), "{text}");
    let output = desk.run(&["resume", "run", "--more", "25", "--json"]);
    assert_eq!((code(&output), &last_json(&output)["steps"]), (0, &75.into()), "{}", stderr(&output));
    let page = std::fs::read_to_string(desk.path("run/report.html")).unwrap();
    assert!(page.contains("55 of adamflip"), "the plan of the report is the longer one");
    let output = desk.run(&["resume", "run", "--more", "5", "--json"]);
    assert_eq!((&last_json(&output)["steps"], &json_lines(&output)[0]["steps"]), (&80.into(), &80.into()));
    // A thousand rows or so, however long it becomes.
    desk.run(&["resume", "run", "--more", "3000"]);
    let rows = rows(&desk, "run").len();
    assert!((800..1000).contains(&rows), "{rows}");
}

#[test]
fn more_is_more_than_was_taken() {
    let desk = Desk::new();
    // Nothing improves at such a rate, so that patience ends it long before its plan.
    let stages = "train.stages=[{ method = \"adam\", steps = 4000, lr = 1e-15 }]";
    straight(&desk, "run", &["--set", stages, "--set", "train.patience=20"]);
    let taken = result(&desk, "run")["steps"].as_u64().unwrap();
    assert!(result(&desk, "run")["status"] == "stagnated" && taken < 100);
    let output = desk.run(&["resume", "run", "--more", "7", "--json"]);
    assert_eq!(last_json(&output)["steps"], taken + 7, "{}", stderr(&output));
    straight(&desk, "none", &["--steps", "0"]);
    let output = desk.run(&["resume", "none", "--more", "7"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("no stage to extend"), "{}", stderr(&output));
}

#[test]
fn a_damaged_history_keeps_its_good_rows() {
    let desk = Desk::new();
    straight(&desk, "run", &[]);
    let path = desk.path("run/history.csv");
    let text = std::fs::read(&path).unwrap();
    let rows = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
    // What a power failure leaves of pages that were not written.
    let mut torn = text[..text.len() * 3 / 4].to_vec();
    torn.extend([0, 0, 0, 255, b'\n', 0, 0]);
    std::fs::write(&path, &torn).unwrap();
    let output = desk.run(&["report", "run"]);
    assert!(stderr(&output).contains("the end of `run/history.csv` is left out"), "{}", stderr(&output));
    let output = desk.run(&["resume", "run", "--more", "1"]);
    assert!(stderr(&output).contains("`run/history.csv` is damaged"), "{}", stderr(&output));
    let kept = rows(&std::fs::read(&path).unwrap());
    assert!(kept > 30 && kept < 52, "{kept}");
    // Time before the start is none.
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, last) = text.trim_end().rsplit_once('\n').unwrap();
    let cells = last.split(',').enumerate().map(|(column, cell)| if column == 3 { "-1" } else { cell });
    std::fs::write(&path, format!("{before}\n{}\n", cells.collect::<Vec<_>>().join(","))).unwrap();
    let output = desk.run(&["resume", "run", "--more", "1"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn a_name_with_a_space_is_quoted_in_what_to_type() {
    let desk = Desk::new();
    let options = ["--steps", "1000000000", "--set", "train.max_seconds=0.05", "--out", "a b"];
    let output = desk.run(&[&["solve", "bar.toml"], &options[..]].concat());
    assert!(stderr(&output).contains("`adamflip resume 'a b'` goes on"), "{}", stderr(&output));
}

#[test]
fn a_run_can_be_moved_with_its_data() {
    let desk = Desk::new();
    let text = PROBLEM.replace("[reference]", "[term.seen]\ndata = \"in/seen.csv\"\n[reference]");
    std::fs::write(desk.path("bar.toml"), text).unwrap();
    std::fs::create_dir(desk.path("in")).unwrap();
    std::fs::write(desk.path("in/seen.csv"), "x,t,u\n0.5,0.5,-0.12\n0.25,0.5,-0.09\n").unwrap();
    straight(&desk, "run", &[]);
    std::fs::remove_dir_all(desk.path("in")).unwrap();
    std::fs::rename(desk.path("run"), desk.path("elsewhere")).unwrap();
    let output = desk.run(&["resume", "elsewhere", "--more", "3"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(desk.files("elsewhere/data"), ["seen.csv"]);
}

#[test]
fn one_process_at_a_time_works_in_a_folder() {
    let desk = Desk::new();
    let mut child = desk.start(&["solve", "bar.toml", "--json", "--steps", "1000000000", "--out", "run"]);
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("start"));
    let output = desk.run(&["resume", "run"]);
    let said = stderr(&output);
    assert_eq!(code(&output), 2);
    assert!(said.contains(&format!("another adamflip (process {}) works in `run`", child.id())), "{said}");
    assert!(said.contains("adamflip watch run"), "{said}");
    child.kill().unwrap();
    child.wait().unwrap();
    let output = desk.run(&["resume", "run", "--set", "x=1"]);
    assert!(stderr(&output).contains("--set"), "the problem of a run stays what it is");
}

#[test]
fn a_damaged_state_makes_room_for_the_one_before() {
    let desk = Desk::new();
    straight(&desk, "run", &[]);
    // A second state beside the first.
    desk.run(&["resume", "run", "--more", "4"]);
    let bits = state(&desk, "run");
    let mut damaged = bits.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(desk.path("run/checkpoint.safetensors"), damaged).unwrap();
    let output = desk.run(&["resume", "run", "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("`run/checkpoint.safetensors` is damaged"), "{}", stderr(&output));
    assert!(stderr(&output).contains("the state before it, of step"), "{}", stderr(&output));
    assert!(state(&desk, "run") == bits);
    // The damaged one did not take the place of the good one before it.
    let older = desk.path("run/checkpoint.old.safetensors");
    assert!(adamflip::checkpoint::Checkpoint::read(&older).is_ok());
    for name in ["checkpoint.safetensors", "checkpoint.old.safetensors"] {
        std::fs::write(desk.path("run").join(name), "nothing").unwrap();
    }
    let output = desk.run(&["resume", "run"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("not a whole safetensors file"), "{}", stderr(&output));
}

/// A run that was killed when the newest state had become the older one too, before the next was written.
#[test]
fn a_state_under_both_names_leaves_no_third() {
    let desk = Desk::new();
    straight(&desk, "run", &[]);
    let (newest, older) =
        (desk.path("run/checkpoint.safetensors"), desk.path("run/checkpoint.old.safetensors"));
    let _ = std::fs::remove_file(&older);
    std::fs::hard_link(&newest, &older).unwrap();
    assert_eq!(code(&desk.run(&["resume", "run", "--more", "1"])), 0);
    let names = desk.files("run");
    assert!(!names.iter().any(|name| name.ends_with(".tmp")), "{names:?}");
    assert_ne!(std::fs::read(newest).unwrap(), std::fs::read(older).unwrap());
}

#[test]
fn what_is_no_run_is_told_with_a_hint() {
    let desk = Desk::new();
    straight(&desk, "runs/a", &[]);
    straight(&desk, "runs/b", &["--seed", "1"]);
    let said = |run: &str| {
        let output = desk.run(&["resume", run]);
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{run}");
        stderr(&output)
    };
    assert!(said("runs/c").contains("there is no folder `runs/c`"));
    assert!(said("runs/c").contains("`runs/a`, `runs/b`"));
    assert!(said("runs").contains("is not the folder of a run"));
    assert!(said("bar.toml").contains("is a file, not the folder of a run"));
    let facts = std::fs::read_to_string(desk.path("runs/a/run.json")).unwrap();
    let change = |from: &str, to: &str| {
        assert!(facts.contains(from), "{facts}");
        std::fs::write(desk.path("runs/a/run.json"), facts.replace(from, to)).unwrap();
    };
    change("\"format\": 1", "\"format\": 9");
    assert!(said("runs/a").contains("is a run of the newer version 0.1.0 (layout 9)"), "{}", said("runs/a"));
    change("{", "");
    assert!(said("runs/a").contains("cannot read `runs/a/run.json`"), "{}", said("runs/a"));
    std::fs::write(desk.path("runs/a/run.json"), &facts).unwrap();
    std::fs::copy(desk.path("runs/b/checkpoint.safetensors"), desk.path("runs/a/checkpoint.safetensors"))
        .unwrap();
    assert!(said("runs/a").contains("is one of `bar` with seed 1, the run is one of `bar` with seed 0"));
    let problem = std::fs::read_to_string(desk.path("runs/b/problem.toml")).unwrap();
    std::fs::write(desk.path("runs/b/problem.toml"), problem.replace("2x6", "2x7")).unwrap();
    assert!(said("runs/b").contains("`network.hidden` was changed"), "{}", said("runs/b"));
    // Of a state from before it knew its problem.
    let path = desk.path("runs/b/checkpoint.safetensors");
    let mut checkpoint = adamflip::checkpoint::Checkpoint::read(&path).unwrap();
    checkpoint.metadata.origin = None;
    checkpoint.write(&path).unwrap();
    assert!(said("runs/b").contains("does not fit its `problem.toml`: it has"), "{}", said("runs/b"));
}

/// A file system of half a megabyte, where the test may make one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_the_last_state_stays_whole() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("small")).unwrap();
    let mount = |arguments: &[&str]| {
        std::process::Command::new(arguments[0])
            .args(&arguments[1..])
            .arg(desk.path("small"))
            .output()
            .unwrap()
    };
    if !mount(&["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs"]).status.success() {
        eprintln!("skipped: this user may not mount a file system");
        return;
    }
    // Some kilobytes a second of history fill it within the plan.
    let options = ["--steps", "40000", "--set", "train.observe=1", "--checkpoint-every", "0.02"];
    let output = desk.run(&[&["solve", "bar.toml", "--out", "small/run"], &options[..]].concat());
    let said = stderr(&output);
    let saved = adamflip::checkpoint::Checkpoint::read(&desk.path("small/run/checkpoint.safetensors"));
    // With more space the run goes on.
    let grown = mount(&["mount", "-o", "remount,size=64m"]).status.success();
    let resumed = desk.run(&["resume", "small/run"]);
    let same = {
        let bits = state(&desk, "small/run");
        straight(&desk, "straight", &options);
        bits == state(&desk, "straight")
    };
    mount(&["umount"]);
    assert_eq!(code(&output), 1, "{said}");
    assert!(said.contains("small/run/") && said.contains("o space left on device"), "{said}");
    assert!(said.contains("`adamflip resume small/run` goes on"), "{said}");
    assert!(saved.is_ok_and(|saved| saved.metadata.place.step > 0), "the last state");
    assert!(grown && code(&resumed) == 0 && same, "{}", stderr(&resumed));
}
