"""Makes the data files of the problems in the folder above: `python3 make.py` (needs NumPy and SciPy)."""

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.io import savemat

HERE = Path(__file__).parent
random = np.random.default_rng(2026)


def table(name, columns, digits):
    """A CSV file of the columns, rounded."""
    header, values = ",".join(columns), np.column_stack(list(columns.values()))
    np.savetxt(HERE / name, values, delimiter=",", header=header, comments="", fmt=f"%.{digits}g")


def lotka_volterra():
    """Order 8; the invariant hares - log(hares) + lynxes - log(lynxes) is kept to 1e-11."""
    t = np.linspace(0, 6, 121)
    rates = lambda _, z: [z[0] * (1 - z[1]), z[1] * (z[0] - 1)]
    z = solve_ivp(rates, (0, 6), [2, 1], "DOP853", t, rtol=1e-13, atol=1e-14).y
    table("lotka_volterra.csv", {"t": t, "hares": z[0], "lynxes": z[1]}, 12)


def chebyshev(n):
    """Points cos(pi*i/n) and the matrix of the derivative there (Trefethen, Spectral Methods in MATLAB, chapter 6)."""
    x = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.r_[2, np.ones(n - 1), 2] * (-1) ** np.arange(n + 1)
    difference = x[:, None] - x[None, :] + np.eye(n + 1)
    matrix = np.outer(c, 1 / c) / difference
    return x, matrix - np.diag(matrix.sum(axis=1))


def allen_cahn(n=128):
    """u_t = 0.01 u_xx + 2 (u - u^3), u = -1 at both ends, on a grid of 101 by 51."""
    x, first = chebyshev(n)
    second = (first @ first)[1:-1]

    def rate(_, inner):
        u = np.r_[-1, inner, -1]
        return 0.01 * second @ u + 2 * (inner - inner**3)

    jacobian = lambda _, inner: 0.01 * second[:, 1:-1] + 2 * np.diag(1 - 3 * inner**2)
    t, grid = np.linspace(0, 1, 51), np.linspace(-1, 1, 101)
    start = x**2 * np.cos(np.pi * x)
    inner = solve_ivp(rate, (0, 1), start[1:-1], "Radau", t, rtol=1e-11, atol=1e-12, jac=jacobian).y
    ends = -np.ones((1, t.size))
    u = np.polynomial.chebyshev.chebfit(x, np.vstack([ends, inner, ends]), n)
    values = np.polynomial.chebyshev.chebval(grid, u).T
    return grid, t, values


def rod():
    """What sensors in and at the ends of a heated rod report, with noise of one percent."""
    decay = lambda t: np.exp(-0.1 * np.pi**2 * t)
    swell = lambda t: decay(t) + 20 / np.pi**2 * (1 - decay(t))
    noisy = lambda v: v + 0.01 * np.sqrt(np.mean(v**2)) * random.standard_normal(v.size)
    x, t = (g.ravel() for g in np.meshgrid(np.linspace(0.1, 0.9, 5), np.linspace(0.05, 1, 12), indexing="ij"))
    table("temperatures.csv", {"x": x, "t": t, "u": noisy(np.sin(np.pi * x) * swell(t))}, 6)
    x, t = np.array([0.0, 1.0]), np.linspace(0.05, 1, 20)
    flux = -0.1 * np.pi * np.outer(np.cos(np.pi * x), swell(t))
    np.savez(HERE / "fluxes.npz", x=x, t=t, flux=noisy(flux.ravel()).reshape(flux.shape))


def flower():
    """The region r < 0.7 + 0.2 cos(3 angle): points inside, points and outward normals on its rim, and a reference."""
    radius = lambda a: 0.7 + 0.2 * np.cos(3 * a)
    slope = lambda a: -0.6 * np.sin(3 * a)

    def inside(count):
        x, y = random.uniform(-1, 1, (2, 8 * count))
        kept = np.hypot(x, y) < radius(np.arctan2(y, x))
        return x[kept][:count], y[kept][:count]

    x, y = inside(500)
    table("flower_inside.csv", {"x": x, "y": y}, 6)
    a = 2 * np.pi * np.arange(150) / 150
    r, s, c = radius(a), np.sin(a), np.cos(a)
    tangent = np.array([slope(a) * c - r * s, slope(a) * s + r * c])
    n = np.array([tangent[1], -tangent[0]]) / np.linalg.norm(tangent, axis=0)
    table("flower_rim.csv", {"x": r * c, "y": r * s, "n_x": n[0], "n_y": n[1]}, 12)
    x, y = inside(800)
    x, y = x.round(4), y.round(4)
    table("flower_reference.csv", {"x": x, "y": y, "u": np.exp(x) * np.sin(y)}, 10)


if __name__ == "__main__":
    lotka_volterra()
    x, t, u = allen_cahn()
    savemat(HERE / "allen_cahn.mat", {"x": x, "t": t, "u": u}, do_compression=True)
    rod()
    flower()
