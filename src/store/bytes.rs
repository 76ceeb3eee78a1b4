//! How bytes stand in the JSON of a row.

/// Field values of HTTP, each byte as the character of that number: what is ASCII stays readable.
pub(super) mod validators {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::model::Validators;

    #[derive(Serialize, Deserialize)]
    struct Texts {
        #[serde(skip_serializing_if = "Option::is_none")]
        etag: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        last_modified: Option<String>,
    }

    pub(in crate::store) fn serialize<S: Serializer>(
        validators: &Validators,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let Validators { etag, last_modified } = validators;
        Texts { etag: etag.as_deref().map(text), last_modified: last_modified.as_deref().map(text) }
            .serialize(serializer)
    }

    pub(in crate::store) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Validators, D::Error> {
        let Texts { etag, last_modified } = Texts::deserialize(deserializer)?;
        Ok(Validators { etag: etag.and_then(bytes), last_modified: last_modified.and_then(bytes) })
    }

    fn text(bytes: &[u8]) -> String {
        bytes.iter().copied().map(char::from).collect()
    }

    /// None where a character is no byte: without a validator the document is read again.
    fn bytes(text: String) -> Option<Vec<u8>> {
        text.chars().map(|character| u8::try_from(character).ok()).collect()
    }
}

/// A SHA-256, in base64url.
pub(super) mod hash {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(in crate::store) fn serialize<S: Serializer>(
        hash: &Option<[u8; 32]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        hash.map(|hash| URL_SAFE_NO_PAD.encode(hash)).serialize(serializer)
    }

    /// None where it cannot be read: the document is then read again.
    pub(in crate::store) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<[u8; 32]>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        let bytes = text.and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
        Ok(bytes.and_then(|bytes| bytes.try_into().ok()))
    }
}

/// Bytes of a column, in base64url.
pub(super) mod base64 {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(in crate::store) fn serialize<S: Serializer>(
        bytes: &[u8],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        URL_SAFE_NO_PAD.encode(bytes).serialize(serializer)
    }

    pub(in crate::store) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        URL_SAFE_NO_PAD.decode(text).map_err(serde::de::Error::custom)
    }
}
