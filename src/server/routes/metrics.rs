//! `/metrics`, on a listener of its own.

use actix_web::HttpResponse;
use actix_web::web::Data;

use crate::metrics::Metrics;
use crate::server::problem::{Kind, Problem};

/// Sends everything that is counted.
pub(crate) async fn answer(metrics: Data<Metrics>) -> HttpResponse {
    match metrics.text() {
        Ok(text) => HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(text),
        Err(error) => {
            tracing::error!(%error, "the metrics cannot be written");
            Problem::new(Kind::Internal, "The metrics cannot be written.").response()
        }
    }
}
