"""What each ingredient of a method brings: the same problem, network, points, seed, warm start and number of gradients.

    bench/ablation/run                 # run what is missing, then print the table
    bench/ablation/run --table         # only the table of what is there

Every run leaves one small JSON file below results/ablation/ with its command and commit. It is run again only if the command changes.
"""

import argparse
import concurrent.futures
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CELLS = ROOT / "results" / "ablation"
SEEDS = (0, 1, 2)
WARM = {"method": "adam", "lr": 1e-3}
FALLING = {"lr": 1e-3, "lr_end": 1e-5}
FASTER = {"lr": 3e-3, "lr_end": 3e-5}

# What the files said when the table was begun (commit e021730) and say otherwise today.
BEGUN = {
    "burgers_forward": {
        "term.pde.points": 5000, "term.pde.adaptive": "none", "network.hidden": "8x20", "train.resample": 100,
    },
    "heat_forward": {"train.resample": 100},
    "navier_stokes": {
        "term.pde.points": 2000, "network.activation": "tanh", "network.periodic": [], "train.resample": 100,
    },
}

# The points of conditions are few enough to be constraints one by one: 100, 300 and 370 of them.
PROBLEMS = {
    "burgers_forward": {
        "set": {"term.initial.points": 50, "term.walls.points": 50},
        "conditions": ("initial", "walls"), "warm": 2000, "steps": 5000,
    },
    "heat_forward": {
        "set": {"term.initial.points": 150, "term.walls.points": 150, "network.hidden": "4x32"},
        "conditions": ("initial", "walls"), "warm": 1000, "steps": 4000,
    },
    "navier_stokes": {
        "set": {"term.initial.points": 60, "term.sides.points": 15, "term.ends.points": 15, "term.level.points": 10,
                "network.hidden": "4x32"},
        "conditions": ("initial", "sides", "ends", "level"), "warm": 1000, "steps": 4000,
    },
}

ROTATED = {"rotate": 10, "betas": [0.95, 0.99]}
SPLIT = {"method": "adamflip_split", **FALLING}

# Rules that balance the terms' losses, all of them, with their authors' settings.
BALANCED = ("annealed", "ntk", "relobralo", "softadapt")

# name: (what it is, the stage after the warm start, the weight of the conditions, what else is set)
METHODS = {
    **{f"adam_{rate}_{weight}": (f"Adam, {text}, weight {weight}", {"method": "adam", **falling}, weight, {})
       for rate, text, falling in (("slow", "1e-3 to 1e-5", FALLING), ("fast", "3e-3 to 3e-5", FASTER))
       for weight in (1, 10, 100)},
    **{f"soap_{weight}": (f"Adam in the eigenbasis, weight {weight}", {"method": "adam", **FALLING, **ROTATED}, weight, {})
       for weight in (1, 10, 100)},
    **{f"{rule}_{rate}": (f"{text}, weights {rule}", {"method": "adam", **stage, "weights": rule}, 1, {})
       for rate, text, stage in (("slow", "Adam, 1e-3 to 1e-5", FALLING), ("fast", "Adam, 3e-3 to 3e-5", FASTER),
                                 ("soap", "Adam in the eigenbasis", {**FALLING, **ROTATED}))
       for rule in BALANCED},
    **{f"adamflip_{gain}": (f"AdamFLIP, K = {gain}", {"method": "adamflip", **FALLING, "gain": gain}, 1, {})
       for gain in (10, 100)},
    "metric": ("Algorithm 2 (metric-consistent multipliers)", {"method": "adamflip_metric", **FALLING}, 1, {}),
    "pointwise": ("AdamFLIP, K = 100, pointwise", {"method": "adamflip", **FALLING, "gain": 100}, 1, {"pointwise": True}),
    "split": ("normal and tangential part apart", {**SPLIT, "reproject": False, "rotate": 0}, 1, {}),
    "project": ("and the step projected again", {**SPLIT, "rotate": 0}, 1, {}),
    "aggregated": ("in the eigenbasis, but aggregated", {**SPLIT, **ROTATED}, 1, {"pointwise": False}),
    "adamflip_split": ("in the eigenbasis: all of it", {**SPLIT, **ROTATED}, 1, {}),
    "adapt": ("and the gain adapted", {**SPLIT, **ROTATED, "adapt": True}, 1, {}),
}


def toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


