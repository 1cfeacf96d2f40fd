//! Where texts stand on the pages of a PDF file that Chromium wrote, as far as a test needs it:
//! streams are compressed with deflate, and operators stand on a line each.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// A text on a page.
pub(crate) struct PrintedText {
    /// How far it is from the foot of the page, in points.
    pub(crate) height: f64,
    /// The size of its font, in pixels of the style sheet.
    pub(crate) size: f64,
}

/// The texts of every page.
pub(crate) fn pages_of(pdf: &[u8]) -> Vec<Vec<PrintedText>> {
    let heads = positions(pdf, b"/Type /Page\n");
    heads.into_iter().map(|at| texts(&content(pdf, reference(&pdf[at..])))).collect()
}

/// The size of the lowest text of a page; 0 for an empty page.
pub(crate) fn size_at_the_foot(page: &[PrintedText]) -> f64 {
    page.iter().min_by(|one, other| one.height.total_cmp(&other.height)).map_or(0.0, |text| text.size)
}

fn positions(bytes: &[u8], words: &[u8]) -> Vec<usize> {
    (0..bytes.len()).filter(|&at| bytes[at..].starts_with(words)).collect()
}

/// The number of the object with the content of a page.
fn reference(page: &[u8]) -> usize {
    let at = positions(&page[..page.len().min(2_000)], b"/Contents ")[0] + "/Contents ".len();
    let digits = page[at..].iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number, &digit| 10 * number + usize::from(digit - b'0'))
}

/// The text of a compressed stream.
fn content(pdf: &[u8], object: usize) -> String {
    let head = format!("\n{object} 0 obj\n");
    let object = &pdf[positions(pdf, head.as_bytes())[0]..];
    let start = positions(&object[..object.len().min(500)], b"stream\n")[0] + "stream\n".len();
    let mut text = Vec::new();
    ZlibDecoder::new(&object[start..]).read_to_end(&mut text).unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

/// A transformation of the plane, as operators of PDF write it.
type Transformation = [f64; 6];

/// First `one`, then `other`.
fn product(one: Transformation, other: Transformation) -> Transformation {
    let [a, b, c, d, e, f] = one;
    let [p, q, r, s, t, u] = other;
    [a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u]
}

fn texts(content: &str) -> Vec<PrintedText> {
    let (mut now, mut saved, mut size) = ([1.0, 0.0, 0.0, 1.0, 0.0, 0.0], Vec::new(), 0.0);
    let mut found = Vec::new();
    for line in content.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let numbers: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        let transformation = Transformation::try_from(numbers.as_slice()).ok();
        match (words.last(), transformation) {
            (Some(&"q"), _) => saved.push(now),
            (Some(&"Q"), _) => now = saved.pop().unwrap(),
            (Some(&"cm"), Some(further)) => now = product(further, now),
            (Some(&"Tf"), _) => size = numbers[0],
            (Some(&"Tm"), Some(place)) => found.push(PrintedText { height: product(place, now)[5], size }),
            _ => {}
        }
    }
    found
}
