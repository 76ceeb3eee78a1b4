//! Log events as JSON, an object a line: `timestamp`, `level`, the fields of the event, `target`.
//!
//! What `tracing-subscriber` writes in its flat form, without its way through a serializer of maps: a
//! gateway writes a line for each request.

use std::fmt::{self, Write as _};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Writes an event so.
pub(super) struct Json;

impl<S, N> FormatEvent<S, N> for Json
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let about = event.metadata();
        writer.write_str("{\"timestamp\":\"")?;
        SystemTime.format_time(&mut writer)?;
        writer.write_str("\",\"level\":\"")?;
        writer.write_str(about.level().as_str())?;
        writer.write_char('"')?;
        let mut members = Members { writer: &mut writer, written: Ok(()) };
        event.record(&mut members);
        members.add("target", |writer| text(writer, about.target()));
        members.written?;
        writer.write_str("}\n")
    }
}

/// The members of an object that has one already.
struct Members<'a, 'writer> {
    writer: &'a mut Writer<'writer>,
    written: fmt::Result,
}

impl Members<'_, '_> {
    fn add(&mut self, name: &str, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        if self.written.is_ok() {
            self.written = self.try_add(name, value);
        }
    }

    fn try_add(
        &mut self,
        name: &str,
        value: impl FnOnce(&mut Writer<'_>) -> fmt::Result,
    ) -> fmt::Result {
        self.writer.write_char(',')?;
        text(self.writer, name.strip_prefix("r#").unwrap_or(name))?;
        self.writer.write_char(':')?;
        value(self.writer)
    }
}

impl Visit for Members<'_, '_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field.name(), |writer| match value.is_finite() {
            true => write!(writer, "{value}"),
            false => writer.write_str("null"),
        });
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field.name(), |writer| write!(writer, "{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field.name(), |writer| write!(writer, "{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field.name(), |writer| write!(writer, "{value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field.name(), |writer| text(writer, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field.name(), |writer| {
            writer.write_char('"')?;
            write!(Escaped(writer), "{value:?}")?;
            writer.write_char('"')
        });
    }
}

fn text(writer: &mut Writer<'_>, text: &str) -> fmt::Result {
    writer.write_char('"')?;
    Escaped(writer).write_str(text)?;
    writer.write_char('"')
}

/// Writes the inside of a string (RFC 8259 7).
struct Escaped<'a, 'writer>(&'a mut Writer<'writer>);

impl fmt::Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let must_go = |letter: char| matches!(letter, '"' | '\\' | '\0'..='\u{1f}');
        let mut rest = text;
        while let Some((before, from)) = rest.find(must_go).and_then(|at| rest.split_at_checked(at))
        {
            self.0.write_str(before)?;
            let mut letters = from.chars();
            match letters.next() {
                Some('"') => self.0.write_str("\\\"")?,
                Some('\\') => self.0.write_str("\\\\")?,
                Some('\n') => self.0.write_str("\\n")?,
                Some('\t') => self.0.write_str("\\t")?,
                Some('\r') => self.0.write_str("\\r")?,
                Some(control) => write!(self.0, "\\u{:04x}", u32::from(control))?,
                None => {}
            }
            rest = letters.as_str();
        }
        self.0.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};
    use tracing_subscriber::fmt;

    use super::*;

    #[derive(Clone, Default)]
    struct Out(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Out {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn written(tell: impl FnOnce()) -> Value {
        let out = Out::default();
        let to = out.clone();
        let log = fmt().with_writer(move || to.clone()).event_format(Json).finish();
        tracing::subscriber::with_default(log, tell);
        let text = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
        assert!(text.ends_with("}\n") && text.lines().count() == 1, "{text}");
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn an_event_is_an_object_with_its_fields_as_what_they_are() {
        let mut line = written(|| {
            tracing::info!(
                request.id = "a-1",
                response.status = 200_u16,
                left = -1,
                response.seconds = 0.25,
                none = f64::NAN,
                absent = None::<&str>,
                good = true,
                shown = %"b",
                debugged = ?Some("c"),
                "answered"
            );
        });
        let time = line.as_object_mut().unwrap().remove("timestamp").unwrap();
        assert!(time.as_str().unwrap().ends_with('Z'), "{time}");
        let whole = json!({
            "level": "INFO", "message": "answered", "request.id": "a-1", "response.status": 200,
            "left": -1, "response.seconds": 0.25, "none": null, "good": true, "shown": "b",
            "debugged": "Some(\"c\")", "target": module_path!(),
        });
        assert_eq!(line, whole);
    }

    #[test]
    fn whatever_is_said_stays_inside_of_its_string() {
        let said = "a \"quoted\" \\ word,\nline\r\ttab \u{1} \u{7f} \u{2028} é 日";
        let line = written(|| tracing::warn!(text = said, shown = %said, "{said}"));
        for name in ["text", "shown", "message"] {
            assert_eq!(line[name], said, "{name}");
        }
    }
}
