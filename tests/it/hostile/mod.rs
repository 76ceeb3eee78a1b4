//! Attacks on the running service.

#[cfg(target_os = "linux")]
mod bombs;
