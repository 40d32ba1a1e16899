//! `adamflip predict`: any expression at any points, into any format; what cannot be asked; memory.

use std::path::Path;

use adamflip::data;

use super::*;

/// A desk with a trained run.
fn trained() -> Desk {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml", "--out", "run"])), 0);
    desk
}

/// The rows of a CSV text as numbers, below its header.
fn rows(text: &str) -> (String, Vec<Vec<f64>>) {
    let mut lines = text.lines();
    let header = lines.next().unwrap().to_owned();
    let row = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    (header, lines.map(row).collect())
}

#[test]
fn fields_on_the_grid_of_the_reference_by_default() {
    let desk = trained();
    let output = desk.run(&["predict", "run"]);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    let (header, rows) = rows(&stdout(&output));
    assert_eq!((header.as_str(), rows.len()), ("x,t,u", 11 * 5));
    assert_eq!((&rows[0][..2], &rows[54][..2]), (&[0.0, 0.0][..], &[1.0, 1.0][..]));
}

#[test]
fn expressions_on_a_grid_and_at_the_points_of_a_file() {
    let desk = trained();
    let ask = "u, u_x, stiffness*u_xx + u_t - load, d(u, x) + 0*t";
    let grid = desk.run(&["predict", "run", "--grid", "x=0.25:0.75:3,t=0.5", "--ask", ask]);
    assert_eq!(code(&grid), 0, "{}", stderr(&grid));
    let (header, on_grid) = rows(&stdout(&grid));
    assert_eq!(header, "x,t,u,u_x,stiffness*u_xx + u_t - load,\"d(u, x) + 0*t\"");
    assert!(on_grid.iter().all(|row| row[3] == row[5] && row.iter().all(|value| value.is_finite())));
    std::fs::write(desk.path("points.csv"), "name,t,x\na,0.5,0.75\nb,0.5,0.25\nc,0.5,0.5\n").unwrap();
    let file = desk.run(&["predict", "run", "--at", "points.csv", "--ask", "u, u_x", "--ask", &ask[8..]]);
    assert_eq!(code(&file), 0, "{}", stderr(&file));
    let (_, at_points) = rows(&stdout(&file));
    assert_eq!(at_points, [on_grid[2].clone(), on_grid[0].clone(), on_grid[1].clone()]);
}

#[test]
fn every_format_holds_the_same_numbers() {
    let desk = trained();
    let grid = ["predict", "run", "--grid", "x=0:1:7,t=0:1:3", "--expr", "u, u_x/2"];
    let (_, expected) = rows(&stdout(&desk.run(&grid)));
    let names = ["x".to_owned(), "t".to_owned()];
    for out in ["a.csv", "a.npz"] {
        let output = desk.run(&[&grid[..], &["--out", out]].concat());
        assert_eq!((code(&output), stdout(&output)), (0, String::new()), "{}", stderr(&output));
        assert!(stderr(&output).contains(&format!("21 points in {out}")));
        let table = data::read(&desk.path(out), &names, None).unwrap();
        assert_eq!(table.grid().unwrap()[1], [0.0, 0.5, 1.0]);
        for (column, name) in ["x", "t", "u", "u_x/2"].into_iter().enumerate() {
            let values: Vec<f64> = expected.iter().map(|row| row[column]).collect();
            assert_eq!(table.column(name).unwrap(), values, "{out} {name}");
        }
    }
    let output = desk.run(&[&grid[..], &["--out", "a.npy", "--json"]].concat());
    let done = last_json(&output);
    assert_eq!(
        (&done["event"], &done["points"], &done["extrapolated"]),
        (&"prediction".into(), &21.into(), &0.into())
    );
    let columns = ["x", "t", "u", "v"].map(str::to_owned);
    let table = data::read(&desk.path("a.npy"), &names, Some(&columns)).unwrap();
    assert_eq!(table.column("v").unwrap(), expected.iter().map(|row| row[3]).collect::<Vec<_>>());
    let object = last_json(&desk.run(&[&grid[..], &["--json"]].concat()));
    assert_eq!(object["columns"], serde_json::json!(["x", "t", "u", "u_x/2"]));
    let row: Vec<f64> =
        object["rows"][20].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    assert_eq!(row, expected[20]);
    // The points of one prediction are those of the next, from any format.
    for at in ["a.csv", "a.npz"] {
        let again = desk.run(&["predict", "run", "--at", at, "--ask", "u, u_x/2"]);
        assert_eq!(rows(&stdout(&again)).1, expected, "{at}: {}", stderr(&again));
    }
    let list = desk.run(&["predict", "run", "--at", "a.csv", "--out", "list.npz", "--threads", "1"]);
    assert_eq!(code(&list), 0, "{}", stderr(&list));
    assert_eq!(data::read(&desk.path("list.npz"), &names, None).unwrap().len(), 21);
    assert_eq!(desk.files(".").iter().filter(|name| name.contains(".part")).count(), 0);
}

