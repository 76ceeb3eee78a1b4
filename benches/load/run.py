#!/usr/bin/env python3
"""How fast the gateway answers, beside nginx serving the same bytes from its proxy cache.

Starts the real binary, an origin and a proxy cache (both nginx) on loopback, drives gateway and cache
by wrk in turns, and prints what came of it: requests a second and their ratio, the median of several
rounds; cold polls a second; the requests that a thousand callers for one cold feed make; latency at
half the peak, held by oha; memory at each step. Only ratios within one run say something.

Needs nginx and wrk (Debian), oha (crates.io), and both binaries, which `./dev load` builds.
"""

import argparse
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONNECTIONS = 32
KEYS = 10_000
LIMIT_SECONDS = 1500


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--gateway", required=True, help="the program")
    options.add_argument("--feeds", required=True, help="the program that writes the feeds")
    options.add_argument("--seconds", type=float, default=5, help="of each measurement")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--keys", type=int, default=KEYS, help="feeds known to the gateway")
    options.add_argument("--json", help="writes the figures to this file as well")
    options = options.parse_args()
    for program in ("nginx", "wrk", "oha"):
        if not find(program):
            sys.exit(f"{program} is missing")
    with tempfile.TemporaryDirectory(prefix="mmsp-load-") as folder:
        figures = Run(options, Path(folder)).all()
    print(json.dumps(figures, indent=2))
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


