// Curves over steps, on a logarithmic or a linear axis, as SVG that is drawn again for each state.
"use strict";

const DASHES = ["", "7 3", "2 3", "9 3 2 3"];
const COLOURS = 6;
const MARGIN = { left: 58, right: 14, top: 18, bottom: 38 };

function svg(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const look = (number) => ({ class: `series s${number % COLOURS}`, "stroke-dasharray": DASHES[number % DASHES.length] });

/** 10⁻³ for -3. */
function power(exponent) {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  return "10" + String(exponent).replace("-", "⁻").replace(/\d/g, (digit) => digits[digit]);
}

/** A number as short as its neighbours on an axis with this distance of marks allow. */
function mark(value, distance) {
  const size = Math.max(Math.abs(value), distance);
  if (value === 0) return "0";
  if (size >= 1e6 || size < 1e-3) return value.toExponential(Math.max(0, Math.ceil(Math.log10(size / distance) - 1e-9))).replace("e+", "e");
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(distance) + 1e-9)));
}

/** A number of steps. */
function stepMark(steps) {
  if (steps >= 1e6) return `${Number((steps / 1e6).toPrecision(4))}M`;
  return steps >= 1e4 ? `${Number((steps / 1e3).toPrecision(4))}k` : String(steps);
}

/** Round numbers between two others. */
function roundMarks(low, high, most) {
  const rough = (high - low) / most;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const distance = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough * (1 - 1e-9));
  const marks = [];
  for (let i = Math.ceil(low / distance - 1e-9); i * distance <= high + 1e-9 * distance; i++) {
    marks.push([i * distance, mark(i * distance, distance)]);
  }
  return marks;
}

/** Powers of ten, or round numbers where there are too few of them. */
function logarithmicMarks(low, high, most) {
  const stride = Math.max(1, Math.ceil((high - low) / most));
  const marks = [];
  for (let i = Math.ceil(low / stride - 1e-9) * stride; i <= high + 1e-9; i += stride) marks.push([i, power(i)]);
  if (marks.length > 2) return marks;
  const round = [];
  for (let decade = Math.floor(low); decade <= high; decade++) {
    for (const factor of high - low < 0.7 ? [1, 1.5, 2, 3, 4, 5, 7] : [1, 2, 5]) {
      const place = decade + Math.log10(factor);
      if (place >= low && place <= high) round.push([place, factor === 1 ? power(decade) : `${factor}·${power(decade)}`]);
    }
  }
  return round.length > 1 ? round : roundMarks(10 ** low, 10 ** high, 4).filter(([value]) => value > 0)
    .map(([value, text]) => [Math.log10(value), text]);
}

/** The range of what is shown on the vertical axis, with some air. */
function rangeOf(chart) {
  const numbers = chart.series.flatMap((series) => series.values).filter(isNumber).filter((value) => !chart.logarithmic || value > 0);
  if (isNumber(chart.truth) && numbers.length) numbers.push(chart.truth);
  if (!numbers.length) return chart.logarithmic ? [-1, 0] : [0, 1];
  const heights = chart.logarithmic ? numbers.map(Math.log10) : numbers;
  let low = Math.min(...heights), high = Math.max(...heights);
  const least = chart.logarithmic ? 0.3 : Math.max(1e-12, 1e-6 * Math.max(Math.abs(low), Math.abs(high)));
  if (high - low < least) [low, high] = [(low + high - least) / 2, (low + high + least) / 2];
  const air = 0.05 * (high - low);
  return [low - air, high + air];
}

/** A card with a chart: `{ title, label, logarithmic, truth, series: [{ name, values, number }], steps, last, borders }`. */
class Chart {
  constructor(parent) {
    this.heading = html("h2", {});
    this.legend = html("ul", { class: "legend" });
    this.picture = svg("svg", { role: "img" });
    this.card = html("section", { class: "card chart" }, this.heading, this.legend, this.picture);
    parent.append(this.card);
    this.row = null;
    this.picture.addEventListener("pointermove", (event) => this.point(event.offsetX));
    this.picture.addEventListener("pointerleave", () => this.point(null));
    new ResizeObserver(() => this.draw()).observe(this.picture);
  }

  show(content) {
    this.content = content;
    this.draw();
  }

