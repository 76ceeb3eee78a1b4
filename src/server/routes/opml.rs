//! `POST /opml`: a subscription list in, the same list with manifests for feeds out.
//!
//! Nothing of it is fetched, kept or logged (MMSP 13.3).

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use actix_web::web::{Bytes, Data};

use crate::model::SourceUrl;
use crate::opml;
use crate::paging::Address;
use crate::server::problem::{Kind, Problem};
use crate::server::site::Site;

/// Answers with the list rewritten.
pub(crate) async fn answer(site: Data<Site>, body: Bytes) -> HttpResponse {
    let text = String::from_utf8_lossy(&body);
    let translate = |url: &str| {
        let source = SourceUrl::parse(url).ok()?;
        Some(Address::of(&site.public_url, &source, None).first().to_owned())
    };
    match opml::rewrite(&text, translate) {
        Ok(list) => HttpResponse::Ok()
            .content_type("text/x-opml; charset=utf-8")
            .insert_header((CACHE_CONTROL, "no-store"))
            .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"mmsp.opml\""))
            .body(list.text),
        Err(error) => Problem::new(Kind::NotOpml, error.to_string()).response(),
    }
}
