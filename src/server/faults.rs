//! Which settings of the server do not go together, though each can be read.

use std::net::{IpAddr, SocketAddr};

use thiserror::Error;
use url::Url;

use super::access::{AccessMode, AccessSettings};
use super::callers::Settings as CallerSettings;
use super::settings::{MetricsSettings, Settings};
use crate::fault::Fault;

/// Why settings that can each be read do not go together.
#[derive(Debug, PartialEq, Error)]
pub enum SettingsError {
    /// Neither listener is on.
    #[error("server.listen and server.tls_listen are both empty: nothing to listen on")]
    NoListener,
    /// One of certificate and key without the other.
    #[error("server.tls_cert and server.tls_key go together: set both or neither")]
    HalfCertificate,
    /// Manifest URLs must be HTTPS, and nothing says which one is ours.
    #[error(
        "server.public_url is needed where server.tls_listen is empty: set it to the https:// \
         address that clients use"
    )]
    NoPublicUrl,
    /// Not an address that manifests can carry.
    #[error(
        "server.public_url must be an https:// address without user, query and fragment, such as \
         https://feeds.example.org"
    )]
    PublicUrl,
    /// Everybody could make us fetch.
    #[error(
        "{0} is {1}, which is reachable from beyond this machine, and access.mode is open: anyone \
         could make the gateway fetch for them. Listen on 127.0.0.1, or set \
         access.dangerously_open_beyond_loopback = true if something else decides who may ask"
    )]
    OpenBeyondLoopback(&'static str, SocketAddr),
    /// Nobody could ask.
    #[error(
        "access.mode is token, and access.tokens is empty: set at least one, such as the output \
         of `openssl rand -hex 32`"
    )]
    NoTokens,
    /// Nothing could be signed.
    #[error(
        "access.mode is signed, and access.keys is empty: set at least one, such as the output of \
         `openssl rand -hex 32`"
    )]
    NoKeys,
    /// A token that nobody could send.
    #[error("access.tokens may hold letters, digits and -._~+/= only (RFC 6750 2.1)")]
    UnsendableToken,
    /// A certificate that nobody would see.
    #[error("server.tls_cert is set, but server.tls_listen is empty: nothing would use it")]
    UnusedCertificate,
    /// Our own certificate has no place.
    #[error("server.tls_self_signed_dir is empty: name a folder, or set server.tls_cert")]
    NoCertificateFolder,
    /// Two listeners want one socket.
    #[error("{0} and {1} want the same address: give each a port of its own")]
    SameAddress(&'static str, &'static str),
    /// A rate without a single request in one go.
    #[error(
        "callers.{0}_burst must be more than 0 where callers.{0}_per_minute is; 0 a minute stands \
         for no limit"
    )]
    NoBurst(&'static str),
}

impl From<&SettingsError> for Fault {
    fn from(error: &SettingsError) -> Self {
        use SettingsError as E;
        let of = |keys: &[&str]| Self::of(keys, error);
        match error {
            E::NoListener => of(&[LISTEN, TLS_LISTEN]),
            E::HalfCertificate => of(&[TLS_CERT, "server.tls_key"]),
            E::NoPublicUrl => of(&[PUBLIC_URL, TLS_LISTEN]),
            E::PublicUrl => of(&[PUBLIC_URL]),
            E::OpenBeyondLoopback(listener, _) => {
                of(&[listener, MODE, "access.dangerously_open_beyond_loopback"])
            }
            E::NoTokens => of(&[MODE, "access.tokens"]),
            E::NoKeys => of(&[MODE, "access.keys"]),
            E::UnsendableToken => of(&["access.tokens"]),
            E::UnusedCertificate => of(&[TLS_CERT, TLS_LISTEN]),
            E::NoCertificateFolder => of(&["server.tls_self_signed_dir", TLS_CERT]),
            E::SameAddress(one, other) => of(&[one, other]),
            E::NoBurst(what) => {
                of(&[&format!("callers.{what}_burst"), &format!("callers.{what}_per_minute")])
            }
        }
    }
}

const LISTEN: &str = "server.listen";
const TLS_LISTEN: &str = "server.tls_listen";
const TLS_CERT: &str = "server.tls_cert";
const PUBLIC_URL: &str = "server.public_url";
const MODE: &str = "access.mode";

impl Settings {
    /// Checks what one value alone cannot show; names every fault.
    #[must_use]
    pub fn faults(
        &self,
        access: &AccessSettings,
        callers: &CallerSettings,
        metrics: &MetricsSettings,
    ) -> Vec<SettingsError> {
        let mut faults = self.faults_of_addresses(metrics);
        faults.extend(self.faults_of_certificates());
        faults.extend(self.faults_of_access(access));
        faults.extend(callers.faults());
        faults
    }

