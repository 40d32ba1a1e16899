"""A soak: random commands against one tree of run folders, and what must hold after each of them.

    bench/soak/run --minutes 60 --seed 7

The script solves, interrupts by signals, kills, resumes, extends, reports, predicts, exports and watches, also two at
once and with a disk that refuses to write. A page server (`watch --serve`) stays up all the time. After every command:

- the exit code is one that is documented, and nothing panicked;
- the newest state can be read, and no step that was saved is lost;
- nothing but files of a run is in its folder once `resume` tidied it;
- the page server has no more descriptors, threads or memory than it needs.

At the end every run goes on to its end and has the bits of one that was never interrupted. A failure prints the seed
and the number of the command: the same seed gives the same commands, though not the same moments. Python 3 alone.
"""

import argparse
import json
import pathlib
import random
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

PROBLEM = """
fields = ["u"]
[domain]
x = [0, 1]
t = [0, 1]
[unknowns]
k = { start = 0.5, truth = 1.0 }
[term.pde]
equation = "u_t = k*u_xx + sin(pi*x)"
points = 60
[term.ends]
on = ["x = 0", "x = 1", "t = 0"]
equation = "u = 0"
points = 20
[network]
hidden = "2x8"
[train]
resample = 9
stages = [{ method = "adam", steps = 2000 }, { method = "adamflip", steps = 2000 }]
"""

METHODS = ["adam", "adamflip", "al", "lbfgs", "newtonflip"]
STEPS = {"newtonflip": 150, "lbfgs": 600}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1]
SLOTS = 5
# What a run folder may hold.
NAMES = {
    "problem.toml", "data", "run.json", "history.csv", "checkpoint.safetensors", "checkpoint.old.safetensors",
    "summary.json", "fields.npz", "report.html", "figures", "lock",
}


class Failure(Exception):
    """Something that must hold does not."""


class Soak:
    def __init__(self, program, tree, seed, patience):
        self.program, self.tree, self.random = program, tree, random.Random(seed)
        self.patience = patience
        self.steps = {}  # run → the last step that was seen saved
        self.plans = {}  # run → the options that it was started with; none once it was extended
        self.kills, self.counts = 0, {}
        (tree / "bar.toml").write_text(PROBLEM)

    # Processes

    def start(self, arguments, limit=None):
        def refuse_to_write():
            # Writes beyond the limit fail, as on a full disk, instead of ending the process.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.Popen(
            [self.program, *arguments], cwd=self.tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, preexec_fn=refuse_to_write if limit else None,
        )

    def end(self, process, expected):
        try:
            out, said = process.communicate(timeout=self.patience)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failure(f"{process.args} does not end") from None
        if "panicked" in said:
            raise Failure(f"{process.args} panicked:\n{said}")
        if process.returncode not in expected:
            raise Failure(f"{process.args} ended with {process.returncode}:\n{said}")
        return out, said

    def command(self, *arguments, expected=(0, 1), limit=None):
        return self.end(self.start(arguments, limit), expected)

    # Runs

    def fresh(self):
        """A name for a new run; the oldest run makes room."""
        slots = [f"runs/{number}" for number in range(SLOTS)]
        free = [slot for slot in slots if slot not in self.plans]
        if free:
            return free[0]
        name = self.random.choice(slots)
        shutil.rmtree(self.tree / name, ignore_errors=True)
        self.plans.pop(name), self.steps.pop(name, None)
        return name

    def begin(self):
        name, method = self.fresh(), self.random.choice(METHODS)
        seed, steps = self.random.randrange(99), STEPS.get(method, 4000)
        options = ["--method", method, "--steps", str(steps), "--seed", str(seed)]
        self.plans[name] = options
        threads = ["--threads", str(self.random.randint(1, 2)), "--checkpoint-every", "0.05"]
        return name, ["solve", "bar.toml", "--out", name, *options, *threads]

    def known(self):
        """A run whose folder is there."""
        names = [name for name in self.plans if (self.tree / name / "run.json").exists()]
        return self.random.choice(names) if names else None

    def either(self):
        """A command that trains: a new run, or one that goes on."""
        name = self.known()
        if name is None or self.random.random() < 0.4:
            return self.begin()
        return name, ["resume", name, "--checkpoint-every", "0.05"]

    def saved(self, name):
        """The step of the newest state that is whole."""
        for file in ("checkpoint.safetensors", "checkpoint.old.safetensors"):
            path = self.tree / name / file
            if path.exists():
                content = path.read_bytes()
                size = struct.unpack("<Q", content[:8])[0]
                text = json.loads(content[8:8 + size])["__metadata__"]["adamflip"]
                return json.loads(text.split(" ", 1)[1])["place"]["step"]
        return 0

    # Actions

    def solve(self):
        _, arguments = self.begin()
        self.command(*arguments)

    def interrupt(self):
        _, arguments = self.either()
        process, number = self.start(arguments), self.random.choice(SIGNALS)
        time.sleep(self.random.uniform(0, 0.6))
        process.send_signal(number)
        # It may have ended before, or not have listened yet.
        self.end(process, (0, 1, 128 + number, -number))

    def kill(self):
        _, arguments = self.either()
        process = self.start(arguments)
        time.sleep(self.random.uniform(0, 0.5))
        process.kill()
        self.kills += 1
        self.end(process, (0, 1, -signal.SIGKILL))

    def resume(self):
        name = self.known()
        if name:
            self.command("resume", name)
            strange = {path.name for path in (self.tree / name).iterdir()} - NAMES
            if strange:
                raise Failure(f"{name} has {strange}")

    def extend(self):
        name = self.known()
        if name:
            # A run that diverged cannot be extended.
            self.command("resume", name, "--more", str(self.random.randint(1, 300)), expected=(0, 1, 2))
            self.plans[name] = None

    def look(self):
        name = self.known()
        if name:
            commands = [
                ["report", name], ["predict", name, "--grid", "x=0:1:9,t=0.5"], ["watch", name, "--once"],
                ["export", name, "--out", "fields.npz", "--force"], ["intervals", name, "--json"],
                ["export", name, "--out", "u.csv", "--force"], ["list", "--json"],
            ]
            # A run without a state yet is refused.
            self.command(*self.random.choice(commands), expected=(0, 1, 2))

    def two(self):
        name = self.known()
        if name:
            processes = [self.start(["resume", name]) for _ in range(2)]
            for process in processes:
                _, said = self.end(process, (0, 1, 2))
                if process.returncode == 2 and "another adamflip" not in said:
                    raise Failure(f"two at once: {said}")

    def full(self):
        _, arguments = self.either()
        limit = self.random.choice([512, 4096, 20_000, 60_000])
        self.command(*arguments, expected=(0, 1, 2), limit=limit)

    def act(self):
        weights = {
            self.solve: 1, self.interrupt: 4, self.kill: 4, self.resume: 2,
            self.extend: 1, self.look: 4, self.two: 1, self.full: 2,
        }
        action = self.random.choices(list(weights), list(weights.values()))[0]
        self.counts[action.__name__] = self.counts.get(action.__name__, 0) + 1
        action()
        return action.__name__

    # What must hold

    def check(self):
        for name, plan in list(self.plans.items()):
            folder = self.tree / name
            if not folder.exists():
                # It was ended before it began.
                self.plans.pop(name), self.steps.pop(name, None)
                continue
            step = self.saved(name)
            if step < self.steps.get(name, 0):
                raise Failure(f"{name} was at step {self.steps[name]} and is at {step}")
            self.steps[name] = step
        staged = [path.name for path in (self.tree / "runs").glob(".*")]
        if len(staged) > self.kills:
            raise Failure(f"folders are left: {staged}")

    def finish(self):
        """Every run to its end, and the same without interruptions."""
        compared = 0
        for name, options in self.plans.items():
            self.command("resume", name)
            if options is not None:
                straight = f"straight/{name.replace('/', '-')}"
                self.command("solve", "bar.toml", "--out", straight, *options)
                state = lambda run: (self.tree / run / "checkpoint.safetensors").read_bytes()
                if state(name) != state(straight):
                    raise Failure(f"{name} has other bits than {straight}")
                compared += 1
        return compared


