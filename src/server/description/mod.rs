//! `/openapi.json`: all that is served, described from the tables that serve it.
//!
//! [`paths`] has a row for each route, so that a new one does not compile until it is described;
//! problems come from the table of `problem::Kind`, manifests from the draft's tables. It is made
//! once.

mod answers;
mod outcomes;
mod parameters;
mod paths;
mod row;
mod schemas;

use actix_web::web::Bytes;
use sha2::{Digest, Sha256};
use utoipa::openapi::path::{HttpMethod, PathItem, PathsBuilder};
use utoipa::openapi::security::{Http, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApiBuilder, Server};

use super::conditional::Version;
use crate::metrics::Route;
use crate::model::Timestamp;
use row::Described;

/// The description as it is sent.
#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) body: Bytes,
    pub(crate) version: Version,
}

impl Description {
    /// Describes the gateway under its public URL.
    pub(crate) fn new(public_url: &str) -> Result<Self, serde_json::Error> {
        let described = Route::ALL.iter().filter_map(|route| paths::describe(*route));
        let paths = described.fold(PathsBuilder::new(), |paths, Described { path, operations }| {
            let mut item = PathItem::default();
            for (method, operation) in operations {
                let operation = Some(operation.build());
                match method {
                    HttpMethod::Head => item.head = operation,
                    HttpMethod::Options => item.options = operation,
                    HttpMethod::Post => item.post = operation,
                    _ => item.get = operation,
                }
            }
            paths.path(path, item)
        });
        let components = schemas::all()?
            .into_iter()
            .fold(ways_to_show_a_token(), |components, (name, schema)| {
                components.schema(name, schema)
            });
        let license = LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0"));
        let info = InfoBuilder::new()
            .title("mmsp-gateway")
            .version(env!("CARGO_PKG_VERSION"))
            .description(Some(ABOUT))
            .license(Some(license.build()));
        let document = OpenApiBuilder::new()
            .info(info)
            .servers(Some([Server::new(public_url)]))
            .paths(paths)
            .components(Some(components.build()))
            .build();
        let body = Bytes::from(document.to_json()?);
        let digest = Sha256::digest(&body).into();
        Ok(Self { body, version: Version::new(&digest, Timestamp::EPOCH) })
    }
}

fn ways_to_show_a_token() -> ComponentsBuilder {
    let as_password = HttpBuilder::new()
        .scheme(HttpAuthScheme::Basic)
        .description(Some("The token as the password, with any user name: browsers ask for it."))
        .build();
    ComponentsBuilder::new()
        .security_scheme(BEARER, SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)))
        .security_scheme(BASIC, SecurityScheme::Http(as_password))
}

/// The names of the ways to show a token.
const BEARER: &str = "bearer";
const BASIC: &str = "basic";

const ABOUT: &str = "Any RSS, Atom, RDF, podcast or JSON feed as a native MMSP manifest. A \
                     failure is application/problem+json, whose type is a path that explains it; at \
                     the page for people, and for browsers that send a list, it is a page.";
