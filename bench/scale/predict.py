"""What 1, 8, 64 and 512 nodes would take for a step, from counts of operations and bytes: the table of docs/scale.md.

A model, not a measurement: compute time by operations over the speed of all cores, plus bytes over the speed of a link, plus
messages times their latency; nothing overlaps. All numbers of the machine are below.
"""

CORES, SPEED = 64, 30e9  # of a node; operations a second of one core in our kernels, about half its peak
LINK, LATENCY = 12.5e9, 2e-6  # bytes a second of a node (100 Gbit/s), seconds a message
STREAMS, TERMS = 4, 4
NODES = (1, 8, 64, 512)


def exchange(bytes_sent, ranks, rounds):
    """Every round has a message to each other rank."""
    return bytes_sent / LINK + rounds * (ranks - 1) * LATENCY if ranks > 1 else 0.0


def gradient(points, parameters, ranks, lanes):
    """Sweep, gradients summed lane by lane, the vote after the step."""
    work = 6 * STREAMS * parameters * points / (CORES * SPEED * ranks)
    sent = 8 * TERMS * parameters * (ranks - 1) / ranks * (lanes / ranks + 1)
    return work + exchange(sent, ranks, 4)


def adam(points, parameters, ranks):
    return gradient(points, parameters, ranks, CORES * ranks)


def split(points, parameters, ranks):
    """`adamflip_split`: a gradient, and factors of the rows of 2,000 pointwise constraints on every rank; their Gram matrix and its
    factorization are every rank's own work."""
    rows = 2000
    factors = 8 * rows * STREAMS * 2 * (parameters / 3) ** 0.5 * 4
    own = (rows**2 * parameters / 8 + rows**3 / 3) / (CORES * SPEED)
    return gradient(points, parameters, ranks, CORES * ranks) + own + exchange(factors * (ranks - 1) / ranks, ranks, 1)


def squared(rows, parameters, ranks):
    """Gauss–Newton: rows to all ranks, the triangle in portions, Cholesky's factorization on every rank."""
    work = (6 * STREAMS * parameters * rows + rows * parameters**2) / (CORES * SPEED * ranks)
    own = parameters**3 / 3 / (CORES * SPEED)
    sent = 8 * (rows * parameters + parameters**2 / 2) * (ranks - 1) / ranks
    return work + own + exchange(sent, ranks, 2)


def orthogonal(rows, parameters, ranks):
    """By QR: rows to all ranks, which factor them alone."""
    work = 6 * STREAMS * parameters * rows / (CORES * SPEED * ranks)
    own = 2 * rows * parameters**2 / (CORES * SPEED)
    return work + own + exchange(8 * rows * parameters * (ranks - 1) / ranks, ranks, 1)


def free(rows, parameters, ranks, products=100):
    """Matrix-free: factors to all ranks once, then products with R and its transpose, shared by rows and by layers."""
    layers = 4
    factors = 8 * rows * STREAMS * 2 * (parameters / 3) ** 0.5 * layers
    make = 6 * STREAMS * parameters * rows / (CORES * SPEED * ranks)
    forward = 2 * STREAMS * parameters * rows / (CORES * SPEED * ranks)
    back = 2 * STREAMS * parameters * rows / (CORES * SPEED * min(ranks, layers))
    each = forward + back + exchange(8 * (rows + parameters) * (ranks - 1) / ranks, ranks, 2)
    return make + exchange(factors * (ranks - 1) / ranks, ranks, 1) + products / 2 * each


CASES = [
    ("Adam", adam, 1_000_000, 10_000),
    ("Adam", adam, 100_000_000, 10_000),
    ("`adamflip_split`", split, 1_000_000, 10_000),
    ("Gauss–Newton squared", squared, 20_000, 2_000),
    ("Gauss–Newton squared", squared, 200_000, 8_000),
    ("by QR", orthogonal, 20_000, 2_000),
    ("matrix-free, 100 products", free, 200_000, 10_000),
]


def main():
    print("| method | points | parameters | " + " | ".join(f"{nodes} nodes" for nodes in NODES) + " |")
    print("| --- " * (3 + len(NODES)) + "|")
    for name, step, points, parameters in CASES:
        times = [step(points, parameters, nodes) for nodes in NODES]
        shown = [f"{1000 * time:.3g} ms ({times[0] / time:.1f}×)" for time in times]
        print(f"| {name} | {points:,} | {parameters:,} | " + " | ".join(shown) + " |")


main()
