mod coding;
mod conditional;
mod limits;
mod links;
mod own;
pub mod problem;
mod query;
mod settings;
mod tls;
