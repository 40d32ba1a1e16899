"""Ours and JAX side by side: the same Levenberg-Marquardt steps, interleaved, the best of several rounds.

Each round solves a problem by `gauss_newton` with our program, at fixed points, and lets JAX take the same steps from the
checkpoint of the first: both then have the same points and parameters, decide alike, and end at the same parameters, which
is checked. A step is one Jacobian, one matrix, and for each attempt a factorization and a look at the values.

Needs only Python's own library. The environment variable ADAMFLIP_BIN names our program; without it a release is built.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

from environment import HERE, PYTHON, ROOT, aligned, bench_lines, binary, install, number, save, talk

CASES = ("burgers_forward", "heat_forward")
# The points of the first step are those of all; the matrix of other points, which JAX does not have, is not
# remembered. Observations are left out but for the first and the last step.
SETTINGS = ("train.resample=0", "term.pde.adaptive=none", "train.observe=1000000",
            'train.stages=[{method="gauss_newton",steps=1000000,memory=0}]')
# What takes part in the table besides JAX alone.
CALLBACK = "callback"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=3, help="repetitions of each side and variant in a round")
    parser.add_argument("--steps", type=int, default=20, help="steps of a repetition")
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--variants", default="", help="of JAX; comma-separated, the usual ones when empty")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="one short round, for a first look")
    parser.add_argument("--json", action="store_true", help="print every measurement and the best, one object a line")
    parser.add_argument("--save", action="store_true", help="write the table to results/peers/")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.repeat, options.steps = 1, 1, 5
    for name in options.cases.split(","):
        if name not in CASES:
            parser.error(f"unknown name {name!r}; choose from {', '.join(CASES)}")
    return options


def solve(options, ours, case, steps, folder):
    """A run of this many steps into a folder; the seconds from the end of its first step to that of its last."""
    command = [ours, "solve", str(ROOT / "problems" / f"{case}.toml"), "--json", "--out", str(folder), "--steps", str(steps),
               "--threads", str(options.threads), "--checkpoint-every", "1000000"]
    for setting in SETTINGS:
        command += ["--set", setting]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(folder / "history.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    if int(rows[-1]["step"]) != steps:
        raise SystemExit(f"peers: {case} ended after {rows[-1]['step']} of {steps} steps: take fewer with --steps")
    return float(rows[-1]["seconds"]) - float(rows[0]["seconds"])


def turn(options, ours, case, folder):
    """Both sides once: ours, with the checkpoints that JAX starts from and is held against, then JAX."""
    solve(options, ours, case, 1, folder / "first")
    runs = [folder / f"last-{number}" for number in range(options.repeat)]
    seconds = min(solve(options, ours, case, options.steps + 1, run) for run in runs)
    yield {"event": "bench", "peer": "adamflip", "variant": "", "problem": case, "method": "gauss_newton",
           "ms_per_step": seconds / options.steps * 1e3, "threads": options.threads}
    checkpoint = lambda run: str(run / "checkpoint.safetensors")
    command = [str(PYTHON), str(HERE / "curvature_steps.py"), "--case", case, "--first", checkpoint(folder / "first"),
               "--last", checkpoint(runs[0]), "--steps", str(options.steps), "--repeat", str(options.repeat),
               "--threads", str(options.threads)]
    yield from bench_lines(command + (["--variants", options.variants] if options.variants else []))


def measure(options, ours):
    found = []
    for number in range(options.rounds):
        for case in options.cases.split(","):
            talk(f"peers: round {number + 1} of {options.rounds}, {case}")
            with tempfile.TemporaryDirectory() as folder:
                for line in turn(options, ours, case, pathlib.Path(folder)):
                    found.append({**line, "round": number + 1})
                    if options.json:
                        print(json.dumps(found[-1]), flush=True)
    return found


def check_same_work(found):
    """The same mathematics on both sides: the same parameters and damping, hence as many attempts.

    The damping bounds the condition of the first system by some 1e6, which makes 1e-10 of rounding. Later steps carry the
    difference on, with less damping: 1e-5. The damping is a product of 1/3, 2 and 4 on both sides: another decision
    anywhere would change it by a third at the least, unless others made up for it.
    """
    bounds = {"theta_after_first": 1e-10, "damping_after_first": 1e-9, "theta_after_last": 1e-5, "damping_after_last": 1e-9}
    for line in found:
        for name, bound in bounds.items():
            if line["peer"] != "adamflip" and not line[name] <= bound:
                raise SystemExit(f"peers: {line['problem']}, {line['variant']}: {name} differs by {line[name]:.1e}")


def best(lines):
    return min(lines, key=lambda line: line["ms_per_step"], default=None)


def summary(options, found):
    """One row a case: ours, the fastest of JAX alone, JAX with BLAS called back, and how many times faster ours is."""
    rows = []
    for case in options.cases.split(","):
        mine = [line for line in found if line["problem"] == case]
        theirs = [line for line in mine if line["peer"] == "jax"]
        ours = best(line for line in mine if line["peer"] == "adamflip")["ms_per_step"]
        row = {"event": "peers", "problem": case, "method": "gauss_newton", "threads": options.threads,
               "attempts_per_step": theirs[0]["attempts"] / options.steps, "adamflip_ms": ours}
        alone = best(line for line in theirs if line["variant"] != CALLBACK)
        with_blas = best(line for line in theirs if line["variant"] == CALLBACK)
        for name, line in (("jax", alone), ("jax_blas", with_blas)):
            row[f"{name}_ms"] = line and line["ms_per_step"]
            row[f"{name}_ratio"] = line and line["ms_per_step"] / ours
        row["jax_variant"] = alone and alone["variant"]
        row["difference"] = max(line["theta_after_last"] for line in theirs)
        rows.append(row)
    return rows


def table(rows):
    head = ("problem", "attempts a step", "ours ms", "JAX ms", "JAX variant", "JAX with BLAS ms", "vs JAX",
            "vs JAX with BLAS", "parameters differ by")
    body = [(row["problem"], f"{row['attempts_per_step']:.2f}", f"{row['adamflip_ms']:.2f}", number(row["jax_ms"], ".2f"),
             row["jax_variant"] or "-", number(row["jax_blas_ms"], ".2f"), number(row["jax_ratio"], ".2f"),
             number(row["jax_blas_ratio"], ".2f"), f"{row['difference']:.0e}") for row in rows]
    return aligned(head, body)


def variant_table(found):
    """Every variant with its best time and its worst: how quiet the machine was."""
    times = {}
    for line in found:
        times.setdefault((line["problem"], line["peer"], line["variant"] or "-"), []).append(line["ms_per_step"])
    return aligned(("problem", "side", "variant", "best ms", "worst round ms"),
                   [(*key, f"{min(rounds):.2f}", f"{max(rounds):.2f}") for key, rounds in times.items()])


def main():
    options = arguments()
    install("jax")
    ours = binary()
    found = measure(options, ours)
    check_same_work(found)
    rows = summary(options, found)
    if options.json:
        print("\n".join(json.dumps(row) for row in rows))
    else:
        print(table(rows), variant_table(found), sep="\n\n")
    if options.save:
        what = (f"gauss_newton, best of {options.rounds} interleaved rounds of {options.repeat} repetitions of "
                f"{options.steps} steps, f64, {options.threads} threads, ms a step")
        save("run-curvature", what, ours, found, [table(rows), "All variants:", variant_table(found)])


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"peers: {' '.join(map(str, failure.cmd))} failed with status {failure.returncode}")
