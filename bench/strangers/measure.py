"""One run of one problem by one method, and what is kept of it."""

import csv
import functools
import hashlib
import json
import math
import pathlib
import subprocess
import tempfile

from generate import file_name

ROOT = pathlib.Path(__file__).resolve().parents[2]
# More than any budget allows: the last stage goes on until the time is over.
ENDLESS = 1_000_000
# Methods with curvature are observed at every step, as the default plan is, so that refused steps are
# counted.
EVERY_STEP = ("newtonflip", "gauss_newton")


class Case:
    """A problem, a method, a seed of the training, and a time."""

    def __init__(self, features, text, method, train_seed, seconds, threads):
        self.features, self.text, self.method = features, text, method
        self.train_seed, self.seconds, self.threads = train_seed, seconds, threads

    @property
    def name(self):
        return f"{self.features['seed']}-{self.features['index']:03d}-{self.method}-{self.train_seed}"

    @property
    def file(self):
        return file_name(self.features["index"], self.features["class"])

    @property
    def digest(self):
        """Tells runs of a problem from those of another that had its number before the generator changed."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    def words(self):
        """The command as a reader would type it beside the problem file."""
        words = ["adamflip", "solve", self.file, "--seed", str(self.train_seed), "--threads", str(self.threads), "--json"]
        words += ["--out", "run", "--set", f"train.max_seconds={self.seconds:g}"]
        if self.method != "plan":
            words += ["--finish", self.method, "--steps", str(ENDLESS)]
        if self.method in EVERY_STEP:
            words += ["--set", "train.observe=1"]
        return words


def measure(case, program):
    """Solves the case in a folder of its own, which is gone afterwards."""
    record = about(case)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / case.file).write_text(case.text)
        limit = 2 * case.seconds + 60
        try:
            done = subprocess.run([program, *case.words()[1:]], cwd=folder, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return record | {"failed": f"not over after {limit:g} s"}
        run = pathlib.Path(folder) / "run"
        return record | outcome(done) | {"steps_refused": refused(run / "history.csv")}


def about(case):
    kept = ("class", "seed", "index", "title", "half_waves", "scaled", "noise")
    record = {key: case.features[key] for key in kept if key in case.features}
    record |= {"method": case.method, "train_seed": case.train_seed, "budget": case.seconds}
    return record | {"command": case.words(), "digest": case.digest, "commit": commit()}


def outcome(done):
    """What the summary says; why there is none, if so."""
    record = {"exit_code": done.returncode}
    lines = done.stdout.splitlines()
    summary = json.loads(lines[-1]) if lines else {}
    if summary.get("event") != "summary":
        said = done.stderr.strip().splitlines()
        return record | {"failed": f"exit code {done.returncode}: {said[0] if said else 'no word'}"}
    record |= {key: summary[key] for key in ("status", "steps", "seconds", "rel_l2")}
    record["error"] = largest(summary["rel_l2"].values())
    record["estimate"] = said_error(summary)
    record["mse"] = {name: {"role": term["role"], "mse": term["mse"]} for name, term in summary["terms"].items()}
    record["unknowns"] = {name: unknown(value) for name, value in summary["unknowns"].items()}
    return record


def largest(numbers):
    """The largest of them; none where one is missing, as in runs that diverged."""
    numbers = list(numbers)
    return max(numbers) if numbers and all(is_number(number) for number in numbers) else None


def is_number(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


def said_error(summary):
    """The program's own estimate of the largest error, made without the reference."""
    found = summary.get("estimate") or {}
    return largest(field.get("rel_l2") if isinstance(field, dict) else None for field in found.values())


def unknown(found):
    value, truth = found.get("value"), found.get("truth")
    error = abs(value - truth) / abs(truth) if is_number(value) and truth else None
    return {"value": value, "truth": truth, "error": error, "interval": found.get("interval")}


def refused(history):
    """Of the observed steps after the warm start: how many there are, how many changed nothing, and the longest row of those."""
    if not history.exists():
        return None
    rows = [row for row in csv.DictReader(history.open()) if row["stage"] != "0"]
    if not rows:
        return None
    longest = run = count = 0
    for row in rows:
        is_refused = float(row["step_norm"]) == 0
        run = run + 1 if is_refused else 0
        count, longest = count + is_refused, max(longest, run)
    return {"observed": len(rows), "refused": count, "longest": longest}


@functools.lru_cache
def commit():
    """With `-dirty` where files differ from it."""
    return subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
