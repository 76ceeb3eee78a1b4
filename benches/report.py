"""Writes `docs/performance.md` and its charts from figures. The words stand in the template."""

import bars
import chart


def write(figures, docs, template):
    folder = docs / "performance"
    folder.mkdir(exist_ok=True)
    for name, svg in charts(figures).items():
        (folder / f"{name}.svg").write_text(svg)
    page = template.read_text()
    for name, section in SECTIONS.items():
        page = page.replace("{{" + name + "}}", section(figures))
    if "{{" in page:
        raise SystemExit(f"the template names what is not told: {page[page.index('{{') :][:40]}")
    (docs / "performance.md").write_text(page)


def table(head, rows):
    lines = [head, ["---"] + ["---:" if name.endswith(" ") else "---" for name in head[1:]], *rows]
    return "\n".join("| " + " | ".join(str(cell).strip() for cell in line) + " |" for line in lines)


def machine(figures):
    it = figures["machine"]
    versions = "; ".join(f"{name}: {version}" for name, version in it["versions"].items())
    told = (
        f"{it['when']}, commit `{it['commit']}`: {it['processor']}, {it['processors']} processors, "
        f"{it['memory_gib']} GiB, {it['system']}. Load before the start: {it['load_before']}. {versions}."
    )
    if it["quick"]:
        told += "\n\n**These figures are of a short run for trying (`--quick`), and say little.**"
    return told


def bar_rows(figures):
    return table(["what", "bar", "measured", ""], bars.rows(figures))


def rivals(figures):
    names = ["feed-rs", "rss", "atom_syndication", "quick-xml", "feedparser-rs"]
    rows = []
    for row in figures["rivals"]:
        speeds = [speed(row, name) for name in (bars.OURS, bars.SANITIZING)]
        ratios = [times(bars.ratio(row, name)) for name in names]
        rows.append([row["feed"], f"{row['bytes'] / 1e3:,.0f}", *speeds, *ratios])
    means = [times(bars.mean(bars.ratios(figures["rivals"], name))) for name in names]
    rows.append(["geometric mean", "", "", "", *means])
    head = ["feed", "KB ", "MB/s ", "sanitizing ", *(f"× {name} " for name in names)]
    return table(head, rows)


def speed(row, name):
    seconds = bars.median(row["seconds"][name])
    return f"{row['bytes'] / seconds / 1e6:,.0f}"


def times(ratio):
    return "–" if ratio is None else f"{ratio:.2f}"


def corpus(figures):
    it = figures["corpus"]
    if not it:
        return "Not measured: there is no corpus here (`MMSP_CORPUS`)."
    rows = []
    for name, told in it["rivals"].items():
        whole = told["their_seconds"] / told["our_seconds"]
        share = f"{told['faster']:,} of {told['documents']:,}"
        rows.append([name, f"{told['bytes'] / 1e6:.1f}", f"{whole:.2f}", f"{told['mean_ratio']:.2f}", share])
    head = ["", "MB ", "all together, × ", "mean of each, × ", "ours is faster on "]
    return table(head, rows)


def stages(figures):
    feeds, steps = [], {}
    for name, it in figures["stages"].items():
        kind, *rest = name.split("/")
        if kind == "document":
            step, feed = rest
            steps.setdefault(step, {})[feed] = f"{it['bytes'] / it['ns'] * 1e3:,.0f}"
            feeds = feeds if feed in feeds else [*feeds, feed]
    rows = [[step, *(told.get(feed, "–") for feed in feeds)] for step, told in steps.items()]
    return table(["MB/s", *(f"{feed} " for feed in feeds)], rows)


def small(figures):
    rows = []
    for name, it in figures["stages"].items():
        if not name.startswith("document/"):
            rows.append([name.replace("/", ", "), duration(it["ns"])])
    return table(["", "time "], rows)


def duration(ns):
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= unit:
            return f"{ns / unit:.3g} {name}"
    return f"{ns:.3g} ns"


def load(figures):
    it = figures["load"]
    if isinstance(it, str):
        return f"Not measured: {it}."
    rows = []
    for name, told in it.items():
        if isinstance(told, dict) and "ratio" in told:
            rows.append([name, f"{told['gateway']:,}", f"{told['nginx']:,}", f"{told['ratio']:.2f}"])
    told = [table(["requests a second", "gateway ", "nginx ", "× "], rows)]
    if "latency at half the peak, ms" in it:
        held = it["latency at half the peak, ms"]
        both = ((name, held[name]) for name in ("gateway", "nginx") if name in held)
        both = "; ".join(f"{name} p50 {at['p50']} ms, p99 {at['p99']} ms" for name, at in both)
        told.append(f"At half the peak, {held['requests_a_second']:,} requests a second: {both}.")
    if "cold polls" in it:
        polls = it["cold polls"]
        told.append(f"Cold polls: {polls['a_second']:,} a second, {polls['feeds']:,} feeds.")
    memory = [[when, mib] for when, mib in it["memory_mib"].items()]
    return "\n\n".join([*told, table(["memory of the gateway", "MiB "], memory)])


