//! A handshake for its own sake: what TLS a source speaks, and how long its certificate lasts.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ProtocolVersion, RootCertStore};

use super::error::FetchError;
use crate::model::Timestamp;

/// What came out of a handshake in which the certificate was found good.
#[derive(Clone, Debug)]
pub struct Handshake {
    /// The version of TLS, such as `1.3`.
    pub version: &'static str,
    host: String,
    chain: Vec<CertificateDer<'static>>,
    roots: Arc<RootCertStore>,
}

impl Handshake {
    pub(super) fn new(
        version: Option<ProtocolVersion>,
        host: &str,
        chain: Option<&[CertificateDer<'static>]>,
        roots: Arc<RootCertStore>,
    ) -> Self {
        let version = match version {
            Some(ProtocolVersion::TLSv1_2) => "1.2",
            Some(ProtocolVersion::TLSv1_3) => "1.3",
            _ => "unknown",
        };
        Self { version, host: host.to_owned(), chain: chain.unwrap_or_default().to_vec(), roots }
    }

    /// Whether the same certificate will be good at that moment, judged as clients judge it.
    ///
    /// # Errors
    /// Where the judge itself cannot be had.
    pub fn is_good_at(&self, moment: Timestamp) -> Result<bool, FetchError> {
        let other = |error: String| FetchError::Protocol(io::Error::other(error));
        let provider = Arc::new(ring::default_provider());
        let verifier =
            WebPkiServerVerifier::builder_with_provider(Arc::clone(&self.roots), provider).build();
        let verifier = verifier.map_err(|error| other(error.to_string()))?;
        let name = ServerName::try_from(self.host.as_str());
        let name = name.map_err(|error| other(error.to_string()))?;
        let Some((leaf, between)) = self.chain.split_first() else { return Ok(false) };
        let seconds = u64::try_from(moment.seconds()).unwrap_or_default();
        let moment = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        Ok(verifier.verify_server_cert(leaf, between, &name, &[], moment).is_ok())
    }
}
