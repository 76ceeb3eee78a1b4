//! A path and its operations, made of what there is to say of it.

use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, Required};

use super::answers::{self, Answers, Bodies, Good, ToldTo};
use super::outcomes::{BUSY, LONG, MISSING, PREFLIGHT};
use super::{BASIC, BEARER, schemas};
use crate::server::problem::Kind;

/// A path and its operations.
pub(super) struct Described {
    pub(super) path: &'static str,
    pub(super) operations: Vec<(HttpMethod, OperationBuilder)>,
}

/// What there is to say of a path, whatever the method.
pub(super) struct Row {
    pub(super) path: &'static str,
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) good: &'static [Good],
    pub(super) problems: &'static [&'static [Kind]],
    pub(super) told: ToldTo,
    pub(super) access: Access,
}

/// To whom a path is open.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Access {
    /// To everybody.
    Open,
    /// A token may be wanted, as `access.mode` says.
    Token,
}

impl Row {
    /// `GET` and `HEAD`.
    pub(super) fn for_all(self) -> Described {
        let get = self.operation(self.id.to_owned(), Bodies::Sent);
        let head = self.operation(format!("{}_head", self.id), Bodies::LeftOut);
        let operations = vec![(HttpMethod::Get, get), (HttpMethod::Head, head)];
        Described { path: self.path, operations }
    }

    /// With `OPTIONS`, which browsers send before they ask.
    pub(super) fn for_browsers(self) -> Described {
        let options = OperationBuilder::new()
            .operation_id(Some(format!("{}_options", self.id)))
            .summary(Some("What a script in a browser may ask here"))
            .parameters(self.parameters_of_path());
        let problems: &[&[Kind]] = match self.parameters_of_path() {
            Some(_) => &[LONG, BUSY, MISSING],
            None => &[LONG, BUSY],
        };
        let answers =
            Answers { good: &[PREFLIGHT], problems, told: self.told, bodies: Bodies::Sent };
        let options = answers::add(options, &answers);
        let mut described = self.for_all();
        described.operations.push((HttpMethod::Options, options));
        described
    }

    /// `POST` of a list.
    pub(super) fn for_lists(self) -> Described {
        let list = ContentBuilder::new().schema(Some(schemas::text())).example(Some(LIST.into()));
        let list = list.build();
        let form = ContentBuilder::new().schema(Some(schemas::form_with_file("list"))).build();
        let body = RequestBodyBuilder::new()
            .description(Some(
                "An OPML list, of whatever media type, or a form with it as the file `list`.",
            ))
            .required(Some(Required::True))
            .content("text/x-opml", list.clone())
            .content("text/plain", list)
            .content("multipart/form-data", form);
        let post = self.operation(self.id.to_owned(), Bodies::Sent);
        let post = post.request_body(Some(body.build()));
        Described { path: self.path, operations: vec![(HttpMethod::Post, post)] }
    }

    fn operation(&self, id: String, bodies: Bodies) -> OperationBuilder {
        let operation = OperationBuilder::new()
            .operation_id(Some(id))
            .summary(Some(self.summary))
            .parameters(Some(self.parameters.clone()));
        let operation = match self.access {
            Access::Open => operation,
            Access::Token => operation
                .security(SecurityRequirement::default())
                .security(SecurityRequirement::new(BEARER, [""; 0]))
                .security(SecurityRequirement::new(BASIC, [""; 0])),
        };
        let Self { good, problems, told, .. } = *self;
        answers::add(operation, &Answers { good, problems, told, bodies })
    }

    fn parameters_of_path(&self) -> Option<Vec<Parameter>> {
        let of_path = self.parameters.iter().filter(|it| it.parameter_in == ParameterIn::Path);
        let of_path: Vec<Parameter> = of_path.cloned().collect();
        (!of_path.is_empty()).then_some(of_path)
    }
}

/// A list as feed readers export it.
const LIST: &str = "<?xml version=\"1.0\"?><opml version=\"2.0\"><body><outline text=\"Rust\" \
                    type=\"rss\" xmlUrl=\"https://blog.rust-lang.org/feed.xml\"/></body></opml>";
