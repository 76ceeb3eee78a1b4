"""What grows, and how: items, the size of a feed, the depth of a page, feeds that are known, gateways.

Each function starts what it measures and gives figures as they go into `figures.json`. What is not there
to be measured with is told in their place.
"""

import json
import os
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "load"))

from run import find, free_ports, wait_for  # noqa: E402


class Missing(Exception):
    """A program that is needed for some figures and is not there."""


def measure(programs, *arguments):
    """Figures of `measure`, which does in one process what needs no program around it."""
    command = [programs.measure, *map(str, arguments)]
    out = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def items(programs, quick):
    """Time and memory of a conversion, without the limit of items."""
    sizes = [1_000, 3_000, 10_000] if quick else [1_000, 3_000, 10_000, 30_000, 100_000]
    return [measure(programs, "convert", size) for size in sizes]


def large_feed(programs, folder):
    """The most memory that `convert` takes for a feed of 16 MiB, by kinds of feed."""
    told = []
    empty = folder / "empty.xml"
    empty.write_text("<rss version='2.0'><channel><title>Nothing</title></channel></rss>")
    idle = peak_mib([programs.gateway, "convert", empty])
    for kind in ("podcast", "news", "blog"):
        feed = folder / f"{kind}-16.xml"
        subprocess.run([programs.once, "--grown", kind, str(16 << 20), feed], check=True)
        peak = peak_mib([programs.gateway, "convert", feed])
        mib = feed.stat().st_size / 2**20
        told.append(
            {
                "feed": kind,
                "mib": round(mib, 1),
                "peak_mib": round(peak - idle, 1),
                "ratio": round((peak - idle) / mib, 2),
            }
        )
    return {"idle_mib": round(idle, 1), "feeds": told}


