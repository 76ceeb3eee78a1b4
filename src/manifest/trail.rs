//! A walk over the pages of a feed, judged page by page (MMSP 5.5). Pure: whoever walks fetches.

use std::collections::HashSet;

use chrono::{DateTime, FixedOffset};
use serde_json::Value;

use super::check::{Check, look};
use super::finding::{Findings, Severity};
use super::path::shown;
use super::{form, head};
use Severity::{Advice, Breach, Reject};

/// The pages that were seen so far, and what is wrong with them together.
#[derive(Debug, Default)]
pub struct Trail {
    findings: Findings,
    pages: usize,
    items: usize,
    skipped: usize,
    feed: Option<String>,
    addresses: HashSet<String>,
    cursors: HashSet<String>,
    ids: HashSet<String>,
    oldest: Option<DateTime<FixedOffset>>,
}

/// Where a walk goes from a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// To the older page at this address.
    Page(String),
    /// Nowhere: the pages end here.
    End,
    /// Nowhere: the next page would be one that was seen, or cannot be asked for.
    Broken,
}

impl Trail {
    /// Judges the next page of the walk, read from that address.
    pub fn page(&mut self, address: &str, bytes: &[u8]) -> Next {
        self.pages += 1;
        self.addresses.insert(address.to_owned());
        let (check, value) = look(bytes);
        self.take(check);
        if let Some(value) = &value {
            self.judge_feed(value);
            self.judge_items(value);
        }
        match head::read(bytes) {
            Ok(head) => self.next(head),
            Err(_) => Next::Broken,
        }
    }

