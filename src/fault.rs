//! What is wrong with settings that can each be read, and which of them it concerns.

use std::fmt::Display;

/// A fault between settings, as the module that knows tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Full keys, such as `server.listen`, of the settings that do not go together.
    pub keys: Vec<String>,
    /// What is wrong and what to do, in a sentence for the operator.
    pub sentence: String,
    /// The key that is a fault only where somebody wrote it. Nobody meant a default: whoever lowers
    /// one limit need not lower all that it caps.
    pub if_written: Option<String>,
}

impl Fault {
    /// A fault of these keys.
    #[must_use]
    pub fn of(keys: &[&str], sentence: impl Display) -> Self {
        Self {
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            sentence: sentence.to_string(),
            if_written: None,
        }
    }

    /// The fault of a value that another one caps.
    #[must_use]
    pub fn capped<N: Display>((key, value): (&str, N), (by, cap): (&str, N)) -> Self {
        let sentence = format!(
            "{key} is {value}, which has no effect, for {by} is {cap}: lower the one, or raise the other"
        );
        Self { if_written: Some(key.to_owned()), ..Self::of(&[key, by], sentence) }
    }
}
