//! What is said when the gateway listens.

use std::net::SocketAddr;
use std::path::PathBuf;

use tracing::field;

use crate::gateway::NamedFeeds;
use crate::model::FeedName;
use crate::paging::Address;
use crate::server::{Listeners, Tls};

/// What a person at the terminal needs: where it listens, and what to trust.
pub(super) struct Announcement {
    https: Option<SocketAddr>,
    http: Option<SocketAddr>,
    metrics: Option<SocketAddr>,
    manifests: String,
    /// Manifests that have names.
    named: Vec<String>,
    certificate: Option<PathBuf>,
}

impl Announcement {
    pub(super) fn new(
        listeners: &Listeners,
        tls: Option<&Tls>,
        public_url: &str,
        named: &NamedFeeds,
    ) -> Self {
        let address =
            |name: &FeedName| Address::named(&public_url.into(), name, None).first().to_owned();
        Self {
            named: named.iter().map(|(name, _)| address(name)).collect(),
            https: listeners.tls(),
            http: listeners.plain(),
            metrics: listeners.metrics(),
            manifests: format!("{public_url}/mmsp/feed?url=URL"),
            certificate: tls.filter(|tls| tls.is_self_signed).map(|tls| tls.certificate.clone()),
        }
    }

    /// A line each, for people.
    pub(super) fn lines(&self) -> String {
        let named = self.named.iter().map(|address| format!("a manifest by name at {address}\n"));
        let lines = [
            self.https.map(|address| format!("https on https://{address}\n")),
            self.http.map(|address| format!("http on http://{address}\n")),
            self.metrics.map(|address| format!("metrics on http://{address}/metrics\n")),
            Some(format!("manifests at {}\n", self.manifests)),
            self.certificate
                .as_ref()
                .map(|path| format!("certificate to trust: {}\n", path.display())),
        ];
        lines.into_iter().flatten().chain(named).collect()
    }

    /// One event, where each line of the log is an object.
    pub(super) fn log(&self) {
        tracing::info!(
            server.https = self.https.map(field::display),
            server.http = self.http.map(field::display),
            server.metrics = self.metrics.map(field::display),
            server.manifests = self.manifests,
            server.named = (!self.named.is_empty()).then(|| self.named.join(" ")),
            server.certificate =
                self.certificate.as_ref().map(|path| field::display(path.display())),
            "serving"
        );
    }
}
