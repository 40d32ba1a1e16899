"""Curves of error against time, one panel a problem, as SVG."""
import math
from xml.sax.saxutils import escape

# Okabe and Ito: to be told apart by all eyes; the dashes tell them apart in grey too.
STYLES = {"adamflip default plan": ("#000000", ""), "jinns ngd": ("#D55E00", "9 3"), "jinns ssbroyden": ("#0072B2", "2 3")}
PANEL, GAP, LEFT, TOP, HEIGHT, BOTTOM = 290, 62, 70, 62, 290, 74
LEAST_SECONDS = 1.0


def label(x, y, words, anchor="middle", size=13, extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" {extra}>{escape(words)}</text>'


class Panel:
    """One problem: where times and errors lie."""

    def __init__(self, number, lines, seconds):
        self.left, self.lines, self.seconds = LEFT + number * (PANEL + GAP), lines, seconds
        errors = [error for line in lines for _, _, error in line["curve"] if 0 < error < math.inf]
        self.low, self.high = math.floor(math.log10(min(errors))), min(1, math.ceil(math.log10(max(errors))))

    def x(self, seconds):
        share = math.log(max(seconds, LEAST_SECONDS) / LEAST_SECONDS) / math.log(self.seconds / LEAST_SECONDS)
        return self.left + PANEL * min(share, 1)

    def y(self, error):
        share = (math.log10(error) - self.low) / (self.high - self.low)
        return TOP + HEIGHT * (1 - min(max(share, 0), 1))

    def grid(self):
        for decade in range(self.low, self.high + 1):
            y = self.y(10.0**decade)
            exponent = str(decade).replace("-", "−")
            yield f'<line x1="{self.left}" y1="{y:.1f}" x2="{self.left + PANEL}" y2="{y:.1f}" stroke="#dddddd"/>'
            yield (f'<text x="{self.left - 8}" y="{y + 5:.1f}" text-anchor="end" font-size="13">10'
                   f'<tspan dy="-5" font-size="10">{exponent}</tspan></text>')
        for seconds in (1, 2, 5, 10, 20, 50, 100):
            if seconds < self.seconds:
                x = self.x(seconds)
                yield f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + HEIGHT}" stroke="#dddddd"/>'
                yield label(x, TOP + HEIGHT + 18, str(seconds))
        yield f'<rect x="{self.left}" y="{TOP}" width="{PANEL}" height="{HEIGHT}" fill="none" stroke="#555555"/>'

    def curves(self):
        for line in self.lines:
            colour, dash = STYLES[f"{line['peer']} {line['optimizer']}"]
            points = [(seconds, error) for seconds, _, error in line["curve"] if 0 < error < math.inf and seconds >= LEAST_SECONDS]
            path = "L".join(f"{self.x(seconds):.1f},{self.y(error):.1f}" for seconds, error in points)
            if path:
                yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'

    def words(self):
        yield label(self.left + PANEL / 2, TOP - 10, self.lines[0]["problem"], size=14)
        yield label(self.left + PANEL / 2, TOP + HEIGHT + 38, "seconds of training")


def legend(width):
    x = LEFT
    for name, (colour, dash) in STYLES.items():
        y = TOP + HEIGHT + 60
        yield f'<line x1="{x}" y1="{y}" x2="{x + 32}" y2="{y}" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        yield label(x + 40, y + 4.5, name, "start")
        x += 60 + 8 * len(name)


def figure(found, seconds):
    names = list(dict.fromkeys(line["problem"] for line in found))
    panels = [Panel(number, [line for line in found if line["problem"] == name], seconds) for number, name in enumerate(names)]
    width, height = LEFT + len(panels) * (PANEL + GAP) - GAP + 20, TOP + HEIGHT + BOTTOM
    middle = TOP + HEIGHT / 2
    lines = [label(width / 2, 24, f"Error against time beside jinns, {seconds:g} s each, compilation not counted", size=15),
             label(18, middle, "relative L2 error", extra=f'transform="rotate(-90 18 {middle:.1f})"'), *legend(width)]
    for panel in panels:
        lines += [*panel.grid(), *panel.curves(), *panel.words()]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    style = 'font-family="Helvetica, Arial, sans-serif" fill="#222222"'
    return "\n".join([f"{head} {style}>", f'<rect width="{width}" height="{height}" fill="white"/>', *lines, "</svg>"]) + "\n"
