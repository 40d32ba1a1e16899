"""Tables of runs on random problems, as Markdown."""

import json
import math
import statistics

USUAL = ("plan", "newtonflip", "gauss_newton", "ssbroyden", "lbfgs", "adam")
LIMITS = (1e-2, 1e-4, 1e-6)
# An error of more than this is a wrong answer.
WRONG = 0.05
BANDS = ((1, 2), (2, 5), (5, 10), (10, 20))


def load(folder):
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*-*-*.json"))]


def error(record):
    """The largest relative L2 over the fields. A run that failed or diverged has none: infinite."""
    found = record.get("error")
    return math.inf if found is None else found


def methods(records):
    """In the order of the default list, others after it."""
    there = {record["method"] for record in records}
    return [name for name in USUAL if name in there] + sorted(there - set(USUAL))


def by_problem(records):
    """For every problem and training seed the record of each method."""
    found = {}
    for record in records:
        found.setdefault((record["seed"], record["index"], record["train_seed"]), {})[record["method"]] = record
    return found


def rows(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "| --- " * len(head) + "|", *("| " + " | ".join(line) + " |" for line in lines)])


def share(flags):
    flags = list(flags)
    return f"{100 * sum(flags) / len(flags):.0f}%" if flags else ""


def size(number):
    if number is None or math.isnan(number):
        return ""
    return "none" if math.isinf(number) else f"{number:.1e}"


