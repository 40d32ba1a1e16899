"""A performance profile (Dolan and More 2002) of methods at equal time, as SVG.

For every method: the share of problems on which its error is at most this many times that of the best method. One method
alone would always be the best: its figure has the errors themselves.
"""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

from table import USUAL, by_problem, error, methods

# Okabe and Ito: to be told apart by all eyes; the dashes tell them apart in grey too.
STYLES = (("#000000", ""), ("#D55E00", "12 2"), ("#0072B2", ""), ("#009E73", "7 3"), ("#CC79A7", "2 3"), ("#E69F00", "9 3 2 3"))
OTHERS = (("#56B4E9", "4 2"), ("#888888", ""), ("#56B4E9", "1 2"), ("#888888", "6 3"))
# An error above this is no solution: such a run counts as failed, however bad the others are.
FAILED = 0.5
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 440, 70, 170, 52, 62


@dataclass(frozen=True)
class Axis:
    """The horizontal axis, from one power of ten to another."""
    low: int
    high: int
    title: str
    label: str

    def across(self, number):
        share = (math.log10(number) - self.low) / (self.high - self.low)
        return LEFT + (WIDTH - LEFT - RIGHT) * min(max(share, 0), 1)

    def decades(self):
        """Every power, or every second where there are many."""
        return range(self.low, self.high + 1, 2 if self.high - self.low > 6 else 1)


RATIO = Axis(0, 4, "how often a method is near the best", "error, as a multiple of the smallest error of any method (at most)")
ERROR = Axis(-12, 0, "how small the error is", "relative L2 error (at most)")


def styled(names):
    """A method has the same colour in every figure."""
    usual = dict(zip(USUAL, STYLES))
    others = [name for name in names if name not in usual]
    return {name: usual.get(name) or OTHERS[others.index(name) % len(OTHERS)] for name in names}


def ratios(records):
    """For every method the ratios of its errors to the smallest of each problem."""
    names = methods(records)
    found = {name: [] for name in names}
    for runs in by_problem(records).values():
        # A fair comparison has all methods.
        if all(name in runs for name in names):
            best = min(error(runs[name]) for name in names)
            for name in names:
                own = error(runs[name])
                found[name].append(max(own / best, 1) if own < FAILED and best else (1 if own == best == 0 else math.inf))
    return found


def errors(records):
    """The errors of every method; one that is no solution is none."""
    usable = lambda number: number if number < FAILED else math.inf
    return {name: [max(usable(error(record)), 10.0**ERROR.low) for record in records if record["method"] == name]
            for name in methods(records)}


def up(share):
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def curve(axis, numbers):
    """The steps of the share as the number grows."""
    least, most = 10.0**axis.low, 10.0**axis.high
    at = lambda number: up(sum(each <= number for each in numbers) / len(numbers))
    path = [f"M{axis.across(least):.1f},{at(least):.1f}"]
    path += [f"H{axis.across(number):.1f}V{at(number):.1f}" for number in sorted(each for each in numbers if least < each <= most)]
    return "".join(path) + f"H{axis.across(most):.1f}"


def label(x, y, words, anchor="middle", size=13, extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" {extra}>{escape(words)}</text>'


def power(decade):
    if 0 <= decade <= 1:
        return str(10**decade)
    exponent = str(decade).replace("-", "−")
    return f'10<tspan dy="-5" font-size="10">{exponent}</tspan>'


def grid(axis):
    right, bottom = WIDTH - RIGHT, up(0)
    for decade in axis.decades():
        x = axis.across(10.0**decade)
        yield f'<line x1="{x:.1f}" y1="{up(1):.1f}" x2="{x:.1f}" y2="{bottom:.1f}" stroke="#dddddd"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 19:.1f}" text-anchor="middle" font-size="13">{power(decade)}</text>'
    for tenth in range(0, 11, 2):
        y = up(tenth / 10)
        yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}" stroke="#dddddd"/>'
        yield label(LEFT - 9, y + 4.5, f"{10 * tenth}%", "end")
    yield f'<path d="M{LEFT},{up(1):.1f}V{bottom:.1f}H{right:.1f}" fill="none" stroke="#555555"/>'


def titles(axis, count, budget):
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield label(middle, 22, f"{count} random problems, {budget:g} s each: {axis.title}", size=15)
    yield label(middle, HEIGHT - 22, axis.label)
    yield label(middle, HEIGHT - 6, f"Errors are relative L2; one above {FAILED:.0%} counts as failed.", size=11, extra='fill="#555555"')
    y = (up(0) + up(1)) / 2
    yield label(18, y, "share of problems", extra=f'transform="rotate(-90 18 {y:.1f})"')


def legend(names):
    """In the order in which the curves end on the right."""
    x = WIDTH - RIGHT + 14
    for row, (name, (colour, dash)) in enumerate(names):
        y = TOP + 12 + 22 * row
        yield f'<line x1="{x:.1f}" y1="{y}" x2="{x + 30:.1f}" y2="{y}" stroke="{colour}" stroke-width="2.2" stroke-dasharray="{dash}"/>'
        yield label(x + 37, y + 4.5, name, "start")


def profile(records):
    alone = len(methods(records)) == 1
    axis, found = (ERROR, errors(records)) if alone else (RATIO, ratios(records))
    count = len(next(iter(found.values())))
    styles = styled(found)
    lines = [*grid(axis), *titles(axis, count, max(record["budget"] for record in records))]
    if count:
        for name, (colour, dash) in styles.items():
            lines.append(f'<path d="{curve(axis, found[name])}" fill="none" stroke="{colour}" stroke-width="2.2" stroke-dasharray="{dash}"/>')
    within = {name: sum(each <= 10.0**axis.high for each in numbers) for name, numbers in found.items()}
    lines += legend(sorted(styles.items(), key=lambda item: -within[item[0]]))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    style = 'font-family="Helvetica, Arial, sans-serif" fill="#222222"'
    return "\n".join([f"{head} {style}>", f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', *lines, "</svg>"]) + "\n"