class Page:
    """A page server that stays up, and what it takes."""

    def __init__(self, soak):
        self.patience = soak.patience
        soak.command("solve", "bar.toml", "--out", "shown", "--steps", "300")
        self.process = soak.start(["watch", "shown", "--serve", "0"])
        for line in self.process.stderr:
            if "http://127.0.0.1:" in line:
                self.port = int(line.rsplit(":", 1)[1].strip().strip("/"))
                break
        else:
            raise Failure("there is no page")
        self.idle = []
        for _ in range(20):
            self.ask()
        self.first = self.usage()

    def usage(self):
        proc = pathlib.Path(f"/proc/{self.process.pid}")
        status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
        return {
            "descriptors": len(list((proc / "fd").iterdir())),
            "threads": int(status["Threads"]),
            "memory": int(status["VmRSS"].split()[0]) // 1024,
        }

    def ask(self):
        path = random.choice(["/", "/state.json", "/solution.svg"])
        with socket.create_connection(("127.0.0.1", self.port), timeout=self.patience) as stream:
            stream.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            if b"200 OK" not in stream.recv(64):
                raise Failure(f"the page does not answer {path}")
        # One that stays and says nothing.
        self.idle = [*self.idle[-100:], socket.create_connection(("127.0.0.1", self.port), timeout=self.patience)]

    def check(self):
        self.ask()
        usage = self.usage()
        # 32 connections at a time, each with a thread and two descriptors; memory of pictures varies.
        most = {"descriptors": 150, "threads": self.first["threads"] + 34, "memory": self.first["memory"] + 100}
        if any(usage[key] > most[key] for key in most):
            raise Failure(f"the page server takes {usage}, at first {self.first}")
        return usage


def soak(options):
    tree = pathlib.Path(tempfile.mkdtemp(prefix="adamflip-soak-"))
    work = Soak(options.program, tree, options.seed, options.patience)
    page, number, action, usage = None, 0, "", {}
    end = time.monotonic() + 60 * options.minutes
    try:
        page = Page(work)
        while time.monotonic() < end:
            action = work.act()
            work.check()
            usage = page.check()
            number += 1
        compared = work.finish()
    except Failure as failure:
        print(f"FAILED with --seed {options.seed} at command {number} ({action}) in {tree}: {failure}")
        return 1
    finally:
        if page:
            page.process.kill()
    shutil.rmtree(tree)
    counts = ", ".join(f"{count} {name}" for name, count in sorted(work.counts.items()))
    print(f"seed {options.seed}: {number} commands ({counts})")
    print(f"no state was lost, {compared} runs have the bits of uninterrupted ones")
    print(f"page server at first {page.first}, at the end {usage}")
    return 0


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--program", default=str(root / "target" / "release" / "adamflip"))
    parser.add_argument("--patience", type=float, default=120, help="seconds for any command; the slowest takes a few")
    sys.exit(soak(parser.parse_args()))


if __name__ == "__main__":
    main()