def median(numbers):
    """The lower one of two in the middle: a mean with infinity would say nothing."""
    numbers = sorted(numbers)
    return numbers[(len(numbers) - 1) // 2] if numbers else math.nan


def groups(records):
    """The classes, then the bands of half-waves, then whether all sizes are of order one, then everything."""
    for kind in dict.fromkeys(record["class"] for record in sorted(records, key=lambda record: record["index"])):
        yield kind, [record for record in records if record["class"] == kind]
    for low, high in BANDS:
        within = [record for record in records if low <= record["half_waves"] < high or record["half_waves"] == high == 20]
        yield f"{low} to {high} half-waves", within
    yield "sizes of order one", [record for record in records if not record["scaled"]]
    yield "sizes from 1e-3 to 1e3", [record for record in records if record["scaled"]]
    yield "**all**", records


def per_method(records, title, cell):
    """One row a group, one column a method."""
    names = methods(records)
    lines = []
    for name, group in groups(records):
        if group:
            count = len(by_problem(group))
            lines.append([name, str(count), *(cell([each for each in group if each["method"] == method]) for method in names)])
    return f"## {title}\n\n" + rows(["", "problems", *names], lines)


def solved(group):
    return " · ".join(share(error(record) < limit for record in group) for limit in LIMITS) if group else ""


def pair(problems, method, others):
    """How the method's error compares with the best of the others, problem by problem."""
    ratios = []
    for runs in problems.values():
        if method in runs and any(name in runs for name in others):
            best = min(error(runs[name]) for name in others if name in runs)
            if not (math.isinf(best) and math.isinf(error(runs[method]))):
                ratios.append(error(runs[method]) / best if best else math.inf)
    if not ratios:
        return None
    against = ("best of " if len(others) > 1 else "") + ", ".join(others)
    return [method, against, str(len(ratios)), share(ratio <= 1.2 for ratio in ratios), share(ratio <= 0.5 for ratio in ratios),
            share(ratio >= 2 for ratio in ratios), f"{median(ratios):.2g}"]


def pairs(records):
    names, problems = methods(records), by_problem(records)
    asked = [("newtonflip", ["gauss_newton", "ssbroyden"]), ("plan", [name for name in names if name != "plan"])]
    asked += [("newtonflip", [name]) for name in names if name not in ("newtonflip", "plan")]
    there = {(method, tuple(name for name in others if name in names)): None for method, others in asked}
    lines = [line for method, others in there if (line := pair(problems, method, others))]
    head = ["method", "against", "problems", "error ≤ 1.2 ×", "≤ half", "≥ twice", "median ratio"]
    return "## Errors side by side\n\n" + rows(head, lines)


def conditions(record):
    """The mean squares of the constraints, added up."""
    numbers = [term["mse"] for term in record.get("mse", {}).values() if term["role"] == "constraint"]
    return sum(numbers) if numbers and all(number is not None for number in numbers) else math.inf


def constraints(records):
    """How well the conditions are met, added up over the constraints of a problem."""
    problems, lines = by_problem(records), []
    for other in methods(records):
        both = [(conditions(runs["newtonflip"]), conditions(runs[other])) for runs in problems.values()
                if other != "newtonflip" and "newtonflip" in runs and other in runs]
        both = [(ours, theirs) for ours, theirs in both if not math.isinf(ours) and not math.isinf(theirs) and theirs > 0]
        if both:
            ratios = [ours / theirs for ours, theirs in both]
            lines.append(["newtonflip", other, str(len(both)), share(ratio <= 1 for ratio in ratios), f"{median(ratios):.1e}"])
    head = ["method", "against", "problems", "smaller", "median ratio"]
    return "## Mean squares of the conditions\n\n" + rows(head, lines)


def trust(records):
    """What the program says of its error, beside the truth."""
    lines = []
    for method in methods(records):
        runs = [record for record in records if record["method"] == method]
        said = [record for record in runs if record.get("estimate") is not None and record.get("error")]
        ratios = [record["estimate"] / record["error"] for record in said]
        wrong = [record for record in runs if error(record) > WRONG]
        called = [record for record in wrong if record in said and record["estimate"] < WRONG]
        lines.append([method, str(len(runs)), str(len(wrong)), f"**{len(called)}**", str(len(runs) - len(said)), f"{median(ratios):.2g}",
                      share(0.5 <= ratio <= 2 for ratio in ratios), share(0.2 <= ratio <= 5 for ratio in ratios)])
    head = ["method", "runs", "wrong (> 5%)", "of these called solved (estimate < 5%)", "no estimate", "estimate / error, median",
            "within 2 ×", "within 5 ×"]
    return "## What the program says of its error\n\n" + rows(head, lines)


def refusals(records):
    """Observed steps that changed nothing."""
    lines = []
    for method in methods(records):
        found = [record["steps_refused"] for record in records if record["method"] == method and record.get("steps_refused")]
        if found:
            total = sum(each["observed"] for each in found)
            longest = max(found, key=lambda each: each["longest"])["longest"]
            lines.append([method, str(len(found)), str(total), share_of(sum(each["refused"] for each in found), total),
                          str(sum(each["longest"] >= 20 for each in found)), str(longest)])
    head = ["method", "runs", "observed steps", "refused", "runs with 20 or more in a row", "most in a row"]
    return "## Refused steps\n\n" + rows(head, lines)


def share_of(part, whole):
    return f"{100 * part / whole:.1f}%" if whole else ""


def unknowns(records):
    """Relative errors of the unknown numbers, apart from those of the fields."""
    inverse = [record for record in records if record["class"] == "inverse"]
    lines = []
    for label, is_noisy in (("without noise", False), ("with noise", True)):
        group, cells = [record for record in inverse if bool(record["noise"]) == is_noisy], []
        for method in methods(inverse):
            errors = [worst_unknown(record) for record in group if record["method"] == method]
            cells.append(f"{size(median(errors))}, {share(number < 0.05 for number in errors)}" if errors else "")
        lines.append([label, *cells])
    return "## Unknown numbers: median of the largest relative error, share below 5%\n\n" + rows(["", *methods(inverse)], lines)


def worst_unknown(record):
    errors = [found["error"] for found in record.get("unknowns", {}).values()]
    return max(errors) if errors and None not in errors else math.inf


def failures(records):
    lines = [[f"{each['seed']}-{each['index']:03d}", each["class"], each["title"], each["method"], each.get("failed") or each["status"]]
             for each in records if each.get("failed") or each.get("error") is None]
    return "## Runs without a result\n\n" + (rows(["problem", "class", "title", "method", "why"], lines) if lines else "None.")


def text(records):
    limits = ", ".join(f"below {limit:.0e}" for limit in LIMITS)
    budget = statistics.median(record["budget"] for record in records)
    parts = [f"# Random problems, {budget:g} s a run",
             per_method(records, f"Share solved: relative L2 {limits}", solved),
             per_method(records, "Median relative L2", lambda group: size(median(map(error, group)))),
             pairs(records), constraints(records), trust(records), refusals(records)]
    if any(record["class"] == "inverse" for record in records):
        parts.append(unknowns(records))
    return "\n\n".join([*parts, failures(records)])
