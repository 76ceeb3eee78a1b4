//! `POST /opml`: a subscription list in, the same list with manifests for feeds out.
//!
//! Nothing of it is fetched, kept or logged (MMSP 13.3).

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use actix_web::web::{Bytes, Data};

use crate::opml;
use crate::server::problem::{Kind, Problem};
use crate::server::site::Site;

/// Answers with the list rewritten.
pub(crate) async fn answer(site: Data<Site>, body: Bytes) -> HttpResponse {
    match opml::rewrite(&opml::decode(&body), opml::to_manifests(&site.gateway.public_url())) {
        Ok(list) => HttpResponse::Ok()
            .content_type("text/x-opml; charset=utf-8")
            .insert_header((CACHE_CONTROL, "no-store"))
            .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"mmsp.opml\""))
            .body(list.text),
        Err(error) => Problem::new(Kind::NotOpml, error.to_string()).response(),
    }
}
