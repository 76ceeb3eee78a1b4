//! The threads that poll.
//!
//! A feed's polls all go to the same thread, which knows what is under way. Each thread has its own
//! event loop and its own way out, since what fetches does not move between threads.

use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::timeout;

use super::chapters;
use super::desk::Desk;
use super::errand::Target;
use super::flights::{Flights, Landing};
use super::scheduler::Scheduler;
use super::source::{Plan, Source};
use super::sweeper::Sweeper;
use super::{GatewayError, StartError};
use crate::current::Current;
use crate::fetch::{self, SetupError};

/// The poller threads.
#[derive(Debug)]
pub(super) struct Pollers {
    inboxes: Inboxes,
    threads: Mutex<Vec<JoinHandle<()>>>,
    plan: Plan,
}

/// The way to the pollers.
#[derive(Clone, Debug)]
pub(super) struct Inboxes(Arc<[mpsc::Sender<Message>]>);

/// What a poller is told.
#[derive(Debug)]
pub(super) enum Message {
    Poll(Target, oneshot::Sender<Landing>),
    /// Make ready to fetch in another way.
    Prepare(Plan, oneshot::Sender<Result<(), SetupError>>),
    /// Fetch as was made ready from now on; what is under way ends as it began.
    Exchange(oneshot::Sender<()>),
    Stop(oneshot::Sender<()>),
}

impl Pollers {
    /// Starts the threads, and on the first of them the scheduler and the sweeper.
    pub(super) async fn start(desk: &Arc<Desk>, plan: &Plan) -> Result<Self, StartError> {
        let (senders, receivers): (Vec<_>, Vec<_>) =
            (0..THREADS).map(|_| mpsc::channel(WAITING)).unzip();
        let inboxes = Inboxes(senders.into());
        let mut threads = Vec::new();
        let mut schedules = true;
        for inbox in receivers {
            let (desk, plan) = (Arc::clone(desk), plan.clone());
            let schedules = std::mem::take(&mut schedules);
            let inboxes = inboxes.clone();
            let runtime = Builder::new_current_thread()
                .enable_all()
                .max_blocking_threads(BLOCKING)
                .build()
                .map_err(StartError::Thread)?;
            let (ready, started) = oneshot::channel();
            let life = Life { desk, inboxes, schedules };
            let run = move || life.live(&runtime, &plan, inbox, ready);
            let thread = thread::Builder::new().name("poller".to_owned()).stack_size(STACK_BYTES);
            let thread = thread.spawn(run);
            threads.push(thread.map_err(StartError::Thread)?);
            match started.await {
                Ok(started) => started?,
                Err(_) => return Err(StartError::Thread(std::io::ErrorKind::BrokenPipe.into())),
            }
        }
        Ok(Self { inboxes, threads: Mutex::new(threads), plan: plan.clone() })
    }

    /// Has a source polled and waits for the end of it. Whoever stops waiting stops nothing else.
    pub(super) async fn poll(&self, target: Target) -> Landing {
        self.inboxes.poll(target).await
    }

    /// Has every thread fetch by these settings from now on, or, where one of them cannot, none.
    pub(super) async fn fetch_by(&self, settings: &fetch::Settings) -> Result<(), StartError> {
        let plan = self.plan.with(settings);
        let prepare = |done| Message::Prepare(plan.clone(), done);
        for prepared in self.inboxes.tell_all(prepare).await {
            prepared.map_err(StartError::Fetch)?;
        }
        self.inboxes.tell_all(Message::Exchange).await;
        Ok(())
    }

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
    /// Tells every thread, one after the other, and waits for what each answers. One that is gone
    /// fetches nothing.
    async fn tell_all<T>(&self, message: impl Fn(oneshot::Sender<T>) -> Message) -> Vec<T> {
        let mut answers = Vec::new();
        for inbox in self.0.iter() {
            let (sender, done) = oneshot::channel();
            if inbox.send(message(sender)).await.is_ok() {
                answers.extend(done.await);
            }
        }
        answers
    }

    /// Has a source polled and waits for the end of it.
    pub(super) async fn poll(&self, target: Target) -> Landing {
        let (sender, receiver) = oneshot::channel();
        if let Err(error) = self.send(target, sender) {
            return Landing { result: Err(error), collapsed: false };
        }
        let broken = Landing { result: Err(GatewayError::Internal), collapsed: false };
        receiver.await.unwrap_or(broken)
    }

