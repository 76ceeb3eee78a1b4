//! The one way to tell a request's problem: in words to people, as JSON to programs. Log and metric
//! find the kind in the answer itself ([`Problem::response`]).

use actix_web::{HttpRequest, HttpResponse};

use super::notes::Notes;
use super::problem::Problem;
use super::site::Site;
use super::{router, web};
use crate::model::SourceUrl;

/// Tells a problem to whoever sent the request; `source` is the feed that was asked for, for the
/// log.
pub(crate) fn tell(
    site: &Site,
    request: &HttpRequest,
    problem: &Problem,
    source: Option<SourceUrl>,
) -> HttpResponse {
    let (route, headers) = (router::route_of(request.path()), request.headers());
    Notes::tell(request, source, None);
    if web::is_for_people(route, headers) {
        web::problem(problem, &site.assets, route, request.query_string(), headers)
    } else {
        problem.response()
    }
}
