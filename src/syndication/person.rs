//! People as feeds name them: `mail (Name)`, `Name <mail>`, `"Name" <mail>`, a bare mail, a name.

use std::borrow::Cow;

/// A name and a mail address, taken apart; either may be missing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NameAndMail<'a> {
    pub name: Option<Cow<'a, str>>,
    pub email: Option<&'a str>,
}

/// Takes the text of an `author`, `managingEditor` or `dc:creator` apart.
#[must_use]
pub(crate) fn parse_person(text: &str) -> NameAndMail<'_> {
    let text = text.trim();
    if let Some((mail, rest)) = text.split_once('(') {
        let name = rest.trim_end().strip_suffix(')').unwrap_or(rest);
        if let Some(email) = as_mail(mail) {
            return NameAndMail { name: clean(name), email: Some(email) };
        }
        // The other way round: `Name (mail)`.
        if let Some(email) = as_mail(name) {
            return NameAndMail { name: clean(mail), email: Some(email) };
        }
    }
    if let Some((name, rest)) = text.split_once('<') {
        let mail = rest.trim_end().strip_suffix('>').unwrap_or(rest);
        if let Some(email) = as_mail(mail) {
            return NameAndMail { name: clean(name), email: Some(email) };
        }
    }
    if let Some(email) = as_mail(text) {
        return NameAndMail { name: None, email: Some(email) };
    }
    // `mail Name` and `Name mail`, without any brackets.
    if let Some((first, rest)) = text.split_once(char::is_whitespace)
        && let Some(email) = as_mail(first)
    {
        return NameAndMail {
            name: clean(rest.trim_start_matches(['-', ' '])),
            email: Some(email),
        };
    }
    if let Some((rest, last)) = text.rsplit_once(char::is_whitespace)
        && let Some(email) = as_mail(last)
    {
        return NameAndMail { name: clean(rest), email: Some(email) };
    }
    NameAndMail { name: clean(text), email: None }
}

/// The parts of a list of mail addresses, each with or without a name; empty for anything else.
pub(crate) fn mailboxes(text: &str) -> Vec<&str> {
    if !text.contains('@') {
        return Vec::new();
    }
    let parts: Vec<&str> =
        text.split([',', ';']).map(str::trim).filter(|p| !p.is_empty()).collect();
    let are_all = parts.iter().all(|part| parse_person(part).email.is_some());
    if are_all { parts } else { Vec::new() }
}

/// A text that is a mail address and nothing else, `mailto:` taken off.
pub(crate) fn as_mail(text: &str) -> Option<&str> {
    let text = text.trim().trim_matches(['<', '>']);
    let text = text.strip_prefix("mailto:").unwrap_or(text);
    let (user, host) = text.split_once('@')?;
    let user_ok = !user.is_empty()
        && user.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&b));
    let host_ok = host.split('.').all(|label| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    });
    (user_ok && host_ok && text.len() <= 254).then_some(text)
}

fn clean(name: &str) -> Option<Cow<'_, str>> {
    let name = name.trim().trim_matches('"').trim();
    if name.is_empty() {
        return None;
    }
    if name.chars().any(|c| c.is_whitespace() && c != ' ') || name.contains("  ") {
        return Some(Cow::Owned(name.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    Some(Cow::Borrowed(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_and_addresses_are_taken_apart() {
        for (text, name, email) in [
            ("robin@example.com (Robin Ash)", Some("Robin Ash"), Some("robin@example.com")),
            ("Robin Ash <robin@example.com>", Some("Robin Ash"), Some("robin@example.com")),
            ("\"Robin Ash\" <robin@example.com>", Some("Robin Ash"), Some("robin@example.com")),
            ("Robin Ash (robin@example.com)", Some("Robin Ash"), Some("robin@example.com")),
            ("robin@example.com", None, Some("robin@example.com")),
            ("mailto:robin@example.com", None, Some("robin@example.com")),
            ("robin@example.com Robin Ash", Some("Robin Ash"), Some("robin@example.com")),
            ("robin@example.com ()", None, Some("robin@example.com")),
            ("Robin\n  Ash", Some("Robin Ash"), None),
            ("Robin  Ash", Some("Robin Ash"), None),
            ("Robin\tAsh", Some("Robin Ash"), None),
            ("Robin (the boss)", Some("Robin (the boss)"), None),
            ("@robin", Some("@robin"), None),
            ("", None, None),
        ] {
            let want = NameAndMail { name: name.map(Cow::Borrowed), email };
            assert_eq!(parse_person(text), want, "{text}");
        }
    }

    #[test]
    fn a_list_of_addresses_is_told_from_a_name_with_a_comma() {
        let list = "robin@example.com (Robin Ash); Kim <kim@example.com>, x@example.com";
        let parts = ["robin@example.com (Robin Ash)", "Kim <kim@example.com>", "x@example.com"];
        assert_eq!(mailboxes(list), parts);
        for text in ["Ash, Robin <robin@example.com>", "Robin, Kim", "a, b@example.com", ""] {
            assert!(mailboxes(text).is_empty(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[ a-z@.<>()\"\u{e9}-]{0,40}") {
            let _ = parse_person(&text);
        }

        #[test]
        fn what_is_written_is_read_back(name in "[A-Z][a-z]{1,8} [A-Z][a-z]{1,8}", user in "[a-z]{1,8}") {
            let email = format!("{user}@example.com");
            for text in [format!("{email} ({name})"), format!("{name} <{email}>")] {
                let read = parse_person(&text);
                prop_assert_eq!(read.name.as_deref(), Some(name.as_str()));
                prop_assert_eq!(read.email, Some(email.as_str()));
            }
        }
    }
}
