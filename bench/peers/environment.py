"""What stands around the measurements of all peers: their installation, our program, the table and its header.

Needs only Python's own library.
"""
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


def talk(message):
    print(message, file=sys.stderr, flush=True)


def quiet(*command, **settings):
    """Runs a command with its talk on stderr, since stdout is data."""
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr, **settings)


def pip_install(*what):
    quiet(PYTHON, "-m", "pip", "install", "--quiet", *what)


def torch_imports():
    return subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0


def install_jax():
    pip_install("-r", HERE / "requirements.txt")


def install_torch():
    pip_install("--no-deps", "-r", HERE / "requirements-torch.txt")
    if not torch_imports():
        talk("peers: this build of torch needs the CUDA runtime to be imported; installing that too (2 GB)")
        pip_install("--no-deps", "-r", HERE / "requirements-torch-runtime.txt")


def install_jinns():
    pip_install("-r", HERE / "requirements.txt", "-r", HERE / "requirements-jinns.txt")


def install(*names):
    """Makes the virtual environment and installs these peers in it, unless they are there."""
    if not PYTHON.exists():
        venv.create(HERE / ".venv", symlinks=True, with_pip=True)
    for name in names:
        pattern, work = {"jax": ("requirements.txt", install_jax), "torch": ("requirements-torch*.txt", install_torch),
                         "jinns": ("requirements-jinns.txt", install_jinns)}[name]
        pins = "".join(path.read_text() for path in sorted(HERE.glob(pattern)))
        # Written last, so that an interrupted installation is taken up again.
        installed = HERE / ".venv" / f"installed-{name}"
        if not installed.exists() or installed.read_text() != pins:
            talk(f"peers: installing {name} in bench/peers/.venv")
            work()
            installed.write_text(pins)


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


def number(value, form):
    return "-" if value is None else format(value, form)


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
    built = "another build beside " if "ADAMFLIP_BIN" in os.environ else ""
    return built + (commit.stdout.strip() or "unknown")


def save(name, what, ours, found, tables):
    """Writes tables to results/peers/ under a head that says when, where and how they were measured."""
    now = datetime.datetime.now(datetime.timezone.utc)
    versions = sorted({f"{line['peer']} {line['version']}" for line in found if "version" in line})
    text = [f"date       {now:%Y-%m-%d %H:%M} UTC", f"processor  {processor()}, {os.cpu_count()} available",
            f"versions   ours {our_version(ours)}, {', '.join(versions)}, Python {platform.python_version()}",
            f"command    bench/peers/{name} {' '.join(sys.argv[1:])}", what, "", "\n\n".join(tables), ""]
    folder = ROOT / "results" / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{now:%Y-%m-%d-%H%M}{name.removeprefix('run')}.txt"
    path.write_text("\n".join(text))
    talk(f"peers: wrote {path.relative_to(ROOT)}")
