-- Times are whole seconds since 1970, keys are the 32 bytes of a SHA-256.

CREATE TABLE feed (
    key BLOB NOT NULL PRIMARY KEY,
    first_url TEXT NOT NULL,
    -- What pages show of the feed, in JSON.
    head TEXT NOT NULL,
    -- What polls need to know of it, in JSON.
    state TEXT NOT NULL,
    -- Counts what changed the pages of the feed.
    version INTEGER NOT NULL,
    -- When something beside the items themselves last changed a page.
    pages_changed_at INTEGER NOT NULL,
    -- As the state has it.
    next_poll_at INTEGER NOT NULL,
    asked_at INTEGER NOT NULL,
    -- 0: nobody asked for so long that it is not polled of itself.
    scheduled INTEGER NOT NULL,
    -- How many items it has, and about what they take on disk.
    items INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

CREATE INDEX feed_due ON feed (next_poll_at) WHERE scheduled = 1;
CREATE INDEX feed_asked ON feed (asked_at);

-- The URLs that lead to a feed.
CREATE TABLE alias (
    url TEXT NOT NULL PRIMARY KEY,
    feed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX alias_feed ON alias (feed);

CREATE TABLE item (
    feed BLOB NOT NULL,
    id TEXT NOT NULL,
    published INTEGER NOT NULL,
    -- Of the entry as the source wrote it, with the converter's revision.
    hash BLOB NOT NULL,
    twin INTEGER NOT NULL,
    -- What was mended of it, as the converter writes it.
    mended INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (feed, id)
) STRICT;

CREATE INDEX item_page ON item (feed, published DESC, id DESC);

-- Documents of a feed's history that were read (RFC 5005).
CREATE TABLE older_document (
    feed BLOB NOT NULL,
    url TEXT NOT NULL,
    etag BLOB,
    last_modified BLOB,
    is_archive INTEGER NOT NULL,
    read_at INTEGER NOT NULL,
    PRIMARY KEY (feed, url)
) STRICT, WITHOUT ROWID;

-- Files of chapters that items name.
CREATE TABLE chapter_file (
    feed BLOB NOT NULL,
    url TEXT NOT NULL,
    -- NULL: it could not be read.
    json TEXT,
    fetched_at INTEGER NOT NULL,
    PRIMARY KEY (feed, url)
) STRICT, WITHOUT ROWID;

-- Who polls what until when. The key is a feed's, or that of a URL that is no feed yet.
CREATE TABLE lease (
    key BLOB NOT NULL PRIMARY KEY,
    -- Empty: nobody any more.
    owner TEXT NOT NULL,
    until INTEGER NOT NULL,
    -- How the poll of a URL that is no feed went, for those who waited.
    word TEXT
) STRICT, WITHOUT ROWID;

-- Feeds that were forgotten, so that caches and polls under way hear of it.
CREATE TABLE tombstone (
    feed BLOB NOT NULL PRIMARY KEY,
    forgotten_at INTEGER NOT NULL,
    -- 1: its items are gone too.
    swept INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX tombstone_forgotten ON tombstone (forgotten_at);
CREATE INDEX tombstone_unswept ON tombstone (feed) WHERE swept = 0;
