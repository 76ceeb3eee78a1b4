//! Which program runs, and what it takes of its machine.

use prometheus::process_collector::ProcessCollector;
use prometheus::{Error, IntGauge, Opts};

use super::Metrics;
use super::family::{Families, Family};

/// The metrics of the process that are not the collector's.
#[derive(Clone, Debug)]
pub(super) struct Process {
    memory_limit: IntGauge,
}

impl Process {
    pub(super) fn new(families: &mut Families<'_>) -> Result<Self, Error> {
        families.begin("Process");
        let version = Opts::new(BUILD.name, BUILD.help);
        let build = IntGauge::with_opts(version.const_label("version", env!("CARGO_PKG_VERSION")))?;
        build.set(1);
        families.add([BUILD], build)?;
        let memory_limit = families.gauge(MEMORY_LIMIT)?;
        families.add(COLLECTED, ProcessCollector::for_self())?;
        Ok(Self { memory_limit })
    }
}

impl Metrics {
    /// Says how many bytes of memory the process may take.
    pub fn memory_limit(&self, bytes: u64) {
        self.process.memory_limit.set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }
}

const BUILD: Family = Family {
    name: "mmsp_gateway_build_info",
    help: "The program that runs; always 1.",
    look: "Which versions run, while one takes the place of another.",
};
const MEMORY_LIMIT: Family = Family {
    name: "mmsp_gateway_memory_limit_bytes",
    help: "Bytes of memory that the control group of the process allows; 0 where it sets no limit.",
    look: "The system kills the process that goes beyond it.",
};

/// What the collector of the process shows, where there is a `/proc`.
const COLLECTED: [Family; 7] = [
    Family {
        name: "process_cpu_seconds_total",
        help: "Total user and system CPU time spent in seconds.",
        look: "Reading and compressing take most of it.",
    },
    Family {
        name: "process_max_fds",
        help: "Maximum number of open file descriptors.",
        look: "Each client and each poll takes one.",
    },
    Family {
        name: "process_open_fds",
        help: "Number of open file descriptors.",
        look: "Near `process_max_fds` no client gets in.",
    },
    Family {
        name: "process_resident_memory_bytes",
        help: "Resident memory size in bytes.",
        look: "`cache.max_bytes`, about 60 MB more, and what documents under way take.",
    },
    Family {
        name: "process_start_time_seconds",
        help: "Start time of the process since unix epoch in seconds.",
        look: "Changes with each start: often means that it crashes.",
    },
    Family {
        name: "process_threads",
        help: "Number of OS threads in the process.",
        look: "A worker for each processor, a few for polls and the store.",
    },
    Family {
        name: "process_virtual_memory_bytes",
        help: "Virtual memory size in bytes.",
        look: "Address space only; it tells nothing of a lack of memory.",
    },
];
