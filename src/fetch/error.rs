//! Why a fetch failed. `Display` is what a stranger may read; causes are for the log.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::freshness::RetryAfter;
use super::host_rule::HostRule;
use super::verdict::Verdict;
use crate::fault::Fault;
use crate::model::SourceUrlError;

/// Why a source could not be read.
#[derive(Debug, Error)]
pub enum FetchError {
    /// The guard refused the target or an address of it.
    #[error("{0}")]
    Refused(Verdict),
    /// The source answered with a status that carries no document.
    #[error("the source answered with status {status}")]
    Status {
        /// The status code.
        status: u16,
        /// When the source wants to be asked again.
        retry_after: Option<RetryAfter>,
    },
    /// A content delivery network answered in the source's place, to see a human.
    #[error("a bot check answered in place of the source")]
    Challenge {
        /// The status code of the check.
        status: u16,
        /// When the source wants to be asked again.
        retry_after: Option<RetryAfter>,
    },
    /// The host of the source has asked, for any of its addresses, to be left alone.
    #[error("the source's host has asked to be left alone for a while")]
    Resting {
        /// For how many more seconds.
        seconds: u64,
    },
    /// The source took longer than a limit allows.
    #[error("the source took too long {0}")]
    Timeout(Wait),
    /// No connection came about.
    #[error("the source cannot be reached: {0}")]
    Unreachable(#[from] Unreachable),
    /// The certificate of the source is not to be trusted. Never a reason to read plain `http`.
    #[error("the certificate of the source is not valid")]
    Certificate(#[source] io::Error),
    /// More bytes than `max_body_bytes`, on the wire or decoded.
    #[error("the source's document is larger than the gateway reads")]
    TooLarge,
    /// The content coding is unknown, cut or broken.
    #[error("{0}")]
    Undecodable(#[source] DecodeError),
    /// More redirects than are followed.
    #[error("the source redirects too often")]
    TooManyRedirects,
    /// A redirect to an address that was already asked.
    #[error("the source redirects in a circle")]
    RedirectLoop,
    /// A redirect from `https` to `http`.
    #[error("the source redirects from https to http")]
    Downgrade,
    /// A redirect without an address, or with one that cannot be followed.
    #[error("the source redirects to nowhere: {0}")]
    BadRedirect(BadRedirect),
    /// The source has no `https`, and `fetch.allow_http` is off.
    #[error("the source can only be read over plain http, which this gateway does not do")]
    PlainHttp,
    /// A 304 although nothing was asked that it could answer.
    #[error("the source says that nothing changed although nobody asked")]
    UnaskedNotModified,
    /// The answer is not HTTP as anyone could read it, or ended too early.
    #[error("the source's answer cannot be understood")]
    Protocol(#[source] io::Error),
}

/// Why a body could not be decoded.
#[derive(Debug, Error)]
pub enum DecodeError {
    /// A coding that nobody asked for, or several of them.
    #[error("the source used a content coding that was not asked for")]
    Unsupported,
    /// The coded bytes end too early.
    #[error("the source's compressed data breaks off")]
    Truncated,
    /// The coded bytes are not what they claim to be.
    #[error("the source's compressed data is damaged")]
    Damaged(#[source] io::Error),
    /// More decoded bytes than [`DecodeLimits`](super::DecodeLimits) grant.
    #[error("the source's data is larger than the gateway reads")]
    TooLarge,
}

impl From<DecodeError> for FetchError {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::TooLarge => Self::TooLarge,
            error => Self::Undecodable(error),
        }
    }
}

/// What was waited for in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The name.
    Dns,
    /// The connection or its TLS handshake.
    Connect,
    /// The head of the response.
    FirstByte,
    /// More of the body.
    Body,
    /// The fetch as a whole.
    Whole,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dns => "to be found",
            Self::Connect => "to accept a connection",
            Self::FirstByte => "to begin an answer",
            Self::Body => "to go on with its answer",
            Self::Whole => "to finish its answer",
        })
    }
}

/// Why no connection came about.
#[derive(Debug, Error)]
pub enum Unreachable {
    /// The name does not exist, or has no addresses.
    #[error("there is no such host")]
    NoSuchHost,
    /// No name server gave an answer.
    #[error("its name could not be looked up")]
    Dns(#[source] io::Error),
    /// Every address refused the connection.
    #[error("it accepts no connection")]
    Connect(#[source] io::Error),
    /// The TLS handshake failed before any certificate was in doubt.
    #[error("it speaks no TLS that the gateway knows")]
    Tls(#[source] io::Error),
    /// The connection was closed before an answer came.
    #[error("it closed the connection without an answer")]
    Closed,
}

/// What is wrong with a redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRedirect {
    /// No `Location`.
    Missing,
    /// Several that differ.
    Ambiguous,
    /// One that is no address of a source.
    Address(SourceUrlError),
}

impl fmt::Display for BadRedirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("no address is given"),
            Self::Ambiguous => f.write_str("several addresses are given"),
            Self::Address(error) => error.fmt(f),
        }
    }
}

/// Why no fetcher could be made of the settings.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The file of certificate authorities cannot be used.
    #[error("fetch.ca_file `{}` holds no certificates that can be used", path.display())]
    CaFile {
        /// The file.
        path: PathBuf,
        /// What reading it said.
        #[source]
        source: io::Error,
    },
    /// A host that is to be read, and is not to be read.
    #[error("fetch.only_hosts names {0}, which fetch.deny_hosts keeps out: leave it away in one")]
    DeniedHost(HostRule),
    /// Names cannot be looked up.
    #[error("names cannot be looked up with these fetch.dns_servers")]
    NameServers(#[source] io::Error),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up")]
    Tls(#[source] io::Error),
}

/// Of a file of the operator's it is told to the last what is wrong.
impl From<&SetupError> for Fault {
    fn from(error: &SetupError) -> Self {
        match error {
            SetupError::CaFile { source, .. } => {
                Self::of(&["fetch.ca_file"], format_args!("{error}: {source}"))
            }
            SetupError::DeniedHost(_) => Self::of(&["fetch.only_hosts", "fetch.deny_hosts"], error),
            SetupError::NameServers(_) => Self::of(&["fetch.dns_servers"], error),
            SetupError::Tls(source) => Self::of(&[], format_args!("{error}: {source}")),
        }
    }
}
