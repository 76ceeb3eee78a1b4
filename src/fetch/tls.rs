//! Whom TLS trusts: the public authorities, and those of `fetch.ca_file`.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::error::SetupError;
use super::settings::Settings;

/// TLS 1.2 and 1.3, certificates verified, HTTP/1.1 only.
pub(super) fn client_config(roots: &Arc<RootCertStore>) -> Result<Arc<ClientConfig>, SetupError> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| SetupError::Tls(io::Error::other(error)))?
        .with_root_certificates(Arc::clone(roots))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The public authorities and those of the file.
pub(super) fn roots(settings: &Settings) -> Result<RootCertStore, SetupError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = &settings.ca_file {
        add_file(&mut roots, path)
            .map_err(|source| SetupError::CaFile { path: path.clone(), source })?;
    }
    Ok(roots)
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> io::Result<()> {
    let before = roots.len();
    for certificate in CertificateDer::pem_file_iter(path).map_err(io::Error::other)? {
        roots.add(certificate.map_err(io::Error::other)?).map_err(io::Error::other)?;
    }
    if roots.len() == before { Err(io::ErrorKind::InvalidData.into()) } else { Ok(()) }
}
