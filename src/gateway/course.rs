//! Where a feed is asked from now on, after an answer that came by redirects. Pure.
//!
//! The `https` twin at once, since a read has proved it. A permanent redirect only after every
//! poll of two days has met it, on every hop: many a 301 is a mistake of an evening, and whoever
//! believes it for ever never comes back.

use crate::fetch::{Redirect, RedirectKind};
use crate::model::{SourceUrl, Timestamp};
use crate::store::{Moving, MovingBy};

/// Where to go on, and what is known of a move.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Course {
    /// The address to ask from now on.
    pub(super) url: SourceUrl,
    /// A move that is not believed yet.
    pub(super) moving: Option<Moving>,
    /// Where the feed has moved for good, if that was settled just now and the feed is the same.
    pub(super) moved_to: Option<SourceUrl>,
    /// Whether the move was met for the first time.
    pub(super) is_first_sight: bool,
}

impl Course {
    /// The course of a feed that was asked at that address, and what was known of a move before.
    pub(super) fn after(
        asked: &SourceUrl,
        redirects: &[Redirect],
        before: Option<&Moving>,
        now: Timestamp,
    ) -> Self {
        let url = upgraded(asked, redirects);
        let Some(to) = permanent_target(redirects).filter(|to| *to != url) else {
            // What the document itself says of a move is not this poll's business.
            let moving = before.filter(|moving| moving.by == MovingBy::Word).cloned();
            return Self { url, moving, moved_to: None, is_first_sight: false };
        };
        let seen = before.filter(|moving| moving.by == MovingBy::Redirect && moving.to == to);
        match seen {
            None => {
                let moving = Moving { to, since: now, by: MovingBy::Redirect, is_same: true };
                Self { url, moving: Some(moving), moved_to: None, is_first_sight: true }
            }
            Some(moving) if now.seconds() - moving.since.seconds() < HELD_SECONDS => {
                let moving = Some(moving.clone());
                Self { url, moving, moved_to: None, is_first_sight: false }
            }
            Some(moving) => {
                let moved_to = moving.is_same.then(|| to.clone());
                Self { url: to, moving: None, moved_to, is_first_sight: false }
            }
        }
    }

    /// Notes whether what was read had the feed's id or items: a move to something else may be
    /// followed, but is told to nobody.
    pub(super) fn note_whether_same(&mut self, is_same: bool) {
        if let Some(moving) = self.moving.as_mut().filter(|_| self.is_first_sight) {
            moving.is_same = is_same;
        }
    }
}

/// Two days.
const HELD_SECONDS: i64 = 2 * 86_400;

fn upgraded(asked: &SourceUrl, redirects: &[Redirect]) -> SourceUrl {
    let is_proved =
        |twin: &SourceUrl| redirects.iter().any(|hop| hop.from == *asked && hop.to == *twin);
    asked.upgraded().filter(is_proved).unwrap_or_else(|| asked.clone())
}

/// The last address before the first hop that is not for good.
fn permanent_target(redirects: &[Redirect]) -> Option<SourceUrl> {
    let for_good = redirects.iter().take_while(|hop| hop.kind != RedirectKind::Temporary);
    let is_move = for_good.clone().any(|hop| hop.kind == RedirectKind::Permanent);
    for_good.last().filter(|_| is_move).map(|hop| hop.to.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    fn url(path: &str) -> SourceUrl {
        SourceUrl::parse(path).unwrap()
    }

    /// Hops written as `301 https://…`; `up` is an upgrade.
    fn way(asked: &str, hops: &[&str]) -> Vec<Redirect> {
        let mut from = url(asked);
        let mut way = Vec::new();
        for hop in hops {
            let (kind, to) = hop.split_once(' ').unwrap();
            let kind = match kind {
                "301" => RedirectKind::Permanent,
                "302" => RedirectKind::Temporary,
                _ => RedirectKind::Upgrade,
            };
            way.push(Redirect { from, to: url(to), kind });
            from = url(to);
        }
        way
    }

    fn at(days: i64) -> Timestamp {
        Timestamp::saturating(days * DAY)
    }

    /// Polls once on each of these days, by that way; gives the last course.
    fn play(asked: &str, days: &[(i64, &[&str])]) -> Course {
        let mut moving = None;
        let mut last = None;
        for (day, hops) in days {
            let course = Course::after(&url(asked), &way(asked, hops), moving.as_ref(), at(*day));
            moving = course.moving.clone();
            last = Some(course);
        }
        last.unwrap()
    }

    const A: &str = "https://a.example/f";
    const B: &str = "https://b.example/f";

    #[test]
    fn a_permanent_redirect_is_believed_after_two_days() {
        let by_way: &[&str] = &["301 https://b.example/f"];
        let first = play(A, &[(1, by_way), (2, by_way)]);
        assert_eq!((first.url, first.moved_to), (url(A), None));
        let held = play(A, &[(1, by_way), (2, by_way), (3, by_way)]);
        assert_eq!((held.url, held.moved_to, held.moving), (url(B), Some(url(B)), None));
    }

    #[test]
    fn one_poll_without_it_or_by_another_begins_anew() {
        let by_way: &[&str] = &["301 https://b.example/f"];
        for other in [&[] as &[&str], &["302 https://b.example/f"], &["301 https://c.example/f"]] {
            let course = play(A, &[(1, by_way), (2, other), (3, by_way), (4, by_way)]);
            assert_eq!((course.url, course.moved_to), (url(A), None), "{other:?}");
        }
    }

    #[test]
    fn every_hop_has_to_be_permanent() {
        let chain: &[&str] = &["301 https://b.example/f", "301 https://c.example/f"];
        assert_eq!(play(A, &[(1, chain), (3, chain)]).url, url("https://c.example/f"));
        let mixed: &[&str] = &["301 https://b.example/f", "302 https://c.example/f"];
        assert_eq!(play(A, &[(1, mixed), (3, mixed)]).url, url(B));
        let temporary: &[&str] = &["302 https://b.example/f", "301 https://c.example/f"];
        assert_eq!(play(A, &[(1, temporary), (9, temporary)]).url, url(A));
    }

    #[test]
    fn a_scheme_upgrade_is_taken_at_once_and_is_no_move() {
        let plain = "http://a.example/f";
        for hops in [&["up https://a.example/f"], &["301 https://a.example/f"]] {
            let course = play(plain, &[(1, hops)]);
            assert_eq!((course.url, course.moving), (url(A), None), "{hops:?}");
        }
        let both: &[&str] = &["up https://a.example/f", "301 https://b.example/f"];
        assert_eq!(play(plain, &[(1, both)]).url, url(A));
        assert_eq!(play(plain, &[(1, both), (3, both)]).url, url(B));
    }

    #[test]
    fn a_move_to_something_else_is_followed_and_not_told() {
        let hops = way(A, &["301 https://b.example/f"]);
        let mut first = Course::after(&url(A), &hops, None, at(1));
        first.note_whether_same(false);
        let mut second = Course::after(&url(A), &hops, first.moving.as_ref(), at(2));
        second.note_whether_same(true);
        let third = Course::after(&url(A), &hops, second.moving.as_ref(), at(3));
        assert_eq!((third.url, third.moved_to), (url(B), None));
    }
}
