//! Statements that every database reads alike.

pub(super) const FEED: &str = "SELECT * FROM feed WHERE key = $1";

pub(super) const FEED_OF_URL: &str =
    "SELECT feed.* FROM alias JOIN feed ON feed.key = alias.feed WHERE alias.url = $1";

/// Row values follow the index, so that the cost does not depend on how deep a page lies.
pub(super) const PAGE: &str = "SELECT id, published, changed_at, json FROM item \
     WHERE feed = $1 AND (published, id) < ($2, $3) \
     ORDER BY published DESC, id DESC LIMIT $4";

pub(super) const OLDEST: &str =
    "SELECT published, id FROM item WHERE feed = $1 ORDER BY published, id LIMIT 1";

pub(super) const DUE: &str = "SELECT key, asked_at FROM feed \
     WHERE scheduled = 1 AND next_poll_at <= $1 \
     AND NOT EXISTS (SELECT 1 FROM lease WHERE lease.key = feed.key AND lease.until > $1) \
     ORDER BY next_poll_at LIMIT $2";

/// One row, and what a page shows of it only where that changed.
pub(super) const TOUCH: &str = "UPDATE feed SET state = $3, next_poll_at = $4, \
     head = CASE WHEN head <> $2 THEN $2 ELSE head END, \
     version = version + CASE WHEN head <> $2 THEN 1 ELSE 0 END, \
     pages_changed_at = CASE WHEN head <> $2 THEN $5 ELSE pages_changed_at END \
     WHERE key = $1 RETURNING version, pages_changed_at";

/// The counts are what a merge adds to them.
pub(super) const WRITE_FEED: &str = "INSERT INTO feed (key, first_url, head, state, version, \
     pages_changed_at, next_poll_at, asked_at, items, bytes, scheduled) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1) \
     ON CONFLICT (key) DO UPDATE SET head = excluded.head, state = excluded.state, \
     version = excluded.version, pages_changed_at = excluded.pages_changed_at, \
     next_poll_at = excluded.next_poll_at, \
     items = feed.items + excluded.items, bytes = feed.bytes + excluded.bytes";

/// A URL leads to one feed: the last that was read there. To one that was forgotten meanwhile
/// nothing is added, here and below.
pub(super) const WRITE_ALIAS: &str = "INSERT INTO alias (url, feed) \
     SELECT $1, $2 WHERE EXISTS (SELECT 1 FROM feed WHERE key = $2) \
     ON CONFLICT (url) DO UPDATE SET feed = excluded.feed WHERE alias.feed <> excluded.feed";

/// What an item takes on disk, roughly: its id stands in the row and in two indexes.
macro_rules! item_bytes {
    () => {
        "CAST(octet_length(json) + 3 * octet_length(id) + 200 AS BIGINT)"
    };
}
pub(super) use item_bytes;

/// What is known of items and of files of chapters; which of them, each database says its own way.
macro_rules! known_items {
    () => {
        "SELECT id, hash, published, twin, mended FROM item WHERE feed = $1 AND "
    };
}
pub(super) use known_items;

macro_rules! chapter_files {
    () => {
        "SELECT url, json, fetched_at FROM chapter_file WHERE feed = $1 AND "
    };
}
pub(super) use chapter_files;

/// An item keeps the `published` it was first seen with, and one that is the same is not written.
macro_rules! unless_same {
    () => {
        " ON CONFLICT (feed, id) DO UPDATE SET hash = excluded.hash, twin = excluded.twin, \
         mended = excluded.mended, changed_at = excluded.changed_at, \
         json = excluded.json WHERE item.hash <> excluded.hash"
    };
}
pub(super) use unless_same;

/// An item takes on what was read beside its document; its hash is still that of its entry.
pub(super) const REPLACE_ITEM: &str = "UPDATE item SET json = $4, changed_at = $5 \
     WHERE feed = $1 AND id = $2 AND json = $3";

pub(super) const COUNT_REPLACED: &str =
    "UPDATE feed SET bytes = bytes + $2, version = version + 1 WHERE key = $1";

pub(super) const OLDER_DOCUMENT: &str = "SELECT etag, last_modified, is_archive, read_at \
     FROM older_document WHERE feed = $1 AND url = $2";

pub(super) const WRITE_OLDER_DOCUMENT: &str = "INSERT INTO older_document \
     (feed, url, etag, last_modified, is_archive, read_at) \
     SELECT $1, $2, $3, $4, $5, $6 WHERE EXISTS (SELECT 1 FROM feed WHERE key = $1) \
     ON CONFLICT (feed, url) DO UPDATE SET etag = excluded.etag, \
     last_modified = excluded.last_modified, is_archive = excluded.is_archive, \
     read_at = excluded.read_at";

pub(super) const WRITE_CHAPTER_FILE: &str = "INSERT INTO chapter_file \
     (feed, url, json, fetched_at) \
     SELECT $1, $2, $3, $4 WHERE EXISTS (SELECT 1 FROM feed WHERE key = $1) \
     ON CONFLICT (feed, url) DO UPDATE SET json = excluded.json, fetched_at = excluded.fetched_at";

/// A source makes up its addresses: beyond the newest 200 nothing is kept.
pub(super) const TRIM_OLDER_DOCUMENTS: &str = "DELETE FROM older_document WHERE feed = $1 \
     AND url IN (SELECT url FROM older_document WHERE feed = $1 \
     ORDER BY read_at DESC, url LIMIT 1000 OFFSET 200)";

