//! A name server on loopback that answers what a test tells it. Also compiled into `tests/it`.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::thread;

/// What a name server says about a name. No answer is good for longer than it takes to read it.
pub(crate) enum Reply {
    /// Those of the family that is asked for; none is an empty answer.
    Addresses(Vec<IpAddr>),
    /// Another name, and its addresses.
    #[allow(dead_code, reason = "not every test binary does")]
    Alias(String, Vec<IpAddr>),
    NoSuchName,
    #[allow(dead_code, reason = "not every test binary does")]
    ServerFailure,
    #[allow(dead_code, reason = "not every test binary does")]
    Silence,
}

impl Reply {
    pub(crate) fn address(text: &str) -> Self {
        Self::Addresses(vec![text.parse().unwrap()])
    }
}

pub(crate) struct NameServer(SocketAddr);

impl NameServer {
    /// Answers every query over UDP by asking `reply` about the name and the type of record.
    pub(crate) fn start(mut reply: impl FnMut(&str, u16) -> Reply + Send + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        thread::spawn(move || {
            let mut packet = [0; 1500];
            while let Ok((length, client)) = socket.recv_from(&mut packet) {
                if let Some(answer) = answer(&packet[..length], &mut reply) {
                    let _ = socket.send_to(&answer, client);
                }
            }
        });
        Self(address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0
    }
}

/// The query's header and question, then the records that answer it (RFC 1035, 4.1).
fn answer(query: &[u8], reply: &mut impl FnMut(&str, u16) -> Reply) -> Option<Vec<u8>> {
    let mut labels = Vec::new();
    let mut at = 12;
    while query[at] != 0 {
        let end = at + 1 + usize::from(query[at]);
        labels.push(String::from_utf8_lossy(&query[at + 1..end]).into_owned());
        at = end;
    }
    let kind = u16::from_be_bytes([query[at + 1], query[at + 2]]);
    let (code, alias, addresses) = match reply(&labels.join("."), kind) {
        Reply::Addresses(addresses) => (0, None, addresses),
        Reply::Alias(name, addresses) => (0, Some(encoded(&name)), addresses),
        Reply::NoSuchName => (3, None, Vec::new()),
        Reply::ServerFailure => (2, None, Vec::new()),
        Reply::Silence => return None,
    };
    let mut records: Vec<Vec<u8>> =
        alias.iter().map(|alias| record(&QUESTION, CNAME, alias)).collect();
    let owner = alias.as_deref().unwrap_or(&QUESTION);
    records.extend(addresses.into_iter().filter_map(|address| match (address, kind) {
        (IpAddr::V4(address), A) => Some(record(owner, kind, &address.octets())),
        (IpAddr::V6(address), AAAA) => Some(record(owner, kind, &address.octets())),
        _ => None,
    }));
    let mut packet = query[..at + 5].to_vec();
    packet[2..12].copy_from_slice(&[0x85, 0x80 | code, 0, 1, 0, records.len() as u8, 0, 0, 0, 0]);
    packet.extend(records.concat());
    Some(packet)
}

/// A record of the class IN that lives no second.
fn record(owner: &[u8], kind: u16, data: &[u8]) -> Vec<u8> {
    [owner, &kind.to_be_bytes(), &[0, 1, 0, 0, 0, 0, 0, data.len() as u8], data].concat()
}

fn encoded(name: &str) -> Vec<u8> {
    let labels = name.split('.').map(|label| [&[label.len() as u8], label.as_bytes()].concat());
    [labels.collect::<Vec<_>>().concat(), vec![0]].concat()
}

/// Types of records.
pub(crate) const A: u16 = 1;
const CNAME: u16 = 5;
const AAAA: u16 = 28;

/// Where the name of the question stands, as a pointer.
const QUESTION: [u8; 2] = [0xc0, 12];
