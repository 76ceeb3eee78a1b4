//! Chooses the content coding of a page by `Accept-Encoding` (RFC 9110 12.5.3).

use actix_web::http::header::{ACCEPT_ENCODING, HeaderMap};

use crate::paging::Coding;

/// The coding that the client likes best, none for the bytes as they are. A client that forbids
/// everything gets those too, which RFC 9110 12.5.3 allows.
pub(crate) fn choose(headers: &HeaderMap) -> Option<Coding> {
    let mut wishes = Wishes::default();
    for value in headers.get_all(ACCEPT_ENCODING).filter_map(|value| value.to_str().ok()) {
        wishes.read(value);
    }
    wishes.best()
}

/// Quality values in thousandths, as far as the client gave them.
#[derive(Default)]
struct Wishes {
    brotli: Option<u16>,
    zstd: Option<u16>,
    gzip: Option<u16>,
    identity: Option<u16>,
    others: Option<u16>,
}

impl Wishes {
    fn read(&mut self, list: &str) {
        for element in list.split(',') {
            let (name, parameters) = element.split_once(';').unwrap_or((element, ""));
            if let Some(place) = self.place(name.trim()) {
                *place = Some(quality(parameters));
            }
        }
    }

    fn place(&mut self, name: &str) -> Option<&mut Option<u16>> {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        match () {
            () if is("br") => Some(&mut self.brotli),
            () if is("zstd") => Some(&mut self.zstd),
            () if is("gzip") || is("x-gzip") => Some(&mut self.gzip),
            () if is("identity") => Some(&mut self.identity),
            () if is("*") => Some(&mut self.others),
            () => None,
        }
    }

    /// A page is coded once and sent many times, so our own order decides where the client has
    /// none. Identity, where it is not named, is allowed but not asked for: any coding that is
    /// wins over it.
    fn best(&self) -> Option<Coding> {
        let mut best = (None, self.identity.unwrap_or(0));
        for coding in Coding::ALL {
            let wish = self.of(coding);
            if wish > best.1 || (wish == best.1 && wish > 0 && best.0.is_none()) {
                best = (Some(coding), wish);
            }
        }
        best.0
    }

    fn of(&self, coding: Coding) -> u16 {
        let named = match coding {
            Coding::Brotli => self.brotli,
            Coding::Zstd => self.zstd,
            Coding::Gzip => self.gzip,
        };
        named.or(self.others).unwrap_or(0)
    }
}

/// `q=0.5` as 500; without one 1000, and 0 for what is none, so that no wish is made up.
fn quality(parameters: &str) -> u16 {
    let Some(value) = parameters
        .split(';')
        .filter_map(|parameter| parameter.split_once('='))
        .find_map(|(name, value)| name.trim().eq_ignore_ascii_case("q").then_some(value.trim()))
    else {
        return 1000;
    };
    let Ok(quality) = value.parse::<f32>() else { return 0 };
    if (0.0..=1.0).contains(&quality) { (quality * 1000.0) as u16 } else { 0 }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn the_clients_wish_decides_and_then_the_size() {
        for (accepted, chosen) in [
            ("gzip", Some(Coding::Gzip)),
            ("x-gzip", Some(Coding::Gzip)),
            ("gzip, deflate, br, zstd", Some(Coding::Brotli)),
            ("gzip, zstd", Some(Coding::Zstd)),
            ("GZIP;Q=1.0, br;q=0.5", Some(Coding::Gzip)),
            ("br;q=0, gzip;q=0.001", Some(Coding::Gzip)),
            ("*", Some(Coding::Brotli)),
            ("*, br;q=0", Some(Coding::Zstd)),
            ("identity", None),
            ("identity, gzip;q=0.5", None),
            ("gzip;q=0.5", Some(Coding::Gzip)),
            ("deflate", None),
            ("", None),
            ("gzip;q=x, br;q=2", None),
            ("identity;q=0, *;q=0", None),
            ("gzip ; q=0.8 , ,", Some(Coding::Gzip)),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            assert_eq!(choose(&headers), chosen, "{accepted}");
        }
    }

    #[test]
    fn without_the_header_the_bytes_are_sent_as_they_are() {
        assert_eq!(choose(&HeaderMap::new()), None);
    }

    #[test]
    fn several_headers_are_one_list() {
        let mut headers = HeaderMap::new();
        headers.append(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        headers.append(ACCEPT_ENCODING, HeaderValue::from_static("br;q=0.9"));
        assert_eq!(choose(&headers), Some(Coding::Gzip));
    }
}
