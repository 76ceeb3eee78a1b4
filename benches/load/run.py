#!/usr/bin/env python3
"""How fast the gateway answers, beside nginx serving the same bytes from its proxy cache.

Starts the real binary, an origin and a proxy cache (both nginx) on loopback, drives gateway and cache
by wrk in turns, and prints what came of it. Only ratios within one run say something. Both write a line
in a log for each request, as they come; what ends in "no log" was measured without.

What `--json` writes, one object:

* "hit, news, N bytes", "hit, news, gzip", "304, news", the same of "youtube", "hit, many feeds", and of
  some with ", no log": requests a second, "gateway" and "nginx", medians of all rounds; "ratio", the
  median of the rounds' ratios
* "cold polls": "feeds" that were read first in this run, and how many "a_second"
* "storm": what a thousand callers at once for one cold feed got, "answers" by status and "slowest_ms",
  and how many "requests_at_the_origin" they made
* "latency at half the peak, ms": "p50" and "p99" of each at a rate that oha holds, "requests_a_second"
* "start_seconds": from the start of the process to its first connection
* "memory_mib": resident memory of that gateway at each step
* "known feeds": resident memory of another gateway, with the default settings, whose store knows that
  many "feeds": "idle_mib" before any request, "asked_mib" after each was asked for once, of which its
  caches say that pages take "pages_mib"; "more_mib", what remains without those and the idle ones

Needs nginx and wrk (Debian), oha (crates.io), and both binaries, which `./dev load` builds.
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

import known

HERE = Path(__file__).resolve().parent
CONNECTIONS = 32
KEYS = 10_000
KNOWN = 100_000
LIMIT_SECONDS = 1500
# Room for all pages of the many feeds: what does not fit is rendered anew, which is no hit.
CACHE_BYTES = 1 << 30


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--gateway", required=True, help="the program")
    options.add_argument("--feeds", required=True, help="the program that writes the feeds")
    options.add_argument("--seconds", type=float, default=5, help="of each measurement")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--keys", type=int, default=KEYS, help="feeds that are read and asked for")
    options.add_argument("--known", type=int, default=KNOWN, help="feeds known to the second gateway")
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
        ports = free_ports(7)
        self.origin, self.cache, self.quiet, self.port, self.metrics = ports[:5]
        self.second, self.second_metrics = ports[5:]
        self.processes = []
        self.begun = time.monotonic()
        self.figures = {"memory_mib": {}}

    def all(self):
        try:
            self.start()
            self.figures["start_seconds"] = round(self.start_gateway(), 3)
            self.note_memory("idle")
            self.one_feed()
            self.latency()
            self.without_logs()
            self.cold_feeds()
            self.many_feeds()
            self.storm()
            self.note_memory("at the end")
            self.known_feeds()
        finally:
            for process in reversed(self.processes):
                stop(process)
        return self.figures

    def start(self):
        feeds = self.folder / "feeds"
        subprocess.run([self.options.feeds, "--write", feeds], check=True, stdout=subprocess.DEVNULL)
        (feeds / "small.xml").write_text(known.small_feed())
        for file in ("nginx.conf", "proxy.conf"):
            conf = (HERE / file).read_text()
            for name, value in {
                "FOLDER": self.folder,
                "ORIGIN": self.origin,
                "CACHE": self.cache,
                "QUIET": self.quiet,
                "GATEWAY": self.port,
            }.items():
                conf = conf.replace("{" + name + "}", str(value))
            (self.folder / file).write_text(conf)
        command = [find("nginx"), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")]
        # Its workers run as another user, who has to get into the folder.
        self.folder.chmod(0o755)
        self.processes.append(subprocess.Popen(command))
        wait_for(self.origin)

    def start_gateway(self):
        begun = time.monotonic()
        self.set_log("info")
        self.gateway = self.serve(self.first())
        self.processes.append(self.gateway)
        wait_for(self.port)
        return time.monotonic() - begun

    def first(self):
        """The settings of the gateway that is measured, beside those of both."""
        return {
            "SERVER__LISTEN": f"127.0.0.1:{self.port}",
            "METRICS__LISTEN": f"127.0.0.1:{self.metrics}",
            "POLL__MAX_IN_FLIGHT_PER_DOMAIN": "64",
            "STORE__URL": f"sqlite:{self.folder}/store.db",
            "CACHE__MAX_BYTES": str(CACHE_BYTES),
        }

    def environment(self, settings):
        settings = {
            "SERVER__TLS_LISTEN": "",
            "SERVER__PUBLIC_URL": "https://feeds.example",
            "SERVER__DRAIN_DELAY_SECONDS": "0",
            "FETCH__ALLOW_NETWORKS": "127.0.0.0/8",
            **settings,
        }
        return {**os.environ, **{f"MMSP_GATEWAY__{key}": value for key, value in settings.items()}}

    def serve(self, settings):
        """Starts a gateway with a log as it comes, into a file."""
        with (self.folder / "gateway.log").open("a") as log:
            return subprocess.Popen(
                [self.options.gateway, "serve", "--config", self.folder / "log.toml"],
                env=self.environment(settings),
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def store(self, what, settings, **channels):
        """Runs `store export` or `store import`."""
        command = [self.options.gateway, "store", what]
        environment = self.environment(settings)
        return subprocess.run(command, check=True, env=environment, text=True, **channels)

    def set_log(self, level):
        (self.folder / "log.toml").write_text(f'[log]\nlevel = "{level}"\nformat = "json"\n')

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

    def without_logs(self):
        """The same again where neither writes a log."""
        self.set_log("warn")
        self.gateway.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        path = self.path("news.xml")
        etag = self.get(self.port, path).headers["ETag"]
        for name, path, headers in (
            ("hit, youtube, no log", self.path("youtube.xml"), []),
            ("hit, news, gzip, no log", path, ["Accept-Encoding: gzip"]),
            ("304, news, no log", path, [f"If-None-Match: {etag}"]),
        ):
            self.figures[name] = self.compare(path, headers, nginx_port=self.quiet)
        self.set_log("info")
        self.gateway.send_signal(signal.SIGHUP)
        time.sleep(0.5)

    def cold_feeds(self):
        """Makes that many feeds known, each by a poll of the origin."""
        keys = self.options.keys
        seconds = self.ask_each_once(self.port, keys, lambda: self.polls() >= keys)
        found = self.polls()
        self.figures["cold polls"] = {"feeds": found, "a_second": round(found / seconds)}
        self.note_memory(f"with {found} feeds known")

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
            self.check_time()
            held = ["-z", f"{self.options.seconds}s", "-q", str(rate), "-c", "32"]
            held += ["--latency-correction"]
            percentiles = self.oha(held, self.url(port, path))["latencyPercentiles"]
            told[name] = {p: round(percentiles[p] * 1e3, 2) for p in ("p50", "p99")}
        self.figures["latency at half the peak, ms"] = told

    def known_feeds(self):
        """What a gateway takes that knows many feeds, each of which was asked for."""
        self.get(self.port, self.path("small.xml")).read()
        exported = self.store("export", self.first(), stdout=subprocess.PIPE).stdout
        stop(self.gateway)
        self.processes.remove(self.gateway)
        settings = {
            "SERVER__LISTEN": f"127.0.0.1:{self.second}",
            "METRICS__LISTEN": f"127.0.0.1:{self.second_metrics}",
            "STORE__URL": f"sqlite:{self.folder}/known.db",
        }
        at = f"http://127.0.0.1:{self.origin}"
        count = self.options.known
        lines = known.dump(exported, f"{at}/small.xml", count, lambda n: f"{at}/many/{n + 1}.xml")
        with (self.folder / "known.jsonl").open("w") as file:
            file.writelines(lines)
        with (self.folder / "known.jsonl").open() as file:
            self.store("import", settings, stdin=file, stdout=subprocess.DEVNULL)
        self.check_time()
        self.gateway = self.serve(settings)
        self.processes.append(self.gateway)
        wait_for(self.second)
        told = {"feeds": count, "idle_mib": self.memory_mib()}
        self.ask_each_once(self.second, count, lambda: self.answered() >= count)
        told["answered"] = round(self.answered())
        told["asked_mib"] = self.memory_mib()
        pages = self.metric('mmsp_gateway_cache_bytes{cache="pages"}') / (1 << 20)
        told["pages_mib"] = round(pages)
        told["more_mib"] = round(told["asked_mib"] - told["idle_mib"] - pages)
        self.figures["known feeds"] = told

    def answered(self):
        """Manifests that the second gateway has answered with."""
        return self.metric('mmsp_gateway_requests_total{route="feed",status="200"}')

    def metric(self, name):
        """A value that the second gateway shows."""
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.second_metrics}/metrics").read()
        line = next(it for it in text.decode().splitlines() if it.startswith(name + " "))
        return float(line.rpartition(" ")[2])

    def ask_each_once(self, port, keys, is_done):
        """Asks for each of the many feeds, in turn, until that is done or has taken too long."""
        path = f"/mmsp/feed?url={self.encoded('many/')}"
        wrk = self.wrk_command(port, path, [], keys)
        wrk[wrk.index("-d") + 1] = "600s"
        environment = {**os.environ, "KEYS": str(keys), "ORDER": "each once"}
        begun = time.monotonic()
        wrk = subprocess.Popen(wrk, env=environment, stdout=subprocess.DEVNULL)
        while not is_done():
            if wrk.poll() is not None or time.monotonic() - begun > 600:
                break
            time.sleep(0.2)
        stop(wrk)
        return time.monotonic() - begun

    def compare(self, path, headers, keys=0, nginx_port=None):
        """Requests a second of both in turns; the median ratio."""
        gateway, nginx = [], []
        cache = nginx_port or self.cache
        for port in (self.port, cache):
            self.wrk(port, path, headers, keys, 1)
        for _ in range(self.options.rounds):
            self.check_time()
            gateway.append(self.wrk(self.port, path, headers, keys, self.options.seconds))
            nginx.append(self.wrk(cache, path, headers, keys, self.options.seconds))
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
        self.figures["memory_mib"][when] = self.memory_mib()

    def memory_mib(self):
        status = Path(f"/proc/{self.gateway.pid}/status").read_text()
        return -(-int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024)

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


def stop(process):
    process.terminate()
    process.wait(timeout=60)


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
