"""What both peers share around the step: arguments, number of threads, clock, and the line that they print."""
import argparse
import json
import os
import time

from cases import CASES, METHODS


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--variants", default="", help="comma-separated; all when empty")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0, help="time spent on each measurement")
    return parser.parse_args()


def limit_threads(count):
    """Leaves this process `count` processors. Call before the libraries start their thread pools."""
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, allowed[:count])
    os.environ["OMP_NUM_THREADS"] = str(count)


def best_seconds(repetition, seconds):
    """The fastest of as many repetitions as fit, at least three: other work on the machine only ever adds time."""
    best, end, done = float("inf"), time.perf_counter() + seconds, 0
    while done < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        repetition()
        best = min(best, time.perf_counter() - start)
        done += 1
    return best


def report(peer, variant, case, method, seconds, theta_norm, options, version):
    """`theta_norm`, the norm of the parameters after one repetition, shows that all variants do the same work."""
    line = {"event": "bench", "peer": peer, "variant": variant, "problem": case.name, "method": method,
            "ms_per_step": seconds / case.steps * 1e3, "theta_norm": theta_norm,
            "threads": options.threads, "version": version}
    print(json.dumps(line), flush=True)
