//! Two gateways behind the real nginx, by the file that `deploy/` has for it, renewed one after the
//! other under load.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use tempfile::TempDir;

use crate::support::client::get_over_tls;
use crate::support::postgres::Server;
use crate::support::program::target;
use crate::support::{Answer, Origin, Program, feed, manifest, until};

/// nginx as the shipped file has it, but for names and addresses.
struct Nginx {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
}

impl Nginx {
    fn start(gateways: &[SocketAddr; 2]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
        let certificate = params.self_signed(&key).unwrap();
        fs::write(folder.path().join("cert.pem"), certificate.pem()).unwrap();
        fs::write(folder.path().join("key.pem"), key.serialize_pem()).unwrap();
        let address = free();
        let mut site = include_str!("../../../deploy/nginx.conf").to_owned();
        for (shipped, ours) in [
            ("10.0.0.11:8080", gateways[0].to_string()),
            ("10.0.0.12:8080", gateways[1].to_string()),
            ("listen 443 ", format!("listen {address} ")),
            ("/etc/nginx/tls/feeds.example.org.pem", "cert.pem".to_owned()),
            ("/etc/nginx/tls/feeds.example.org.key.pem", "key.pem".to_owned()),
        ] {
            assert!(site.contains(shipped), "{shipped} is not in deploy/nginx.conf");
            site = site.replace(shipped, &ours);
        }
        fs::write(folder.path().join("site.conf"), site).unwrap();
        fs::write(folder.path().join("nginx.conf"), MAIN).unwrap();
        let program =
            if Path::new("/usr/sbin/nginx").exists() { "/usr/sbin/nginx" } else { "nginx" };
        let mut command = Command::new(program);
        command.arg("-p").arg(folder.path()).args(["-c", "nginx.conf", "-e", "error.log"]);
        let child = command.spawn().expect(
            "there is no nginx to test with: `./dev test` installs it, or `apt-get install nginx`; \
             see CONTRIBUTING.md",
        );
        until(|| TcpStream::connect(address).is_ok());
        Self { child, address, folder }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let id = self.child.id().to_string();
        // Workers go with their master where that is asked, not where it is killed.
        if !Command::new("kill").args(["-TERM", &id]).status().is_ok_and(|status| status.success())
        {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// What Debian's own `nginx.conf` has around a site, in a folder of the test's own.
const MAIN: &str = "
daemon off;
user root;
worker_processes 2;
pid nginx.pid;
events { worker_connections 512; }
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include site.conf;
}
";

fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

#[test]
fn gateways_are_renewed_one_after_the_other_without_a_failed_request() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    origin.set("/feed.xml", Answer::feed(feed::rss(0..40)));
    let store = Server::shared().new_database();
    let addresses = [free(), free()];
    let start = |address: SocketAddr| {
        let address = address.to_string();
        let settings = [
            ("SERVER__LISTEN", address.as_str()),
            ("SERVER__PUBLIC_URL", "https://gateway.test"),
            ("SERVER__DRAIN_DELAY_SECONDS", "1"),
            ("STORE__URL", &store),
        ];
        Program::start(folder.path(), origin.ca_file(), &settings)
    };
    let mut programs = addresses.map(start);
    let nginx = Nginx::start(&addresses);
    let trusted = nginx.folder.path().join("cert.pem");
    let ask = |limit: usize| {
        let target = target(&origin.url("/feed.xml"), &format!("&limit={}", limit % 40 + 1));
        get_over_tls(nginx.address, &trusted, &target)
    };
    manifest::of(&ask(0));

    let (ends, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    let failed: Vec<u16> = thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut failed = Vec::new();
                    while !ends.load(Ordering::Relaxed) {
                        let status = ask(asked.fetch_add(1, Ordering::Relaxed)).status;
                        failed.extend(Some(status).filter(|status| *status != 200));
                    }
                    failed
                })
            })
            .collect();
        let renewed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for (program, address) in programs.iter_mut().zip(addresses) {
                let before = asked.load(Ordering::Relaxed);
                until(|| asked.load(Ordering::Relaxed) > before + 20);
                program.terminate();
                assert!(program.wait().success());
                *program = start(address);
                // nginx has found it again.
                until(|| program.metric(ANSWERED) > 5.0);
            }
        }));
        ends.store(true, Ordering::Relaxed);
        let failed = readers.into_iter().flat_map(|reader| reader.join().unwrap()).collect();
        renewed.unwrap();
        failed
    });
    let asked = asked.load(Ordering::Relaxed);
    eprintln!("{asked} requests while two gateways were renewed");
    assert!(asked > 100, "{asked} are no load");
    assert_eq!(failed, [0; 0], "of {asked}");
}

const ANSWERED: &str = "mmsp_gateway_requests_total{route=\"feed\",status=\"200\"}";
