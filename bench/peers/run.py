"""Ours, JAX and PyTorch side by side: the same step, interleaved, the best of several rounds.

Needs only Python's own library: it makes the virtual environment, installs the peers in it, builds our release binary
(the environment variable ADAMFLIP_BIN names another one) and prints a table of milliseconds a step and ratios.
"""
import argparse
import json
import subprocess
import sys

from environment import HERE, PYTHON, aligned, bench_lines, binary, install, number, save, talk

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


def main():
    options = arguments()
    install("jax", "torch")
    ours = None if options.peers_only else binary()
    found = measure(options, ours)
    check_same_work(found)
    rows = summary(options, found)
    if options.json:
        print("\n".join(json.dumps(row) for row in rows))
    else:
        print(table(rows), variant_table(found), sep="\n\n")
    if options.save:
        what = f"best of {options.rounds} interleaved rounds, f64, {options.threads} threads, ms a step"
        save("run", what, ours, found, [table(rows), "All variants of the peers:", variant_table(found)])


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"peers: {' '.join(map(str, failure.cmd))} failed with status {failure.returncode}")
