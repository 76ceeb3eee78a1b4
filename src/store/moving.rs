//! Moves a store: out as lines, and in again, a batch at a time.

use std::io::{BufRead, Write};

use super::dump::{FORM, Line};
use super::{Info, Store, StoreError};

impl Store {
    /// Says what the store holds.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn info(&self) -> Result<Info, StoreError> {
        ask!(self, store => store.info())
    }

    /// Writes the store as lines of JSON, in the order of keys: the same store gives the same
    /// lines. What changes meanwhile is as it was when its turn came.
    ///
    /// # Errors
    /// The database cannot be asked, or the lines cannot be written.
    pub async fn export(&self, to: &mut impl Write) -> Result<(), StoreError> {
        let mut lines = Lines { to, written: 0 };
        lines.write(&Line::Form(FORM))?;
        let mut last = Vec::new();
        loop {
            let feeds = ask!(self, store => store.dump_feeds(&last))?;
            let Some(feed) = feeds.last() else { break };
            last = feed.key.clone();
            for feed in feeds {
                let key = feed.key.clone();
                lines.write(&Line::Feed(feed))?;
                for line in ask!(self, store => store.dump_belongings(&key))? {
                    lines.write(&line)?;
                }
                self.export_items(&key, &mut lines).await?;
            }
        }
        lines.write(&Line::End(lines.written))?;
        lines.to.flush().map_err(StoreError::Lines)
    }

    async fn export_items<W: Write>(
        &self,
        feed: &[u8],
        lines: &mut Lines<'_, W>,
    ) -> Result<(), StoreError> {
        let mut last = String::new();
        loop {
            let items = ask!(self, store => store.dump_items(feed, &last))?;
            let Some(item) = items.last() else { return Ok(()) };
            last = item.id.clone();
            for item in items {
                lines.write(&Line::Item(item))?;
            }
        }
    }

    /// Reads lines that [`Store::export`] wrote into an empty store.
    ///
    /// # Errors
    /// The store is not empty, a line cannot be read, the last one is missing, or the database
    /// cannot be written. Batches that were read before stay.
    pub async fn import(&self, from: impl BufRead) -> Result<(), StoreError> {
        if self.info().await?.feeds > 0 {
            return Err(StoreError::NotEmpty);
        }
        let (mut batch, mut bytes, mut is_whole) = (Vec::new(), 0, false);
        for (line, number) in from.lines().zip(1..) {
            let text = line.map_err(StoreError::Lines)?;
            bytes += text.len();
            let line = read(&text, number)?;
            is_whole = matches!(line, Line::End(_));
            batch.push(line);
            if batch.len() == BATCH || bytes > BATCH_BYTES {
                ask!(self, store => store.load(&batch))?;
                batch.clear();
                bytes = 0;
            }
        }
        ask!(self, store => store.load(&batch))?;
        ask!(self, store => store.count_anew())?;
        if is_whole { Ok(()) } else { Err(StoreError::CutOff) }
    }
}

/// The lines that were written.
struct Lines<'a, W> {
    to: &'a mut W,
    written: u64,
}

impl<W: Write> Lines<'_, W> {
    fn write(&mut self, line: &Line) -> Result<(), StoreError> {
        let text = serde_json::to_string(line).map_err(|_| StoreError::Damaged { what: "row" })?;
        self.written += 1;
        writeln!(self.to, "{text}").map_err(StoreError::Lines)
    }
}

fn read(text: &str, number: u64) -> Result<Line, StoreError> {
    let refused = |reason: String| StoreError::Line { line: number, reason };
    let line: Line = serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
    match &line {
        Line::Form(_) if number == 1 => {}
        Line::Form(_) => return Err(refused("the form is told in the first line only".to_owned())),
        _ if number == 1 => {
            return Err(refused("the first line does not tell the form".to_owned()));
        }
        Line::End(before) if before + 1 != number => {
            return Err(refused(format!("there are not {before} lines before it")));
        }
        _ => {}
    }
    line.check().map_err(|error| refused(error.to_string()))?;
    Ok(line)
}

/// Lines that are written at once: each item takes eight of the variables of a statement.
const BATCH: usize = 500;
const BATCH_BYTES: usize = 8 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_this_program_did_not_write_are_refused_with_their_number() {
        let item = r#"{"item":{"feed":"AA","id":"x:1","published":1,"hash":"AA","twin":0,"#;
        for (number, text, reason) in [
            (1, r#"{"alias":{"url":"https://a.example/","feed":"AA"}}"#, "does not tell the form"),
            (1, r#"{"form":2}"#, "damaged form of lines"),
            (2, r#"{"form":1}"#, "in the first line only"),
            (2, "", "EOF while parsing"),
            (3, r#"{"end":3}"#, "there are not 3 lines before it"),
            (2, r#"{"cat":1}"#, "unknown variant `cat`"),
            (3, &format!(r#"{item}"changed_at":1,"json":"{{}}"}}}}"#), "damaged item"),
            (3, r#"{"alias":{"url":"https://a.example/","feed":"not base64"}}"#, "Invalid"),
        ] {
            let error = read(text, number).unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains(&number.to_string()), "{error}");
        }
        assert!(read(r#"{"form":1}"#, 1).is_ok() && read(r#"{"end":2}"#, 3).is_ok());
    }
}
