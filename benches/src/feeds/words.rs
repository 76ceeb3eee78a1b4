//! Made-up text.

use std::fmt::Write;

/// Text of a fixed sequence of made-up words.
pub(super) struct Words(u64);

const SYLLABLES: [&str; 16] = [
    "lo", "ra", "ment", "is", "ver", "ta", "qui", "dol", "en", "su", "per", "nia", "mo", "cre",
    "ti", "os",
];

impl Words {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Xorshift: good enough for text.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }

    pub(super) fn word(&mut self) -> String {
        (0..self.below(3) + 1).map(|_| SYLLABLES[self.below(SYLLABLES.len())]).collect()
    }

    pub(super) fn several(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn title(&mut self) -> String {
        let count = self.below(7) + 3;
        format!("{} &amp; {}", self.several(count), self.word())
    }

    pub(super) fn name(&mut self) -> String {
        self.several(2)
    }

    pub(super) fn sentence(&mut self) -> String {
        let count = self.below(15) + 8;
        format!("{}.", self.several(count))
    }

    pub(super) fn paragraph(&mut self) -> String {
        (0..5).map(|_| self.sentence()).collect::<Vec<_>>().join(" ")
    }

    /// Paragraphs with links, pictures and emphasis.
    pub(super) fn html(&mut self, paragraphs: usize) -> String {
        let mut html = String::new();
        for n in 0..paragraphs {
            let _ = writeln!(
                html,
                "<p>{} <a href=\"https://other.example/{}?a=1&amp;b=2\" title=\"{}\">{}</a>, \
                 <em>{}</em> &#8217;{}&#8217;.</p>",
                self.paragraph(),
                self.word(),
                self.word(),
                self.several(3),
                self.word(),
                self.sentence(),
            );
            if n % 4 == 1 {
                let _ = writeln!(
                    html,
                    "<figure class=\"wp-block-image\"><img loading=\"lazy\" decoding=\"async\" \
                     width=\"1024\" height=\"683\" src=\"https://img.example/{}.jpg\" alt=\"{}\" \
                     srcset=\"https://img.example/a.jpg 1024w, https://img.example/b.jpg 300w\" />\
                     </figure>",
                    self.word(),
                    self.several(4),
                );
            }
        }
        html
    }

    pub(super) fn han(&mut self, count: usize) -> String {
        (0..count).filter_map(|_| char::from_u32(0x4e00 + self.below(0x1200) as u32)).collect()
    }
}
