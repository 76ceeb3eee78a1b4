//! Months by name, in the languages whose feeds write them where RFC 822 wants English.

/// The number of the month that a word names or abbreviates.
pub(super) fn month(word: &str) -> Option<u32> {
    let word = word.trim_matches('.').to_lowercase();
    if word.chars().count() < 3 {
        return None;
    }
    let row = STEMS.iter().position(|stems| stems.split(' ').any(|stem| word.starts_with(stem)))?;
    u32::try_from(row + 1).ok()
}

/// How the names begin, a row a month. English, German, French, Spanish, Italian, Portuguese,
/// Dutch, Scandinavian, Polish, Turkish, Hungarian, Russian, Ukrainian, Greek.
const STEMS: [&str; 12] = [
    "jan ene gen janv sty oca ян січ ιαν",
    "feb fév fev fevr lut şub фев лют φεβ febr",
    "mar mär mrt march maart mrz márc мар бер μάρ μαρ",
    "apr avr abr kwi nis ápr апр кві απρ",
    "may mai mag mei maj máj май мая тра μάι μαι μάϊ",
    "jun juin giu cze haz jún июн чер ιούν ιουν",
    "jul juil lug lip tem júl июл лип ιούλ ιουλ",
    "aug aoû aou ago sie ağu авг сер αύγ αυγ",
    "sep set wrz eyl sze сен вер σεπ",
    "oct okt ott out paź eki окт жов οκτ",
    "nov kas lis ноя лис νοέ νοε",
    "dec dez déc dic gru ara des дек гру δεκ",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_known_in_other_languages() {
        for (word, number) in [
            ("January", Some(1)),
            ("f\u{e9}vr.", Some(2)),
            ("M\u{e4}rz", Some(3)),
            ("avril", Some(4)),
            ("\u{43c}\u{430}\u{44f}", Some(5)),
            ("Ιούλ", Some(7)),
            ("ago", Some(8)),
            ("Set", Some(9)),
            ("Okt", Some(10)),
            ("d\u{e9}c.", Some(12)),
            ("ju", None),
            ("zzz", None),
        ] {
            assert_eq!(month(word), number, "{word}");
        }
    }
}
