"""Ours and jinns side by side: error against time on the same problems, each solved for as many seconds.

jinns is a library of physics-informed networks in JAX with methods of curvature: the natural gradient and the self-scaled
Broyden update. Both sides have the same equations, network, numbers of points, conditions and grid of errors; runs take
turns (ours, theirs, ours, theirs). Time is that of training. Compilation by JAX is told apart; the time that our program takes
to measure its error on the way is counted.

Needs only Python's own library. The environment variable ADAMFLIP_BIN names our program; without it a release is built.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

from environment import HERE, PYTHON, ROOT, aligned, bench_lines, binary, install, save, talk
from versus_figure import figure

# As its documentation has them: its defaults, and weight 1 for every term.
SIDES = {"ngd": ("--optimizer", "ngd"), "ssbroyden": ("--optimizer", "ssbroyden")}
FILES = {"burgers_forward": ROOT / "problems" / "burgers_forward.toml", "heat_forward": ROOT / "problems" / "heat_forward.toml",
         "wave_two_modes": HERE / "wave_two_modes.toml"}
# A plan in a file; ours is the default one.
PLAN = re.compile(r"^stages = \[.*?^\]\n", re.DOTALL | re.MULTILINE)
TIMES = (10, 30, 60, 120)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120.0, help="of training for each solver and problem")
    parser.add_argument("--cases", default=",".join(FILES))
    parser.add_argument("--sides", default=",".join(SIDES), help="of jinns")
    parser.add_argument("--threads", type=int, default=2, help="of ours")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curves", help="a file that measurements are added to, one a line; what it has is not run again")
    parser.add_argument("--save", action="store_true", help="write table, curves and figure to results/peers/")
    options = parser.parse_args()
    for name in options.cases.split(","):
        if name not in FILES:
            parser.error(f"unknown name {name!r}; choose from {', '.join(FILES)}")
    return options


def load():
    return [round(number, 1) for number in os.getloadavg()]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(options, program, case, folder):
    file, run = folder / f"{case}.toml", folder / "run"
    file.write_text(PLAN.sub("", FILES[case].read_text()))
    command = [program, "solve", str(file), "--json", "--out", str(run), "--threads", str(options.threads),
               "--seed", str(options.seed), "--set", f"train.max_seconds={options.seconds}"]
    start, used = time.perf_counter(), processor_seconds()
    # Tolerances that are not met give a status of their own.
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    cores = (processor_seconds() - used) / (time.perf_counter() - start)
    with open(run / "history.csv", newline="") as rows:
        known = [row for row in csv.DictReader(rows) if row["rel_l2_u"]]
    curve = [(float(row["seconds"]), int(row["step"]), float(row["rel_l2_u"])) for row in known]
    return {"event": "bench", "peer": "adamflip", "problem": case, "optimizer": "default plan", "compile_seconds": 0.0,
            "cores": cores, "seconds": curve[-1][0], "steps": curve[-1][1], "curve": curve}


def theirs(options, case, side):
    command = [str(PYTHON), str(HERE / "jinns_solve.py"), "--case", case, "--seconds", str(options.seconds),
               "--seed", str(options.seed), *SIDES[side]]
    return bench_lines(command)[0]


def turns(options, program):
    """Ours before each side of jinns."""
    for case in options.cases.split(","):
        for number, side in enumerate(options.sides.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                yield (case, "ours", number), lambda: ours(options, program, case, pathlib.Path(folder))
            yield (case, side, number), lambda: theirs(options, case, side)


def measure(options, program):
    path = options.curves and pathlib.Path(options.curves)
    found = [json.loads(line) for line in path.read_text().splitlines()] if path and path.exists() else []
    known = {tuple(line["turn"]) for line in found}
    for turn, work in turns(options, program):
        if turn in known:
            continue
        before = load()
        found.append({**work(), "turn": turn, "load_before": before, "load_after": load()})
        line = found[-1]
        talk(f"peers: {' '.join(map(str, turn))}: {line['curve'][-1][2]:.1e} after {line['seconds']:.0f} s")
        if path:
            with open(path, "a") as file:
                file.write(json.dumps(line) + "\n")
    return found


def error_at(line, seconds):
    """The error of the last measurement until then; a plan that has ended keeps its own."""
    before = [error for time, _, error in line["curve"] if time <= seconds]
    return f"{before[-1]:.1e}" if before else "-"


def table(options, found):
    times = [time for time in TIMES if time < options.seconds] + [options.seconds]
    head = ("problem", "side", "compile s", "steps", "trained s", *(f"{time:g} s" for time in times), "processor s",
            "load before, after")
    body = [(line["problem"], f"{line['peer']} {line['optimizer']}", f"{line['compile_seconds']:.0f}",
             str(line["steps"]), f"{line['seconds']:.0f}", *(error_at(line, time * 1.02) for time in times),
             f"{line['cores'] * line['seconds']:.0f}", f"{line['load_before'][0]}, {line['load_after'][0]}") for line in found]
    return aligned(head, body)


def curves(found):
    """All measurements: seconds, steps and error."""
    blocks = []
    for line in found:
        rows = [(f"{seconds:.2f}", str(step), f"{error:.3e}") for seconds, step, error in line["curve"]]
        blocks.append(f"{line['problem']}, {line['peer']} {line['optimizer']}, turn {line['turn'][2] + 1}\n"
                      + aligned(("seconds", "steps", "error"), rows))
    return "\n\n".join(blocks)


def main():
    options = arguments()
    install("jinns")
    program = binary()
    found = measure(options, program)
    print(table(options, found))
    if options.save:
        what = (f"relative L2 error by seconds of training (compilation apart), f64, {os.cpu_count()} cores, "
                f"{options.seconds:g} s for each solver and problem, runs in turn")
        save("run-jinns", what, program, found, [table(options, found), "Curves:", curves(found)])
        (ROOT / "results" / "peers" / "jinns.svg").write_text(figure(found, options.seconds))


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"peers: {' '.join(map(str, failure.cmd))} failed with status {failure.returncode}")
