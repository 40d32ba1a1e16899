"""How methods do on problems that nobody chose: the same time, network, points and warm start for each.

    bench/strangers/run --seed 0 --count 100 --seconds 60 --methods plan,newtonflip,gauss_newton --jobs 2
    bench/strangers/run --table --label NAME       # tables and the figure of what is there

`plan` is the file as it is; any other method takes the place of the last stage of the default plan and has the whole time.
Every run leaves one small JSON file below results/strangers/LABEL/. What is there is not run again, unless --again.
"""

import argparse
import concurrent.futures
import json
import pathlib
import shutil
import threading

import figure
import table
from generate import NAMES, CLASSES, generate
from measure import ROOT, Case, measure

METHODS = "plan,newtonflip,gauss_newton,ssbroyden,lbfgs,adam"
printing = threading.Lock()


def numbers(text):
    """`3,7,10-12` as a list."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def chosen(arguments):
    """The indices of the problems asked for."""
    indices = numbers(arguments.only) if arguments.only else range(arguments.count)
    wanted = arguments.kind.split(",") if arguments.kind else NAMES
    unknown = set(wanted) - set(NAMES)
    if unknown:
        raise SystemExit(f"no class {', '.join(sorted(unknown))}: there are {', '.join(NAMES)}")
    return [index for index in indices if CLASSES[index % len(CLASSES)].__name__ in wanted]


def cases(arguments):
    """Problem by problem, so that methods can be compared before all is done."""
    threads = arguments.threads or (1 if arguments.jobs > 1 else 2)
    for index in chosen(arguments):
        features, text = generate(arguments.seed, index)
        for train_seed in numbers(arguments.train_seeds):
            for method in arguments.methods.split(","):
                yield Case(features, text, method, train_seed, arguments.seconds, threads)


def located(program):
    """The program: a path from here or from the root of the project, or a name to be found."""
    for path in (pathlib.Path(program), ROOT / program):
        if path.is_file():
            return str(path.resolve())
    found = shutil.which(program)
    if not found:
        raise SystemExit(f"no program {program}: build it, or say where it is with --program")
    return found


def finish(case, program, folder):
    record = measure(case, program)
    (folder / f"{case.name}.json").write_text(json.dumps(record) + "\n")
    if record.get("failed"):
        said = record["failed"]
    else:
        error = "none" if record["error"] is None else f"{record['error']:.1e}"
        said = f"{error:8} {record['status']}, {record['steps']} steps, {record['seconds']:.0f} s"
    with printing:
        print(f"{case.features['class']:13}{case.name:28} {said}", flush=True)


def is_done(case, folder):
    """There is a run of the same problem by the same command. Other times or problems under one label would spoil the tables."""
    path = folder / f"{case.name}.json"
    if not path.exists():
        return False
    record = json.loads(path.read_text())
    if (record["command"], record.get("digest")) != (case.words(), case.digest):
        raise SystemExit(f"{folder.name} has {case.name} by another command or of another problem: take another --label, or --again")
    return True


def run(arguments, folder):
    program = located(arguments.program)
    folder.mkdir(parents=True, exist_ok=True)
    asked = list(cases(arguments))
    missing = [case for case in asked if arguments.again or not is_done(case, folder)]
    print(f"{len(asked)} runs, {len(missing)} to do", flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(lambda case: finish(case, program, folder), missing))


def tables(folder):
    records = table.load(folder)
    if not records:
        raise SystemExit(f"no runs in {folder.name}")
    (folder / "tables.md").write_text(table.text(records) + "\n")
    (folder / "profile.svg").write_text(figure.profile(records))
    print(table.text(records))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="which set of problems")
    parser.add_argument("--count", type=int, default=100, help="the first this many of it")
    parser.add_argument("--only", help="these alone, for example 3,7,10-12")
    parser.add_argument("--class", dest="kind", help=f"of these classes alone: {', '.join(NAMES)}")
    parser.add_argument("--methods", default=METHODS, help=f"default: {METHODS}")
    parser.add_argument("--train-seeds", default="0", help="seeds of the training, for example 0-2")
    parser.add_argument("--seconds", type=float, default=60, help="the time of a run")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time, one thread each; with 1, two threads")
    parser.add_argument("--threads", type=int, help="of each run; default: 1, or 2 where there is one job")
    parser.add_argument("--program", default="target/release/adamflip", help="the program, built before")
    parser.add_argument("--label", help="the folder below the results; default: seedS-Ts")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "results" / "strangers", help="the folder of all results")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    parser.add_argument("--table", action="store_true", help="run nothing: tables and figure of what is there")
    arguments = parser.parse_args()
    folder = arguments.results / (arguments.label or f"seed{arguments.seed}-{arguments.seconds:g}s")
    if not arguments.table:
        run(arguments, folder)
    tables(folder)


if __name__ == "__main__":
    main()
