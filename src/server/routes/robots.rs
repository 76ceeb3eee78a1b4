//! `/robots.txt`: nothing here is for crawlers.

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;

/// Sends the rules.
pub(crate) async fn answer() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=86400"))
        .body("User-agent: *\nDisallow: /\n")
}
