-- Times are whole seconds since 1970, keys are the 32 bytes of a SHA-256.

CREATE TABLE feed (
    key BYTEA NOT NULL PRIMARY KEY,
    first_url TEXT NOT NULL,
    -- What pages show of the feed, in JSON.
    head TEXT NOT NULL,
    -- What polls need to know of it, in JSON.
    state TEXT NOT NULL,
    -- Counts what changed the pages of the feed.
    version BIGINT NOT NULL,
    -- When something beside the items themselves last changed a page.
    pages_changed_at BIGINT NOT NULL,
    -- As the state has it.
    next_poll_at BIGINT NOT NULL,
    asked_at BIGINT NOT NULL,
    -- 0: nobody asked for so long that it is not polled of itself.
    scheduled BIGINT NOT NULL,
    -- How many items it has, and about what they take on disk.
    items BIGINT NOT NULL,
    bytes BIGINT NOT NULL
);

CREATE INDEX feed_due ON feed (next_poll_at) WHERE scheduled = 1;
CREATE INDEX feed_asked ON feed (asked_at);

-- The URLs that lead to a feed.
CREATE TABLE alias (
    url TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    feed BYTEA NOT NULL
);

CREATE INDEX alias_feed ON alias (feed);

CREATE TABLE item (
    feed BYTEA NOT NULL,
    -- Ordered by bytes, as cursors are.
    id TEXT COLLATE "C" NOT NULL,
    published BIGINT NOT NULL,
    -- Of the entry as the source wrote it, with the converter's revision.
    hash BYTEA NOT NULL,
    twin BIGINT NOT NULL,
    -- What was mended of it, as the converter writes it.
    mended BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (feed, id)
);

CREATE INDEX item_page ON item (feed, published DESC, id DESC);

-- Documents of a feed's history that were read (RFC 5005).
CREATE TABLE older_document (
    feed BYTEA NOT NULL,
    url TEXT COLLATE "C" NOT NULL,
    etag BYTEA,
    last_modified BYTEA,
    is_archive BIGINT NOT NULL,
    read_at BIGINT NOT NULL,
    PRIMARY KEY (feed, url)
);

-- Files of chapters that items name.
CREATE TABLE chapter_file (
    feed BYTEA NOT NULL,
    url TEXT COLLATE "C" NOT NULL,
    -- NULL: it could not be read.
    json TEXT,
    fetched_at BIGINT NOT NULL,
    PRIMARY KEY (feed, url)
);

-- Who polls what until when. The key is a feed's, or that of a URL that is no feed yet.
CREATE TABLE lease (
    key BYTEA NOT NULL PRIMARY KEY,
    -- Empty: nobody any more.
    owner TEXT NOT NULL,
    until BIGINT NOT NULL,
    -- How the poll of a URL that is no feed went, for those who waited.
    word TEXT
);

-- Feeds that were forgotten, so that caches and polls under way hear of it.
CREATE TABLE tombstone (
    feed BYTEA NOT NULL PRIMARY KEY,
    forgotten_at BIGINT NOT NULL,
    -- 1: its items are gone too.
    swept BIGINT NOT NULL
);

CREATE INDEX tombstone_forgotten ON tombstone (forgotten_at);
CREATE INDEX tombstone_unswept ON tombstone (feed) WHERE swept = 0;
