//! `/assets/NAME`: the files that the page loads.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING, VARY};
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};

use crate::server::coding;
use crate::server::problem::{Kind, Problem};
use crate::server::site::Site;

/// `GET` and `HEAD`. A name stands for one content, so it holds for good.
pub(crate) async fn answer(
    site: Data<Site>,
    name: Path<String>,
    request: HttpRequest,
) -> HttpResponse {
    let Some(asset) = site.assets.find(&name) else {
        return Problem::new(Kind::NotFound, "There is no file of that name.").response();
    };
    let (body, coding) = asset.body(coding::choose(request.headers()));
    let mut response = HttpResponse::Ok();
    response
        .content_type(asset.media_type)
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .insert_header((VARY, "Accept-Encoding"));
    if let Some(coding) = coding {
        response.insert_header((CONTENT_ENCODING, coding.as_str()));
    }
    response.body(body)
}
