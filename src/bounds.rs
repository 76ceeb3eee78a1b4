//! Whole numbers of the settings: the least and the most that make sense stand beside the field.
//!
//! A number beyond its bounds is refused where it is read, rather than taken for another one.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::{Error, Unexpected, Visitor};

/// Reads a whole number from `LEAST` to `MOST`, for `#[serde(deserialize_with)]`.
pub(crate) fn between<'de, const LEAST: u64, const MOST: u64, T, D>(
    source: D,
) -> Result<T, D::Error>
where
    T: TryFrom<u64>,
    D: Deserializer<'de>,
{
    source.deserialize_u64(Bounded::<T> { least: LEAST, most: MOST, number: PhantomData })
}

/// The most where nothing but the kind of number is in the way.
pub(crate) const ANY: u64 = i64::MAX.unsigned_abs();

struct Bounded<T> {
    least: u64,
    most: u64,
    number: PhantomData<T>,
}

impl<T: TryFrom<u64>> Visitor<'_> for Bounded<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (0, ANY) => f.write_str("a whole number"),
            (least, ANY) => write!(f, "a whole number from {least} up"),
            (least, most) => write!(f, "a whole number from {least} to {most}"),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let wrong = |number| E::invalid_value(Unexpected::Unsigned(number), &self);
        if !(self.least..=self.most).contains(&number) {
            return Err(wrong(number));
        }
        T::try_from(number).map_err(|_| wrong(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Read {
        #[serde(deserialize_with = "between::<300, 900, _, _>")]
        seconds: u32,
    }

    #[test]
    fn a_number_within_its_bounds_is_read_and_any_other_refused_with_them() {
        for number in [300, 900] {
            let read: Read =
                serde_json::from_value(serde_json::json!({"seconds": number})).unwrap();
            assert_eq!(read.seconds, number);
        }
        for number in ["299", "901", "-1", "1.5", "\"300\"", "null"] {
            let error = serde_json::from_str::<Read>(&format!(r#"{{"seconds": {number}}}"#));
            let error = error.unwrap_err().to_string();
            assert!(error.contains("expected a whole number from 300 to 900"), "{error}");
        }
    }
}
