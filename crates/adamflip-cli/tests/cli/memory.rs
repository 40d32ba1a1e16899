//! Too little memory: refused before anything is allocated where it can be estimated, and harmless where not.

use super::*;

/// Runs the program with a limit on its address space in kilobytes.
fn within(kilobytes: u64, desk: &Desk, arguments: &[&str]) -> Output {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"")]);
    command.arg(assert_cmd::cargo::cargo_bin!("adamflip")).args(arguments);
    command.current_dir(desk.folder.path()).output().unwrap()
}

#[test]
fn a_problem_beyond_the_limit_is_refused_by_every_command_that_trains() {
    let desk = Desk::new();
    for command in ["solve", "check"] {
        let large = [command, "bar.toml", "--threads", "1", "--set", "term.pde.points=100000000"];
        let output = within(4_000_000, &desk, &large);
        let said = stderr(&output);
        assert_eq!(code(&output), 2, "{said}");
        assert!(said.contains("the problem needs about") && said.contains("4 GiB are the limit"), "{said}");
    }
    assert_eq!(desk.files("."), ["bar.toml"]);
}

/// Whatever the limit, the program ends, and what it leaves goes on to the same bits.
#[test]
fn an_allocation_that_fails_leaves_the_folder_whole() {
    let desk = Desk::new();
    let options = ["--threads", "1", "--steps", "400", "--checkpoint-every", "0.02"];
    let solve = |run: &'static str| [&["solve", "bar.toml", "--out", run], &options[..]].concat();
    assert_eq!(code(&desk.run(&solve("straight"))), 0);
    let bits = |run: &str| std::fs::read(desk.path(run).join("checkpoint.safetensors")).unwrap();
    let (mut failed, mut resumed) = (0, 0);
    for step in 0..24 {
        let limit = 6_000 + 6_000 * step;
        let output = within(limit, &desk, &solve("run"));
        failed += usize::from(!output.status.success());
        if desk.path("run").exists() {
            let output = desk.run(&["resume", "run", "--threads", "1"]);
            assert_eq!(code(&output), 0, "after a limit of {limit} kB: {}", stderr(&output));
            assert!(bits("run") == bits("straight"), "after a limit of {limit} kB: other bits");
            std::fs::remove_dir_all(desk.path("run")).unwrap();
            resumed += 1;
        }
    }
    assert!(failed > 0, "no limit was too small");
    assert!(resumed > 0, "no limit was large enough to begin");
}
