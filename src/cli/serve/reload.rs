//! SIGHUP: the settings are read again, and what can be exchanged is.
//!
//! All or nothing: settings with a fault change nothing, and neither do those that only go together
//! once the others, which need a restart, are in force as well.

use super::Built;
use crate::settings::{Loaded, Settings, SettingsError};

impl Built {
    /// Puts in force what was read, as far as that goes without a restart.
    pub(super) async fn reload(&mut self, read: Result<Loaded, SettingsError>) {
        let next = read.and_then(|loaded| {
            let next = self.settings.taking_over(&loaded.settings);
            next.check()?;
            let named = next.named_feeds()?;
            Ok((loaded.settings, next, named))
        });
        let (wanted, next, named) = match next {
            Ok(next) => next,
            Err(error) => return refuse(&error),
        };
        // Whoever has a new signature is let in before one is handed out.
        self.running.admit_by(&next.access);
        self.gateway.sign_by(next.access.public_url(&self.base));
        self.gateway.name_feeds(named);
        if self.settings.fetch != next.fetch
            && let Err(error) = self.gateway.fetch_by(&next.fetch).await
        {
            tracing::error!(%error, cause = ?error, "sources are read as before");
        }
        // The files may be new under the same names.
        if let Some(tls) = &self.tls
            && let Err(error) = tls.renew(&next.server)
        {
            tracing::error!(%error, cause = ?error, "the certificate stays as it was");
        }
        if let Err(error) = self.log.set_level(&next.log) {
            tracing::error!(%error, "the level of the log stays as it was");
        }
        let changed = self.settings.changed_keys(&next).join(" ");
        tracing::info!(changed, "the settings were read again");
        for setting in next.changed_keys(&wanted) {
            tracing::warn!(setting, "a changed setting takes effect with a restart");
        }
        for doubt in next.access.doubts() {
            tracing::warn!(doubt, "a setting is hardly what was meant");
        }
        self.settings = next;
    }
}

fn refuse(error: &SettingsError) {
    for fault in &error.faults {
        tracing::error!(fault, "the settings have a fault");
    }
    tracing::error!("the settings stay as they were");
}

impl Settings {
    /// These, with those sections of others that can be exchanged in a gateway that runs.
    fn taking_over(&self, others: &Self) -> Self {
        let mut next = self.clone();
        next.access = others.access.clone();
        next.fetch = others.fetch.clone();
        next.feeds = others.feeds.clone();
        next.well_known = others.well_known.clone();
        next.log.level = others.log.level.clone();
        next.server.tls_cert = others.server.tls_cert.clone();
        next.server.tls_key = others.server.tls_key.clone();
        next
    }
}
