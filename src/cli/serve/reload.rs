//! SIGHUP: the settings are read again, and what can be exchanged is.
//!
//! All or nothing: settings with a fault change nothing, and neither do those that only go together
//! once the others, which need a restart, are in force as well. What can still fail then is tried
//! before the rest is exchanged; it stays as it was, is remembered so, and is tried again next
//! time.

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
        let (wanted, mut next, named) = match next {
            Ok(next) => next,
            Err(error) => return refuse(&error),
        };
        let waiting = next.changed_keys(&wanted);
        self.try_what_can_fail(&mut next).await;
        // Whoever has a new signature is let in before one is handed out.
        self.running.admit_by(&next.access);
        self.gateway.sign_by(next.access.public_url(&self.base));
        self.gateway.name_feeds(named);
        let changed = self.settings.changed_keys(&next).join(" ");
        tracing::info!(changed, "the settings were read again");
        for setting in waiting {
            tracing::warn!(setting, "a changed setting takes effect with a restart");
        }
        for doubt in next.access.doubts() {
            tracing::warn!(doubt, "a setting is hardly what was meant");
        }
        self.settings = next;
    }

    /// Exchanges what may still fail; those of the settings that did are again as they were.
    async fn try_what_can_fail(&self, next: &mut Settings) {
        // A file may be new under the same name.
        let reads_anew = next.fetch.ca_file.is_some() || self.settings.fetch != next.fetch;
        if reads_anew && let Err(error) = self.gateway.fetch_by(&next.fetch).await {
            tracing::error!(%error, cause = ?error, "sources are read as before");
            next.fetch = self.settings.fetch.clone();
        }
        if let Some(tls) = &self.tls
            && let Err(error) = tls.renew(&next.server)
        {
            tracing::error!(%error, cause = ?error, "the certificate stays as it was");
            next.server.clone_from(&self.settings.server);
        }
        if let Err(error) = self.log.set_level(&next.log) {
            tracing::error!(%error, "the level of the log stays as it was");
            next.log.clone_from(&self.settings.log);
        }
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
