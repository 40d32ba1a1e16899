"""Makes american_put.csv, the price of an American put by a binomial tree: `python3 american_put.py` (needs Python alone).

Strike 1, interest 0.05, volatility 0.2, t = time left until expiry. The tree is that of Cox, Ross and Rubinstein (1979), S up or
down by the factor exp(sigma*sqrt(dt)), kept as a lattice over log S that is wide enough for its edges not to matter; the last step
is the formula of Black and Scholes, which takes away the kink and with it most of the oscillation (Broadie and Detemple 1996). Its
error falls like dt: (4 V(dt/4) - V(dt))/3 takes that away (Richardson). The nodes of one lattice give all prices and times at once.

Error: the largest difference between the table of 1000 and 4000 steps and that of 4000 and 16000, which is written, is printed:
3.3e-6 of the strike when the file was made.
"""

from math import erf, exp, log, sqrt
from pathlib import Path

RATE, SIGMA, LOW, HIGH = 0.05, 0.2, 0.6, 2.0
# Every so many nodes of the lattice of 1000 steps, and every so many steps, are in the table.
NODES, STEPS = 4, 25


def european(s, t):
    """The price of the European put."""
    normal = lambda x: 0.5 * (1 + erf(x / sqrt(2)))
    d1 = (log(s) + (RATE + SIGMA**2 / 2) * t) / (SIGMA * sqrt(t))
    return exp(-RATE * t) * normal(SIGMA * sqrt(t) - d1) - s * normal(-d1)


def lattice(steps, every):
    """{(node, time): price} at nodes and times that are multiples of `every`'s, by node and step."""
    dt = 1 / steps
    h = SIGMA * sqrt(dt)
    edge = int(1.6 / h) // 2 * 2
    s = [exp(k * h) for k in range(-edge, edge + 1)]
    payoff = [max(1 - x, 0.0) for x in s]
    up = (exp(RATE * dt) - exp(-h)) / (exp(h) - exp(-h))
    rise, fall = exp(-RATE * dt) * up, exp(-RATE * dt) * (1 - up)
    v = [max(p, european(x, dt)) for x, p in zip(s, payoff)]
    table = {}
    for step in range(1, steps + 1):
        if step > 1:
            inner = [max(p, rise * a + fall * b) for p, a, b in zip(payoff[1:-1], v[2:], v)]
            v = [payoff[0], *inner, payoff[-1]]
        if step % every[1] == 0:
            nodes = range(-(edge // every[0]) * every[0], edge + 1, every[0])
            table.update({(k // every[0], step // every[1]): v[k + edge] for k in nodes})
    return table


def extrapolated(factor):
    """The table from 1000*factor and 4000*factor steps."""
    root = round(sqrt(factor))
    coarse = lattice(1000 * factor, (NODES * root, STEPS * factor))
    fine = lattice(4000 * factor, (2 * NODES * root, 4 * STEPS * factor))
    return {at: (4 * fine[at] - coarse[at]) / 3 for at in coarse if at in fine}


def main():
    first, second = extrapolated(1), extrapolated(4)
    h = NODES * SIGMA / sqrt(1000)
    rows, error = [], 0.0
    for k in range(round(log(LOW) / h) - 1, round(log(HIGH) / h) + 2):
        s = exp(k * h)
        if not LOW <= s <= HIGH:
            continue
        rows.append((s, 0.0, max(1 - s, 0.0)))
        for n in range(1, 1000 // STEPS + 1):
            t = n * STEPS / 1000
            rows.append((s, t, second[k, n]))
            error = max(error, abs(second[k, n] - first[k, n]))
    print("error", error)
    lines = [f"{s:.12g},{t:.6g},{v:.10g}" for s, t, v in rows]
    Path(__file__).with_name("american_put.csv").write_text("\n".join(["S,t,V", *lines]) + "\n")


main()
