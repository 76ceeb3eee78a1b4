//! Gateways and the store they share: the real program on a real PostgreSQL, and what crashes cost.

mod commands;
mod crashes;
mod depth;
mod replicas;
mod rolling;
mod troubles;

use tempfile::TempDir;

use crate::support::postgres::Server;
use crate::support::{Origin, Program};

/// Gateways on one PostgreSQL, behind one name, with an origin that they may read.
struct Fleet {
    origin: Origin,
    programs: Vec<Program>,
    folders: Vec<TempDir>,
    url: String,
}

impl Fleet {
    fn start(gateways: usize) -> Self {
        Self::start_on(Server::shared(), gateways)
    }

    fn start_on(server: &Server, gateways: usize) -> Self {
        let first = tempfile::tempdir().unwrap();
        let origin = Origin::start(first.path());
        let url = server.new_database();
        let mut fleet = Self { origin, programs: Vec::new(), folders: vec![first], url };
        for _ in 0..gateways {
            fleet.add();
        }
        fleet
    }

    fn add(&mut self) {
        let folder = tempfile::tempdir().unwrap();
        let settings = [
            ("STORE__URL", self.url.as_str()),
            ("SERVER__PUBLIC_URL", "https://gateway.test"),
            ("POLL__LEASE_SECONDS", "3"),
        ];
        let program = Program::start(folder.path(), self.origin.ca_file(), &settings);
        self.programs.push(program);
        self.folders.push(folder);
    }
}
