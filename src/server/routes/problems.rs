//! `/problems/NAME`: what a problem's `type` leads to.

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::Path;

use crate::server::problem::{Kind, Problem};

/// Sends the page of a type, out of the same table as the problems themselves.
pub(crate) async fn answer(name: Path<String>) -> HttpResponse {
    match Kind::ALL.iter().find(|kind| kind.name() == name.as_str()) {
        Some(kind) => HttpResponse::Ok()
            .content_type("text/plain; charset=utf-8")
            .insert_header((CACHE_CONTROL, "public, max-age=86400"))
            .body(page(*kind)),
        None => Problem::new(Kind::NotFound, "There is no problem of that name.").response(),
    }
}

fn page(kind: Kind) -> String {
    let statuses: Vec<_> = Kind::ALL
        .iter()
        .filter(|other| other.name() == kind.name())
        .map(|other| other.status().to_string())
        .collect();
    format!(
        "{}\n\n{}.\nStatus: {}\n\n{}\n",
        kind.name(),
        kind.title(),
        statuses.join(", "),
        kind.advice()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_every_status_of_its_type() {
        assert!(page(Kind::TargetTooLong).contains("Status: 414, 431, 413\n"));
        assert!(
            page(Kind::SourceGone).starts_with("source-gone\n\nThe source is gone for good.\n")
        );
    }
}
