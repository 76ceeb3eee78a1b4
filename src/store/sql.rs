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

pub(super) const DUE: &str = "SELECT key, asked_at FROM feed WHERE scheduled = 1 AND next_poll_at <= $1 \
     ORDER BY next_poll_at LIMIT $2";

/// One row, and what a page shows of it only where that changed.
pub(super) const TOUCH: &str = "UPDATE feed SET state = $3, next_poll_at = $4, \
     head = CASE WHEN head <> $2 THEN $2 ELSE head END, \
     version = version + CASE WHEN head <> $2 THEN 1 ELSE 0 END, \
     pages_changed_at = CASE WHEN head <> $2 THEN $5 ELSE pages_changed_at END \
     WHERE key = $1 RETURNING version, pages_changed_at";

pub(super) const WRITE_FEED: &str = "INSERT INTO feed (key, first_url, head, state, version, \
     pages_changed_at, next_poll_at, asked_at, items, bytes, scheduled) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1) \
     ON CONFLICT (key) DO UPDATE SET head = excluded.head, state = excluded.state, \
     version = excluded.version, pages_changed_at = excluded.pages_changed_at, \
     next_poll_at = excluded.next_poll_at, \
     items = feed.items + excluded.items, bytes = feed.bytes + excluded.bytes";

/// A URL leads to one feed: the last that was read there.
pub(super) const WRITE_ALIAS: &str = "INSERT INTO alias (url, feed) VALUES ($1, $2) \
     ON CONFLICT (url) DO UPDATE SET feed = excluded.feed WHERE alias.feed <> excluded.feed";

/// What an item takes on disk, roughly: its id stands in the row and in two indexes.
macro_rules! item_bytes {
    () => {
        "CAST(octet_length(json) + 3 * octet_length(id) + 200 AS BIGINT)"
    };
}
pub(super) use item_bytes;

pub(super) const ITEM_HEAD: &str =
    "INSERT INTO item (feed, id, published, hash, twin, changed_at, json) ";

/// An item keeps the `published` it was first seen with, and one that is the same is not written.
pub(super) const UNLESS_SAME: &str = " ON CONFLICT (feed, id) DO UPDATE SET hash = excluded.hash, \
     twin = excluded.twin, changed_at = excluded.changed_at, json = excluded.json \
     WHERE item.hash <> excluded.hash";

pub(super) const OLDER_DOCUMENT: &str = "SELECT etag, last_modified, is_archive, read_at \
     FROM older_document WHERE feed = $1 AND url = $2";

pub(super) const WRITE_OLDER_DOCUMENT: &str = "INSERT INTO older_document \
     (feed, url, etag, last_modified, is_archive, read_at) VALUES ($1, $2, $3, $4, $5, $6) \
     ON CONFLICT (feed, url) DO UPDATE SET etag = excluded.etag, \
     last_modified = excluded.last_modified, is_archive = excluded.is_archive, \
     read_at = excluded.read_at";

pub(super) const WRITE_CHAPTER_FILE: &str = "INSERT INTO chapter_file (feed, url, json, fetched_at) \
     VALUES ($1, $2, $3, $4) \
     ON CONFLICT (feed, url) DO UPDATE SET json = excluded.json, fetched_at = excluded.fetched_at";
