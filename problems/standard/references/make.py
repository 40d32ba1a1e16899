"""Makes the references and the noisy data of the standard problems.

`python3 make.py` makes all, `python3 make.py kdv cavity` some; README.md says what it needs and has the table of errors.
Every function solves its problem twice, the second time with half the steps and about twice the modes, stores the
finer solution and prints the relative L2 difference of both on the stored grid: the error of the coarser one, and so an
upper estimate of that of the stored one.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.fft import irfft2, rfft2
from scipy.integrate import solve_ivp

HERE = Path(__file__).parent


def table(name, columns, digits=16):
    """A CSV file of the columns."""
    header, values = ",".join(columns), np.column_stack(list(columns.values()))
    np.savetxt(HERE / name, values, delimiter=",", header=header, comments="", fmt=f"%.{digits}g")


def tell(name, coarse, fine):
    """Prints how far two solutions are apart; each is a list of fields."""
    apart = [np.linalg.norm(a - b) / np.linalg.norm(b) for a, b in zip(coarse, fine)]
    print(f"{name}: " + ", ".join(f"{error:.1e}" for error in apart), flush=True)


# Periodic problems: Fourier modes in space, exponential time differencing of order 4 in time.


def etdrk4(linear, step):
    """The coefficients of Kassam and Trefethen, SIAM J. Sci. Comput. 26 (2005): means over a circle of 64 points."""
    z = step * linear
    circle = np.exp(2j * np.pi * (np.arange(64) + 0.5) / 64)
    phi = lambda numerator: sum(numerator(z + c) for c in circle) / 64 * step
    half = phi(lambda r: (np.exp(r / 2) - 1) / r)
    first = phi(lambda r: (-4 - r + np.exp(r) * (4 - 3 * r + r**2)) / r**3)
    middle = phi(lambda r: (2 + r + np.exp(r) * (r - 2)) / r**3)
    last = phi(lambda r: (-4 - 3 * r - r**2 + np.exp(r) * (4 - r)) / r**3)
    return np.exp(z), np.exp(z / 2), half, first, middle, last


def march(modes, linear, nonlinear, end, steps, frames):
    """Modes at `frames` + 1 times from 0 to `end`, where d/dt modes = linear*modes + nonlinear(modes)."""
    whole, sqrt, half, first, middle, last = etdrk4(linear, end / steps)
    kept = [modes]
    for step in range(1, steps + 1):
        now = nonlinear(modes)
        a = sqrt * modes + half * now
        at_a = nonlinear(a)
        b = sqrt * modes + half * at_a
        at_b = nonlinear(b)
        c = sqrt * a + half * (2 * at_b - now)
        modes = whole * modes + first * now + 2 * middle * (at_a + at_b) + last * nonlinear(c)
        if step % (steps // frames) == 0:
            kept.append(modes)
    return np.array(kept)


def wavenumbers(n, length):
    """Those of a real transform, and a filter that keeps two thirds of them (a product then has no aliases)."""
    k = np.arange(n // 2 + 1)
    return 2 * np.pi / length * k, (k < n / 3).astype(float)


def closed(values):
    """The first column again at the end: the period's other end."""
    return np.concatenate([values, values[:, :1]], axis=1)