    /// Hands a poll to the thread that its key belongs to.
    pub(super) fn send(
        &self,
        target: Target,
        reply: oneshot::Sender<Landing>,
    ) -> Result<(), GatewayError> {
        let first = target.flight().0.as_bytes().first().copied().unwrap_or_default();
        let inbox = self.0.get(usize::from(first) % self.0.len().max(1));
        let inbox = inbox.ok_or(GatewayError::Internal)?;
        let full = |_| GatewayError::Overloaded { retry_after_seconds: FULL_SECONDS };
        inbox.try_send(Message::Poll(target, reply)).map_err(full)
    }
}

/// When to come back to a gateway that is full or stopping.
pub(super) const FULL_SECONDS: u64 = 5;
const THREADS: usize = 2;
/// A poll inside of a search is deep where the compiler does not optimize; only what is used
/// counts.
const STACK_BYTES: usize = 8 << 20;
/// Messages that may wait for a thread: it takes them at once, so these are few.
const WAITING: usize = 4_096;
/// Threads of each poller for decoding and reading documents. Few, since each may go on holding the
/// memory of the largest document that it has had.
const BLOCKING: usize = 3;

/// What a thread lives by.
struct Life {
    desk: Arc<Desk>,
    inboxes: Inboxes,
    /// Whether it is the one that polls what is due though nobody asks, fetches chapters and
    /// sweeps.
    schedules: bool,
}

impl Life {
    fn live(
        self,
        runtime: &Runtime,
        plan: &Plan,
        inbox: mpsc::Receiver<Message>,
        ready: oneshot::Sender<Result<(), StartError>>,
    ) {
        LocalSet::new().block_on(runtime, async {
            let source = match plan.source() {
                Ok(source) => source,
                Err(error) => return drop(ready.send(Err(StartError::Fetch(error)))),
            };
            drop(ready.send(Ok(())));
            let Self { desk, inboxes, schedules } = self;
            let mut housekeeping = JoinSet::new();
            if schedules {
                let scheduler = Scheduler::new(Arc::clone(&desk), inboxes.clone());
                housekeeping.spawn_local(scheduler.run());
                housekeeping.spawn_local(Sweeper::new(Arc::clone(&desk)).run());
            }
            let flights = Flights::default();
            let source = Current::new(source);
            let crew = Rc::new(Crew { desk, source, flights, inboxes });
            if schedules {
                housekeeping.spawn_local(chapters::work(Rc::clone(&crew)));
            }
            poll_until_stopped(crew, inbox).await;
            drop(housekeeping);
        });
    }
}

/// What the polls of one thread share.
pub(super) struct Crew {
    pub(super) desk: Arc<Desk>,
    /// The way out, exchanged when the settings are.
    pub(super) source: Current<Source>,
    pub(super) flights: Flights,
    /// The way to the other threads, and back to this one.
    pub(super) inboxes: Inboxes,
}

async fn poll_until_stopped(crew: Rc<Crew>, mut inbox: mpsc::Receiver<Message>) {
    let mut tasks = JoinSet::new();
    let mut next: Option<Source> = None;
    loop {
        let message = tokio::select! {
            message = inbox.recv() => message,
            Some(ended) = tasks.join_next() => {
                if ended.is_err_and(|error| error.is_panic()) {
                    crew.desk.metrics.panicked();
                }
                continue;
            }
        };
        match message {
            Some(Message::Poll(target, reply)) => {
                let Some(flight) = crew.flights.board(target.flight(), reply) else { continue };
                let crew = Rc::clone(&crew);
                tasks.spawn_local(async move {
                    flight.land(&crew.send_out(&target).await);
                });
            }
            Some(Message::Prepare(plan, done)) => {
                // Nobody waits any more: then nobody has it exchanged either.
                let _ = done.send(plan.source().map(|source| next = Some(source)));
            }
            Some(Message::Exchange(done)) => {
                if let Some(source) = next.take() {
                    crew.source.put(source);
                }
                let _ = done.send(());
            }
            Some(Message::Stop(stopped)) => {
                inbox.close();
                // Whoever sent these, a flight under way perhaps, learns that nobody will answer.
                while inbox.try_recv().is_ok() {}
                while tasks.join_next().await.is_some() {}
                let _ = stopped.send(());
                return;
            }
            None => return,
        }
    }
}
