//! Whether the gateway may read the feeds that have names: one that it would never read is a fault
//! of the settings, not of the feed.

use crate::fault::Fault;
use crate::fetch::{Guard, Verdict};
use crate::model::SourceUrl;

use super::Settings;

/// The faults of all named feeds whose addresses can be read.
pub(super) fn faults(settings: &Settings) -> Vec<Fault> {
    let own = SourceUrl::parse(&format!("{}/mmsp/", settings.public_url()));
    let guard = Guard::new(&settings.fetch).refusing(&own.into_iter().collect::<Vec<_>>());
    let named = settings.feeds.iter();
    let named = named.filter_map(|(name, feed)| Some((name, SourceUrl::parse(&feed.url).ok()?)));
    named
        .filter_map(|(name, url)| {
            let key = format!("feeds.{name}.url");
            // What a name resolves to is not asked here: it changes, and a start needs no name
            // server.
            match guard.judge(&url, &[]) {
                Err(verdict) => Some(refused(&key, &url, verdict)),
                Ok(()) if settings.fetch.can_read_scheme(&url) => None,
                Ok(()) => Some(plain(&key)),
            }
        })
        .collect()
}

fn refused(key: &str, url: &SourceUrl, verdict: Verdict) -> Fault {
    let (host, port) = (url.host(), url.port());
    match verdict {
        Verdict::DeniedHost => Fault::of(
            &[key, "fetch.deny_hosts"],
            format_args!(
                "{key} is at {host}, which fetch.deny_hosts keeps out: leave it away in one"
            ),
        ),
        Verdict::UnlistedHost => Fault::of(
            &[key, "fetch.only_hosts"],
            format_args!("{key} is at {host}, which is not in fetch.only_hosts: add it there"),
        ),
        Verdict::OwnAddress => Fault::of(
            &[key, "server.public_url"],
            format_args!(
                "{key} leads back to the gateway itself: set it to the feed's own address"
            ),
        ),
        Verdict::Port => Fault::of(
            &[key, "fetch.allow_ports", "fetch.allow_hosts", "fetch.allow_networks"],
            format_args!("{key} is at port {port}, which is not open: add it to fetch.allow_ports"),
        ),
        Verdict::MalformedName => {
            Fault::of(&[key], format_args!("{key}: {} is no name of a host", host.escape_debug()))
        }
        _ => Fault::of(
            &[key, "fetch.allow_hosts", "fetch.allow_networks"],
            format_args!(
                "{key} is at {host}, which is not on the public internet: open it with its port in \
                 fetch.allow_hosts, or its network in fetch.allow_networks"
            ),
        ),
    }
}

fn plain(key: &str) -> Fault {
    Fault::of(
        &[key, "fetch.allow_http"],
        format_args!(
            "{key} can only be read over plain http, and fetch.allow_http is false: set it to an \
             https:// address, or allow http"
        ),
    )
}
