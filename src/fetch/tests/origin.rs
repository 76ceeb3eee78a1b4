//! Origins that answer each connection with scripted bytes.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::DRIP;
use super::url;
use crate::model::SourceUrl;

/// An origin that serves one connection for each script and records what it was asked.
///
/// A script is written piece by piece; `HOLD` keeps the connection open until the client goes,
/// `DRIP` sends one blank after the other.
pub(super) struct Origin {
    scheme: &'static str,
    port: u16,
    scripts: Arc<Mutex<Vec<Script>>>,
    requests: Arc<Mutex<Vec<Vec<u8>>>>,
    ends: mpsc::Receiver<()>,
}

type Script = Vec<Vec<u8>>;

impl Origin {
    pub(super) fn plain(script: &[&str]) -> Self {
        Self::start(of_text(script), None)
    }

    pub(super) fn plain_bytes(script: &[&[u8]]) -> Self {
        Self::start(script.iter().map(|piece| piece.to_vec()).collect(), None)
    }

    /// Over TLS, for `127.0.0.1` and `feeds.example`; closes without a farewell, as many do.
    pub(super) fn tls(script: &[&str]) -> Self {
        Self::start(of_text(script), Some(Arc::clone(&identity().config)))
    }

    /// Adds the script of one more connection.
    pub(super) fn then(self, script: &[&str]) -> Self {
        self.scripts.lock().unwrap().push(of_text(script));
        self
    }

    fn start(first: Script, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (over, ends) = mpsc::channel();
        let origin = Self {
            ends,
            scheme: if tls.is_some() { "https" } else { "http" },
            port: listener.local_addr().unwrap().port(),
            scripts: Arc::new(Mutex::new(vec![first])),
            requests: Arc::default(),
        };
        let (scripts, requests) = (Arc::clone(&origin.scripts), Arc::clone(&origin.requests));
        thread::spawn(move || {
            for (place, socket) in listener.incoming().enumerate() {
                let script = scripts.lock().unwrap().get(place).cloned();
                let Some(script) = script else { return };
                let socket = socket.unwrap();
                let (tls, requests, over) = (tls.clone(), Arc::clone(&requests), over.clone());
                thread::spawn(move || {
                    // A client that goes away early is part of many stories.
                    let _ = match tls {
                        None => serve(socket, &script, &requests),
                        Some(config) => {
                            let session = ServerConnection::new(config).unwrap();
                            serve(StreamOwned::new(session, socket), &script, &requests)
                        }
                    };
                    let _ = over.send(());
                });
            }
        });
        origin
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn url(&self, path: &str) -> SourceUrl {
        url(&format!("{}://127.0.0.1:{}{path}", self.scheme, self.port))
    }

    /// Waits until a connection is over; false where it outlives all patience.
    pub(super) fn sees_an_end(&self) -> bool {
        self.ends.recv_timeout(Duration::from_secs(5)).is_ok()
    }

    pub(super) fn requests(&self) -> Vec<String> {
        let requests = self.raw_requests();
        requests.iter().map(|request| String::from_utf8(request.clone()).unwrap()).collect()
    }

    pub(super) fn raw_requests(&self) -> Vec<Vec<u8>> {
        self.requests.lock().unwrap().clone()
    }
}

fn of_text(script: &[&str]) -> Script {
    script.iter().map(|piece| piece.as_bytes().to_vec()).collect()
}

fn serve(
    mut stream: impl Read + Write,
    script: &[Vec<u8>],
    requests: &Mutex<Vec<Vec<u8>>>,
) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        request.extend_from_slice(&byte);
    }
    requests.lock().unwrap().push(request);
    for piece in script {
        match piece.as_slice() {
            b"HOLD" => drop(stream.read(&mut byte)),
            b"DRIP" => loop {
                stream.write_all(b" ")?;
                stream.flush()?;
                thread::sleep(DRIP);
            },
            bytes => stream.write_all(bytes)?,
        }
        stream.flush()?;
    }
    Ok(())
}

/// The `https` address of a server that speaks these bytes before it hears anything.
pub(super) fn that_speaks_first(bytes: &'static [u8]) -> SourceUrl {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.write_all(bytes).unwrap();
        let _ = socket.read_to_end(&mut Vec::new());
    });
    url(&format!("https://127.0.0.1:{port}/"))
}

/// A listener that must see no connection.
pub(super) struct Untouched(TcpListener);

impl Untouched {
    pub(super) fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub(super) fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    pub(super) fn is_untouched(&self) -> bool {
        self.0.set_nonblocking(true).unwrap();
        let accepted: std::io::Result<(TcpStream, _)> = self.0.accept();
        accepted.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    }
}

struct Identity {
    config: Arc<ServerConfig>,
    ca_file: PathBuf,
    _folder: tempfile::TempDir,
}

/// One self-signed certificate for all origins; a leaf of its own may be its own root.
fn identity() -> &'static Identity {
    static IDENTITY: OnceLock<Identity> = OnceLock::new();
    IDENTITY.get_or_init(|| {
        let names = vec!["127.0.0.1".to_owned(), "feeds.example".to_owned()];
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(names).unwrap().self_signed(&key).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let ca_file = folder.path().join("ca.pem");
        std::fs::write(&ca_file, certificate.pem()).unwrap();
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        Identity { config: Arc::new(config), ca_file, _folder: folder }
    })
}

pub(super) fn ca_file() -> PathBuf {
    identity().ca_file.clone()
}
