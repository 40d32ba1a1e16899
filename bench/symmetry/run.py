"""What a symmetry term brings: four equations with and without one, at equal numbers of points and steps.

    bench/symmetry/run                      # all runs, then the tables
    bench/symmetry/run --seeds 1 --only few # one seed of one table

Every run leaves a line in --out (symmetry.jsonl); runs that are there are not repeated.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# ranges of x and t, equation, generator, solution, conditions
EQUATIONS = {
    "heat": {
        "x": [-2, 2], "t": [0.1, 1], "equation": "u_t = u_xx", "symmetry": {"x": "x", "t": "2*t"},
        "solution": "erf(x/sqrt(4*t))", "more": {},
    },
    "burgers": {
        "x": [-1, 1.5], "t": [0, 0.5], "equation": "u_t + u*u_x = 0.05*u_xx", "symmetry": {"x": "1", "t": "1"},
        "solution": "1 - tanh((x - t)/0.1)", "more": {},
    },
    "kdv": {
        "x": [-5, 7], "t": [0, 0.5], "equation": "u_t + 6*u*u_x + u_xxx = 0", "symmetry": {"x": "4", "t": "1"},
        "solution": "2/cosh(x - 4*t)^2", "more": {"slope": ("x = 7", "u_x = -4*tanh(x - 4*t)/cosh(x - 4*t)^2")},
    },
    "wave": {
        "x": [1, 2], "t": [0, 0.4], "equation": "u_tt = 4*u_xx", "symmetry": {"x": "x", "t": "t"},
        "solution": "log((x + 2*t)/(x - 2*t))", "more": {"speed": ("t = 0", "u_t = 4/x")},
    },
}

NEWTON = '[{ method = "adam", steps = 300, lr = 3e-3 }, { method = "newtonflip", steps = 100 }]'
ADAM = '[{ method = "adam", steps = 2500, lr = 3e-3 }]'
# points of the equation without a symmetry, fresh points, stages
TABLES = {"plenty": (1200, 1, NEWTON), "few": (60, 0, NEWTON), "first": (1200, 1, ADAM)}


def problem(name, table, symmetric):
    """The text of a problem file."""
    equation, (points, resample, stages) = EQUATIONS[name], TABLES[table]
    points = points // 2 if symmetric else points
    x, t = equation["x"], equation["t"]
    conditions = {
        "initial": (f"t = {t[0]}", f"u = {equation['solution']}"),
        "walls": ([f"x = {x[0]}", f"x = {x[1]}"], f"u = {equation['solution']}"),
    } | equation["more"]
    lines = ['fields = ["u"]', "[domain]", f"x = {x}", f"t = {t}"]
    lines += ["[term.pde]", f'equation = "{equation["equation"]}"', f"points = {points}"]
    for term, (place, text) in conditions.items():
        lines += [f"[term.{term}]", f"on = {json.dumps(place)}", f'equation = "{text}"', "points = 100"]
    if symmetric:
        keys = ", ".join(f'{name} = "{value}"' for name, value in equation["symmetry"].items())
        lines += ["[term.symmetry]", f"symmetry = {{ {keys} }}", f"points = {points}", 'role = "objective"']
    lines += ["[reference]", f'u = "{equation["solution"]}"', "[network]", 'hidden = "3x16"', 'activation = "tanh"']
    lines += ["scale_outputs = false", "[train]", f"resample = {resample}", f"stages = {stages}"]
    return "\n".join(lines) + "\n"


def run(program, name, table, symmetric, seed):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, f"{name}.toml")
        file.write_text(problem(name, table, symmetric))
        words = [program, "solve", str(file), "--seed", str(seed), "--threads", "1", "--json", "--out", f"{folder}/run"]
        before = os.times().children_user
        done = subprocess.run(words, capture_output=True, text=True)
        seconds = os.times().children_user - before
    lines = done.stdout.splitlines()
    if not lines:
        raise SystemExit(f"{name} {table}:\n{done.stderr}")
    error = json.loads(lines[-1])["rel_l2"]["u"]
    return {"equation": name, "table": table, "symmetric": symmetric, "seed": seed, "rel_l2": error, "seconds": seconds}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "target/release/adamflip"), help="the program, built before")
    parser.add_argument("--seeds", type=int, default=3, help="how many seeds")
    parser.add_argument("--only", choices=TABLES, help="one table alone")
    parser.add_argument("--show", nargs=2, metavar=("EQUATION", "TABLE"), help="print the file with a symmetry")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "target/symmetry.jsonl", help="one line a run")
    arguments = parser.parse_args()
    if arguments.show:
        print(problem(*arguments.show, True), end="")
        return
    known = [json.loads(line) for line in arguments.out.read_text().splitlines()] if arguments.out.exists() else []
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    for table in [arguments.only] if arguments.only else TABLES:
        for seed in range(arguments.seeds):
            for name in EQUATIONS:
                for symmetric in (False, True):
                    key = {"equation": name, "table": table, "symmetric": symmetric, "seed": seed}
                    if any(all(line[k] == v for k, v in key.items()) for line in known):
                        continue
                    known.append(run(arguments.program, name, table, symmetric, seed))
                    with arguments.out.open("a") as out:
                        out.write(json.dumps(known[-1]) + "\n")
        print(f"\n{table}\n\n| | without | with | without/with (least-largest) | CPU s, without and with |\n| --- | --- | --- | --- | --- |")
        for name in EQUATIONS:
            cells = [[line for line in known if (line["equation"], line["table"], line["symmetric"]) == (name, table, symmetric)]
                     for symmetric in (False, True)]
            errors = [statistics.median(cell["rel_l2"] for cell in side) for side in cells]
            seconds = [statistics.median(cell["seconds"] for cell in side) for side in cells]
            ratios = [a["rel_l2"] / b["rel_l2"] for a, b in zip(*cells)]
            print(f"| {name} | {errors[0]:.1e} | {errors[1]:.1e} | {errors[0] / errors[1]:.1f} ({min(ratios):.1f}-{max(ratios):.1f}) "
                  f"| {seconds[0]:.1f}, {seconds[1]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
