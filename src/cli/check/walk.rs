//! The walk over the pages of a manifest (MMSP 5.5.1), and whether the way back into it lasts.

use serde_json::Value;

use super::bench::{Bench, Halt};
use super::wire;
use crate::fetch::{Answer, FetchError, Request};
use crate::manifest::{Next, Severity, Trail};
use crate::model::SourceUrl;
use Severity::Breach;

/// The second page, as it was at first.
struct Second {
    url: SourceUrl,
    items: Vec<String>,
}

impl Bench<'_> {
    /// Reads the older pages, to their end or to the bound, and then the second one again.
    pub(super) async fn walk(&mut self, trail: &mut Trail, mut next: Next) -> Result<(), Halt> {
        let mut second = None;
        while let Next::Page(address) = next {
            if trail.pages() >= self.max_pages {
                return Err(Halt(format!("the walk was ended after {} pages", trail.pages())));
            }
            let Ok(url) = SourceUrl::parse(&address) else {
                trail.lost(&address, "it is no address that can be read");
                break;
            };
            let response = match self.ask(Request::new(url.clone())).await? {
                Ok(response) => response,
                Err(error) => {
                    trail.lost(&address, &error.to_string());
                    break;
                }
            };
            let Answer::Document(document) = response.answer else { break };
            if !wire::is_manifest_type(document.content_type.as_deref()) {
                let content_type = document.content_type.as_deref();
                wire::media_type(content_type, &address, &mut self.judgement.findings);
            }
            second.get_or_insert_with(|| Second { url, items: items(&document.body) });
            next = trail.page(&address, &document.body);
        }
        match second {
            Some(second) => self.look_again(second).await,
            None => Ok(()),
        }
    }

    /// A cursor outlives the walk that met it, and leads to the same items (5.5.2).
    async fn look_again(&mut self, second: Second) -> Result<(), Halt> {
        let again = self.ask(Request::new(second.url.clone())).await?;
        let what = match again.map(|response| response.answer) {
            Ok(Answer::Document(document)) if items(&document.body) == second.items => {
                return Ok(());
            }
            Ok(Answer::Document(_)) => {
                "asked for again at the end of the walk, it has other items: a cursor stands for a \
                 place in the order of items, not for a count"
                    .to_owned()
            }
            Ok(Answer::NotModified) => gone(&FetchError::UnaskedNotModified),
            Err(error) => gone(&error),
        };
        self.judgement.findings.add(Breach, "5.5.2", second.url, what);
        Ok(())
    }
}

fn gone(error: &FetchError) -> String {
    format!(
        "asked for again at the end of the walk, it cannot be read: {error}. A cursor lasts for \
         ttl_seconds at least"
    )
}

/// The identifiers of a page's items.
fn items(body: &[u8]) -> Vec<String> {
    let manifest: Value = serde_json::from_slice(body).unwrap_or_default();
    let items = manifest.get("items").and_then(Value::as_array);
    let id = |item: &Value| item.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    items.into_iter().flatten().map(id).collect()
}
