#!/usr/bin/env python3
"""Measures all that `docs/performance.md` tells, and writes that page anew.

`./dev performance` builds what it needs and runs this: about 25 minutes on a machine that does
nothing else. `--quick` takes a few minutes and is for trying; `--report` measures nothing and writes
the page from the figures of last time. What cannot be measured is told in its row.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import growth
import report

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent
FIGURES = PROJECT / "docs" / "performance" / "figures.json"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--target", type=Path, help="the folder that cargo builds into")
    options.add_argument("--quick", action="store_true", help="small and short, for trying")
    options.add_argument("--report", action="store_true", help="only write the page anew")
    options.add_argument("--only", action="append", help="measure only this part, again")
    options.add_argument("--figures", type=Path, default=FIGURES)
    options = options.parse_args()
    figures = {}
    if (options.report or options.only) and options.figures.exists():
        figures = json.loads(options.figures.read_text())
    if not options.report:
        measure(options, figures)
    report.write(figures, PROJECT / "docs", HERE / "performance.template.md")


def measure(options, figures):
    release = options.target / "release"
    programs = SimpleNamespace(
        gateway=release / "mmsp-gateway", measure=release / "measure", once=release / "once"
    )
    quick = options.quick
    rounds = 3 if quick else 11
    postgres = growth.Postgres()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mmsp-performance-") as folder:
        folder = Path(folder)
        # The server programs of nginx and PostgreSQL run as users of their own.
        folder.chmod(0o755)
        parts = {
            "machine": lambda: machine(quick),
            "rivals": lambda: growth.measure(programs, "rivals", rounds),
            "corpus": lambda: growth.measure(programs, "corpus", 1 if quick else 3),
            "stages": lambda: stages(options.target, postgres),
            "items": lambda: growth.items(programs, quick),
            "large_feed": lambda: growth.large_feed(programs, folder),
            "polls": lambda: growth.polls(programs, quick),
            "depth": lambda: growth.depth(programs, postgres, folder, quick),
            "known": lambda: growth.known(programs, postgres, folder, quick),
            "replicas": lambda: growth.replicas(programs, postgres, folder, quick),
            "load": lambda: load(programs, folder, quick),
        }
        for name, part in parts.items():
            if options.only and name not in options.only:
                continue
            at = time.monotonic()
            figures[name] = part()
            print(f"{name}: {time.monotonic() - at:.0f} s", file=sys.stderr)
            options.figures.parent.mkdir(exist_ok=True)
            options.figures.write_text(json.dumps(figures, indent=1) + "\n")
    postgres.close()
    print(f"all: {time.monotonic() - begun:.0f} s", file=sys.stderr)


def stages(target, postgres):
    """What each step takes, by criterion: nanoseconds, and bytes where it has a throughput."""
    started = time.time()
    environment = dict(os.environ, CARGO_TARGET_DIR=str(target))
    try:
        environment["MMSP_POSTGRES_URL"] = postgres.create("bench")
    except growth.Missing:
        pass
    command = ["cargo", "bench", "--locked", "--bench", "stages", "--bench", "store", "--"]
    command += ["--noplot", "--warm-up-time", "0.5", "--measurement-time", "1"]
    subprocess.run(command, cwd=HERE, env=environment, check=True, stdout=sys.stderr)
    told = {}
    for estimates in sorted((target / "criterion").rglob("new/estimates.json")):
        if estimates.stat().st_mtime < started:
            continue
        about = json.loads((estimates.parent / "benchmark.json").read_text())
        nanoseconds = json.loads(estimates.read_text())["median"]["point_estimate"]
        throughput = about.get("throughput") or {}
        told[about["full_id"]] = {"ns": nanoseconds, "bytes": throughput.get("Bytes")}
    return told


def load(programs, folder, quick):
    """The program beside nginx, by `load/run.py`."""
    told = folder / "load.json"
    command = [sys.executable, str(HERE / "load" / "run.py")]
    command += ["--gateway", programs.gateway, "--feeds", programs.once, "--json", told]
    if quick:
        command += ["--seconds", "1", "--rounds", "1", "--keys", "300"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1]
    return json.loads(told.read_text())


def machine(quick):
    """Where this runs, and with what."""
    lock = (HERE / "Cargo.lock").read_text()
    rivals = ["feed-rs", "feedparser-rs", "rss", "atom_syndication", "quick-xml"]
    version = {
        name: re.search(rf'name = "{name}"\nversion = "([^"]+)"', lock)[1] for name in rivals
    }
    commit = said(["git", "-C", str(PROJECT), "describe", "--always", "--dirty"])
    return {
        "quick": quick,
        "when": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": commit,
        "processor": processor(),
        "processors": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.release()}",
        "load_before": round(os.getloadavg()[0], 1),
        "versions": {
            "rustc": said(["rustc", "--version"]),
            **{f"crate {name}": it for name, it in version.items()},
            "nginx": said([growth.find("nginx") or "nginx", "-v"]),
            "wrk": said(["wrk", "-v"]),
            "oha": said([growth.find("oha") or "oha", "--version"]),
            "PostgreSQL": said(["sh", "-c", "ls /usr/lib/postgresql | tail -1"]),
            "Python": platform.python_version(),
        },
    }


def processor():
    try:
        return re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return platform.machine()


def said(command):
    """The first line of what a program says of itself."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "missing"
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0] if lines else "missing"


if __name__ == "__main__":
    main()
