//! `POST /opml`: a subscription list in, the same list with manifests for feeds out.
//!
//! The body is the list, or a form with the list as a file, as browsers send it. Nothing of it is
//! fetched, kept or logged (MMSP 13.3).

use actix_multipart::Multipart;
use actix_web::http::ConnectionType;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{FromRequest as _, HttpMessage as _, HttpRequest, HttpResponse};
use futures_util::TryStreamExt as _;
use tokio::time::timeout;

use crate::opml;
use crate::server::problem::{Kind, Problem};
use crate::server::site::Site;
use crate::server::telling::tell;

/// Answers with the list rewritten.
pub(crate) async fn answer(
    site: Data<Site>,
    request: HttpRequest,
    payload: Payload,
) -> HttpResponse {
    let arrived = timeout(site.limits.body_time(), list(&site, &request, payload)).await;
    let Ok(list) = arrived else {
        let problem = Problem::new(Kind::TooSlow, "The end of the body did not come in time.");
        let mut response = tell(&site, &request, &problem, None);
        // What comes after all is nobody's.
        response.head_mut().set_connection_type(ConnectionType::Close);
        return response;
    };
    let list = match list {
        Ok(list) => list,
        Err(problem) => return tell(&site, &request, &problem, None),
    };
    match opml::rewrite(&opml::decode(&list), opml::to_manifests(&site.gateway.public_url())) {
        Ok(list) => HttpResponse::Ok()
            .content_type("text/x-opml; charset=utf-8")
            .insert_header((CACHE_CONTROL, "no-store"))
            .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"mmsp.opml\""))
            .body(list.text),
        Err(error) => {
            let problem = Problem::new(Kind::NotOpml, error.to_string());
            tell(&site, &request, &problem, None)
        }
    }
}

/// The list itself. The body is no longer than a body may be: that was judged by its length.
async fn list(site: &Site, request: &HttpRequest, payload: Payload) -> Result<Bytes, Problem> {
    let broken = || Problem::new(Kind::NotOpml, "The body ends before it should. Send it again.");
    if !request.content_type().eq_ignore_ascii_case("multipart/form-data") {
        let mut payload = payload.into_inner();
        return Bytes::from_request(request, &mut payload).await.map_err(|_| broken());
    }
    let mut form = Multipart::new(request.headers(), payload);
    while let Some(mut field) = form.try_next().await.map_err(|_| broken())? {
        if field.name() == Some("list") {
            let list = field.bytes(site.limits.body()).await.map_err(|_| broken())?;
            return list.map_err(|_| broken());
        }
    }
    Err(Problem::new(
        Kind::NotOpml,
        "The form has no file. Choose one as `list`, and send it again.",
    ))
}
