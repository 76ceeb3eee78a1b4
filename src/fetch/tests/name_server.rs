//! A name server on loopback that answers what it is told.

use std::net::IpAddr;
use std::net::SocketAddr;
use std::net::UdpSocket;
use std::thread;

/// What a name server says about a name.
pub(super) enum Reply {
    Addresses(Vec<IpAddr>),
    NoSuchName,
    ServerFailure,
    Silence,
}

pub(super) struct NameServer(SocketAddr);

impl NameServer {
    /// Answers every query over UDP by asking `reply` about the name.
    pub(super) fn start(reply: impl Fn(&str) -> Reply + Send + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        thread::spawn(move || {
            let mut packet = [0; 1500];
            while let Ok((length, client)) = socket.recv_from(&mut packet) {
                if let Some(answer) = answer(&packet[..length], &reply) {
                    socket.send_to(&answer, client).unwrap();
                }
            }
        });
        Self(address)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.0
    }
}

/// The query's header and question, then one record for each address of the type asked for
/// (RFC 1035, 4.1).
fn answer(query: &[u8], reply: &impl Fn(&str) -> Reply) -> Option<Vec<u8>> {
    let mut labels = Vec::new();
    let mut at = 12;
    while query[at] != 0 {
        let end = at + 1 + usize::from(query[at]);
        labels.push(String::from_utf8(query[at + 1..end].to_vec()).unwrap());
        at = end;
    }
    let question_end = at + 5;
    let kind = u16::from_be_bytes([query[at + 1], query[at + 2]]);
    let (code, addresses) = match reply(&labels.join(".")) {
        Reply::Addresses(addresses) => (0, addresses),
        Reply::NoSuchName => (3, Vec::new()),
        Reply::ServerFailure => (2, Vec::new()),
        Reply::Silence => return None,
    };
    let records: Vec<Vec<u8>> = addresses
        .into_iter()
        .filter_map(|address| match (address, kind) {
            (IpAddr::V4(address), 1) => Some(address.octets().to_vec()),
            (IpAddr::V6(address), 28) => Some(address.octets().to_vec()),
            _ => None,
        })
        .collect();
    let mut packet = query[..question_end].to_vec();
    packet[2..12].copy_from_slice(&[0x85, 0x80 | code, 0, 1, 0, records.len() as u8, 0, 0, 0, 0]);
    for record in records {
        packet.extend_from_slice(&[0xc0, 12]);
        packet.extend_from_slice(&kind.to_be_bytes());
        packet.extend_from_slice(&[0, 1, 0, 0, 0, 60, 0, record.len() as u8]);
        packet.extend_from_slice(&record);
    }
    Some(packet)
}
