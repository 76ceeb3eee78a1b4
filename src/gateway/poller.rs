//! The threads that poll, and the flights they share out.
//!
//! A feed's polls all go to the same thread, which keeps a map of what is under way: whoever asks
//! for a feed in flight waits for that flight. Each thread has its own event loop and its own way
//! out, since what fetches does not move between threads.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::timeout;

use super::desk::{Desk, flight_key};
use super::poll;
use super::scheduler::Scheduler;
use super::source::{Plan, Source};
use super::{GatewayError, StartError};
use crate::model::{FeedKey, SourceUrl};

/// The poller threads.
#[derive(Debug)]
pub(super) struct Pollers {
    inboxes: Inboxes,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// The way to the pollers.
#[derive(Clone, Debug)]
pub(super) struct Inboxes(Arc<[mpsc::Sender<Message>]>);

/// What to poll.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A feed of the store.
    Known(FeedKey),
    /// A URL of which nothing is known.
    New(SourceUrl),
}

/// How a poll ended, as one of those who waited learns it.
#[derive(Debug)]
pub(super) struct Landing {
    pub(super) result: Result<(), GatewayError>,
    /// Whether somebody else had started it.
    pub(super) collapsed: bool,
}

/// What a poller is told.
#[derive(Debug)]
pub(super) enum Message {
    Poll(Target, oneshot::Sender<Landing>),
    Stop(oneshot::Sender<()>),
}

impl Target {
    fn key(&self) -> FeedKey {
        match self {
            Self::Known(key) => *key,
            Self::New(url) => flight_key(url),
        }
    }
}

impl Pollers {
    /// Starts the threads, and on the first of them the scheduler.
    pub(super) async fn start(desk: &Arc<Desk>, plan: &Plan) -> Result<Self, StartError> {
        let (senders, receivers): (Vec<_>, Vec<_>) =
            (0..THREADS).map(|_| mpsc::channel(WAITING)).unzip();
        let inboxes = Inboxes(senders.into());
        let mut threads = Vec::new();
        let mut schedules = Some(inboxes.clone());
        for inbox in receivers {
            let (desk, plan) = (Arc::clone(desk), plan.clone());
            let schedules = schedules.take();
            let runtime = Builder::new_current_thread()
                .enable_all()
                .max_blocking_threads(BLOCKING)
                .build()
                .map_err(StartError::Thread)?;
            let (ready, started) = oneshot::channel();
            let run = move || live(&runtime, desk, &plan, inbox, schedules, ready);
            let thread = thread::Builder::new().name("poller".to_owned()).spawn(run);
            threads.push(thread.map_err(StartError::Thread)?);
            match started.await {
                Ok(started) => started?,
                Err(_) => return Err(StartError::Thread(std::io::ErrorKind::BrokenPipe.into())),
            }
        }
        Ok(Self { inboxes, threads: Mutex::new(threads) })
    }

    /// Has a source polled and waits for the end of it. Whoever stops waiting stops nothing else.
    pub(super) async fn poll(&self, target: Target) -> Landing {
        let (sender, receiver) = oneshot::channel();
        if let Err(error) = self.inboxes.send(target, sender) {
            return Landing { result: Err(error), collapsed: false };
        }
        let broken = Landing { result: Err(GatewayError::Internal), collapsed: false };
        receiver.await.unwrap_or(broken)
    }

    #[cfg(test)]
    pub(super) fn inboxes(&self) -> &Inboxes {
        &self.inboxes
    }

    /// Lets the polls under way end, each thread's within that time, and the threads with them.
    pub(super) async fn stop(&self, wait: Duration) {
        let stops = self.inboxes.0.iter().map(async |inbox| {
            let (sender, receiver) = oneshot::channel();
            let stopped = async {
                let sent = inbox.send(Message::Stop(sender)).await;
                sent.is_ok() && receiver.await.is_ok()
            };
            timeout(wait, stopped).await.unwrap_or(false)
        });
        let stopped = futures_util::future::join_all(stops).await;
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for (thread, stopped) in threads.drain(..).zip(stopped) {
            // One that is still busy goes with the process.
            if stopped {
                drop(thread.join());
            }
        }
    }
}

