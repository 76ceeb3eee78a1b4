//! `/openapi.json`: the description of all that is served.

use actix_web::http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};

use crate::server::site::Site;

/// `GET` and `HEAD`.
pub(crate) async fn answer(site: Data<Site>, request: HttpRequest) -> HttpResponse {
    let description = &site.description;
    let headers = request.headers();
    // It has no time of change to be compared by.
    let is_known = headers.contains_key(IF_NONE_MATCH) && description.version.is_known_to(headers);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((ETAG, description.version.entity_tag(None)))
        .insert_header((CACHE_CONTROL, "public, max-age=3600"));
    if is_known {
        response.finish()
    } else {
        response.content_type("application/json").body(description.body.clone())
    }
}