def peak_mib(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return usage.ru_maxrss / 1024


def polls(programs, quick):
    """What a poll takes against the size of the feed."""
    sizes = [10, 100, 1_000] if quick else [10, 100, 1_000, 3_000, 10_000]
    return measure(programs, "poll", *sizes)


def depth(programs, postgres, folder, quick):
    """Page 1 to page 10 000 of one feed, in both databases."""
    size = 100_000 if quick else 1_000_000
    return in_both(postgres, folder, "deep", lambda url: measure(programs, "depth", url, size))


def known(programs, postgres, folder, quick):
    """What feeds that are known cost, in both databases."""
    sizes = [100, 1_000, 10_000] if quick else [1_000, 10_000, 100_000]
    told = {"SQLite": [], "PostgreSQL": []}
    for size in sizes:
        one = in_both(
            postgres, folder, f"known{size}", lambda url: measure(programs, "known", url, size)
        )
        for database, figures in one.items():
            if isinstance(figures, str):
                told[database] = figures
            else:
                told[database].append(figures)
    return told


def in_both(postgres, folder, name, work):
    told = {"SQLite": work(f"sqlite:{folder}/{name}.db")}
    try:
        told["PostgreSQL"] = work(postgres.create(name))
    except Missing as missing:
        told["PostgreSQL"] = str(missing)
    return told


class Postgres:
    """A server to throw away, as `./dev postgres` gives it; started when it is first wanted."""

    def __init__(self):
        self.process = None

    def create(self, name):
        if self.process is None:
            command = [str(HERE.parent / "dev"), "postgres"]
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
            self.process.stdout.readline()
        try:
            self.process.stdin.write(f"create {name}\n")
            self.process.stdin.flush()
        except OSError:
            raise Missing("PostgreSQL is missing") from None
        url = self.process.stdout.readline().strip()
        if not url.startswith("postgres://"):
            raise Missing("PostgreSQL is missing")
        return url

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait(timeout=60)


def replicas(programs, postgres, folder, quick):
    """Cold polls and hits a second of one, two and three gateways on one PostgreSQL."""
    for program in ("nginx", "wrk"):
        if not find(program):
            return f"{program} is missing"
    try:
        return [Fleet(programs, postgres, folder, count, quick).run() for count in (1, 2, 3)]
    except Missing as missing:
        return str(missing)


class Fleet:
    """Some gateways on one PostgreSQL, each driven by a `wrk` of its own with feeds of its own."""

    def __init__(self, programs, postgres, folder, count, quick):
        self.programs = programs
        self.database = postgres.create(f"fleet{count}")
        self.folder = folder / f"fleet{count}"
        self.count = count
        self.feeds = 300 if quick else 2_000
        self.seconds = 2 if quick else 5
        ports = free_ports(2 + 2 * count)
        self.origin, self.unused, *ports = ports
        self.ports, self.metrics = ports[:count], ports[count:]
        self.processes = []

    def run(self):
        try:
            self.start()
            begun = time.monotonic()
            cold = [self.wrk(port, n, "each once", 600) for n, port in enumerate(self.ports)]
            while self.polled() < self.feeds * self.count and time.monotonic() - begun < 300:
                time.sleep(0.1)
            polls = self.polled() / (time.monotonic() - begun)
            for wrk in cold:
                wrk.terminate()
                wrk.communicate()
            hits = [self.wrk(port, n, "zipf", self.seconds) for n, port in enumerate(self.ports)]
            hits = [requests_a_second(wrk.communicate()[0]) for wrk in hits]
        finally:
            for process in reversed(self.processes):
                process.terminate()
                process.wait(timeout=60)
        return {
            "gateways": self.count,
            "cold_polls_a_second": round(polls),
            "hits_a_second": round(sum(hits)),
        }

    def start(self):
        feeds = self.folder / "feeds"
        subprocess.run(
            [self.programs.once, "--write", feeds], check=True, stdout=subprocess.DEVNULL
        )
        conf = (HERE / "load" / "nginx.conf").read_text()
        for name, value in {
            "FOLDER": str(self.folder),
            "ORIGIN": str(self.origin),
            "CACHE": str(self.unused),
            "GATEWAY": str(self.ports[0]),
        }.items():
            conf = conf.replace("{" + name + "}", value)
        (self.folder / "nginx.conf").write_text(conf)
        # Its workers run as another user, who has to get into the folder.
        self.folder.chmod(0o755)
        self.folder.parent.chmod(0o755)
        command = [find("nginx"), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")]
        self.processes.append(subprocess.Popen(command))
        wait_for(self.origin)
        for port, metrics in zip(self.ports, self.metrics):
            self.start_gateway(port, metrics)

    def start_gateway(self, port, metrics):
        settings = {
            "SERVER__LISTEN": f"127.0.0.1:{port}",
            "SERVER__TLS_LISTEN": "",
            "SERVER__PUBLIC_URL": "https://feeds.example",
            "SERVER__DRAIN_DELAY_SECONDS": "0",
            "METRICS__LISTEN": f"127.0.0.1:{metrics}",
            "FETCH__ALLOW_NETWORKS": "127.0.0.0/8",
            "POLL__MAX_IN_FLIGHT_PER_DOMAIN": "64",
            "STORE__URL": self.database,
            "LOG__LEVEL": "error",
        }
        environment = {f"MMSP_GATEWAY__{key}": value for key, value in settings.items()}
        command = [self.programs.gateway, "serve"]
        self.processes.append(
            subprocess.Popen(
                command,
                env={**os.environ, **environment},
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
            )
        )
        wait_for(port)

    def wrk(self, port, number, order, seconds):
        name = f"http://127.0.0.1:{self.origin}/many/{number}-"
        path = f"/mmsp/feed?url={urllib.parse.quote(name, safe='')}"
        command = [find("wrk"), "-t", "1", "-c", "32", "-d", f"{seconds}s"]
        command += ["-s", str(HERE / "load" / "many.lua"), f"http://127.0.0.1:{port}{path}"]
        environment = {**os.environ, "KEYS": str(self.feeds), "ORDER": order}
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    def polled(self):
        log = (self.folder / "origin.log").read_text()
        return len(set(line for line in log.splitlines() if line.startswith("GET /many/")))


def requests_a_second(told):
    if "Non-2xx" in told or "Requests/sec:" not in told:
        raise SystemExit(told)
    return float(told.split("Requests/sec:")[1].split()[0])
