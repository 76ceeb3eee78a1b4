//! What one thread of pollers has under way: whoever asks for a feed in flight waits for that
//! flight.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tokio::sync::oneshot;

use super::GatewayError;
use super::errand::FlightKey;
use super::landed::Landed;

/// How a poll ended, as one of those who waited learns it.
#[derive(Debug)]
pub(super) struct Landing {
    pub(super) result: Result<Landed, GatewayError>,
    /// Whether somebody else had started it.
    pub(super) collapsed: bool,
}

/// Who waits for which flight.
#[derive(Clone, Default)]
pub(super) struct Flights(Rc<RefCell<HashMap<FlightKey, Vec<Waiter>>>>);

/// Somebody who waits.
struct Waiter {
    reply: oneshot::Sender<Landing>,
    /// Whether the flight was under way already.
    collapsed: bool,
}

/// A poll under way. When it goes, its place is free again, however it ended.
pub(super) struct Flight {
    flights: Flights,
    key: FlightKey,
}

impl Flights {
    /// Joins the flight of that feed; where there is none, gives a new one.
    pub(super) fn board(&self, key: FlightKey, reply: oneshot::Sender<Landing>) -> Option<Flight> {
        let mut flights = self.0.borrow_mut();
        if let Some(waiting) = flights.get_mut(&key) {
            waiting.push(Waiter { reply, collapsed: true });
            return None;
        }
        flights.insert(key, vec![Waiter { reply, collapsed: false }]);
        Some(Flight { flights: self.clone(), key })
    }

    fn leave(&self, key: &FlightKey) -> Vec<Waiter> {
        self.0.borrow_mut().remove(key).unwrap_or_default()
    }
}

impl Flight {
    /// Tells everybody who waits.
    pub(super) fn land(self, result: &Result<Landed, GatewayError>) {
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
