//! `healthcheck`: is the gateway of this machine ready? For images that hold no other client.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::loading::SettingsFiles;
use super::{FAILED, WRONG};

/// `healthcheck [--config FILE]…`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    settings: SettingsFiles,
}

/// Asks `/readyz` of the plain listener of the same settings.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let settings = match arguments.settings.load_or_tell() {
        Ok(settings) => settings,
        Err(code) => return code,
    };
    let Some(address) = settings.server.listen else {
        let _ = writeln!(io::stderr(), "server.listen is empty: there is nothing to ask");
        return ExitCode::from(WRONG);
    };
    match ask(nearest(address)) {
        Ok(status) if status.split_ascii_whitespace().nth(1) == Some("200") => ExitCode::SUCCESS,
        Ok(status) => fail(&format!("not ready: {}", status.trim_end())),
        Err(error) => fail(&format!("{address} does not answer: {error}")),
    }
}

#[expect(clippy::disallowed_methods, reason = "asks the gateway beside it, and nobody else")]
fn ask(address: SocketAddr) -> io::Result<String> {
    let mut connection = TcpStream::connect_timeout(&address, PATIENCE)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    write!(connection, "GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut status = String::new();
    BufReader::new(connection).read_line(&mut status)?;
    Ok(status)
}

/// A listener on every address is asked on loopback.
fn nearest(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

fn fail(sentence: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{sentence}");
    ExitCode::from(FAILED)
}

const PATIENCE: Duration = Duration::from_secs(3);