#[test]
fn points_outside_the_domain_are_counted() {
    let desk = trained();
    let output = desk.run(&["predict", "run", "--grid", "x=-1:1:5,t=0"]);
    assert_eq!((code(&output), stdout(&output).lines().count()), (0, 6));
    assert!(stderr(&output).contains("2 of 5 points lie outside the domain"), "{}", stderr(&output));
}

#[test]
fn existing_files_stay_unless_forced() {
    let desk = trained();
    std::fs::write(desk.path("a.csv"), "precious").unwrap();
    let output = desk.run(&["predict", "run", "--out", "a.csv"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("`a.csv` exists") && stderr(&output).contains("--force"),
        "{}",
        stderr(&output)
    );
    assert_eq!(std::fs::read_to_string(desk.path("a.csv")).unwrap(), "precious");
    assert_eq!(code(&desk.run(&["predict", "run", "--out", "a.csv", "--force"])), 0);
    assert!(std::fs::read_to_string(desk.path("a.csv")).unwrap().starts_with("x,t,u"));
}

#[test]
fn what_cannot_be_asked_is_explained() {
    let desk = trained();
    std::fs::create_dir(desk.path("folder")).unwrap();
    std::fs::write(desk.path("foreign.csv"), "a,b\n1,2\n").unwrap();
    std::fs::write(desk.path("ragged.csv"), "x,t\n1,2\n3\n").unwrap();
    std::fs::write(desk.path("image.npy"), "\u{0}PNG and more").unwrap();
    for (arguments, message) in [
        (&["--ask", "u_y"][..], "`y` is not a coordinate"),
        (&["--ask", "u +"], "--expr:1:"),
        (&["--ask", "x"], "without being asked"),
        (&["--grid", "x=0:1:3"], "says nothing of `t`"),
        (&["--grid", "x=0:1:3,z=0"], "`z` is not a coordinate"),
        (&["--grid", "x=0:1:9999999999,t=0:1:9999999999"], "more points than can be counted"),
        (&["--grid", "x=0:1:9999999999,t=0:1:9999999", "--out", "a.npz"], "has room for"),
        (&["--grid", "x=0:1:9999999999,t=0:1:9999999", "--out", "a.npy"], "has room for"),
        (&["--at", "absent.csv"], "`absent.csv` does not exist"),
        (&["--at", "./foreign.csv"], "`./foreign.csv` has no column for the coordinate `x`"),
        (&["--at", "ragged.csv"], "`ragged.csv`, line 3"),
        (&["--at", "image.npy"], "`image.npy` is damaged"),
        (&["--at", "bar.toml"], "no known extension"),
        (&["--out", "a.xls"], "`a.xls` has no extension that says its format"),
        (&["--out", "folder"], "no extension"),
        (&["--out", "absent/a.csv"], "there is no folder `absent`"),
        (&["--at", "ragged.csv", "--grid", "x=0,t=0"], "cannot be used with"),
    ] {
        let output = desk.run(&[&["predict", "run"], arguments].concat());
        let said = stderr(&output);
        assert_eq!(code(&output), 2, "{arguments:?}: {said}");
        assert!(said.contains(message), "{arguments:?}: {said}");
        assert!(said.contains("hint") || said.contains("--help"), "{arguments:?}: {said}");
        assert!(!desk.path("a.npz").exists() && !desk.path("a.npy").exists());
        assert_eq!(desk.files(".").iter().filter(|name| name.contains(".part")).count(), 0, "{arguments:?}");
    }
    let output = desk.run(&["predict", "absent"]);
    assert!(code(&output) == 2 && stderr(&output).contains("absent"), "{}", stderr(&output));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let desk = trained();
    let mut child = desk.start(&["predict", "run", "--grid", "x=0:1:2000,t=0:1:500"]);
    drop(child.stdout.take());
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_nothing_behind() {
    let desk = trained();
    std::os::unix::fs::symlink("/dev/full", desk.path("full.csv")).unwrap();
    let output = desk.run(&["predict", "run", "--out", "full.csv"]);
    assert_eq!(code(&output), 1);
    let said = stderr(&output);
    assert!(said.contains("cannot write `full.csv`: No space left") && said.contains("make room"), "{said}");
}

#[test]
#[cfg(unix)]
fn an_interrupted_prediction_leaves_nothing_behind() {
    let desk = trained();
    let arguments = ["predict", "run", "--grid", "x=0:1:100000,t=0:1:1000", "--out", "long.csv"];
    let mut child = desk.start(&arguments);
    let part = format!(".long.csv.{}.part", child.id());
    while !desk.path(&part).metadata().is_ok_and(|metadata| metadata.len() > 1_000_000) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let asked = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(asked.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(desk.files("."), ["bar.toml", "run"]);
}

/// The largest resident memory of a prediction in megabytes, asked of the system while it runs.
#[cfg(target_os = "linux")]
fn peak_memory(desk: &Desk, arguments: &[&str]) -> f64 {
    let mut child = desk.start(arguments);
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
        peak = kilobytes.map_or(peak, |kilobytes| kilobytes / 1024.0);
        if let Some(status) = child.try_wait().unwrap() {
            let mut said = String::new();
            std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
            assert!(status.success(), "{arguments:?}: {said}");
            return peak;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// Ten million points take the memory of one million: from a grid into arrays, and from a file into a file.
#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_number_of_points() {
    let desk = trained();
    let peak = |grid: &str, out: &str| {
        let grid = ["predict", "run", "--ask", "u, u_x", "--force", "--grid", grid, "--out", out];
        peak_memory(&desk, &grid)
    };
    let (few, many) = (peak("x=0:1:1000,t=0:1:1000", "few.npz"), peak("x=0:1:10000,t=0:1:1000", "many.npz"));
    // Ten times the points would be 216 MB more; blocks of memory that the system hands out are some
    // megabytes.
    assert!(few > 1.0 && many < few + 16.0, "{few} MB, then {many} MB");
    let size = |name: &str| std::fs::metadata(desk.path(name)).unwrap().len();
    assert!(size("many.npz") > 160_000_000, "{}", size("many.npz"));
    // The points of a text file.
    desk.run(&["predict", "run", "--grid", "x=0:1:3000,t=0:1:1000", "--out", "points.csv"]);
    let text = ["predict", "run", "--at", "points.csv", "--force", "--out", "again.csv"];
    let from_text = peak_memory(&desk, &text);
    assert!(size("points.csv") > 60_000_000 && from_text < few + 16.0, "{from_text} MB");
    assert_eq!(lines(&desk.path("again.csv")), 3_000_001);
}

#[cfg(target_os = "linux")]
fn lines(path: &Path) -> usize {
    std::fs::read(path).unwrap().iter().filter(|&&byte| byte == b'\n').count()
}