pub(super) const TRIM_CHAPTER_FILES: &str = "DELETE FROM chapter_file WHERE feed = $1 \
     AND url IN (SELECT url FROM chapter_file WHERE feed = $1 \
     ORDER BY fetched_at DESC, url LIMIT 1000 OFFSET 200)";

/// Taken where it is free, has run out or is one's own.
pub(super) const LEASE: &str = "INSERT INTO lease (key, owner, until) VALUES ($1, $2, $3) \
     ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until, \
     word = NULL WHERE lease.until <= $4 OR lease.owner = excluded.owner RETURNING owner";

pub(super) const LEASE_WORD: &str = "SELECT word FROM lease WHERE key = $1";

pub(super) const RELEASE: &str = "DELETE FROM lease WHERE key = $1 AND owner = $2";

pub(super) const LEAVE_WORD: &str = "UPDATE lease SET owner = '', word = $3, until = $4 \
     WHERE key = $1 AND owner = $2";

pub(super) const TOMBSTONE: &str = "SELECT forgotten_at, swept FROM tombstone WHERE feed = $1";

pub(super) const WRITE_TOMBSTONE: &str = "INSERT INTO tombstone (feed, forgotten_at, swept) \
     VALUES ($1, $2, 0) ON CONFLICT (feed) DO UPDATE SET \
     forgotten_at = excluded.forgotten_at, swept = 0";

pub(super) const MARK_SWEPT: &str = "UPDATE tombstone SET swept = 1 WHERE feed = $1";

/// What goes of a forgotten feed at once; its items follow.
pub(super) const FORGET: [&str; 4] = [
    "DELETE FROM feed WHERE key = $1",
    "DELETE FROM alias WHERE feed = $1",
    "DELETE FROM older_document WHERE feed = $1",
    "DELETE FROM chapter_file WHERE feed = $1",
];

pub(super) const FORGET_ITEMS: &str = "DELETE FROM item WHERE feed = $1";

pub(super) const FORGET_SOME_ITEMS: &str = "DELETE FROM item WHERE feed = $1 AND id IN \
     (SELECT id FROM item WHERE feed = $1 ORDER BY id LIMIT $2)";

/// What feeds take: their items by the count that merges keep, the rest as it stands.
macro_rules! sizes {
    () => {
        "SELECT key, asked_at, items, bytes, \
         CAST(octet_length(head) + octet_length(state) + 1000 + coalesce( \
         (SELECT sum(octet_length(c.json) + 200) FROM chapter_file AS c WHERE c.feed = feed.key), 0) \
         AS BIGINT) AS other_bytes FROM feed "
    };
}

pub(super) const SIZES: &str = concat!(sizes!(), "WHERE key > $1 ORDER BY key LIMIT $2");

pub(super) const LEAST_ASKED: &str = concat!(sizes!(), "ORDER BY asked_at, key LIMIT $1");

/// The oldest items, but none that the source itself shows.
pub(super) const OLDEST_BELOW: &str = concat!(
    "SELECT published, id, ",
    item_bytes!(),
    " FROM item WHERE feed = $1 AND (published, id) < ($2, $3) ORDER BY published, id LIMIT $4"
);

pub(super) const DELETE_DOWN_FROM: &str = concat!(
    "DELETE FROM item WHERE feed = $1 AND (published, id) <= ($2, $3) RETURNING ",
    item_bytes!()
);

pub(super) const COUNT_TRIMMED: &str = "UPDATE feed SET items = items - $2, bytes = bytes - $3, \
     version = version + 1, pages_changed_at = $4 WHERE key = $1";

pub(super) const INFO: &str = "SELECT count(*), CAST(coalesce(sum(items), 0) AS BIGINT), \
     CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM feed";

/// What nobody needs any more a while later.
pub(super) const DELETE_OLD: [&str; 2] = [
    "DELETE FROM tombstone WHERE swept = 1 AND forgotten_at < $1",
    "DELETE FROM lease WHERE until < $1",
];

pub(super) const DUMP_FEEDS: &str = "SELECT * FROM feed WHERE key > $1 ORDER BY key LIMIT 100";

pub(super) const DUMP_ALIASES: &str = "SELECT * FROM alias WHERE feed = $1 ORDER BY url";

pub(super) const DUMP_ITEMS: &str =
    "SELECT * FROM item WHERE feed = $1 AND id > $2 ORDER BY id LIMIT 500";

pub(super) const DUMP_OLDER_DOCUMENTS: &str =
    "SELECT * FROM older_document WHERE feed = $1 ORDER BY url";

pub(super) const DUMP_CHAPTER_FILES: &str =
    "SELECT * FROM chapter_file WHERE feed = $1 ORDER BY url";

pub(super) const LOAD_FEED: &str = "INSERT INTO feed (key, first_url, head, state, version, \
     pages_changed_at, next_poll_at, asked_at, scheduled, items, bytes) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, 0)";

pub(super) const LOAD_ITEMS: &str =
    "INSERT INTO item (feed, id, published, hash, twin, mended, changed_at, json) ";

pub(super) const COUNT_ANEW: &str = concat!(
    "UPDATE feed SET items = (SELECT count(*) FROM item WHERE item.feed = feed.key), \
     bytes = (SELECT CAST(coalesce(sum(",
    item_bytes!(),
    "), 0) AS BIGINT) FROM item WHERE item.feed = feed.key)"
);
