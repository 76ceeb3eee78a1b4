//! A name server on loopback that says whatever a test wants.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::thread;

/// Starts a server for those names and their addresses; other names do not exist.
pub fn serve<const N: usize>(names: [(&'static str, Ipv4Addr); N]) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    thread::spawn(move || {
        let mut packet = [0; 512];
        while let Ok((length, client)) = socket.recv_from(&mut packet) {
            if let Some(answer) = answer(&packet[..length], &names) {
                let _ = socket.send_to(&answer, client);
            }
        }
    });
    address
}

/// Answers a query of one question (RFC 1035 4).
fn answer(query: &[u8], names: &[(&str, Ipv4Addr)]) -> Option<Vec<u8>> {
    let (name, end) = name(query)?;
    let question = query.get(12..end + 4)?;
    let is_for_ipv4 = query.get(end..end + 2)? == [0, 1];
    let known = names.iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
    let found = known.filter(|_| is_for_ipv4);

    let mut answer = query.get(..2)?.to_vec();
    // A response, with recursion; code 3 is "no such name".
    answer.extend([0x81, if known.is_some() { 0x80 } else { 0x83 }]);
    answer.extend([0, 1, 0, u8::from(found.is_some()), 0, 0, 0, 0]);
    answer.extend(question);
    if let Some((_, address)) = found {
        // The name of the question again; A, IN, a minute, four bytes.
        answer.extend([0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
        answer.extend(address.octets());
    }
    Some(answer)
}

/// The name of the question, and where it ends.
fn name(query: &[u8]) -> Option<(String, usize)> {
    let mut labels = Vec::new();
    let mut place = 12;
    loop {
        let length = usize::from(*query.get(place)?);
        place += 1;
        if length == 0 {
            return Some((labels.join("."), place));
        }
        labels.push(String::from_utf8_lossy(query.get(place..place + length)?).into_owned());
        place += length;
    }
}
