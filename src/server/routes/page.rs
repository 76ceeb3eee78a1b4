//! `/`: the page for people.

use std::io;
use std::sync::Arc;

use actix_web::web::{self as workers, Data};
use actix_web::{HttpRequest, HttpResponse};

use super::feed;
use crate::discovery::Candidate;
use crate::gateway::{FeedView, View};
use crate::server::caching;
use crate::server::notes::Notes;
use crate::server::problem::{Kind, Problem};
use crate::server::site::Site;
use crate::server::telling::tell;
use crate::server::web::{self, Asked, Preview, Wish};

/// `GET` and `HEAD`.
pub(crate) async fn answer(site: Data<Site>, request: HttpRequest) -> HttpResponse {
    let wish = match Asked::parse(request.query_string()) {
        Ok(Asked::Feed(wish)) => wish,
        Ok(Asked::Nothing { is_sent }) => {
            let page = web::start(&site.assets, is_sent);
            return if is_sent {
                web::html_of_problem(Kind::InvalidUrl, &page, request.headers())
            } else {
                web::html(&page, request.headers())
            };
        }
        Err(error) => return tell(&site, &request, &Problem::from(&error), None),
    };
    let source = wish.query.url.clone();
    match look(&site, &request, &wish).await {
        Ok(View::Feed(view)) => show(site, &request, wish, *view).await,
        Ok(View::Native(native)) => {
            let page = web::native(&site.assets, &wish.typed, &native.url);
            Notes::tell(&request, Some(source), Some("native"));
            web::html(&page, request.headers())
        }
        Err(problem) => tell(&site, &request, &problem, Some(source)),
    }
}

/// Asks for the feed as a client does, under the same limits.
async fn look(site: &Site, request: &HttpRequest, wish: &Wish) -> Result<View, Problem> {
    feed::refuse_own(site, request, &wish.query)?;
    site.count_source(request, &wish.query.url).await?;
    let view = site.gateway.view(&web::page_request(wish, Notes::waits(request))).await;
    view.map_err(|error| feed::problem_of(&error, &wish.query.url))
}

async fn show(site: Data<Site>, request: &HttpRequest, wish: Wish, view: FeedView) -> HttpResponse {
    let source = wish.query.url.clone();
    let cache = caching::word(&view.answer.cache);
    let offers = offers(&site, request, &wish, &view).await;
    let is_large = view.answer.page.body.len() > LARGE_BYTES;
    let together = {
        let site = Arc::clone(&site);
        move || {
            let named = site.gateway.named();
            let name = named.name_of(&wish.query.url);
            let public_url = site.gateway.public_url();
            Ok(Preview::of(&wish, &view, offers.as_deref(), name, &public_url)?)
        }
    };
    let preview = if is_large {
        workers::block(together).await.map_err(io::Error::other).and_then(|preview| preview)
    } else {
        together()
    };
    let preview = match preview {
        Ok(preview) => preview,
        Err(cause) => {
            tracing::error!(source.host = source.host(), ?cause, "a page of ours cannot be shown");
            let problem = Problem::new(Kind::Internal, Kind::Internal.advice());
            return tell(&site, request, &problem, Some(source));
        }
    };
    let page = preview.page(&site.assets);
    Notes::tell(request, Some(source), Some(cache));
    if preview.is_good() {
        web::html(&page, request.headers())
    } else {
        web::html_of_problem(Kind::InvalidFilter, &page, request.headers())
    }
}

/// The feeds to choose from, where the address is that of a page which offers several. The feed
/// that there is does not fail with them. None where the caller may not have the page looked at.
async fn offers(
    site: &Site,
    request: &HttpRequest,
    wish: &Wish,
    view: &FeedView,
) -> Option<Vec<Candidate>> {
    if view.standing.is_own_address {
        return Some(Vec::new());
    }
    if !site.may_look_at(request, &wish.query.url).await {
        return None;
    }
    let offers = site.gateway.offers(&wish.query.url, &Notes::waits(request)).await;
    let candidates = offers.map(|offers| offers.candidates).unwrap_or_default();
    Some(if candidates.len() > 1 { candidates } else { Vec::new() })
}

/// A manifest up to here is read in well under a millisecond.
const LARGE_BYTES: usize = 128 << 10;
