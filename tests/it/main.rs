//! Promises of the whole: the real binary, real sockets, a real (if ill-behaved) origin.

mod architecture;
mod cli;
mod http;
mod support;
