"""The figures beside what they have to reach: one row for each bar, met or missed or not measured."""

from math import exp, log
from statistics import median

SANITIZING = "mmsp-gateway-sanitizing"
OURS = "mmsp-gateway"


def rows(figures):
    """What, the bar, what was measured, and how that is."""
    told = []
    for rows_of in (rivals, hits, counted, memory, pages, linear):
        try:
            told += rows_of(figures)
        except KeyError as missing:
            told.append((rows_of.__name__, "", f"{missing.args[0]} is missing", NOT_MEASURED))
    return told


def ratio(row, rival):
    """How many times as fast as a rival ours is on a feed, the median of all turns."""
    ours = SANITIZING if rival == "feedparser-rs" else OURS
    taken = row["seconds"]
    if rival not in taken or ours not in taken:
        return None
    return median(theirs / our for our, theirs in zip(taken[ours], taken[rival]))


def ratios(rows, rival):
    return [it for it in (ratio(row, rival) for row in rows) if it is not None]


def mean(values):
    """The geometric mean."""
    return exp(sum(map(log, values)) / len(values))


def rivals(figures):
    rows, told = figures["rivals"], []
    for rival, least_mean, least in [
        ("feed-rs", 2, 1),
        ("rss", 1, 1),
        ("atom_syndication", 1, 1),
        ("quick-xml", 0.5, 0),
        ("feedparser-rs", 1.5, 0),
    ]:
        found = ratios(rows, rival)
        bar = f"≥ {least_mean} × {rival} in the mean"
        bar += ", faster on each feed" if least else ""
        bar = bar.replace("quick-xml", "a bare loop over quick-xml's events")
        what = "bytes to items" + (", sanitizing" if rival == "feedparser-rs" else "")
        measured = f"{mean(found):.2f} ×, at least {min(found):.2f} ×"
        is_met = mean(found) >= least_mean and min(found) >= least
        told.append((what, bar, measured, verdict(is_met)))
    return told


def hits(figures):
    load = figures["load"]
    if isinstance(load, str):
        return [("requests a second", "≥ nginx's proxy cache", load, NOT_MEASURED)]
    told = []
    for name, figures in load.items():
        if isinstance(figures, dict) and "ratio" in figures:
            measured = f"{figures['ratio']:.2f} × ({figures['gateway']:,}/s)"
            told.append((name, "≥ nginx's proxy cache", measured, verdict(figures["ratio"] >= 1)))
    latency = load.get("latency at half the peak, ms", {}).get("gateway", {}).get("p99")
    if latency is not None:
        what = "p99 at half of the slower one's peak"
        told.append((what, "< 5 ms", f"{latency:.2f} ms", verdict(latency < 5)))
    if "storm" in load:
        asked = load["storm"]["requests_at_the_origin"]
        answers = load["storm"]["answers"]
        what = "a thousand callers for one cold feed"
        is_met = asked == 1 and answers == {"200": 1000}
        measured = f"{asked}, and {answers.get('200', 0)} of 1000 answered"
        told.append((what, "one request to the source", measured, verdict(is_met)))
    return told


def counted(_):
    """What no clock has to tell."""
    return [
        ("poll of 1000 items, one of them new", "one is made", "counted by a test, below", "met"),
        ("poll without news", "no document read, one row", "counted by a test, below", "met"),
    ]


def memory(figures):
    load, large = figures["load"], figures["large_feed"]
    told = []
    if not isinstance(load, str):
        idle = load["memory_mib"]["idle"]
        told.append(("memory, idle", "≤ 60 MB", f"{idle} MiB", verdict(idle <= 57)))
        if "known feeds" in load:
            it = load["known feeds"]
            what = f"memory, {it['feeds']:,} feeds known"
            measured = f"{it['more_mib']} MiB more, beside {it['pages_mib']} MiB of pages"
            told.append((what, "≤ 100 MB more for 100,000", measured, verdict(it["more_mib"] <= 95 and it["answered"] >= it["feeds"])))
    worst = max(large["feeds"], key=lambda feed: feed["ratio"])
    measured = f"{worst['ratio']:.1f} × ({worst['feed']})"
    what = "memory, `convert` of 16 MiB"
    told.append((what, "≤ 4 × its size", measured, verdict(worst["ratio"] <= 4)))
    return told


def pages(figures):
    told = []
    for database, it in figures["depth"].items():
        what = f"a page, {database}"
        if isinstance(it, str):
            told.append((what, "the same time at any depth", it, NOT_MEASURED))
            continue
        first, last = it["pages"][0], it["pages"][-1]
        measured = f"page 1 {first['ms']:.2f} ms, page {last['page']:,} {last['ms']:.2f} ms"
        is_met = last["ms"] <= first["ms"] * NOISE
        told.append((what, "the same time at any depth", measured, verdict(is_met)))
    return told


def linear(figures):
    """By which power of its size something grows, as a whole and from the last size but one."""
    told = []
    for what, rows, size, value in [
        ("conversion, time", figures["items"], "items", "seconds"),
        ("conversion, memory", figures["items"], "items", "peak_mib"),
        ("first poll of a feed", figures["polls"], "items", "cold_ms"),
        ("poll with one new item", figures["polls"], "items", "one_new_ms"),
        ("first request of a known feed, SQLite", figures["known"]["SQLite"], "feeds", "first_request_ms"),
    ]:
        first, last = rows[0], rows[-1]
        power = log(last[value] / first[value]) / log(last[size] / first[size])
        # What is fixed hides a bend at the large end.
        before = rows[-2]
        end = log(last[value] / before[value]) / log(last[size] / before[size])
        measured = f"n^{power:.2f} up to {last[size]:,} {size}, n^{end:.2f} at the end"
        told.append((what, "linear or better", measured, verdict(max(power, end) <= LINEAR)))
    return told


def verdict(is_met):
    return "met" if is_met else "**missed**"


NOT_MEASURED = "not measured"
# What a power may differ by from one run to the next.
LINEAR = 1.1
# What the same page differs by from one run to the next.
NOISE = 1.25
