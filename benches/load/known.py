"""A store that knows many feeds, made up from one that the gateway has read.

Takes what `store export` writes of a gateway, and writes for `store import` what it would be after as
many feeds like one of them: other addresses and keys, all else the same.
"""

import base64
import hashlib


def dump(exported, url, count, address_of):
    """Lines of a dump with `count` feeds like the one at `url`; the n-th is at `address_of(n)`."""
    key = key_of(url)
    form, *lines = exported.splitlines()
    mine = [line for line in lines if key in line]
    if len(mine) < 3:
        raise SystemExit(f"the store has no feed at {url}")
    yield form + "\n"
    for n in range(count):
        address = address_of(n)
        other = key_of(address)
        for line in mine:
            yield line.replace(key, other).replace(url, address) + "\n"


def key_of(url):
    """What the store knows a feed by: SHA-256 of its address."""
    return base64.urlsafe_b64encode(hashlib.sha256(url.encode()).digest()).decode().rstrip("=")


def small_feed(items=5):
    """A feed as short as feeds may be, so that what is known of it is not hidden behind its items."""
    entries = "".join(
        f"<item><guid>tag:example,{n}</guid><title>Note {n}</title><description>What happened on day"
        f" {n}.</description><pubDate>Mon, 01 Jan 2024 00:00:0{n} GMT</pubDate></item>"
        for n in range(items)
    )
    return (
        '<?xml version="1.0"?><rss version="2.0"><channel><title>Notes</title>'
        "<link>https://notes.example/</link><description>A few notes a week.</description>"
        f"{entries}</channel></rss>"
    )
