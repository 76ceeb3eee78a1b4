-- Times are whole seconds since 1970, keys are the 32 bytes of a SHA-256.

CREATE TABLE feed (
    key BLOB NOT NULL PRIMARY KEY,
    first_url TEXT NOT NULL,
    url TEXT NOT NULL,
    head TEXT NOT NULL,
    source_type TEXT NOT NULL,
    media_type TEXT NOT NULL,
    page_url TEXT,
    floor_published INTEGER,
    floor_id TEXT,
    recommended_seconds INTEGER NOT NULL,
    -- Counts what changed the pages of the feed.
    version INTEGER NOT NULL,
    -- When something beside the items themselves last changed a page.
    pages_changed_at INTEGER NOT NULL,
    -- What the next conditional request needs.
    read_url TEXT NOT NULL,
    etag BLOB,
    last_modified BLOB,
    body_hash BLOB,
    revision INTEGER NOT NULL,
    read_at INTEGER NOT NULL,
    hint_seconds INTEGER NOT NULL,
    -- When to ask again.
    polled_at INTEGER NOT NULL,
    succeeded_at INTEGER NOT NULL,
    fresh_until INTEGER NOT NULL,
    next_poll_at INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    failure TEXT,
    asked_at INTEGER NOT NULL,
    -- 0: nobody asked for so long that it is not polled of itself.
    scheduled INTEGER NOT NULL
) STRICT;

CREATE INDEX feed_due ON feed (next_poll_at) WHERE scheduled = 1;

CREATE TABLE alias (
    url TEXT NOT NULL PRIMARY KEY,
    feed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE item (
    feed BLOB NOT NULL,
    id TEXT NOT NULL,
    published INTEGER NOT NULL,
    -- Of the entry as the source wrote it, with the converter's revision.
    hash BLOB NOT NULL,
    twin INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (feed, id)
) STRICT;

CREATE INDEX item_page ON item (feed, published DESC, id DESC);