class Run:
    """One run, from empty memory on."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.origin, self.cache, self.port, self.metrics = free_ports(4)
        self.processes = []
        self.begun = time.monotonic()
        self.figures = {"memory_mib": {}}

    def all(self):
        try:
            self.start()
            self.figures["start_seconds"] = round(self.start_gateway(), 3)
            self.note_memory("idle")
            self.one_feed()
            self.cold_feeds()
            self.many_feeds()
            self.storm()
            self.latency()
            self.note_memory("at the end")
        finally:
            for process in reversed(self.processes):
                process.terminate()
                process.wait(timeout=60)
        return self.figures

    def start(self):
        feeds = self.folder / "feeds"
        subprocess.run([self.options.feeds, "--write", feeds], check=True, stdout=subprocess.DEVNULL)
        conf = (HERE / "nginx.conf").read_text()
        for name, value in {
            "FOLDER": str(self.folder),
            "ORIGIN": str(self.origin),
            "CACHE": str(self.cache),
            "GATEWAY": str(self.port),
        }.items():
            conf = conf.replace("{" + name + "}", value)
        (self.folder / "nginx.conf").write_text(conf)
        command = [find("nginx"), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")]
        # Its workers run as another user, who has to get into the folder.
        self.folder.chmod(0o755)
        self.processes.append(subprocess.Popen(command))
        wait_for(self.origin)

    def start_gateway(self):
        settings = {
            "SERVER__LISTEN": f"127.0.0.1:{self.port}",
            "SERVER__TLS_LISTEN": "",
            "SERVER__PUBLIC_URL": "https://feeds.example",
            "SERVER__DRAIN_DELAY_SECONDS": "0",
            "METRICS__LISTEN": f"127.0.0.1:{self.metrics}",
            "FETCH__ALLOW_NETWORKS": "127.0.0.0/8",
            "POLL__MAX_IN_FLIGHT_PER_DOMAIN": "64",
            "STORE__URL": f"sqlite:{self.folder}/store.db",
            "LOG__LEVEL": "error",
        }
        environment = {f"MMSP_GATEWAY__{key}": value for key, value in settings.items()}
        begun = time.monotonic()
        self.gateway = subprocess.Popen(
            [self.options.gateway, "serve"],
            env={**os.environ, **environment},
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
        )
        self.processes.append(self.gateway)
        wait_for(self.port)
        return time.monotonic() - begun

    def one_feed(self):
        """A hit: as it is, gzipped, and as what the client has already."""
        for kind in ("news", "youtube"):
            path = self.path(f"{kind}.xml")
            etag = self.get(self.port, path).headers["ETag"]
            size = len(self.get(self.port, path).read())
            self.figures[f"hit, {kind}, {size} bytes"] = self.compare(path, [])
            self.figures[f"hit, {kind}, gzip"] = self.compare(path, ["Accept-Encoding: gzip"])
            self.figures[f"304, {kind}"] = self.compare(path, [f"If-None-Match: {etag}"])
        self.note_memory("after hits of one feed")

    def cold_feeds(self):
        """Makes that many feeds known, each by a poll of the origin."""
        path = f"/mmsp/feed?url={self.encoded('many/')}"
        begun = time.monotonic()
        wrk = self.wrk_command(self.port, path, [], self.options.keys)
        wrk[wrk.index("-d") + 1] = "600s"
        environment = {**os.environ, "KEYS": str(self.options.keys), "ORDER": "each once"}
        wrk = subprocess.Popen(wrk, env=environment, stdout=subprocess.DEVNULL)
        while self.polls() < self.options.keys:
            if wrk.poll() is not None or time.monotonic() - begun > 600:
                break
            time.sleep(0.2)
        seconds = time.monotonic() - begun
        wrk.terminate()
        wrk.wait()
        known = self.polls()
        self.figures["cold polls"] = {"feeds": known, "a_second": round(known / seconds)}
        self.note_memory(f"with {known} feeds known")

    def many_feeds(self):
        """Hits of many feeds, some asked for much more often than others (Zipf)."""
        path = f"/mmsp/feed?url={self.encoded('many/')}"
        self.figures["hit, many feeds"] = self.compare(path, [], keys=self.options.keys)
        self.note_memory("after hits of many feeds")

    def storm(self):
        """A thousand callers at once for one feed that nobody asked for before."""
        url = self.url(self.port, self.path("storm/one.xml"))
        oha = self.oha(["-n", "1000", "-c", "1000"], url)
        log = (self.folder / "origin.log").read_text()
        self.figures["storm"] = {
            "answers": oha["statusCodeDistribution"],
            "requests_at_the_origin": log.count("GET /storm/one.xml "),
            "slowest_ms": round(oha["summary"]["slowest"] * 1e3),
        }

    def latency(self):
        """At half of the slower peak, the rate held whatever the answers take."""
        path = self.path("news.xml")
        peak = next(it for name, it in self.figures.items() if name.startswith("hit, news"))
        rate = int(min(peak["gateway"], peak["nginx"]) / 2)
        told = {"requests_a_second": rate}
        for name, port in (("gateway", self.port), ("nginx", self.cache)):
            held = ["-z", f"{self.options.seconds}s", "-q", str(rate), "-c", "32"]
            held += ["--latency-correction"]
            percentiles = self.oha(held, self.url(port, path))["latencyPercentiles"]
            told[name] = {p: round(percentiles[p] * 1e3, 2) for p in ("p50", "p99")}
        self.figures["latency at half the peak, ms"] = told

    def compare(self, path, headers, keys=0):
        """Requests a second of both in turns; the median ratio."""
        gateway, nginx = [], []
        for port in (self.port, self.cache):
            self.wrk(port, path, headers, keys, 1)
        for _ in range(self.options.rounds):
            self.check_time()
            gateway.append(self.wrk(self.port, path, headers, keys, self.options.seconds))
            nginx.append(self.wrk(self.cache, path, headers, keys, self.options.seconds))
        ratio = statistics.median(ours / theirs for ours, theirs in zip(gateway, nginx))
        return {
            "gateway": round(statistics.median(gateway)),
            "nginx": round(statistics.median(nginx)),
            "ratio": round(ratio, 2),
        }

    def wrk_command(self, port, path, headers, keys):
        command = [find("wrk"), "-t", "1", "-c", str(CONNECTIONS), "-d", "1s"]
        for header in headers:
            command += ["-H", header]
        if keys:
            command += ["-s", str(HERE / "many.lua")]
        return [*command, self.url(port, path)]

    def wrk(self, port, path, headers, keys, seconds):
        command = self.wrk_command(port, path, headers, keys)
        command[command.index("-d") + 1] = f"{seconds:g}s"
        environment = {**os.environ, "KEYS": str(keys), "ORDER": "zipf"}
        out = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        if "Non-2xx" in out.stdout or "Socket errors" in out.stdout:
            # 304 is no 2xx to wrk either, but it does not count it as an error.
            raise SystemExit(f"{' '.join(command)}\n{out.stdout}")
        return float(re.search(r"Requests/sec:\s+([\d.]+)", out.stdout)[1])

    def oha(self, arguments, url):
        command = [find("oha"), "--no-tui", "--output-format", "json", *arguments, url]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def polls(self):
        """How many feeds of the many were fetched."""
        log = (self.folder / "origin.log").read_text()
        return len(set(re.findall(r"GET (/many/\S+)", log)))

    def note_memory(self, when):
        status = Path(f"/proc/{self.gateway.pid}/status").read_text()
        self.figures["memory_mib"][when] = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024

    def encoded(self, name):
        return urllib.parse.quote(f"http://127.0.0.1:{self.origin}/{name}", safe="")

    def path(self, name):
        return f"/mmsp/feed?url={self.encoded(name)}"

    def url(self, port, path):
        return f"http://127.0.0.1:{port}{path}"

    def get(self, port, path):
        return urllib.request.urlopen(self.url(port, path), timeout=60)

    def check_time(self):
        if time.monotonic() - self.begun > LIMIT_SECONDS:
            raise SystemExit(f"not done after {LIMIT_SECONDS} seconds")


def find(program):
    home = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", f"{home}/bin"])
    return shutil.which(program, path=path)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [it.getsockname()[1] for it in sockets]
    for it in sockets:
        it.close()
    return ports


def wait_for(port):
    for _ in range(3000):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.01)
    raise SystemExit(f"nobody listens on {port}")


if __name__ == "__main__":
    main()
