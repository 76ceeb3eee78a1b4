//! `/mmsp/discover`: the feeds that a page offers (MMSP 9.3).

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

use super::feed::{problem_of, read};
use crate::discovery::Offer;
use crate::gateway::Offers;
use crate::paging::{Address, PublicUrl};
use crate::server::notes::Notes;
use crate::server::problem::Problem;
use crate::server::query::{PageQuery, Query, QueryError};
use crate::server::site::Site;
use crate::server::telling::tell;

/// `GET` and `HEAD`.
pub(crate) async fn answer(site: Data<Site>, request: HttpRequest) -> HttpResponse {
    let query = read(&site, &request).and_then(|query| {
        only_url(&query).map_err(|error| Problem::from(&error))?;
        Ok(query)
    });
    let url = match query {
        Ok(query) => query.url.clone(),
        Err(problem) => return tell(&site, &request, &problem, None),
    };
    if let Err(problem) = site.count_page(&request, &url).await {
        return tell(&site, &request, &problem, Some(url));
    }
    match site.gateway.offers(&url, &Notes::waits(&request)).await {
        Ok(offers) => {
            Notes::tell(&request, Some(url), None);
            HttpResponse::Ok()
                .insert_header((
                    CACHE_CONTROL,
                    format!("public, max-age={}", offers.max_age_seconds),
                ))
                .json(list(offers, &site.gateway.public_url()))
        }
        Err(error) => tell(&site, &request, &problem_of(&error, &url), Some(url)),
    }
}

/// A list has no pages.
fn only_url(query: &Query) -> Result<(), QueryError> {
    let unknown = |name: &str| QueryError::Unknown { name: name.to_owned(), meant: None };
    match query {
        Query { page: PageQuery { cursor: Some(_), .. }, .. } => Err(unknown("cursor")),
        Query { page: PageQuery { limit: Some(_), .. }, .. } => Err(unknown("limit")),
        // A signature is one for a feed: the list hands out signed addresses, and wants a token.
        Query { sig: Some(_), .. } => Err(unknown("sig")),
        Query { .. } => Ok(()),
    }
}

fn list(offers: Offers, public_url: &PublicUrl) -> Vec<Offer> {
    let offer = |candidate: crate::discovery::Candidate| {
        let address = Address::of(public_url, &candidate.url, None);
        candidate.offer(address.first())
    };
    offers.candidates.into_iter().map(offer).collect()
}
