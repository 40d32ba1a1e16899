"""Ours, JAX and PyTorch side by side: the same step, interleaved, the best of several rounds.

Needs only Python's own library: it makes the virtual environment, installs the peers in it, builds our release binary
(the environment variable ADAMFLIP_BIN names another one) and prints a table of milliseconds a step and ratios.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYTHON = HERE / ".venv" / "bin" / "python"
# Written last, so that an interrupted installation is taken up again.
INSTALLED = HERE / ".venv" / "installed"
CASES = ("burgers", "burgers_large", "heat", "navier_stokes")
METHODS = ("adam", "adamflip")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="one short round, for a first look")
    parser.add_argument("--peers-only", action="store_true", help="leave our own binary out")
    parser.add_argument("--json", action="store_true", help="print every measurement and the best, one object a line")
    parser.add_argument("--save", action="store_true", help="write the table to results/peers/")
    options = parser.parse_args()
    options.rounds = 1 if options.quick else max(1, options.rounds)
    options.seconds = 0.5 if options.quick else 2.0
    for given, known in ((options.cases, CASES), (options.methods, METHODS)):
        for name in given.split(","):
            if name not in known:
                parser.error(f"unknown name {name!r}; choose from {', '.join(known)}")
    return options


def talk(message):
    print(message, file=sys.stderr, flush=True)


def quiet(*command, **settings):
    """Runs a command with its talk on stderr, since stdout is data."""
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr, **settings)


def pip_install(*what):
    quiet(PYTHON, "-m", "pip", "install", "--quiet", *what)


def torch_imports():
    return subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0


def install():
    pins = "".join(path.read_text() for path in sorted(HERE.glob("requirements*.txt")))
    if INSTALLED.exists() and INSTALLED.read_text() == pins:
        return
    talk("peers: installing JAX and PyTorch in bench/peers/.venv")
    if not PYTHON.exists():
        venv.create(HERE / ".venv", symlinks=True, with_pip=True)
    pip_install("-r", HERE / "requirements.txt")
    pip_install("--no-deps", "-r", HERE / "requirements-torch.txt")
    if not torch_imports():
        talk("peers: this build of torch needs the CUDA runtime to be imported; installing that too (2 GB)")
        pip_install("--no-deps", "-r", HERE / "requirements-torch-runtime.txt")
    INSTALLED.write_text(pins)


def binary():
    """Our program: ADAMFLIP_BIN, or a fresh release build."""
    if "ADAMFLIP_BIN" in os.environ:
        return os.environ["ADAMFLIP_BIN"]
    quiet("cargo", "build", "--release", cwd=ROOT)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return str(target / "release" / "adamflip")


def bench_lines(command):
    """Runs a command and reads the benchmark lines that it prints; other events are passed over."""
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return [line for line in lines if line.get("event") == "bench"]


def commands(options, ours, case, method):
    """The processes of one turn, in order: each measures one case and method."""
    peer = ["--cases", case, "--methods", method, "--threads", str(options.threads), "--seconds", str(options.seconds)]
    turn = [[str(PYTHON), str(HERE / script), *peer] for script in ("jax_steps.py", "torch_steps.py")]
    if ours:
        # As many repetitions in the time as the peers' own clock makes of theirs.
        turn.insert(0, [ours, "bench", "--json", "--problems", case, "--methods", method,
                        "--threads", str(options.threads), "--seconds", str(options.seconds), "--repeat", "12"])
    return turn


def measure(options, ours):
    """All rounds: case by case and method by method, the sides take turns, so that noise meets all of them."""
    found = []
    for number in range(options.rounds):
        for case in options.cases.split(","):
            for method in options.methods.split(","):
                talk(f"peers: round {number + 1} of {options.rounds}, {case}, {method}")
                for command in commands(options, ours, case, method):
                    for line in bench_lines(command):
                        line = {"peer": "adamflip", "variant": "", **line, "round": number + 1}
                        found.append(line)
                        if options.json:
                            print(json.dumps(line), flush=True)
    return found


def check_same_work(found):
    """Peers start from the same weights and points: after the same steps theta agrees to rounding.

    1e-9: variants sum in different orders (1e-16 each), and Adam's quotient m / sqrt(v) carries that on over 50 steps.
    """
    norms = {}
    for line in found:
        if "theta_norm" in line:
            norms.setdefault((line["problem"], line["method"]), []).append(line["theta_norm"])
    for what, values in norms.items():
        if not max(values) - min(values) <= 1e-9 * max(values):
            raise SystemExit(f"peers: {what} differs between the peers: {sorted(set(values))}")


def best(found, case, method, peer):
    """The fastest line of a peer over all rounds and variants, or None."""
    mine = [line for line in found if (line["problem"], line["method"], line["peer"]) == (case, method, peer)]
    return min(mine, key=lambda line: line["ms_per_step"], default=None)


def summary(options, found):
    """One row a case and method, with the best of each side and how many times faster ours is."""
    rows = []
    for case in options.cases.split(","):
        for method in options.methods.split(","):
            sides = {peer: best(found, case, method, peer) for peer in ("adamflip", "jax", "torch")}
            row = {"event": "peers", "problem": case, "method": method, "threads": options.threads}
            for peer, line in sides.items():
                row[f"{peer}_ms"] = line and line["ms_per_step"]
            row["jax_variant"] = sides["jax"] and sides["jax"]["variant"]
            for peer in ("jax", "torch"):
                both = sides["adamflip"] and sides[peer]
                row[f"{peer}_ratio"] = row[f"{peer}_ms"] / row["adamflip_ms"] if both else None
            rows.append(row)
    return rows


def number(value, form):
    return "-" if value is None else format(value, form)


def table(rows):
    head = ("problem", "method", "ours ms", "JAX ms", "JAX variant", "PyTorch ms", "vs JAX", "vs PyTorch")
    body = [(row["problem"], row["method"], number(row["adamflip_ms"], ".3f"), number(row["jax_ms"], ".3f"),
             row["jax_variant"] or "-", number(row["torch_ms"], ".3f"), number(row["jax_ratio"], ".2f"),
             number(row["torch_ratio"], ".2f")) for row in rows]
    return aligned(head, body)


def variant_table(found):
    """Every variant of the peers with its best time: what the strongest was chosen from."""
    times = {}
    for line in found:
        key = (line["problem"], line["method"], line["peer"], line["variant"])
        times[key] = min(times.get(key, float("inf")), line["ms_per_step"])
    return aligned(("problem", "method", "side", "variant", "ms"),
                   [(*key, f"{time:.3f}") for key, time in times.items() if key[2] != "adamflip"])


def aligned(head, body):
    widths = [max(len(cell) for cell in column) for column in zip(head, *body)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in (head, *body)]
    return "\n".join(lines)


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def our_version(ours):
    if not ours:
        return "not run"
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return commit.stdout.strip() or "unknown"


def save(options, ours, found, rows):
    now = datetime.datetime.now(datetime.timezone.utc)
    versions = sorted({f"{line['peer']} {line['version']}" for line in found if "version" in line})
    text = [f"date       {now:%Y-%m-%d %H:%M} UTC", f"processor  {processor()}, {os.cpu_count()} available",
            f"versions   ours {our_version(ours)}, {', '.join(versions)}, Python {platform.python_version()}",
            f"command    bench/peers/run {' '.join(sys.argv[1:])}",
            f"best of {options.rounds} interleaved rounds, f64, {options.threads} threads, ms a step", "",
            table(rows), "", "All variants of the peers:", "", variant_table(found), ""]
    folder = ROOT / "results" / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{now:%Y-%m-%d-%H%M}.txt"
    path.write_text("\n".join(text))
    talk(f"peers: wrote {path.relative_to(ROOT)}")


def main():
    options = arguments()
    install()
    ours = None if options.peers_only else binary()
    found = measure(options, ours)
    check_same_work(found)
    rows = summary(options, found)
    if options.json:
        print("\n".join(json.dumps(row) for row in rows))
    else:
        print(table(rows), variant_table(found), sep="\n\n")
    if options.save:
        save(options, ours, found, rows)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"peers: {' '.join(map(str, failure.cmd))} failed with status {failure.returncode}")
