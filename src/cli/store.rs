//! `store`: what is remembered, and how it moves to another database.

use std::error::Error;
use std::io::{self, BufReader, BufWriter};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use tokio::runtime::Builder;

use super::loading::SettingsFiles;
use super::{FAILED, Unwritten, WRONG, print, say};
use crate::settings::Settings;
use crate::store::{Info, Store, StoreError};

/// `store info|export|import [--config FILE]…`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say how much is remembered.
    Info(InfoArguments),
    /// Write everything that is remembered to standard output, a line of JSON each.
    Export(SettingsFiles),
    /// Read such lines from standard input into a store that is empty.
    Import(SettingsFiles),
}

#[derive(Debug, Args)]
struct InfoArguments {
    /// Write one JSON object: `feeds`, `items`, `bytes`.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: SettingsFiles,
}

/// Does what was asked with the store of the settings.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    match &arguments.command {
        Command::Info(InfoArguments { json, settings }) => {
            with_store(settings, Opening::Existing, async |store| info(store, *json).await)
        }
        Command::Export(settings) => with_store(settings, Opening::Existing, async |store| {
            store.export(&mut BufWriter::new(io::stdout().lock())).await
        }),
        Command::Import(settings) => with_store(settings, Opening::AnyWay, async |store| {
            store.import(BufReader::new(io::stdin().lock())).await?;
            info(store, false).await
        }),
    }
}

async fn info(store: Store, as_json: bool) -> Result<(), StoreError> {
    let Info { feeds, items, bytes } = store.info().await?;
    let text = if as_json {
        format!("{}\n", json!({ "feeds": feeds, "items": items, "bytes": bytes }))
    } else {
        format!("feeds {feeds}\nitems {items}\nbytes {bytes}\n")
    };
    print(text.as_bytes()).map_err(StoreError::Lines)
}

/// Whether a store that is not there is made.
#[derive(Clone, Copy)]
pub(super) enum Opening {
    /// It is not: in the wrong folder an empty one would look like the right one.
    Existing,
    AnyWay,
}

/// Opens the store of the settings, and says in one line why that or the rest did not work.
pub(super) fn with_store(
    files: &SettingsFiles,
    opening: Opening,
    work: impl AsyncFnOnce(Store) -> Result<(), StoreError>,
) -> ExitCode {
    let settings = match files.load() {
        Ok(loaded) => loaded.settings,
        Err(error) => {
            say(&error.to_string());
            return ExitCode::from(WRONG);
        }
    };
    match run_with(&settings, opening, work) {
        Ok(()) => ExitCode::SUCCESS,
        Err(StoreError::Lines(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Unwritten::code_of(Err(error))
        }
        Err(error) => {
            let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            say(&format!("{error}{cause}"));
            ExitCode::from(FAILED)
        }
    }
}

fn run_with(
    settings: &Settings,
    opening: Opening,
    work: impl AsyncFnOnce(Store) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(StoreError::Driver)?;
    runtime.block_on(async {
        let store = match opening {
            Opening::Existing => Store::open_existing(&settings.store).await?,
            Opening::AnyWay => Store::open(&settings.store).await?,
        };
        let done = work(store.clone()).await;
        store.close().await;
        done
    })
}
