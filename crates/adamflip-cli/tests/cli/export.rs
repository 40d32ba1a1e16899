//! `adamflip export`: files that other tools open.

use adamflip::export::npz;

use super::*;

fn trained() -> Desk {
    let desk = Desk::new();
    assert_eq!(code(&desk.run(&["solve", "bar.toml", "--out", "run"])), 0);
    desk
}

#[test]
fn onnx_says_what_predict_says() {
    let desk = trained();
    let output = desk.run(&["export", "run", "--to", "onnx"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "bar.onnx\n"), "{}", stderr(&output));
    let predicted = stdout(&desk.run(&["predict", "run", "--grid", "x=-0.2:1:40,t=0:1:10"]));
    let rows: Vec<Vec<f64>> = predicted
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let points: Vec<f64> = rows.iter().flat_map(|row| row[..2].to_vec()).collect();
    let fields: Vec<f64> = rows.iter().map(|row| row[2]).collect();
    let file = std::fs::File::create(desk.path("bar.npz")).unwrap();
    npz::write(file, &[("points", &[400, 2], &points), ("fields", &[400, 1], &fields)]).unwrap();
    python::run("read_onnx.py", &[desk.path("")]);
}

#[test]
fn arrays_and_tables_hold_fields_and_references() {
    let desk = trained();
    for (out, extra) in [("f.npz", None), ("f.csv", None), ("other", Some("npz"))] {
        let format = extra.map_or(Vec::new(), |format| vec!["--to", format]);
        let output = desk.run(&[&["export", "run", "--out", out], &format[..]].concat());
        assert_eq!((code(&output), stdout(&output)), (0, format!("{out}\n")), "{}", stderr(&output));
    }
    let names = ["x".to_owned(), "t".to_owned()];
    let [npz, csv] =
        ["f.npz", "f.csv"].map(|name| adamflip::data::read(&desk.path(name), &names, None).unwrap());
    assert_eq!(npz.names(), ["x", "t", "u", "u_reference"]);
    for name in npz.names() {
        assert_eq!(npz.column(name), csv.column(name), "{name}");
    }
    let (_, predicted) = stdout(&desk.run(&["predict", "run"]))
        .split_once('\n')
        .map(|(h, t)| (h.to_owned(), t.to_owned()))
        .unwrap();
    let u: Vec<f64> =
        predicted.lines().map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(npz.column("u").unwrap(), u);
    let Some(printed) = python::run("read_npz.py", &[desk.path("f.npz")]) else { return };
    let shapes: Vec<&str> = printed.lines().map(|line| line.split('|').nth(1).unwrap()).collect();
    assert_eq!(shapes, ["11", "5", "11 5", "11 5"]);
}

#[test]
fn images_of_every_time_and_their_list() {
    let desk = trained();
    let output = desk.run(&["export", "run", "--to", "vtk"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let names: Vec<String> =
        std::iter::once("bar.pvd".to_owned()).chain((0..5).map(|i| format!("bar_{i}.vti"))).collect();
    assert_eq!(stdout(&output).lines().collect::<Vec<_>>(), names);
    let list = std::fs::read_to_string(desk.path("bar.pvd")).unwrap();
    assert!(list.contains("timestep=\"0.25\" part=\"0\" file=\"bar_1.vti\""), "{list}");
    // One file in the way stops all.
    std::fs::remove_file(desk.path("bar.pvd")).unwrap();
    let again = desk.run(&["export", "run", "--to", "vtk"]);
    assert!(code(&again) == 2 && stderr(&again).contains("`bar_0.vti` exists"), "{}", stderr(&again));
    assert!(!desk.path("bar.pvd").exists());
    assert_eq!(code(&desk.run(&["export", "run", "--to", "vtk", "--force"])), 0);
    let Some(printed) = python::run("read_vti.py", &[desk.path("bar_0.vti"), desk.path("bar_4.vti")]) else {
        return;
    };
    assert_eq!(printed.lines().next(), Some("11 1 1"), "{printed}");
    assert_eq!(printed.lines().count(), 2 * 5);
}

#[test]
fn what_cannot_be_exported_is_explained() {
    let desk = trained();
    std::fs::write(desk.path("a.npz"), "precious").unwrap();
    for (arguments, message) in [
        (&["export", "run"][..], "no format is given"),
        (&["export", "run", "--out", "a.xyz"], "`a.xyz` has no extension that says its format"),
        (&["export", "run", "--to", "hdf5"], "possible values: onnx, npz, csv, vtk"),
        (&["export", "run", "--out", "a.npz"], "`a.npz` exists"),
        (&["export", "run", "--out", "one.vti"], "5 times are as many images"),
        (&["export", "run", "--out", "absent/a.csv"], "there is no folder `absent`"),
        (&["export", "absent", "--to", "npz"], "absent"),
        (&["export", "bar.toml", "--to", "npz"], "bar.toml"),
    ] {
        let output = desk.run(arguments);
        let said = stderr(&output);
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{arguments:?}: {said}");
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
    assert_eq!(std::fs::read_to_string(desk.path("a.npz")).unwrap(), "precious");
}

#[test]
fn functions_without_an_operator_are_named() {
    let text = PROBLEM
        .replace("stiffness*u_xx + u_t", "stiffness*u_t")
        .replace("hidden = \"2x6\"", "hidden = \"1x4\"\nansatz = \"gamma(1 + x)*N\"");
    let desk = Desk::with("bar.toml", text.as_bytes());
    assert_eq!(code(&desk.run(&["solve", "bar.toml", "--out", "run"])), 0);
    let output = desk.run(&["export", "run", "--to", "onnx"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("no operator for `gamma`"), "{}", stderr(&output));
    assert!(!desk.path("bar.onnx").exists());
}
