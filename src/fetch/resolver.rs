//! Names to addresses, by the system's name servers or by those of the settings.
//!
//! A name is asked for as it stands: no search domain is ever put behind it, so that `intranet.svc`
//! cannot become `intranet.svc.cluster.local`.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig,
};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::Name;
use hickory_resolver::{ResolverBuilder, TokioResolver};
use tokio::time::timeout;

use super::error::{FetchError, SetupError, Unreachable, Wait};
use super::settings::Settings;

/// Looks names up within the time that the settings give. Cheap to clone.
#[derive(Clone)]
pub(super) struct Resolver {
    inner: TokioResolver,
    limit: Duration,
}

impl Resolver {
    pub(super) fn new(settings: &Settings) -> Result<Self, SetupError> {
        let mut builder = match settings.dns_servers.as_slice() {
            [] => TokioResolver::builder_tokio().unwrap_or_else(|_| asking(&[LOCAL_NAME_SERVER])),
            servers => asking(servers),
        };
        let options = builder.options_mut();
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        options.timeout = settings.dns_timeout() / 2;
        options.try_tcp_on_error = true;
        options.positive_max_ttl = Some(LONGEST_MEMORY);
        options.negative_max_ttl = Some(LONGEST_MEMORY);
        if !settings.dns_servers.is_empty() {
            options.use_hosts_file = ResolveHosts::Never;
        }
        let inner =
            builder.build().map_err(|error| SetupError::NameServers(io::Error::other(error)))?;
        Ok(Self { inner, limit: settings.dns_timeout() })
    }

    /// All addresses of a host, IPv4 first; never an empty list.
    pub(super) async fn lookup(&self, host: &str) -> Result<Vec<IpAddr>, FetchError> {
        // As ASCII, which it is by now: read as text, a name with an underscore is none.
        let name = Name::from_ascii(format!("{host}."));
        let name = name.map_err(|error| Unreachable::Dns(io::Error::other(error)))?;
        let answer = timeout(self.limit, self.inner.lookup_ip(name)).await;
        let answer = answer.map_err(|_| FetchError::Timeout(Wait::Dns))?.map_err(of_lookup)?;
        let addresses: Vec<IpAddr> = answer.iter().collect();
        if addresses.is_empty() { Err(Unreachable::NoSuchHost.into()) } else { Ok(addresses) }
    }
}

fn asking(servers: &[SocketAddr]) -> ResolverBuilder<TokioRuntimeProvider> {
    let config = ResolverConfig::from_name_servers(servers.iter().map(name_server).collect());
    TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
}

fn name_server(address: &SocketAddr) -> NameServerConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = address.port();
        connection
    });
    NameServerConfig::new(address.ip(), true, connections.into())
}

/// What resolv.conf(5) means where it names nobody or is not there.
const LOCAL_NAME_SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 53);

/// Sources move, and a name that was missing may have come to be.
const LONGEST_MEMORY: Duration = Duration::from_secs(300);

fn of_lookup(error: NetError) -> FetchError {
    match error {
        NetError::Timeout => FetchError::Timeout(Wait::Dns),
        error if error.is_no_records_found() || error.is_nx_domain() => {
            Unreachable::NoSuchHost.into()
        }
        error => Unreachable::Dns(io::Error::other(error)).into(),
    }
}