    /// What was found on all pages.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// How many pages were seen.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// How many items there were on them, good or bad.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items
    }

    /// How many of these a client skips.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Takes over the findings of one page; from the second on they say which.
    fn take(&mut self, check: Check) {
        self.items += check.items;
        self.skipped += check.skipped;
        let findings = if self.pages == 1 {
            check.findings
        } else {
            check.findings.placed(&format!("page {} ", self.pages))
        };
        self.findings.append(findings);
    }

    fn add(&mut self, severity: Severity, clause: &'static str, place: &str, what: &str) {
        let page = if self.pages == 1 { String::new() } else { format!("page {} ", self.pages) };
        self.findings.add(severity, clause, format!("{page}{place}"), what);
    }

    fn judge_feed(&mut self, value: &Value) {
        let Some(id) = value.get("id").and_then(Value::as_str) else { return };
        match &self.feed {
            None => self.feed = Some(id.to_owned()),
            Some(feed) if feed != id => {
                let what =
                    format!("it is {}, and that of the first page {}", shown(id), shown(feed));
                self.add(Breach, "5.1", "$.id", &what);
            }
            Some(_) => {}
        }
    }

    /// Items of older pages are older, and none comes twice (5.5.2).
    fn judge_items(&mut self, value: &Value) {
        let items = value.get("items").and_then(Value::as_array);
        let mut oldest = self.oldest;
        let mut seen = Vec::new();
        let (mut is_doubled, mut is_newer) = (false, false);
        for (at, item) in items.into_iter().flatten().enumerate() {
            let text = |name: &str| item.get(name).and_then(Value::as_str);
            if let Some(id) = text("id") {
                if self.ids.contains(id) && !is_doubled {
                    is_doubled = true;
                    let what = "the item was on an earlier page of this walk already";
                    self.add(Breach, "5.5.2", &format!("$.items[{at}].id"), what);
                }
                seen.push(id.to_owned());
            }
            let published = text("published").and_then(|at| DateTime::parse_from_rfc3339(at).ok());
            let Some(published) = published else { continue };
            if self.oldest.is_some_and(|oldest| published > oldest) && !is_newer {
                is_newer = true;
                let what = "the item is newer than the oldest of the pages before: pages go back \
                            in time by published, then by id";
                self.add(Breach, "5.5.2", &format!("$.items[{at}].published"), what);
            }
            oldest = Some(oldest.map_or(published, |oldest| oldest.min(published)));
        }
        self.oldest = oldest;
        self.ids.extend(seen);
    }

    fn next(&mut self, head: head::Head) -> Next {
        let is_empty = head.items == 0;
        if head.has_more != Some(true) {
            return Next::End;
        }
        if let Some(cursor) = head.cursor
            && !self.cursors.insert(cursor)
        {
            let what = "the cursor was that of an earlier page: the walk goes in a circle";
            self.add(Breach, "5.5.3", "$.pagination.cursor", what);
            return Next::Broken;
        }
        if is_empty {
            let what = "the page is empty, and there are said to be more; leave such pages out";
            self.add(Advice, "5.5", "$.items", what);
        }
        match head.next_url {
            Some(next) if self.addresses.contains(&next) => {
                // Of the feed's own address the check of the page has said so.
                if next != head.feed_url {
                    let what = "the address was read already: the walk goes in a circle";
                    self.add(Breach, "5.5.3", "$.next_url", what);
                }
                Next::Broken
            }
            Some(next) if form::is_https_url(&next) => Next::Page(next),
            // What is wrong with it has been said.
            _ => Next::Broken,
        }
    }

    /// Says that a page could not be read.
    pub fn lost(&mut self, address: &str, why: &str) {
        let what = format!("the next page cannot be read: {why}");
        self.findings.add(Reject, "5.5.1", address, what);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A page of items by their day in June, with where it says to go on.
    fn page(days: &[u32], cursor: &str, next: Option<&str>) -> Vec<u8> {
        let items: Vec<Value> = days
            .iter()
            .map(|day| {
                json!({
                    "id": format!("urn:x:{day}"), "type": "article", "title": "A",
                    "url": "https://a.example/1", "published": format!("2026-06-{day:02}T00:00:00Z"),
                })
            })
            .collect();
        let mut manifest = json!({
            "mmsp": "1.0", "id": "urn:x", "title": "A", "feed_url": "https://a.example/1",
            "pagination": { "cursor": cursor, "has_more": next.is_some() }, "items": items,
        });
        if let Some(next) = next {
            manifest["next_url"] = json!(next);
        }
        manifest.to_string().into_bytes()
    }

    fn found(trail: &Trail) -> Vec<String> {
        let list = trail.findings().list().iter();
        list.map(|f| format!("{} {} {}", f.severity.as_str(), f.clause, f.at)).collect()
    }

    const TWO: &str = "https://a.example/2";
    const THREE: &str = "https://a.example/3";

    #[test]
    fn a_walk_goes_back_in_time_to_its_end() {
        let mut trail = Trail::default();
        let first = trail.page("https://a.example/1", &page(&[9, 8], "a", Some(TWO)));
        assert_eq!(first, Next::Page(TWO.to_owned()));
        assert_eq!(trail.page(TWO, &page(&[8 - 1, 1], "b", None)), Next::End);
        assert_eq!(found(&trail), [""; 0]);
        assert_eq!((trail.pages(), trail.items(), trail.skipped()), (2, 4, 0));
    }

    #[test]
    fn circles_end_the_walk() {
        let mut trail = Trail::default();
        trail.page("https://a.example/1", &page(&[9], "a", Some(TWO)));
        assert_eq!(trail.page(TWO, &page(&[8], "a", Some(THREE))), Next::Broken);
        assert_eq!(found(&trail), ["breach 5.5.3 page 2 $.pagination.cursor"]);
        let mut trail = Trail::default();
        trail.page("https://a.example/1", &page(&[9], "a", Some(TWO)));
        let back = page(&[8], "b", Some("https://a.example/1"));
        assert_eq!(trail.page(TWO, &back), Next::Broken);
        assert_eq!(found(&trail), ["breach 5.5.3 page 2 $.next_url"]);
        let mut trail = Trail::default();
        trail.page("https://a.example/1", &page(&[9], "a", Some(TWO)));
        assert_eq!(trail.page(TWO, &page(&[8], "b", Some(TWO))), Next::Broken);
        assert_eq!(found(&trail), ["breach 5.5.3 page 2 $.next_url"]);
        let mut trail = Trail::default();
        let itself = page(&[9], "a", Some("https://a.example/1"));
        assert_eq!(trail.page("https://a.example/1", &itself), Next::Broken);
        assert_eq!(found(&trail), ["breach 5.5.3 $.next_url"]);
    }

    #[test]
    fn items_that_come_twice_or_too_late_are_told() {
        let mut trail = Trail::default();
        trail.page("https://a.example/1", &page(&[9, 5], "a", Some(TWO)));
        trail.page(TWO, &page(&[7, 5, 4], "b", None));
        assert_eq!(
            found(&trail),
            ["breach 5.5.2 page 2 $.items[0].published", "breach 5.5.2 page 2 $.items[1].id"]
        );
    }

    #[test]
    fn pages_of_another_feed_and_pages_that_are_none_are_told() {
        let mut trail = Trail::default();
        trail.page("https://a.example/1", &page(&[9], "a", Some(TWO)));
        let other = String::from_utf8(page(&[8], "b", Some(THREE))).unwrap();
        trail.page(TWO, other.replace("\"urn:x\"", "\"urn:y\"").as_bytes());
        assert_eq!(trail.page(THREE, b"<html>"), Next::Broken);
        assert_eq!(found(&trail), ["breach 5.1 page 2 $.id", "reject 5.6 page 3 $"]);
        trail.lost(THREE, "the source answered with status 500");
        assert_eq!(found(&trail)[2], "reject 5.5.1 https://a.example/3");
    }

    #[test]
    fn an_empty_page_before_the_end_is_told() {
        let mut trail = Trail::default();
        trail.page("https://a.example/1", &page(&[], "a", Some(TWO)));
        assert_eq!(found(&trail), ["advice 5.5 $.items"]);
    }

    #[test]
    fn what_clients_skip_is_counted_over_all_pages() {
        let broken = |days: &[u32], cursor, next| {
            let text = String::from_utf8(page(days, cursor, next)).unwrap();
            text.replace("\"url\":", "\"address\":").into_bytes()
        };
        let mut trail = Trail::default();
        trail.page("https://a.example/1", &broken(&[9, 8], "a", Some(TWO)));
        trail.page(TWO, &broken(&[7], "b", None));
        assert_eq!((trail.items(), trail.skipped()), (3, 3));
    }

    #[test]
    fn items_of_one_time_may_be_on_two_pages() {
        let mut trail = Trail::default();
        trail.page("https://a.example/1", &page(&[9, 8], "a", Some(TWO)));
        let second = String::from_utf8(page(&[8], "b", None)).unwrap();
        trail.page(TWO, second.replace("urn:x:8", "urn:x:08").as_bytes());
        assert_eq!(found(&trail), [""; 0]);
    }

    #[test]
    fn a_next_page_without_tls_is_not_asked_for() {
        let mut trail = Trail::default();
        let first = page(&[9], "a", Some("http://a.example/2"));
        assert_eq!(trail.page("https://a.example/1", &first), Next::Broken);
        assert_eq!(found(&trail), ["drop 5.2 $.next_url"]);
    }
}
