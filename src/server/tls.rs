//! The certificate of the HTTPS listener: the operator's, or one of our own for localhost.
//!
//! Our own is made on the first run and kept. It is no authority (`IsCa::NoCa`), so a client may
//! trust it without trusting anything else, and no key lies about that could sign for others.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{CertificateParams, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{Error, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use thiserror::Error;

use super::settings::Settings;
use crate::current::Current;

/// What HTTPS is served with.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The certificate's PEM file, for a client that has to trust it.
    pub certificate: PathBuf,
    /// Whether the certificate is one that we made.
    pub is_self_signed: bool,
    pub(crate) config: Arc<ServerConfig>,
    presented: Arc<Presented>,
}

/// The certificate that clients are shown, exchanged when its files are read again.
#[derive(Debug)]
struct Presented(Current<CertifiedKey>);

impl ResolvesServerCert for Presented {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.now())
    }
}

/// Why HTTPS cannot be served.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A PEM file that cannot be read.
    #[error("cannot read {0} from {1}")]
    Read(&'static str, PathBuf, #[source] Error),
    /// The certificate and the key do not go together, or cannot be used.
    #[error("the certificate {0} and its key cannot be used for HTTPS")]
    Use(PathBuf, #[source] rustls::Error),
    /// Our own certificate cannot be made.
    #[error("cannot make a certificate for localhost")]
    Make(#[source] rcgen::Error),
    /// Our own certificate cannot be kept.
    #[error("cannot write {0}")]
    Write(PathBuf, #[source] io::Error),
}

impl Tls {
    /// Reads the certificate that the settings name, or makes our own.
    ///
    /// # Errors
    /// Fails where a file cannot be read or written, or does not hold what it should.
    pub fn load(settings: &Settings) -> Result<Self, TlsError> {
        let (certificate, key) = files(settings)?;
        let presented = Arc::new(Presented(Current::new(read(&certificate, &key)?)));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsError::Use(certificate.clone(), error))?
            .with_no_client_auth()
            .with_cert_resolver(Arc::<Presented>::clone(&presented));
        Ok(Self {
            certificate,
            is_self_signed: settings.tls_cert.as_os_str().is_empty(),
            config: Arc::new(config),
            presented,
        })
    }

    /// Reads the certificate that the settings name, if they do, and makes nothing.
    ///
    /// # Errors
    /// Fails where a file cannot be read, or does not hold what it should.
    pub fn check_files(settings: &Settings) -> Result<(), TlsError> {
        let files = [&settings.tls_cert, &settings.tls_key];
        let is_one_missing = files.iter().any(|file| file.as_os_str().is_empty());
        if settings.tls_listen.is_none() || is_one_missing {
            return Ok(());
        }
        read(&settings.tls_cert, &settings.tls_key).map(drop)
    }

    /// Shows clients another certificate from the next connection on: its files are read again.
    ///
    /// # Errors
    /// As [`Tls::load`]; the certificate before it stays.
    pub fn renew(&self, settings: &Settings) -> Result<(), TlsError> {
        let (certificate, key) = files(settings)?;
        self.presented.0.put(read(&certificate, &key)?);
        Ok(())
    }
}

/// The files of the certificate and its key; our own are made where they are missing.
fn files(settings: &Settings) -> Result<(PathBuf, PathBuf), TlsError> {
    if !settings.tls_cert.as_os_str().is_empty() {
        return Ok((settings.tls_cert.clone(), settings.tls_key.clone()));
    }
    let folder = &settings.tls_self_signed_dir;
    let (certificate, key) = (folder.join(CERTIFICATE), folder.join(KEY));
    if !certificate.exists() || !key.exists() {
        make(folder, &certificate, &key)?;
    }
    Ok((certificate, key))
}

fn read(certificate: &Path, key: &Path) -> Result<CertifiedKey, TlsError> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .and_then(|chain| if chain.is_empty() { Err(Error::NoItemsFound) } else { Ok(chain) })
        .map_err(|error| TlsError::Read("a certificate", certificate.to_owned(), error))?;
    let secret = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| TlsError::Read("a private key", key.to_owned(), error))?;
    CertifiedKey::from_der(chain, secret, &ring::default_provider())
        .map_err(|error| TlsError::Use(certificate.to_owned(), error))
}

const CERTIFICATE: &str = "localhost.pem";
const KEY: &str = "localhost.key.pem";

/// Makes a key and a certificate. Its time of validity is rcgen's, without an end in sight: a
/// wrong clock must not lock anyone out of a machine's own gateway.
fn make(folder: &Path, certificate: &Path, key: &Path) -> Result<(), TlsError> {
    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let mut params = CertificateParams::new(names).map_err(TlsError::Make)?;
    params.is_ca = IsCa::NoCa;
    params.distinguished_name.push(DnType::CommonName, "mmsp-gateway on localhost");
    let pair = KeyPair::generate().map_err(TlsError::Make)?;
    let signed = params.self_signed(&pair).map_err(TlsError::Make)?;

    fs::create_dir_all(folder).map_err(|error| TlsError::Write(folder.to_owned(), error))?;
    // The key first: a certificate without its key would be taken for a finished pair's half.
    write(key, &pair.serialize_pem(), 0o600)?;
    write(certificate, &signed.pem(), 0o644)
}

fn write(path: &Path, text: &str, mode: u32) -> Result<(), TlsError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| TlsError::Write(path.to_owned(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(folder: &Path) -> Settings {
        Settings { tls_self_signed_dir: folder.join("tls"), ..Settings::default() }
    }

    #[test]
    fn our_own_certificate_is_made_once_and_its_key_is_for_us_alone() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path());
        let first = Tls::load(&settings).unwrap();
        assert!(first.is_self_signed);
        let pem = fs::read_to_string(&first.certificate).unwrap();
        let second = Tls::load(&settings).unwrap();
        assert_eq!(fs::read_to_string(&second.certificate).unwrap(), pem);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let key = fs::metadata(settings.tls_self_signed_dir.join(KEY)).unwrap();
            assert_eq!(key.permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_file_that_is_no_certificate_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.pem");
        fs::write(&file, "nothing").unwrap();
        let settings =
            Settings { tls_cert: file.clone(), tls_key: file.clone(), ..settings(folder.path()) };
        let error = Tls::load(&settings).unwrap_err().to_string();
        assert!(error.contains("a.pem"), "{error}");
    }
}
