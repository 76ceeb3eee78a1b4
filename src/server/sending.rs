//! Bodies in portions: a client that reads slowly must not have a whole page copied for it, and
//! keeps its place among its caller's requests until it has read all.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;

use super::callers::Place;

/// A body that is handed out piece by piece, from shared bytes.
struct Portions {
    rest: Bytes,
    _place: Option<Place>,
}

/// Divides a body that is large, or whose caller has a place.
pub(crate) fn in_portions(body: BoxBody, place: Option<Place>) -> BoxBody {
    match body.try_into_bytes() {
        Ok(rest) if rest.is_empty() || (place.is_none() && rest.len() <= PORTION_BYTES) => {
            BoxBody::new(rest)
        }
        Ok(rest) => BoxBody::new(Portions { rest, _place: place }),
        Err(body) => body,
    }
}

impl MessageBody for Portions {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.rest.len() as u64)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let bytes = self.rest.len().min(PORTION_BYTES);
        let portion = self.rest.split_to(bytes);
        Poll::Ready((!portion.is_empty()).then_some(Ok(portion)))
    }
}

/// About what a socket takes at once.
const PORTION_BYTES: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;

    use super::*;

    #[actix_web::test]
    async fn a_large_body_comes_in_portions_and_is_whole() {
        let whole: Vec<u8> = (0..200_000u32).map(|n| n as u8).collect();
        let mut body = in_portions(BoxBody::new(whole.clone()), None);
        assert_eq!(body.size(), BodySize::Sized(200_000));
        let first = std::future::poll_fn(|context| Pin::new(&mut body).poll_next(context)).await;
        assert_eq!(first.unwrap().unwrap().len(), PORTION_BYTES);
        let rest = to_bytes(body).await.unwrap();
        assert_eq!(rest, whole[PORTION_BYTES..]);
    }

    #[actix_web::test]
    async fn an_empty_body_stays_one() {
        assert_eq!(in_portions(BoxBody::new(()), None).size(), BodySize::Sized(0));
        assert_eq!(to_bytes(in_portions(BoxBody::new("a"), None)).await.unwrap(), "a");
    }
}
