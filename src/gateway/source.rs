//! Where documents come from: the web, or in tests a script.

use crate::fetch::{self, FetchError, Fetcher, Request, Response, Rests, SetupError, Verdict};
use crate::model::SourceUrl;

/// What each poller makes a [`Source`] of its own from.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    Web {
        settings: Box<fetch::Settings>,
        /// Our own paths, which are never asked.
        own: Vec<SourceUrl>,
        /// What hosts ask for, whichever thread hears it.
        rests: Rests,
    },
    #[cfg(test)]
    Script(super::script::Script),
}

/// The way out of one poller thread.
pub(super) enum Source {
    Web(Box<Fetcher>),
    #[cfg(test)]
    Script(super::script::Script),
}

impl Plan {
    /// The same by other settings.
    pub(super) fn with(&self, settings: &fetch::Settings) -> Self {
        match self {
            Self::Web { own, rests, .. } => Self::Web {
                settings: Box::new(settings.clone()),
                own: own.clone(),
                rests: rests.clone(),
            },
            #[cfg(test)]
            Self::Script(script) => Self::Script(script.clone()),
        }
    }

    pub(super) fn source(&self) -> Result<Source, SetupError> {
        match self {
            Self::Web { settings, own, rests } => {
                let fetcher = Fetcher::new(settings, own)?.sharing(rests.clone());
                Ok(Source::Web(Box::new(fetcher)))
            }
            #[cfg(test)]
            Self::Script(script) => Ok(Source::Script(script.clone())),
        }
    }
}

impl Source {
    /// Judges an address without asking anybody.
    pub(super) fn judge(&self, url: &SourceUrl) -> Result<(), Verdict> {
        match self {
            Self::Web(fetcher) => fetcher.judge(url),
            #[cfg(test)]
            Self::Script(_) => Ok(()),
        }
    }

    pub(super) async fn fetch(&self, request: &Request) -> Result<Response, FetchError> {
        match self {
            Self::Web(fetcher) => fetcher.fetch(request).await,
            #[cfg(test)]
            Self::Script(script) => script.fetch(request).await,
        }
    }
}
