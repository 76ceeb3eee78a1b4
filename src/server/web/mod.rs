//! The page for people at `/`: what a client will see of a feed, and what the gateway made of it.
//!
//! [`asked`] reads what the page is asked for, [`preview`] puts together what it shows of a feed
//! (an [`item`] with its [`files`], its [`standing`], a [`filter`] over it), always out of the
//! manifest that clients get. The [`page`]s are templates that escape whatever they are given; they
//! work without a script. What browsers may do with them is in [`answer`], the files that they load
//! in [`assets`].

mod answer;
mod asked;
mod assets;
mod files;
mod filter;
mod item;
mod page;
mod preview;
mod qr;
mod standing;
mod words;

pub(crate) use answer::{html, html_of_problem, is_for_people, problem};
pub(crate) use asked::{Asked, Wish};
pub(crate) use assets::Assets;
pub(crate) use page::{native, start};
pub(crate) use preview::{Preview, page_request};