def real_line(start, left, length, linear, nonlinear, end, n, steps, frames, shown):
    """u(t, x) of a real periodic problem at `shown` + 1 places; `nonlinear(u, k)` gives the modes of its right side."""
    x = left + length * np.arange(n) / n
    k, keep = wavenumbers(n, length)
    right = lambda modes: keep * nonlinear(np.fft.irfft(modes, n), k)
    modes = march(np.fft.rfft(start(x)), linear(k), right, end, steps, frames)
    values = closed(np.fft.irfft(modes, n)[:, :: n // shown])
    return np.linspace(left, left + length, shown + 1), np.linspace(0, end, frames + 1), values


def store_line(name, solve, coarse, fine):
    """Two solutions of a problem in one dimension: the difference is told, the finer one kept."""
    _, _, rough = solve(*coarse)
    x, t, u = solve(*fine)
    tell(f"{name} {coarse} to {fine}", [rough], [u])
    np.savez(HERE / f"{name}.npz", x=x, t=t, u=u.T)


def allen_cahn():
    """The derivative of x^2 cos(pi x) jumps at x = 1 = -1: modes fall like k^-2 until diffusion has smoothed the kink."""
    solve = lambda n, steps: real_line(
        lambda x: x**2 * np.cos(np.pi * x), -1, 2, lambda k: 5 - 1e-4 * k**2,
        lambda u, k: np.fft.rfft(-5 * u**3), 1, n, steps, 100, 256,
    )
    store_line("allen_cahn", solve, (4096, 5000), (8192, 10000))


def kdv():
    solve = lambda n, steps: real_line(
        lambda x: np.cos(np.pi * x), -1, 2, lambda k: 0.022**2 * 1j * k**3,
        lambda u, k: -0.5j * k * np.fft.rfft(u**2), 1, n, steps, 100, 256,
    )
    store_line("kdv", solve, (512, 10000), (1024, 20000))


def kuramoto_sivashinsky():
    """Chaotic: errors of rounding grow about ten thousandfold until t = 1."""
    solve = lambda n, steps: real_line(
        lambda x: np.cos(x) * (1 + np.sin(x)), 0, 2 * np.pi, lambda k: 100 / 16**2 * k**2 - 100 / 16**4 * k**4,
        lambda u, k: -100 / 32 * 1j * k * np.fft.rfft(u**2), 1, n, steps, 100, 256,
    )
    store_line("kuramoto_sivashinsky", solve, (512, 20000), (1024, 40000))


def schroedinger():
    """h = u + iv; sech has a kink of size 0.05 at x = 5 = -5, which dispersion does not smooth: modes fall like k^-2."""

    def solve(n, steps, frames=80, shown=256):
        x = -5 + 10 * np.arange(n) / n
        k = 2 * np.pi / 10 * np.fft.fftfreq(n, 1 / n)
        keep = np.abs(np.fft.fftfreq(n)) < 1 / 3
        nonlinear = lambda modes: keep * np.fft.fft(1j * np.abs(h := np.fft.ifft(modes)) ** 2 * h)
        modes = march(np.fft.fft(2 / np.cosh(x)) + 0j, -0.5j * k**2, nonlinear, np.pi / 2, steps, frames)
        return closed(np.fft.ifft(modes, axis=1)[:, :: n // shown])

    rough, h = solve(2048, 10000), solve(4096, 20000)
    tell("schroedinger (2048, 10000) to (4096, 20000)", [rough.real, rough.imag], [h.real, h.imag])
    x, t = np.linspace(-5, 5, 257), np.linspace(0, np.pi / 2, 81)
    np.savez(HERE / "schroedinger.npz", x=x, t=t, u=h.real.T, v=h.imag.T)


def gray_scott():
    """All that happens stays within |x|, |y| < 0.4: a periodic box of side 1.5 is as good as the whole one of side 2."""

    def solve(n, steps, frames=20):
        x = -0.75 + 1.5 * np.arange(n) / n
        y, x = x[:, None], x[None, :]
        m, k = 4 / 3 * np.pi * np.fft.fftfreq(n, 1 / n)[:, None], 4 / 3 * np.pi * np.arange(n // 2 + 1)[None, :]
        keep = np.maximum(np.abs(m), k) < 4 / 9 * np.pi * n
        # The unknowns are 1 - u, which is zero far away, and v.
        start = np.array([
            np.exp(-80 * ((x + 0.05) ** 2 + (y + 0.02) ** 2)), np.exp(-80 * ((x - 0.05) ** 2 + (y - 0.02) ** 2)),
        ])
        linear = np.array([-1e-5 * (k**2 + m**2) - 0.04, -5e-6 * (k**2 + m**2) - 0.1])

        def nonlinear(modes):
            w, v = irfft2(modes)
            product = keep * rfft2((1 - w) * v**2)
            return np.array([product, product])

        modes = march(rfft2(start), linear, nonlinear, 200, steps, frames)
        # Nodes of spacing 1/16, with the ones outside of the box, where u = 1 and v = 0.
        inside = np.array([irfft2(frame)[:, :: n // 24, :: n // 24] for frame in modes])
        fields = np.zeros((frames + 1, 2, 33, 33))
        fields[:, :, 4:28, 4:28] = inside
        fields[:, 0] = 1 - fields[:, 0]
        return fields.transpose(1, 3, 2, 0)

    rough, fine = solve(384, 800), solve(768, 1600)
    tell("gray_scott (384, 800) to (768, 1600)", rough, fine)
    x, t = np.linspace(-1, 1, 33), np.linspace(0, 200, 21)
    np.savez(HERE / "gray_scott.npz", x=x, y=x, t=t, u=fine[0], v=fine[1])


# The lid-driven cavity: the stream function by Legendre polynomials, its corner singularities by the corner
# flow.


def legendre(n, points):
    """Legendre polynomials 0 to n - 1 at points of [-1, 1] with two derivatives: an array [derivative, degree, point]."""
    p = np.zeros((3, n, points.size))
    p[0, 0], p[0, 1], p[1, 1] = 1, points, 1
    for k in range(1, n - 1):
        for d in range(3):
            lower = d * p[d - 1, k] if d else 0
            p[d, k + 1] = ((2 * k + 1) * (points * p[d, k] + lower) - k * p[d, k - 1]) / (k + 1)
    return p


def clamped(n, y):
    """Shen's basis of n polynomials that vanish at 0 and 1 with their slopes, at points of [0, 1], and two derivatives.

    SIAM J. Sci. Comput. 15 (1994): the second derivatives are orthonormal, which keeps the equations well conditioned.
    """
    p = legendre(n + 4, 2 * y - 1)
    k = np.arange(n)[:, None]
    size = 1 / np.sqrt(2 * (2 * k + 3) ** 2 * (2 * k + 5))
    basis = size * (p[:, :n] - 2 * (2 * k + 5) / (2 * k + 7) * p[:, 2:n + 2] + (2 * k + 3) / (2 * k + 7) * p[:, 4:n + 4])
    return basis * np.array([1, 2, 4])[:, None, None] / 4


def corner(s, d):
    """Taylor's flow in the corner of a wall at rest (s = 0) and one that moves with speed 1 (d = 0), with derivatives.

    The stream function r*F(angle) as ψ, ψ_s, ψ_d, ψ_ss, ψ_sd, ψ_dd, with ψ_d = -1 at the moving wall; Δ²ψ = 0.
    """
    c = 1 / (np.pi**2 / 4 - 1)
    b, e = -c * np.pi**2 / 4, c * np.pi / 2
    angle, r2, q = np.arctan2(d, s), s**2 + d**2, c * s + e * d
    by_s, by_d = -d / r2, s / r2
    ss, sd = 2 * s * d / r2**2, (d**2 - s**2) / r2**2
    return (
        b * d + angle * q, by_s * q + angle * c, b + by_d * q + angle * e,
        ss * q + 2 * by_s * c, sd * q + by_s * e + by_d * c, -ss * q + 2 * by_d * e,
    )


def product(f, g):
    """The product rule for functions with five derivatives in the order of `corner`."""
    return (
        f[0] * g[0], f[1] * g[0] + f[0] * g[1], f[2] * g[0] + f[0] * g[2],
        f[3] * g[0] + 2 * f[1] * g[1] + f[0] * g[3],
        f[4] * g[0] + f[1] * g[2] + f[2] * g[1] + f[0] * g[4],
        f[5] * g[0] + 2 * f[2] * g[2] + f[0] * g[5],
    )


def lid(x, y):
    """Both corner flows, each blended out towards the far walls, with derivatives by x and y; and the Laplacian of what
    blending changes in them, which is all that the viscous term sees (Δ² of a corner flow is 0).

    Blends a(x) and a(1 - x) add up to 1, so that the sum has u = 1 on the lid and is at rest on the other walls.
    """
    a = lambda s: (1 - 3 * s**2 + 2 * s**3, -6 * s + 6 * s**2, -6 + 12 * s)
    total, changed = 0, 0
    for s, sign in ((x, 1), (1 - x, -1)):
        d = 1 - y
        (p, p1, p2), (q, q1, q2) = a(s), a(d)
        blend = (p * q, p1 * q, p * q1, p2 * q, p1 * q1, p * q2)
        flow = corner(s, d)
        parts = product(blend, flow)
        less = product((blend[0] - 1, *blend[1:]), flow)
        signs = (1, sign, -1, 1, -sign, 1)
        total = total + np.array([one * part for one, part in zip(signs, parts)])
        changed = changed + less[3] + less[5]
    return total, changed


def cavity_modes(reynolds, n, start):
    """The coefficients of the smooth part of the stream function, n in each direction, by Newton's method.

    Weak form: ∫ Δψ Δφ/Re + Δψ (ψ_y φ_x - ψ_x φ_y) = 0 for every φ of the basis, by Gauss quadrature.
    """
    nodes, weights = np.polynomial.legendre.leggauss(2 * n + 32)
    y, w = (nodes + 1) / 2, weights / 2
    b, b1, b2 = clamped(n, y)
    known, changed = lid(y[:, None], y[None, :])
    mass, slope, bend = (f @ (w[:, None] * g.T) for f, g in ((b, b), (b, b2), (b2, b2)))
    viscous = sum(np.kron(p, q) for p, q in ((bend, mass), (slope, slope.T), (slope.T, slope), (mass, bend)))
    area = np.outer(w, w)
    pair = lambda f, weight, g: f @ (area * weight) @ g.T
    outer = lambda f, g: (f[:, None] * g[None, :]).reshape(n * n, -1)

    def form(parts):
        """The matrix of ∫ Σ weight f(x)g(y) φ: test functions are rows."""
        matrix = viscous / reynolds
        for weight, (fx, fy), (gx, gy) in parts:
            block = outer(fx, gx) @ (area * weight) @ outer(fy, gy).T
            matrix += block.reshape(n, n, n, n).transpose(0, 2, 1, 3).reshape(n * n, n * n)
        return matrix

    modes = np.zeros((n, n))
    m = start.shape[0]
    modes[:m, :m] = start[:n, :n]
    for _ in range(12):
        field = lambda f, g: f.T @ modes @ g
        smooth = field(b2, b) + field(b, b2)
        px, py = known[1] + field(b1, b), known[2] + field(b, b1)
        vorticity = known[3] + known[5] + smooth
        bending = (smooth + changed) / reynolds
        residual = pair(b2, bending, b) + pair(b, bending, b2)
        residual += pair(b1, vorticity * py, b) - pair(b, vorticity * px, b1)
        dx, dy = (b1, b), (b, b1)
        jacobian = form([
            (py, dx, (b2, b)), (py, dx, (b, b2)), (-px, dy, (b2, b)), (-px, dy, (b, b2)),
            (vorticity, dx, dy), (-vorticity, dy, dx),
        ])
        change = np.linalg.solve(jacobian, residual.ravel()).reshape(n, n)
        modes = modes - change
        if np.abs(change).max() < 1e-11 * np.abs(modes).max():
            break
    return modes


def cavity_velocity(modes, x, y):
    """u and v at the points of a grid."""
    n = modes.shape[0]
    (bx, bx1, _), (by, by1, _) = clamped(n, x), clamped(n, y)
    known, _ = lid(x[:, None], y[None, :])
    return known[2] + bx.T @ modes @ by1, -known[1] - bx1.T @ modes @ by


def cavity():
    """Re 100, 400 and 1000, one after the other; also the extremes on the centre lines for README.md."""
    middle = (np.arange(64) + 0.5) / 64
    rough, fine = np.zeros((1, 1)), np.zeros((1, 1))
    for reynolds in (100, 400, 1000):
        sizes = (64, 96)
        for size in sizes:
            rough, fine = fine, cavity_modes(reynolds, size, fine)
        tell(f"cavity_{reynolds} {sizes}", cavity_velocity(rough, middle, middle), cavity_velocity(fine, middle, middle))
        u, v = cavity_velocity(fine, middle, middle)
        np.savez(HERE / f"cavity_{reynolds}.npz", x=middle, y=middle, u=u, v=v)
        line, half = np.linspace(0.0005, 0.9995, 9991), np.array([0.5])
        u, v = cavity_velocity(fine, half, line)[0][0], cavity_velocity(fine, line, half)[1][:, 0]
        print(f"  u_min {u.min():.7f} at {line[u.argmin()]:.4f}, v_max {v.max():.7f} at {line[v.argmax()]:.4f}, "
              f"v_min {v.min():.7f} at {line[v.argmin()]:.4f}", flush=True)
        ghia(reynolds, fine)


def ghia(reynolds, modes):
    """How far the table of Ghia, Ghia and Shin (1982) is from us."""
    rows = np.genfromtxt(HERE / "ghia.csv", delimiter=",", skip_header=2, names=True)
    inside = (rows["y"] > 0) & (rows["y"] < 1)
    half = np.array([0.5])
    u = cavity_velocity(modes, half, rows["y"][inside])[0][0] - rows[f"u_{reynolds}"][inside]
    v = cavity_velocity(modes, rows["x"][inside], half)[1][:, 0] - rows[f"v_{reynolds}"][inside]
    print(f"  Ghia: largest difference u {np.abs(u).max():.1e}, v {np.abs(v).max():.1e}", flush=True)


# Systems of ordinary equations, and Burgers' equation.


def ordinary(name, rates, start, times, method, fields, coarse, fine):
    """Solutions of two tolerances at the times."""
    solve = lambda tolerance: solve_ivp(
        rates, (times[0], times[-1]), start, method, times, rtol=tolerance, atol=tolerance * 1e-3
    ).y
    rough, exact = solve(coarse), solve(fine)
    tell(f"{name} rtol {coarse:.0e} to {fine:.0e}", rough, exact)
    return dict(zip(fields, exact))


def lorenz():
    """25 observations without noise, and a reference."""
    rates = lambda _, z: [10 * (z[1] - z[0]), z[0] * (15 - z[2]) - z[1], z[0] * z[1] - 8 / 3 * z[2]]
    times = np.linspace(0, 3, 601)
    found = ordinary("lorenz", rates, [-8, 7, 27], times, "DOP853", ["x", "y", "z"], 1e-10, 3e-13)
    table("lorenz.csv", {"t": times, **found})
    table("lorenz_data.csv", {"t": times[::25], **{name: values[::25] for name, values in found.items()}})


def robertson():
    """In s = log10 t from -5 to 5; y2 is stored times 1e4."""

    def rates(s, z):
        slow, fast, last = z[0], z[1] * 1e-4, z[2]
        first, second = -0.04 * slow + 1e4 * fast * last, 3e7 * fast**2
        return np.log(10) * 10**s * np.array([first, 1e4 * (-first - second), second])

    # From t = 0 to 1e-5 in t itself.
    plain = lambda t, z: rates(0, z) / np.log(10)
    begin = solve_ivp(plain, (0, 1e-5), [1, 0, 0], "Radau", rtol=1e-13, atol=1e-18).y[:, -1]
    s = np.linspace(-5, 5, 501)
    found = ordinary("robertson", rates, begin, s, "Radau", ["y1", "y2", "y3"], 1e-9, 3e-12)
    table("robertson.csv", {"s": s, **found})
    print("  start:", ", ".join(f"{value:.15g}" for value in begin), flush=True)


def van_der_pol():
    """mu = 50, time in units of mu."""
    rates = lambda _, z: [z[1], 2500 * ((1 - z[0] ** 2) * z[1] - z[0])]
    times = np.linspace(0, 2, 2001)
    found = ordinary("van_der_pol", rates, [2, 0], times, "Radau", ["x", "slope"], 1e-9, 1e-12)
    table("van_der_pol.csv", {"t": times, "x": found["x"]})


def burgers():
    """The Cole-Hopf integral for u = -sin(pi x) at the start, by the trapezoidal rule around its largest integrand.

    It is only told how far two numbers of nodes are apart: the program has the same formula as `cole_hopf`.
    """
    x, t = np.linspace(-1, 1, 401), np.linspace(0, 1, 101)[1:]
    for nu in (0.01 / np.pi, 0.01, 0.001):

        def solve(n):
            rows = []
            for time in t:
                # y is where a characteristic starts: within a distance of t of x but for e^-40.
                reach = min(time + 9 * np.sqrt(4 * nu * time), 2.0)
                y = x[:, None] + reach * np.linspace(-1, 1, n)[None, :]
                exponent = np.cos(np.pi * y) * (-1 / (2 * np.pi * nu)) - (x[:, None] - y) ** 2 / (4 * nu * time)
                weight = np.exp(exponent - exponent.max(axis=1, keepdims=True))
                rows.append((weight * (x[:, None] - y) / time).sum(axis=1) / weight.sum(axis=1))
            return np.array(rows)

        rough, fine = solve(4001), solve(8001)
        tell(f"burgers nu = {nu:.6f}", [rough], [fine])


# Noisy data of the problems with an unknown coefficient: normal noise of deviation 0.1, drawn once.


def poisson_inverse():
    random = np.random.default_rng(1)
    x, y = (grid.ravel() for grid in np.meshgrid(np.linspace(0, 1, 50), np.linspace(0, 1, 50)))
    u = np.sin(np.pi * x) * np.sin(np.pi * y) + random.normal(0, 0.1, x.size)
    table("poisson_inverse_data.csv", {"x": x, "y": y, "u": u}, 10)


def heat_inverse():
    random = np.random.default_rng(2)
    x, y, t = random.uniform([-1, -1, 0], [1, 1, 1], (2500, 3)).T
    u = np.exp(-t) * np.sin(np.pi * x) * np.sin(np.pi * y) + random.normal(0, 0.1, x.size)
    table("heat_inverse_data.csv", {"x": x, "y": y, "t": t, "u": u}, 10)


ALL = (
    allen_cahn, kdv, kuramoto_sivashinsky, schroedinger, gray_scott, cavity, lorenz, robertson, van_der_pol, burgers,
    poisson_inverse, heat_inverse,
)

if __name__ == "__main__":
    chosen = sys.argv[1:] or [one.__name__ for one in ALL]
    for one in ALL:
        if one.__name__ in chosen:
            one()