  draw() {
    const { content, picture } = this;
    const width = picture.clientWidth, height = picture.clientHeight;
    if (!content || width < 120) return;
    this.heading.textContent = content.title;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("aria-label", `${content.title}: ${content.series.map((series) => series.name).join(", ")}`);
    const [low, high] = rangeOf(content);
    const inner = { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
    this.x = (step) => inner.left + (inner.right - inner.left) * step / Math.max(content.last, 1);
    this.y = (value) => inner.bottom - (inner.bottom - inner.top) * ((content.logarithmic ? Math.log10(value) : value) - low) / (high - low);
    this.inner = inner;
    picture.replaceChildren(...this.axes(low, high, width), ...this.borders(), ...this.truth(), ...this.curves(), ...this.cursor());
    this.explain();
  }

  axes(low, high, width) {
    const { content, inner } = this;
    const parts = [];
    const vertical = content.logarithmic ? logarithmicMarks(low, high, 6) : roundMarks(low, high, 5);
    for (const [value, text] of vertical) {
      const y = inner.bottom - (inner.bottom - inner.top) * (value - low) / (high - low);
      parts.push(svg("line", { class: "grid", x1: inner.left, x2: inner.right, y1: y, y2: y }));
      parts.push(svg("text", { x: inner.left - 6, y: y + 4, "text-anchor": "end", class: "mark" }, text));
    }
    for (const [value] of roundMarks(0, Math.max(content.last, 1), width < 420 ? 4 : 6)) {
      if (!Number.isInteger(value)) continue;
      const x = this.x(value);
      parts.push(svg("line", { class: "grid", x1: x, x2: x, y1: inner.top, y2: inner.bottom }));
      parts.push(svg("text", { x, y: inner.bottom + 16, "text-anchor": "middle", class: "mark" }, stepMark(value)));
    }
    const box = { x: inner.left, y: inner.top, width: inner.right - inner.left, height: inner.bottom - inner.top };
    parts.push(svg("rect", { class: "frame", ...box }));
    parts.push(svg("text", { x: (inner.left + inner.right) / 2, y: inner.bottom + 33, "text-anchor": "middle" }, "step"));
    parts.push(svg("text", { transform: `translate(12 ${(inner.top + inner.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, content.label));
    return parts;
  }

  borders() {
    const { content, inner } = this;
    return content.borders.filter((border) => border.step <= content.last).flatMap((border, number) => {
      const x = this.x(border.step);
      const next = content.borders[number + 1];
      const room = this.x(Math.min(next ? next.step : content.last, content.last)) - x;
      const line = border.step > 0 ? [svg("line", { class: "border", x1: x, x2: x, y1: inner.top, y2: inner.bottom })] : [];
      const name = room > 7 * border.method.length ? [svg("text", { class: "stage", x: x + 4, y: inner.top - 5 }, border.method)] : [];
      return [...line, ...name];
    });
  }

  truth() {
    if (!isNumber(this.content.truth)) return [];
    const y = this.y(this.content.truth);
    return [svg("line", { class: "truth", x1: this.inner.left, x2: this.inner.right, y1: y, y2: y })];
  }

  curves() {
    const { content } = this;
    return content.series.map((series) => {
      const places = series.values.map((value, row) => [content.steps[row], value])
        .filter(([, value]) => isNumber(value) && (!content.logarithmic || value > 0));
      const points = places.map(([step, value]) => `${this.x(step).toFixed(1)},${this.y(value).toFixed(1)}`);
      // A single point would be no line.
      const d = points.length === 1 ? `M${points[0]}h2` : points.length ? "M" + points.join("L") : "";
      return svg("path", { ...look(series.number), d });
    });
  }

  cursor() {
    if (this.row === null || !isNumber(this.content.steps[this.row])) return [];
    const x = this.x(this.content.steps[this.row]);
    return [svg("line", { class: "cursor", x1: x, x2: x, y1: this.inner.top, y2: this.inner.bottom })];
  }

  /** The row nearest to a place of the pointer. */
  point(place) {
    if (!this.content || !this.inner) return;
    const distance = (row) => Math.abs(this.x(this.content.steps[row]) - place);
    this.row = place === null || !this.content.steps.length ? null
      : this.content.steps.reduce((best, _, row) => (distance(row) < distance(best) ? row : best), 0);
    this.draw();
  }

  /** The names with the values at the pointer, or the newest. */
  explain() {
    const { content, row } = this;
    const items = content.series.map((series) => {
      const known = series.values.slice(0, row === null ? undefined : row + 1).filter(isNumber);
      const key = svg("svg", { class: "key", viewBox: "0 0 26 8" }, svg("line", { ...look(series.number), x1: 0, x2: 26, y1: 4, y2: 4 }));
      return html("li", {}, key, series.name, html("b", {}, known.length ? digits(known[known.length - 1]) : "–"));
    });
    if (isNumber(content.truth)) {
      const key = svg("svg", { class: "key", viewBox: "0 0 26 8" }, svg("line", { class: "truth", x1: 0, x2: 26, y1: 4, y2: 4 }));
      items.push(html("li", {}, key, "truth", html("b", {}, digits(content.truth))));
    }
    if (row !== null) items.push(html("li", {}, html("b", {}, `at step ${content.steps[row]}`)));
    this.legend.replaceChildren(...items);
  }
}

/** A number as people read it. */
function digits(value) {
  if (!isNumber(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(5))) : value.toExponential(2).replace("e+", "e");
}
