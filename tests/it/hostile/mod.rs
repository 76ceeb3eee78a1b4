//! Attacks on the running service.

#[cfg(target_os = "linux")]
mod bombs;
#[cfg(target_os = "linux")]
mod documents;
mod markup;
mod second;
mod soak;
mod sources;
#[cfg(target_os = "linux")]
mod vectors;
