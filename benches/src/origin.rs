//! A publisher on loopback, which shows one document and knows whether its reader has it already.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What it shows.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The document.
    pub body: Arc<Vec<u8>>,
    /// Its entity tag; where the reader has it, the answer is a 304. Without one it always is a 200.
    pub etag: Option<String>,
}

/// The publisher; its thread ends with the process.
#[derive(Debug)]
pub struct Origin {
    address: SocketAddr,
    shown: Arc<Mutex<Shown>>,
}

impl Origin {
    /// Begins to show a document.
    #[must_use]
    pub fn start(shown: Shown) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shown = Arc::new(Mutex::new(shown));
        let answers = Arc::clone(&shown);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let shown = answers.lock().unwrap().clone();
                // Who hangs up meanwhile has not missed anything.
                let _ = answer(connection, &shown);
            }
        });
        Self { address, shown }
    }

    /// The address of the document.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/feed.xml", self.address)
    }

    /// Shows another document from now on.
    pub fn show(&self, shown: Shown) {
        *self.shown.lock().unwrap() = shown;
    }
}

fn answer(mut connection: TcpStream, shown: &Shown) -> std::io::Result<()> {
    let mut condition = None;
    for line in BufReader::new(connection.try_clone()?).lines() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(": ")
            && name.eq_ignore_ascii_case("if-none-match")
        {
            condition = Some(value.to_owned());
        }
    }
    let fresh = "Cache-Control: max-age=900\r\nConnection: close\r\n";
    let tag = shown.etag.as_ref().map_or_else(String::new, |tag| format!("ETag: {tag}\r\n"));
    if shown.etag.is_some() && condition == shown.etag {
        return write!(connection, "HTTP/1.1 304 Not Modified\r\n{fresh}{tag}\r\n");
    }
    let length = shown.body.len();
    write!(
        connection,
        "HTTP/1.1 200 OK\r\n{fresh}{tag}Content-Type: application/rss+xml\r\n\
         Content-Length: {length}\r\n\r\n"
    )?;
    connection.write_all(&shown.body)
}
