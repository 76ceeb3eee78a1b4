//! Feeds that the settings name: `/mmsp/NAME.json`, and `/.well-known/mmsp.json` for one of them.
//!
//! They are open whatever `access.mode` says, and no new feed of whoever asks: the operator named
//! them.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};

use super::feed::show;
use crate::gateway::PageRequest;
use crate::model::{FeedName, SourceUrl};
use crate::server::notes::Notes;
use crate::server::own;
use crate::server::problem::{Kind, Problem};
use crate::server::query::PageQuery;
use crate::server::site::Site;
use crate::server::telling::tell;

/// `GET` and `HEAD` of `/mmsp/NAME.json`.
pub(crate) async fn by_name(
    site: Data<Site>,
    request: HttpRequest,
    name: Path<String>,
) -> HttpResponse {
    let name = FeedName::parse(&name).ok();
    let source = name.as_ref().and_then(|name| site.gateway.named().find(name).cloned());
    answer(&site, &request, name.zip(source), "This gateway has no feed of that name.").await
}

/// `GET` and `HEAD` of `/.well-known/mmsp.json`. Its canonical address is that of its name.
pub(crate) async fn of_the_site(site: Data<Site>, request: HttpRequest) -> HttpResponse {
    let named = site.gateway.named();
    let found = named.well_known().map(|(name, source)| (name.clone(), source.clone()));
    answer(&site, &request, found, "This site has no feed of its own.").await
}

async fn answer(
    site: &Site,
    request: &HttpRequest,
    found: Option<(FeedName, SourceUrl)>,
    else_say: &'static str,
) -> HttpResponse {
    let Some((name, url)) = found else {
        let detail = format!("{else_say} {}", Kind::NotFound.advice());
        return tell(site, request, &Problem::new(Kind::NotFound, detail), None);
    };
    // A gateway that looks for what its own site offers comes by here.
    if own::has_passed_a_gateway(request.headers()) {
        let problem = Problem::new(Kind::Loop, Kind::Loop.advice());
        return tell(site, request, &problem, Some(url));
    }
    match PageQuery::parse(request.query_string()) {
        Ok(PageQuery { cursor, limit }) => {
            let waits = Notes::waits(request);
            show(site, request, PageRequest { url, name: Some(name), cursor, limit, waits }).await
        }
        Err(error) => tell(site, request, &Problem::from(&error), Some(url)),
    }
}
