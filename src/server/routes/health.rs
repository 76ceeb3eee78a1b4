//! `/healthz` and `/readyz`, for whoever restarts and balances.

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::Data;
use serde_json::json;

use crate::server::site::Site;

/// The process answers, so it is alive.
pub(crate) async fn alive() -> HttpResponse {
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(json!({"status": "alive"}))
}

/// Red before everything is up and from the signal to stop. A lost store is told, but takes no
/// gateway out: all of them would go at once, and memory still answers.
pub(crate) async fn ready(site: Data<Site>) -> HttpResponse {
    let (mut response, status) = if site.phase.is_serving() {
        (HttpResponse::Ok(), "ready")
    } else if site.phase.is_draining() {
        (HttpResponse::ServiceUnavailable(), "draining")
    } else {
        (HttpResponse::ServiceUnavailable(), "starting")
    };
    let body = if site.phase.is_serving() && !site.gateway.has_store().await {
        json!({"status": status, "store": "degraded"})
    } else {
        json!({"status": status})
    };
    response.insert_header((CACHE_CONTROL, "no-store")).json(body)
}
