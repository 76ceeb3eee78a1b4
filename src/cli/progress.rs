//! A bar that shows how far a long command is, on a terminal; nothing anywhere else.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::say;

/// How far a command is through its inputs.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// A bar for so many inputs; none for a single one, or where standard error is no terminal.
    pub(super) fn of(inputs: usize) -> Self {
        let is_worth_it = inputs > 1 && io::stderr().is_terminal();
        Self(is_worth_it.then(|| bar(inputs, ProgressDrawTarget::stderr())))
    }

    /// The next input begins, and the one before is done.
    pub(super) fn begin(&self, input: &str) {
        let Some(bar) = &self.0 else { return };
        bar.set_message(input.escape_debug().to_string());
        bar.inc(1);
    }

    /// Says something on standard error without disturbing the bar.
    pub(super) fn say(&self, message: &str) {
        match &self.0 {
            Some(bar) => bar.suspend(|| say(message)),
            None => say(message),
        }
    }

    /// All inputs are done: the bar goes.
    pub(super) fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn bar(inputs: usize, target: ProgressDrawTarget) -> ProgressBar {
    let length = u64::try_from(inputs).unwrap_or(u64::MAX);
    let bar = ProgressBar::with_draw_target(Some(length), target);
    // Without a style that can be read there is indicatif's own.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(REDRAWN_EVERY);
    bar
}

const REDRAWN_EVERY: Duration = Duration::from_millis(200);

#[cfg(test)]
mod tests {
    use indicatif::InMemoryTerm;

    use super::*;

    #[test]
    fn a_terminal_shows_how_far_it_is_and_no_control_characters_of_a_name() {
        let terminal = InMemoryTerm::new(5, 80);
        let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        let progress = Progress(Some(bar(3, target)));
        progress.begin("a.xml");
        progress.begin("b\u{1b}[2J.xml");
        // Drawn at once, however lately it was drawn before.
        progress.0.as_ref().unwrap().abandon();
        let shown = terminal.contents();
        assert!(shown.contains("2/3 b\\u{1b}[2J.xml"), "{shown}");
        progress.end();
        assert_eq!(terminal.contents(), "");
    }

    #[test]
    fn there_is_no_bar_where_there_is_no_terminal_or_one_input() {
        assert!(Progress::of(1).0.is_none());
    }
}
