// Asks for the state of the run every second, until it has ended, and shows it.
"use strict";

const SECOND = 1000;
// The columns of methods that have one; the penalty is the largest.
const TRUST_REGION = ["radius", "damping", "penalty"];
const place = (id) => document.getElementById(id);
const charts = new Map();
let state = null;
let picture = null;
let failures = 0;

/** Seconds as people say them. */
function clock(seconds) {
  if (!isNumber(seconds)) return "–";
  const whole = Math.round(seconds);
  if (whole < 100) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return whole < 6000 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function say(text, kind) {
  place("condition").textContent = text;
  place("condition").className = `condition ${kind}`;
}

/** A sentence in which what is typed stands in a typewriter's letters: it is between grave accents. */
function message(text, bad) {
  const parts = (text || "").split("`").map((part, number) => (number % 2 ? html("code", {}, part) : part));
  place("message").replaceChildren(...parts);
  place("message").hidden = !text;
  place("message").className = bad ? "message bad" : "message";
}

function showHead() {
  const share = state.steps > 0 ? Math.min(1, state.step / state.steps) : 1;
  const percent = Math.floor(100 * share);
  document.title = `${percent}% ${state.title}`;
  place("title").textContent = state.title;
  place("done").style.width = `${100 * share}%`;
  place("bar").setAttribute("aria-valuenow", percent);
  place("step").textContent = `${state.step} / ${state.steps}  (${percent}%)`;
  place("method").textContent = state.method || "–";
  place("speed").textContent = isNumber(state.steps_per_second) ? `${digits(Number(state.steps_per_second.toPrecision(3)))} steps/s` : "–";
  place("elapsed").textContent = clock(state.seconds);
  place("left").textContent = state.condition === "running" ? clock(state.seconds_left) : "–";
  place("run").textContent = `${state.run} · seed ${state.seed}`;
  place("command").textContent = state.command;
}

function showCondition() {
  const resume = state.resume ? ` \`${state.resume}\` goes on.` : "";
  switch (state.condition) {
    case "running":
      say("running", "running");
      return message("");
    case "ended":
      say(`ended: ${state.status.replace("_", " ")}`, state.status === "diverged" ? "bad" : "ended");
      return message(`${state.message || "The run has ended."}.${resume}`.replace(/([.!?])\./, "$1"), state.status === "diverged");
    default:
      say("killed", "bad");
      return message(`The run stopped after step ${state.step} without an end.${resume}`, true);
  }
}

function arrow(change) {
  if (!isNumber(change) || change === 0) return "";
  return `${change > 0 ? "↑" : "↓"} ${Math.abs(change).toExponential(0).replace("e+", "e")}`;
}

/** The newest value of a column of the history. */
function newest(name) {
  return (state.history[name] || []).at(-1);
}

function showTable() {
  const names = ["name", "role", "mse or value", "max or drift", "truth"];
  const kinds = ["", "soft", "number", "number", "number"];
  const terms = state.terms.map((term) => [term.name, term.role, digits(term.mse), digits(term.max), ""]);
  const errors = state.errors.map((error) => [error.field, "relative L2 error", digits(error.value), "", ""]);
  const unknowns = state.unknowns.map((unknown) => [unknown.name, "unknown", digits(unknown.value), arrow(unknown.drift), isNumber(unknown.truth) ? digits(unknown.truth) : ""]);
  const region = [...TRUST_REGION, "refused"].filter((name) => isNumber(newest(name)))
    .map((name) => [name, "trust region", digits(newest(name)), "", ""]);
  const columns = state.unknowns.length ? 5 : 4;
  const row = (texts, name) => html("tr", {}, ...texts.slice(0, columns).map((text, number) => html(name, { class: kinds[number] }, text)));
  place("table").replaceChildren(row(names, "th"), ...[...terms, ...errors, ...unknowns, ...region].map((texts) => row(texts, "td")));
}

/** A chart for every kind of number, and one for each unknown. */
function contents() {
  const column = (name) => state.history[name] || [];
  const of = (names, suffix) => names.map((name, number) => ({ name, number, values: column(suffix(name)) }));
  const names = state.terms.map((term) => term.name);
  const all = [
    { key: "loss", title: "Loss", label: "mean square residual", logarithmic: true, series: of(names, (name) => `${name}_mse`) },
    { key: "violation", title: "Largest residual", label: "largest residual", logarithmic: true, series: of(names, (name) => `${name}_max`) },
  ];
  const fields = state.errors.map((error) => error.field);
  if (fields.length) {
    all.push({ key: "error", title: "Relative L2 error", label: "relative error", logarithmic: true, series: of(fields, (field) => `rel_l2_${field}`) });
  }
  state.unknowns.forEach((unknown, number) => {
    const series = [{ name: unknown.name, number, values: column(`unknown_${unknown.name}`) }];
    all.push({ key: `unknown ${unknown.name}`, title: `Unknown ${unknown.name}`, label: unknown.name, truth: unknown.truth, series });
  });
  const region = TRUST_REGION.map((name, number) => ({ name, number, values: column(name) }));
  if (region.some((series) => series.values.some(isNumber))) {
    all.push({ key: "trust region", title: "Trust region", label: "value", logarithmic: true, series: region });
    all.push({ key: "refused", title: "Refused trust regions", label: "in a step", series: [{ name: "refused", number: 0, values: column("refused") }] });
  }
  return all;
}

function showCharts() {
  const steps = state.history.step || [];
  let sum = 0;
  const borders = state.stages.map((stage) => {
    const border = { step: sum, method: stage.method };
    sum += stage.steps;
    return border;
  });
  const last = steps.length ? steps[steps.length - 1] : 1;
  for (const content of contents()) {
    if (!charts.has(content.key)) charts.set(content.key, new Chart(place("charts")));
    charts.get(content.key).show({ ...content, steps, last, borders });
  }
}

/** Loads the picture of the newest checkpoint beside the old one, which stays until then. */
function showPicture() {
  if (!state.picture || state.picture === picture) return;
  picture = state.picture;
  const next = new Image();
  next.onload = () => {
    place("solution").src = next.src;
    place("solution").hidden = false;
    place("waiting").hidden = true;
  };
  next.onerror = () => {
    place("waiting").textContent = "The picture could not be drawn; the next checkpoint brings another.";
    place("waiting").hidden = !place("solution").hidden;
  };
  next.src = `/solution.svg?${encodeURIComponent(picture)}`;
}

function show(news) {
  state = news;
  showHead();
  showCondition();
  showTable();
  showCharts();
  showPicture();
}

/** The state, or why there is none; nothing if nobody answers. */
async function ask() {
  try {
    const answer = await fetch("/state.json", { cache: "no-store", signal: AbortSignal.timeout(10 * SECOND) });
    return answer.ok ? { state: await answer.json() } : { reason: (await answer.text()).trim() };
  } catch {
    return null;
  }
}

/** A path as one types it. */
function quoted(path) {
  return /^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function gone() {
  say("gone", "bad");
  message(state ? `Nothing answers any more: the process that served this page is gone. If it was the one that trained, \`adamflip resume ${quoted(state.run)}\` goes on.` : "Nothing answers; is the run still there?", true);
}

/** One round; the next follows after a while, or never if all is said. */
async function round() {
  const answer = await ask();
  failures = answer ? 0 : failures + 1;
  // One answer may be lost on the way.
  if (failures > 1) gone();
  if (answer && answer.state) show(answer.state);
  if (answer && answer.reason) {
    say("cannot be read", "bad");
    message(answer.reason, true);
  }
  const ended = answer && answer.state && answer.state.condition === "ended";
  // A run that has ended may be extended.
  setTimeout(round, ended || document.hidden || failures > 1 ? 5 * SECOND : SECOND);
}

round();