def items(figures):
    rows = [
        [f"{it['items']:,}", f"{it['bytes'] / 2**20:.1f}", f"{it['seconds']:.3f}",
         f"{it['bytes'] / it['seconds'] / 1e6:.0f}", f"{it['peak_mib']:.0f}",
         f"{it['peak_mib'] * 2**20 / it['bytes']:.1f}"]
        for it in figures["items"]
    ]
    return table(["items", "MiB ", "seconds ", "MB/s ", "memory, MiB ", "× its size "], rows)


def large(figures):
    it = figures["large_feed"]
    rows = [[f["feed"], f["mib"], f["peak_mib"], f["ratio"]] for f in it["feeds"]]
    return table(["`convert`", "MiB ", "memory, MiB ", "× its size "], rows)


def polls(figures):
    names = ["cold_ms", "one_new_ms", "same_bytes_ms", "not_modified_ms"]
    rows = [[f"{it['items']:,}", *(f"{it[name]:.2f}" for name in names)] for it in figures["polls"]]
    return table(["items", "first poll, ms ", "one new item ", "same bytes ", "304 "], rows)


def depth(figures):
    rows = []
    for database, it in figures["depth"].items():
        if isinstance(it, str):
            rows.append([database, it])
            continue
        pages = "; ".join(f"page {at['page']:,} {at['ms']:.2f} ms" for at in it["pages"])
        rows.append([database, pages, f"{it['items']:,}", f"{it['fill_seconds']:.0f} s"])
    return table(["", "a page of a hundred", "items ", "to write them "], rows)


def known(figures):
    rows = []
    for database, all in figures["known"].items():
        if isinstance(all, str):
            rows.append([database, all])
            continue
        for it in all:
            asked = it["questions"]
            rows.append(
                [database, f"{it['feeds']:,}", f"{it['first_request_ms']:.2f}",
                 f"{it['hit_ms'] * 1e3:.0f}", f"{asked['none_due']:.2f}", f"{asked['all_due']:.2f}",
                 f"{asked['sweep_step']:.2f}", f"{asked['sweep_all']:.0f}", f"{it['memory_mib']:.0f}"]
            )
    head = ["", "feeds ", "first request, ms ", "hit, µs ", "none due, ms ", "all due, ms ",
            "sweep, a step, ms ", "all steps, ms ", "memory, MiB "]
    return table(head, rows)


def replicas(figures):
    it = figures["replicas"]
    if isinstance(it, str):
        return f"Not measured: {it}."
    rows = [[f["gateways"], f"{f['cold_polls_a_second']:,}", f"{f['hits_a_second']:,}"] for f in it]
    return table(["gateways", "cold polls a second ", "hits a second "], rows)


def charts(figures):
    def line(rows, x, y):
        return [(row[x], row[y]) for row in rows]

    it = figures["items"]
    told = {
        "items": chart.lines(
            "A conversion against its items", "items", "",
            [("seconds", line(it, "items", "seconds")), ("MiB of memory", line(it, "items", "peak_mib"))],
        ),
        "polls": chart.lines(
            "A poll against the size of the feed", "items", "ms",
            [(name, line(figures["polls"], "items", key)) for name, key in POLLS],
        ),
    }
    deep = {name: it for name, it in figures["depth"].items() if not isinstance(it, str)}
    deep = [(name, line(it["pages"], "page", "ms")) for name, it in deep.items()]
    told["depth"] = chart.lines("A page against its depth", "page", "ms", deep)
    lines = []
    for name, all in figures["known"].items():
        if not isinstance(all, str):
            lines.append((f"first request, {name}", line(all, "feeds", "first_request_ms")))
            due = [(it["feeds"], it["questions"]["all_due"]) for it in all]
            lines.append((f"what is due, {name}", due))
            sweep = [(it["feeds"], it["questions"]["sweep_step"]) for it in all]
            lines.append((f"step of the sweep, {name}", sweep))
    told["known"] = chart.lines("What feeds that are known cost", "feeds", "ms", lines)
    if not isinstance(figures["replicas"], str):
        polls = line(figures["replicas"], "gateways", "cold_polls_a_second")
        told["replicas"] = chart.lines(
            "Gateways on one PostgreSQL, all on this machine", "gateways", "a second",
            [("cold polls", polls)], logarithmic=False,
        )
    return told


POLLS = [("first poll", "cold_ms"), ("one new item", "one_new_ms"),
         ("the same bytes", "same_bytes_ms"), ("304", "not_modified_ms")]

SECTIONS = {
    "machine": machine,
    "bars": bar_rows,
    "rivals": rivals,
    "corpus": corpus,
    "stages": stages,
    "small": small,
    "load": load,
    "items": items,
    "large": large,
    "polls": polls,
    "depth": depth,
    "known": known,
    "replicas": replicas,
}