impl Inboxes {
    /// Hands a poll to the thread that its key belongs to.
    pub(super) fn send(
        &self,
        target: Target,
        reply: oneshot::Sender<Landing>,
    ) -> Result<(), GatewayError> {
        let first = target.key().as_bytes().first().copied().unwrap_or_default();
        let inbox = self.0.get(usize::from(first) % self.0.len().max(1));
        let inbox = inbox.ok_or(GatewayError::Internal)?;
        let full = |_| GatewayError::Overloaded { retry_after_seconds: FULL_SECONDS };
        inbox.try_send(Message::Poll(target, reply)).map_err(full)
    }
}

/// When to come back to a gateway that is full or stopping.
pub(super) const FULL_SECONDS: u64 = 5;
const THREADS: usize = 2;
/// Messages that may wait for a thread: it takes them at once, so these are few.
const WAITING: usize = 4_096;
/// Threads of each poller for reading documents; how many are read at once is limited elsewhere.
const BLOCKING: usize = 8;

/// The life of one thread.
fn live(
    runtime: &Runtime,
    desk: Arc<Desk>,
    plan: &Plan,
    inbox: mpsc::Receiver<Message>,
    schedules: Option<Inboxes>,
    ready: oneshot::Sender<Result<(), StartError>>,
) {
    LocalSet::new().block_on(runtime, async {
        let source = match plan.source() {
            Ok(source) => source,
            Err(error) => return drop(ready.send(Err(StartError::Fetch(error)))),
        };
        drop(ready.send(Ok(())));
        let scheduler = schedules
            .map(|inboxes| Scheduler::new(Arc::clone(&desk), inboxes))
            .map(|scheduler| tokio::task::spawn_local(scheduler.run()));
        poll_until_stopped(desk, source, inbox).await;
        if let Some(scheduler) = scheduler {
            scheduler.abort();
        }
    });
}

async fn poll_until_stopped(desk: Arc<Desk>, source: Source, mut inbox: mpsc::Receiver<Message>) {
    let (source, flights) = (Rc::new(source), Flights::default());
    let mut tasks = JoinSet::new();
    loop {
        let message = tokio::select! {
            message = inbox.recv() => message,
            Some(ended) = tasks.join_next() => {
                if ended.is_err_and(|error| error.is_panic()) {
                    desk.metrics.panicked();
                }
                continue;
            }
        };
        match message {
            Some(Message::Poll(target, reply)) => {
                let Some(flight) = flights.board(target.key(), reply) else { continue };
                let (desk, source) = (Arc::clone(&desk), Rc::clone(&source));
                tasks.spawn_local(async move {
                    flight.land(&poll::run(&desk, &source, &target).await);
                });
            }
            Some(Message::Stop(stopped)) => {
                inbox.close();
                while tasks.join_next().await.is_some() {}
                let _ = stopped.send(());
                return;
            }
            None => return,
        }
    }
}

/// Who waits for which flight.
#[derive(Clone, Default)]
struct Flights(Rc<RefCell<HashMap<FeedKey, Vec<Waiter>>>>);

/// Somebody who waits.
struct Waiter {
    reply: oneshot::Sender<Landing>,
    /// Whether the flight was under way already.
    collapsed: bool,
}

/// A poll under way. When it goes, its place is free again, however it ended.
struct Flight {
    flights: Flights,
    key: FeedKey,
}

impl Flights {
    /// Joins the flight of that feed; where there is none, gives a new one.
    fn board(&self, key: FeedKey, reply: oneshot::Sender<Landing>) -> Option<Flight> {
        let mut flights = self.0.borrow_mut();
        if let Some(waiting) = flights.get_mut(&key) {
            waiting.push(Waiter { reply, collapsed: true });
            return None;
        }
        flights.insert(key, vec![Waiter { reply, collapsed: false }]);
        Some(Flight { flights: self.clone(), key })
    }

    fn leave(&self, key: &FeedKey) -> Vec<Waiter> {
        self.0.borrow_mut().remove(key).unwrap_or_default()
    }
}

impl Flight {
    /// Tells everybody who waits.
    fn land(self, result: &Result<(), GatewayError>) {
        for Waiter { reply, collapsed } in self.flights.leave(&self.key) {
            // One who left in the meantime is told nothing.
            drop(reply.send(Landing { result: result.clone(), collapsed }));
        }
    }
}

impl Drop for Flight {
    /// After a panic: those who wait learn that nobody will answer.
    fn drop(&mut self) {
        self.flights.leave(&self.key);
    }
}
