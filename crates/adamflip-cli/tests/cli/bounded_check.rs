//! `check` of problems that are far too large for a first look: a moment and little memory, whatever the
//! numbers are.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::*;

/// On a free machine each takes under three seconds of processor time; this is for slow and shared ones. The
/// clock says nothing where others build and test.
const LONGEST: Duration = Duration::from_secs(20);
/// Nothing waits so long.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// The largest resident memory in megabytes.
const MOST: usize = 200;

const HEAT: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
t = [0, 1]
[term.pde]
equation = "u_t = u_xx"
points = 100
[term.ends]
on = ["x = 0", "x = 1", "t = 0"]
equation = "u = 0"
points = 60
[network]
hidden = "2x16"
[train]
stages = [{ method = "adam", steps = 100 }]
"#;

/// Processor time of a process up to now, of a hundredth of a second each (user and system).
fn processor_time(id: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let after_name = stat.rsplit_once(')')?.1;
    let times = after_name.split_whitespace().skip(11).take(2).filter_map(|time| time.parse::<u64>().ok());
    Some(Duration::from_millis(10 * times.sum::<u64>()))
}

/// Runs `check` and says how much processor time it took and how much memory, in megabytes.
fn checked(desk: &Desk) -> (Duration, usize) {
    let start = Instant::now();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("adamflip"));
    command.current_dir(desk.folder.path()).args(["check", "bar.toml", "--threads", "1"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (mut most, mut worked) = (0, Duration::ZERO);
    loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        most = most.max(peak.map_or(0, |kilobytes| kilobytes.trim().parse::<usize>().unwrap() / 1024));
        worked = worked.max(processor_time(child.id()).unwrap_or_default());
        match child.try_wait().unwrap() {
            Some(status) => {
                assert!(status.code().is_some_and(|code| code == 0 || code == 2), "{status}");
                return (worked, most);
            }
            None if worked > LONGEST || start.elapsed() > LONGEST_WAIT => {
                child.kill().unwrap();
                child.wait().unwrap();
                return (LONGEST, most);
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

fn bounded(what: &str, desk: &Desk) {
    let (time, memory) = checked(desk);
    assert!(time < LONGEST && memory < MOST, "{what}: {time:?}, {memory} MB");
}

#[test]
fn points_and_nodes_by_the_million() {
    let heat = |from: &str, to: &str| {
        assert!(HEAT.contains(from));
        Desk::with("bar.toml", HEAT.replace(from, to).as_bytes())
    };
    bounded("points", &heat("points = 100", "points = 10000000"));
    bounded(
        "nodes",
        &heat("[network]", "[reference]\nu = \"x*t\"\ngrid = { x = 10000, t = 10000 }\n[network]"),
    );
    let flow = include_str!("../../../../problems/navier_stokes.toml");
    let points = flow.lines().find(|line| line.starts_with("points")).unwrap();
    bounded("a flow", &Desk::with("bar.toml", flow.replacen(points, "points = 3000000", 1).as_bytes()));
}

#[test]
fn terms_and_fields_by_the_thousand() {
    let term = |number: usize| {
        format!("[term.a{number}]\non = \"x = 0\"\nequation = \"u = {}\"\npoints = 2\n", number % 7)
    };
    let terms: String = (0..5_000).map(term).collect();
    bounded("terms", &Desk::with("bar.toml", HEAT.replace("[network]", &(terms + "[network]")).as_bytes()));
    let fields: Vec<String> = (0..5_000).map(|number| format!("\"u{number}\"")).collect();
    let text = HEAT.replace("fields = [\"u\"]", &format!("fields = [{}]", fields.join(", ")));
    let text = text.replace("u_t = u_xx", "u0_t = u0_xx").replace("\"u = 0\"", "\"u1 = 0\"");
    bounded("fields", &Desk::with("bar.toml", text.as_bytes()));
}

#[test]
fn data_with_very_many_columns_or_rows() {
    let text = HEAT.replace("[network]", "[term.seen]\ndata = \"seen.csv\"\n[network]");
    let desk = Desk::with("bar.toml", text.as_bytes());
    for first in ["x", "X"] {
        let names: String = (0..200_000).map(|number| format!(",c{number}")).collect();
        let row = format!("0.5,0.5,0.1{}\n", ",1".repeat(200_000));
        std::fs::write(desk.path("seen.csv"), format!("{first},t,u{names}\n{row}{row}")).unwrap();
        bounded(&format!("columns, {first}"), &desk);
    }
    let rows: String = (0..3_000_000)
        .map(|n| format!("{:.6},{:.6},0.5\n", n as f64 / 3e6, (n % 977) as f64 / 977.0))
        .collect();
    std::fs::write(desk.path("seen.csv"), format!("x,t,u\n{rows}")).unwrap();
    bounded("rows", &desk);
}
