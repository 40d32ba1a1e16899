"""Random problems with known solutions, as problem files.

    bench/strangers/generate --seed 0 --count 100 --out DIR

Problem i of a seed is made from random numbers of its own: it is the same whatever the count. Its class is the i-th of the
list below, over and over. DIR/index.json says what each problem is like.
"""

import argparse
import json
import pathlib

from draw import Draw
from elliptic import elliptic
from high_order import fourth_order, third_order
from hyperbolic import hyperbolic
from inverse import inverse
from ordinary import ode
from parabolic import parabolic
from shapes import shapes
from systems import system

CLASSES = (ode, elliptic, parabolic, hyperbolic, third_order, fourth_order, system, shapes, inverse)
NAMES = tuple(kind.__name__ for kind in CLASSES)


def generate(seed, index):
    """The class, features and text of a problem."""
    kind = CLASSES[index % len(CLASSES)]
    problem = kind(Draw(f"{seed}-{index}"))
    features = {"class": kind.__name__, "seed": seed, "index": index, **problem.features()}
    comment = [f"class: {kind.__name__}", f"stranger {index} of seed {seed}, written by bench/strangers/generate"]
    return features, problem.written(comment)


def file_name(index, kind):
    return f"{index:03d}-{kind}.toml"


def write(folder, seed, indices):
    """Writes the problems and their index; the features by file name."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for index in indices:
        features, written = generate(seed, index)
        name = file_name(index, features["class"])
        (folder / name).write_text(written)
        found[name] = features
    (folder / "index.json").write_text(json.dumps(found, indent=1) + "\n")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="which set of problems")
    parser.add_argument("--count", type=int, default=100, help="how many")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder to write to")
    arguments = parser.parse_args()
    found = write(arguments.out, arguments.seed, range(arguments.count))
    for kind in NAMES:
        print(f"{kind:13}", sum(features["class"] == kind for features in found.values()))


if __name__ == "__main__":
    main()
