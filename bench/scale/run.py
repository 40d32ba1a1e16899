"""Steps of one problem on 1, 2 and 4 ranks: time, efficiency and bytes a step, the measured beside the counted.

Strong scaling has the same points on all ranks together, weak scaling as many on each. Where there are fewer cores than ranks
(told in the first line) only the bytes say something about a cluster.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--problem", default="problems/heat_forward.toml")
    parser.add_argument("--term", default="pde", help="the term whose points are counted")
    parser.add_argument("--points", type=int, default=8000)
    parser.add_argument("--methods", default="adam,adamflip_split,newtonflip")
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--steps", type=int, default=30)
    return parser.parse_args()


def run(asked, method, ranks, points, folder):
    """Milliseconds a step, and the bytes that rank 0 sent in one."""
    out = pathlib.Path(folder, f"{method}-{ranks}-{points}")
    steps = asked.steps if method != "newtonflip" else max(2, asked.steps // 10)
    words = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(ranks), asked.program, "solve"]
    words += [asked.problem, "--method", method, "--steps", str(steps), "--threads", "1", "--json"]
    words += ["--set", f"term.{asked.term}.points={points}", "--set", "train.resample=0", "--out", str(out)]
    ended = subprocess.run(words, capture_output=True, text=True)
    if ended.returncode > 1:
        raise SystemExit(ended.stderr)
    summary = json.loads(ended.stdout.splitlines()[-1])
    sent = re.search(r"rank 0 sent (\d+) bytes", ended.stderr)
    return summary["ms_per_step"], int(sent[1]) if sent else 0


def main():
    asked = arguments()
    counts = [int(count) for count in asked.ranks.split(",")]
    cores = len(os.sched_getaffinity(0))
    print(f"{cores} cores" + (": oversubscribed" if max(counts) > cores else ""))
    print("| method | ranks | strong: ms | efficiency | weak: ms | efficiency | bytes a step |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for method in asked.methods.split(","):
            alone = None
            for ranks in counts:
                strong, sent = run(asked, method, ranks, asked.points, folder)
                weak = strong if ranks == 1 else run(asked, method, ranks, asked.points * ranks, folder)[0]
                alone = alone or strong
                shares = [f"{100 * alone / (strong * ranks):.0f}%", f"{100 * alone / weak:.0f}%"]
                print(f"| {method} | {ranks} | {strong:.2f} | {shares[0]} | {weak:.2f} | {shares[1]} | {sent} |", flush=True)


main()
