//! The pages, as templates: whatever is put into them is escaped.

use askama::Template;
use url::form_urlencoded;

use super::Assets;
use super::asked;
use super::files::Player;
use super::preview::{Preview, Subscribe};
use super::words;
use crate::metrics::Route;
use crate::model::SourceUrl;
use crate::server::problem::{Kind, Problem};

/// What is around every page.
struct Shell<'a> {
    style: &'a str,
    script: &'a str,
    icon: &'a str,
    /// The address that was typed.
    typed: String,
}

impl<'a> Shell<'a> {
    fn new(assets: &'a Assets, typed: &str) -> Self {
        let Assets { style, script, icon } = assets;
        Self { style: &style.path, script: &script.path, icon: &icon.path, typed: typed.to_owned() }
    }
}

/// Where somebody comes who asked for nothing yet.
#[derive(Template)]
#[template(path = "start.html", config = "src/server/web/askama.toml")]
struct Start<'a> {
    shell: Shell<'a>,
    is_empty: bool,
}

/// Writes the first page; `is_empty` where the form was sent without an address.
pub(crate) fn start(assets: &Assets, is_empty: bool) -> impl Template {
    Start { shell: Shell::new(assets, ""), is_empty }
}

/// A feed.
#[derive(Template)]
#[template(path = "feed.html", config = "src/server/web/askama.toml")]
struct FeedPage<'a> {
    shell: Shell<'a>,
    line: String,
    preview: &'a Preview,
    /// That of the preview: the page of a manifest includes the same part.
    subscribe: &'a Subscribe,
}

impl Preview {
    /// Writes the page of a feed.
    pub(crate) fn page<'a>(&'a self, assets: &'a Assets) -> impl Template {
        FeedPage {
            shell: Shell::new(assets, &self.typed),
            line: link_line(&self.feed.title, &self.subscribe.manifest),
            preview: self,
            subscribe: &self.subscribe,
        }
    }
}

/// The line by which a publisher's page names the manifest (MMSP 9.1).
#[derive(Template)]
#[template(path = "link_line.html", config = "src/server/web/askama.toml")]
struct LinkLine<'a> {
    title: &'a str,
    href: &'a str,
}

fn link_line(title: &str, href: &str) -> String {
    LinkLine { title, href }.render().unwrap_or_default()
}

/// A manifest that needs no gateway.
#[derive(Template)]
#[template(path = "native.html", config = "src/server/web/askama.toml")]
struct Native<'a> {
    shell: Shell<'a>,
    subscribe: Subscribe,
}

/// Writes the page of a manifest that needs no gateway.
pub(crate) fn native<'a>(
    assets: &'a Assets,
    typed: &str,
    manifest: &SourceUrl,
) -> impl Template + use<'a> {
    Native { shell: Shell::new(assets, typed), subscribe: Subscribe::to_manifest(manifest) }
}

/// A problem, in words.
#[derive(Template)]
#[template(path = "problem.html", config = "src/server/web/askama.toml")]
struct ProblemPage<'a> {
    shell: Shell<'a>,
    status: u16,
    title: &'a str,
    detail: &'a str,
    wait: Option<String>,
    meant: Option<String>,
    explained: &'a str,
    /// Whether it is about a subscription list, which may be chosen again.
    is_list: bool,
}

/// Writes the page of a problem with a request of that query.
pub(super) fn problem<'a>(
    problem: &'a Problem,
    assets: &'a Assets,
    route: Route,
    query: &str,
) -> impl Template + use<'a> {
    let typed = asked::typed(query);
    let kind = problem.kind();
    ProblemPage {
        shell: Shell::new(assets, &typed),
        status: kind.status(),
        title: kind.title(),
        detail: problem.detail(),
        wait: problem.retry_after_seconds().map(|seconds| match words::rough(seconds) {
            Some(wait) => format!("in {wait}"),
            None => "in a moment".to_owned(),
        }),
        meant: (kind == Kind::UnknownParameter).then(|| meant(query)).flatten(),
        explained: kind.path().trim_start_matches('/'),
        is_list: route == Route::Opml,
    }
}

/// The page of an address that was written unencoded behind `url=`.
fn meant(query: &str) -> Option<String> {
    let address = query.strip_prefix("url=").filter(|address| address.contains("://"))?;
    SourceUrl::parse(address).ok()?;
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("url", address);
    Some(format!("?{}", query.finish()))
}