    fn faults_of_addresses(&self, metrics: &MetricsSettings) -> Vec<SettingsError> {
        let mut faults = Vec::new();
        if self.listen.is_none() && self.tls_listen.is_none() {
            faults.push(SettingsError::NoListener);
        }
        if !self.public_url.is_empty() && !is_public_url(&self.public_url) {
            faults.push(SettingsError::PublicUrl);
        }
        if self.public_url.is_empty() && self.tls_listen.is_none() && self.listen.is_some() {
            faults.push(SettingsError::NoPublicUrl);
        }
        let listeners = [
            (LISTEN, self.listen),
            (TLS_LISTEN, self.tls_listen),
            ("metrics.listen", metrics.listen),
        ];
        let taken = listeners.iter().filter_map(|(name, address)| Some((*name, (*address)?)));
        let taken: Vec<(&'static str, SocketAddr)> = taken.collect();
        for (place, (second, address)) in taken.iter().enumerate() {
            let mut before = taken.iter().take(place);
            if let Some((first, _)) = before.find(|(_, other)| is_same_socket(*other, *address)) {
                faults.push(SettingsError::SameAddress(first, second));
            }
        }
        faults
    }

    fn faults_of_certificates(&self) -> Vec<SettingsError> {
        let has_certificate = !self.tls_cert.as_os_str().is_empty();
        let mut faults = Vec::new();
        if has_certificate == self.tls_key.as_os_str().is_empty() {
            faults.push(SettingsError::HalfCertificate);
        } else if has_certificate && self.tls_listen.is_none() {
            faults.push(SettingsError::UnusedCertificate);
        }
        let makes_its_own = self.tls_listen.is_some() && !has_certificate;
        if makes_its_own && self.tls_self_signed_dir.as_os_str().is_empty() {
            faults.push(SettingsError::NoCertificateFolder);
        }
        faults
    }

    fn faults_of_access(&self, access: &AccessSettings) -> Vec<SettingsError> {
        let mut faults = Vec::new();
        if access.mode == AccessMode::Open && !access.dangerously_open_beyond_loopback {
            let listeners = [(LISTEN, self.listen), (TLS_LISTEN, self.tls_listen)];
            let beyond = listeners.into_iter().filter_map(|(name, address)| {
                let address = address.filter(|it| !it.ip().to_canonical().is_loopback())?;
                Some(SettingsError::OpenBeyondLoopback(name, address))
            });
            faults.extend(beyond);
        }
        match access.mode {
            AccessMode::Token if access.tokens.is_empty() => faults.push(SettingsError::NoTokens),
            AccessMode::Signed if access.keys.is_empty() => faults.push(SettingsError::NoKeys),
            AccessMode::Open | AccessMode::Token | AccessMode::Signed => {}
        }
        if access.has_unsendable_token() {
            faults.push(SettingsError::UnsendableToken);
        }
        faults
    }
}

/// Whether the system would give only one of them its socket.
fn is_same_socket(one: SocketAddr, other: SocketAddr) -> bool {
    let takes = |all: IpAddr, it: IpAddr| all.is_unspecified() && (all.is_ipv6() || it.is_ipv4());
    let (a, b) = (one.ip(), other.ip());
    one.port() != 0 && one.port() == other.port() && (a == b || takes(a, b) || takes(b, a))
}

fn is_public_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        url.scheme() == "https"
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: impl FnOnce(&mut Settings, &mut AccessSettings)) -> Vec<SettingsError> {
        let (mut settings, mut access) = (Settings::default(), AccessSettings::default());
        change(&mut settings, &mut access);
        settings.faults(&access, &CallerSettings::default(), &MetricsSettings::default())
    }

    #[test]
    fn the_defaults_have_no_fault() {
        assert_eq!(check(|_, _| {}), []);
    }

    #[test]
    fn open_mode_stays_on_loopback_unless_told() {
        let everywhere: SocketAddr = "0.0.0.0:8080".parse().unwrap();
        let open = |settings: &mut Settings| settings.listen = Some(everywhere);
        assert_eq!(
            check(|settings, _| open(settings)),
            [SettingsError::OpenBeyondLoopback("server.listen", everywhere)]
        );
        let told = check(|settings, access| {
            open(settings);
            access.dangerously_open_beyond_loopback = true;
        });
        assert_eq!(told, []);
        let mapped = check(|settings, _| settings.listen = "[::ffff:127.0.0.1]:80".parse().ok());
        assert_eq!(mapped, []);
    }

    #[test]
    fn a_mode_that_wants_a_secret_has_one_and_may_listen_anywhere() {
        let in_mode = |mode: AccessMode, secret: &str| {
            check(|settings, access| {
                settings.listen = "0.0.0.0:8080".parse().ok();
                access.mode = mode;
                let secrets = if secret.is_empty() { Vec::new() } else { vec![secret.into()] };
                match mode {
                    AccessMode::Signed => access.keys = secrets,
                    AccessMode::Open | AccessMode::Token => access.tokens = secrets,
                }
            })
        };
        assert_eq!(in_mode(AccessMode::Token, ""), [SettingsError::NoTokens]);
        assert_eq!(in_mode(AccessMode::Token, "a"), []);
        assert_eq!(in_mode(AccessMode::Token, "a b"), [SettingsError::UnsendableToken]);
        assert_eq!(in_mode(AccessMode::Signed, ""), [SettingsError::NoKeys]);
        assert_eq!(in_mode(AccessMode::Signed, "a b"), []);
    }

    #[test]
    fn half_a_certificate_and_a_plain_public_url_are_faults() {
        assert_eq!(
            check(|settings, _| settings.tls_cert = "a.pem".into()),
            [SettingsError::HalfCertificate]
        );
        assert_eq!(
            check(|settings, _| settings.public_url = "http://x.example".to_owned()),
            [SettingsError::PublicUrl]
        );
        assert_eq!(check(|settings, _| settings.tls_listen = None), [SettingsError::NoPublicUrl]);
    }
}
