//! An HTTP/1.1 client without opinions: one request, one connection, everything shown.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

/// A whole response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// The only value of a header; fails the test where there are several.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(found, _)| found.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is there twice");
        value
    }

    /// How long an answer is, by its head; none while that is not whole.
    fn length(bytes: &[u8]) -> Option<usize> {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&bytes[..end]).ok()?.to_ascii_lowercase();
        let body = head.split("\r\ncontent-length: ").nth(1)?;
        Some(end + 4 + body.split("\r\n").next()?.parse::<usize>().ok()?)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}

/// Sends a request in plain HTTP.
pub fn request(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
) -> Response {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(&head(address, method, target, headers)).unwrap();
    read(&mut stream)
}

/// Sends a body.
pub fn post(address: SocketAddr, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
    let length = body.len().to_string();
    let headers = [headers, &[("Content-Length", length.as_str())]].concat();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(&[head(address, "POST", target, &headers), body.to_vec()].concat()).unwrap();
    read(&mut stream)
}

/// Sends a `GET` to somebody who may be gone, before or during the answer.
pub fn try_get(address: SocketAddr, target: &str) -> Option<Response> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(&head(address, "GET", target, &[])).ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok()?;
    let length = Response::length(&bytes)?;
    (bytes.len() >= length).then(|| read(&mut bytes.as_slice()))
}

/// Sends a `GET` over TLS to `localhost`, trusting that certificate alone.
pub fn get_over_tls(address: SocketAddr, certificate: &Path, target: &str) -> Response {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut stream = StreamOwned::new(connection, stream);
    stream.write_all(&head(address, "GET", target, &[])).unwrap();
    read(&mut stream)
}

fn head(address: SocketAddr, method: &str, target: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut head =
        format!("{method} {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += "\r\n";
    head.into_bytes()
}

fn read(stream: &mut impl Read) -> Response {
    let mut bytes = Vec::new();
    // To the end, or as far as its length says: whoever breaks off a body leaves the connection
    // open for a while, and some close TCP without closing TLS.
    let mut piece = [0; 16 << 10];
    let ended = loop {
        match stream.read(&mut piece) {
            Ok(0) => break Ok(()),
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
            Err(error) => break Err(error),
        }
        if Response::length(&bytes).is_some_and(|length| bytes.len() >= length) {
            break Ok(());
        }
    };
    let end = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap_or_else(|| panic!("no head: {ended:?} {}", String::from_utf8_lossy(&bytes)));
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines
        .map(|line| line.split_once(':').unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    Response { status, headers, body: bytes[end + 4..].to_vec() }
}

const PATIENCE: Duration = Duration::from_secs(60);