def command(program, problem, method, seed, folder, begun=True):
    plan = PROBLEMS[problem]
    _, stage, weight, extra = METHODS[method]
    stages = [{**WARM, "steps": plan["warm"]}, {**stage, "steps": plan["steps"]}]
    sets = plan["set"] | (BEGUN[problem] if begun else {})
    for term in plan["conditions"]:
        if weight != 1:
            sets[f"term.{term}.weight"] = weight
        for key, value in extra.items():
            sets[f"term.{term}.{key}"] = value
    arguments = [str(program), "solve", f"problems/{problem}.toml", "--seed", str(seed), "--threads", "1", "--json",
                 "--out", folder, "--set", "train.stages=[" + ", ".join(map(toml, stages)) + "]"]
    for key, value in sets.items():
        arguments += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    return arguments


def cell(problem, method, seed):
    return CELLS / f"{problem}-{method}-{seed}.json"


def words(problem, method, seed, begun=True):
    """The command as a reader would type it."""
    return ["adamflip", *command("adamflip", problem, method, seed, "run", begun)[1:]]


def is_done(problem, method, seed):
    path = cell(problem, method, seed)
    # The first cells had all of BEGUN from the files.
    known = [words(problem, method, seed, begun) for begun in (True, False)]
    return path.exists() and json.loads(path.read_text())["command"] in known


def commit():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def run(program, problem, method, seed):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command(program, problem, method, seed, f"{folder}/run"), cwd=ROOT, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    if not lines:
        raise SystemExit(f"{problem} {method} {seed}:\n{done.stderr}")
    summary = json.loads(lines[-1])
    kept = {key: summary[key] for key in ("status", "steps", "rel_l2")}
    kept |= {"command": words(problem, method, seed), "commit": commit()}
    kept["mse"] = {name: term["mse"] for name, term in summary["terms"].items()}
    CELLS.mkdir(parents=True, exist_ok=True)
    cell(problem, method, seed).write_text(json.dumps(kept) + "\n")
    print(problem, method, seed, kept["rel_l2"], kept["mse"], flush=True)


def median(problem, method):
    """Medians over the seeds: relative L2 (of several fields the largest), the conditions' mean squares added up."""
    seeds = [json.loads(cell(problem, method, seed).read_text()) for seed in SEEDS if cell(problem, method, seed).exists()]
    if not seeds:
        return None
    fields = ("u", "v") if problem == "navier_stokes" else ("u",)
    # A run that diverged has no error.
    size = lambda number: math.inf if number is None else number
    errors = [max(size(run["rel_l2"][field]) for field in fields) for run in seeds]
    conditions = [sum(size(run["mse"][term]) for term in PROBLEMS[problem]["conditions"]) for run in seeds]
    return (statistics.median(errors), statistics.median(conditions), min(errors), max(errors),
            len(seeds))


def table():
    print("| method | " + " | ".join(f"{problem}: relative L2 (least–largest), conditions' MSE" for problem in PROBLEMS) + " |")
    print("| --- |" + " --- |" * len(PROBLEMS))
    for method, (text, *_) in METHODS.items():
        columns = []
        for problem in PROBLEMS:
            found = median(problem, method)
            if found is None:
                columns.append("")
                continue
            error, conditions, least, largest, seeds = found
            note = "" if seeds == len(SEEDS) else f" ({seeds} seeds)"
            columns.append(f"{error:.1e} ({least:.1e}–{largest:.1e}), {conditions:.0e}{note}")
        print(f"| {text} | " + " | ".join(columns) + " |")
    for problem in PROBLEMS:
        ours = median(problem, "adamflip_split")
        for prefix in ("adam_", "soap_"):
            found = [(name, median(problem, name)) for name in METHODS if name.startswith(prefix)]
            found = [(name, numbers) for name, numbers in found if numbers]
            if not (found and ours):
                continue
            name, best = min(found, key=lambda pair: pair[1][0])
            least = min(numbers[1] for _, numbers in found)
            print(f"\n{problem}: best of {METHODS[name][0]} {best[0]:.2e}, conditions {best[1]:.1e} (least of any weight "
                  f"{least:.1e}); ours {ours[0]:.2e}, {ours[1]:.1e}: {best[0] / ours[0]:.1f} times and "
                  f"{best[1] / ours[1]:.0f} times ({least / ours[1]:.0f} times) smaller.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="print the table of what is there")
    parser.add_argument("--program", default="target/release/adamflip", help="the program, built before")
    parser.add_argument("--only", help="rows whose names begin with one of these, between commas")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many seeds")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time, one thread each")
    arguments = parser.parse_args()
    if not arguments.table:
        program = (ROOT / arguments.program).resolve()
        rows = [name for name in METHODS if not arguments.only or name.startswith(tuple(arguments.only.split(",")))]
        cells = [(problem, method, seed) for seed in SEEDS[:arguments.seeds] for method in rows for problem in PROBLEMS]
        missing = [names for names in cells if not is_done(*names)]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(lambda names: run(program, *names), missing))
    table()


if __name__ == "__main__":
    main()
