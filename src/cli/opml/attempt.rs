//! One feed of a list, tried as the gateway would try it: what is at its address, and behind that.

use crate::cli::convert::convert_document;
use crate::cli::document::DocumentError;
use crate::cli::web::{self, Fetched};
use crate::convert::ConvertError;
use crate::discovery::{self, Page};
use crate::fetch::{Fetcher, Redirect, RedirectKind};
use crate::manifest;
use crate::model::{SourceUrl, Timestamp};
use crate::server::problem::{Kind, Problem};

/// What became of a feed of the list.
pub(super) struct Attempt {
    /// What the list calls it; may be empty.
    pub(super) title: String,
    /// Its address, as the list has it.
    pub(super) url: String,
    pub(super) outcome: Outcome,
}

/// What is at an address.
pub(super) enum Outcome {
    /// A feed that can be converted.
    Feed(Converted),
    /// A page that offers a feed that can be converted: this one.
    Page(SourceUrl, Converted),
    /// A manifest, here or offered there, that needs no gateway.
    Manifest(SourceUrl),
    /// What the list has already.
    Duplicate,
    /// Nothing that can be converted, and why.
    Failed(Box<Problem>),
}

/// A feed that can be converted.
#[derive(Debug)]
pub(super) struct Converted {
    pub(super) items: usize,
    pub(super) skipped: usize,
    /// Whether anything of it is mended, dropped or skipped.
    pub(super) has_remarks: bool,
    /// Where it has moved for good, by its server's word.
    pub(super) moved_to: Option<SourceUrl>,
}

impl Attempt {
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_))
    }

    /// The feed, if there is one.
    pub(super) fn converted(&self) -> Option<&Converted> {
        match &self.outcome {
            Outcome::Feed(converted) | Outcome::Page(_, converted) => Some(converted),
            Outcome::Manifest(_) | Outcome::Duplicate | Outcome::Failed(_) => None,
        }
    }
}

/// Reads what is at an address and, where that is a page, the feeds that it offers, the best first.
pub(super) async fn attempt(fetcher: &Fetcher, url: &SourceUrl, now: Timestamp) -> Outcome {
    let fetched = match web::fetch(fetcher, url).await {
        Ok(fetched) => fetched,
        Err(error) => return failed(&error),
    };
    let own = &fetched.document.url;
    if manifest::is_native(&fetched.document.body) {
        return Outcome::Manifest(own.clone());
    }
    match convert(&fetched, now) {
        Ok(converted) => Outcome::Feed(converted),
        Err(DocumentError::Convert(ConvertError::WebPage)) => follow(fetcher, &fetched, now).await,
        Err(error) => failed(&error),
    }
}

/// Looks at what a page offers (MMSP 9.3), as often as the gateway would.
async fn follow(fetcher: &Fetcher, page: &Fetched, now: Timestamp) -> Outcome {
    let document = &page.document;
    let offers = discovery::find(&Page {
        body: &document.body,
        content_type: document.content_type.as_deref(),
        url: &document.url,
        link_fields: &document.link_fields,
    });
    let offers = offers.into_iter().map(|offer| offer.url);
    let well_known = discovery::well_known(&document.url);
    if let Some(own) = &well_known
        && let Ok(fetched) = web::fetch(fetcher, own).await
        && manifest::is_native(&fetched.document.body)
    {
        return Outcome::Manifest(fetched.document.url);
    }
    let mut first_error = None;
    for offer in offers.take(MOST_TRIED) {
        let tried = match web::fetch(fetcher, &offer).await {
            Ok(fetched) if manifest::is_native(&fetched.document.body) => {
                return Outcome::Manifest(fetched.document.url);
            }
            Ok(fetched) => convert(&fetched, now),
            Err(error) => Err(error),
        };
        match tried {
            Ok(converted) => return Outcome::Page(offer, converted),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    let error = first_error.unwrap_or(DocumentError::Convert(ConvertError::WebPage));
    failed(&error)
}

fn convert(fetched: &Fetched, now: Timestamp) -> Result<Converted, DocumentError> {
    let (_, conversion) = convert_document(&fetched.document, now)?;
    Ok(Converted {
        items: conversion.report.items.len(),
        skipped: conversion.report.skipped.len(),
        has_remarks: !conversion.report.remarks().is_empty(),
        moved_to: moved_to(&fetched.redirects),
    })
}

/// Where permanent redirects lead, before the first that is not.
fn moved_to(redirects: &[Redirect]) -> Option<SourceUrl> {
    let for_good = redirects.iter().take_while(|hop| hop.kind != RedirectKind::Temporary);
    let is_move = for_good.clone().any(|hop| hop.kind == RedirectKind::Permanent);
    for_good.last().filter(|_| is_move).map(|hop| hop.to.clone())
}

fn failed(error: &DocumentError) -> Outcome {
    let problem = error.problem();
    Outcome::Failed(Box::new(
        problem.unwrap_or_else(|| Problem::new(Kind::SourceUnavailable, error.to_string())),
    ))
}

/// Each is a request that nobody may need.
const MOST_TRIED: usize = 4;
