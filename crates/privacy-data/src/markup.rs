//! One pass over the XML of a workbook's part, before a reader of sheets sees it.
//!
//! Such a reader keeps a text, a tag and a comment whole, copies the name of a font into every cell
//! format, and makes room for as many strings as a part claims to have: a file of some kilobytes
//! could take gigabytes. This pass counts, keeps at most the first bytes of a tag, and refuses what
//! no sheet has. Where it could take markup for something else than that reader does (encodings
//! other than UTF-8, document types, elements that are closed in another order), it refuses.

/// Longest cell, string or piece of markup: as long as a field of text may be.
const MAX_FIELD: usize = 1 << 20;

/// Rows that a sheet can have.
const MAX_ROWS: u64 = 1 << 20;

/// Cell formats: twice as many as a workbook can have, since styles and cells list their own.
const MAX_FORMATS: u64 = 1 << 17;

/// Bytes that cell formats may take, each with a copy of the longest name or format code.
const MAX_FORMAT_BYTES: u64 = 1 << 26;

/// Sheets of a workbook: programs become unusable at a few thousand.
const MAX_SHEETS: u64 = 1 << 14;

/// Relations of a part: a sheet has one for each of at most 65,530 links, and some more.
const MAX_RELATIONS: u64 = 1 << 17;

/// Deepest nesting. Sheets and strings nest fewer than ten elements, drawings some twenty.
const MAX_DEPTH: usize = 128;

/// Bytes of a tag that are kept: its name, and the attributes that are looked at.
const HEAD: usize = 512;

/// How many elements a part of a workbook has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkupCounts {
    /// Rows of a sheet, at most 1,048,576.
    pub rows: u64,
    /// Cells of a sheet.
    pub cells: u64,
    /// Shared strings.
    pub strings: u64,
    /// Shared strings that the part claims to have.
    pub claimed_strings: u64,
    /// Cell formats.
    pub formats: u64,
    /// Sheets of a workbook, at most 16,384.
    pub sheets: u64,
    /// Relations to other parts, at most 131,072.
    pub relations: u64,
    /// The longest tag below the children of the root: it holds the names of the formats.
    longest_tag: u64,
}

/// What no part of a workbook has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MarkupError {
    /// A cell, a shared string or another text above the limit of a field.
    #[error("the workbook contains a text that is longer than 1048576 bytes")]
    TextTooLong,
    /// A tag or a comment above that limit.
    #[error("the workbook contains a tag that is longer than 1048576 bytes")]
    TagTooLong,
    /// More rows than a sheet can have.
    #[error("a sheet of the workbook has more than 1048576 rows")]
    TooManyRows,
    /// More cell formats than a workbook can have, or long names in many of them.
    #[error("the workbook has too many cell formats, or names in them that are too long")]
    TooManyFormats,
    /// More sheets than a workbook has, or more relations than a part has.
    #[error("the workbook has more than 16384 sheets, or a part of it more than 131072 relations")]
    TooManyParts,
    /// Elements within elements beyond what any part needs.
    #[error("the workbook nests more than 128 elements")]
    TooDeep,
    /// Another encoding, or a zero.
    #[error("the workbook is not written in UTF-8")]
    NotUtf8,
    /// What is not XML, or has a document type.
    #[error("the workbook is damaged")]
    Malformed,
}

/// A pass over the bytes of one part, in bounded memory.
///
/// Text is looked at only for its length: whether it is UTF-8, and what entities stand for, is for
/// the reader of sheets to find out.
#[derive(Debug, Default)]
pub struct MarkupScan {
    counts: MarkupCounts,
    /// The names of the open elements, one behind the other, and where each begins.
    names: Vec<u8>,
    starts: Vec<usize>,
    /// The depth of the cell or string that is open. What it holds is kept as one text.
    item: Option<usize>,
    /// The length of that item, or of the text outside of one.
    text: usize,
    is_in_markup: bool,
    /// The first bytes of the markup behind its `<`, its length, and its last two bytes.
    head: Vec<u8>,
    length: usize,
    last: [u8; 2],
    /// The quote that is open in a tag.
    quote: Option<u8>,
}

impl MarkupScan {
    /// Goes on with the next bytes of the part.
    ///
    /// # Errors
    /// For what no part has; whatever follows it is not looked at.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<(), MarkupError> {
        // XML has no zeros, and other encodings have one in every tag.
        if bytes.contains(&0) {
            return Err(MarkupError::NotUtf8);
        }
        while !bytes.is_empty() {
            let used = if self.is_in_markup { self.markup(bytes)? } else { self.text(bytes)? };
            bytes = &bytes[used..];
        }
        Ok(())
    }

    /// What was counted so far.
    #[must_use]
    pub fn counts(&self) -> MarkupCounts {
        self.counts
    }

    /// What was counted in the whole part.
    ///
    /// # Errors
    /// [`MarkupError::Malformed`] for a part that is cut off.
    pub fn finish(self) -> Result<MarkupCounts, MarkupError> {
        if self.is_in_markup || !self.starts.is_empty() { Err(MarkupError::Malformed) } else { Ok(self.counts) }
    }

    /// Passes over text, up to the next `<`; how many bytes that were.
    fn text(&mut self, bytes: &[u8]) -> Result<usize, MarkupError> {
        let end = bytes.iter().position(|&byte| byte == b'<');
        self.lengthen(end.unwrap_or(bytes.len()))?;
        let Some(end) = end else { return Ok(bytes.len()) };
        (self.is_in_markup, self.length, self.last, self.quote) = (true, 0, [0; 2], None);
        self.head.clear();
        Ok(end + 1)
    }

    fn lengthen(&mut self, bytes: usize) -> Result<(), MarkupError> {
        self.text += bytes;
        if self.text > MAX_FIELD {
            return Err(MarkupError::TextTooLong);
        }
        Ok(())
    }

    /// Passes over markup, up to the next byte that may end it; how many bytes that were.
    fn markup(&mut self, bytes: &[u8]) -> Result<usize, MarkupError> {
        let first = self.head.first().copied().unwrap_or(bytes[0]);
        let is_tag = first != b'?' && first != b'!';
        let found = match self.quote {
            Some(quote) => bytes.iter().position(|&byte| byte == quote),
            None if is_tag => bytes.iter().position(|&byte| matches!(byte, b'>' | b'"' | b'\'')),
            None => bytes.iter().position(|&byte| byte == b'>'),
        };
        self.note(&bytes[..found.unwrap_or(bytes.len())])?;
        let Some(end) = found else { return Ok(bytes.len()) };
        match bytes[end] {
            b'>' if self.quote.is_none() && self.is_complete()? => self.end_markup()?,
            byte => {
                if is_tag {
                    self.quote = if self.quote.is_none() { Some(byte) } else { None };
                }
                self.note(&[byte])?;
            }
        }
        Ok(end + 1)
    }

    fn note(&mut self, bytes: &[u8]) -> Result<(), MarkupError> {
        self.length += bytes.len();
        if self.length > MAX_FIELD {
            return Err(MarkupError::TagTooLong);
        }
        if self.item.is_some() {
            self.lengthen(bytes.len())?;
        }
        self.head.extend_from_slice(&bytes[..bytes.len().min(HEAD - self.head.len())]);
        match *bytes {
            [] => {}
            [last] => self.last = [self.last[1], last],
            [.., before, last] => self.last = [before, last],
        }
        Ok(())
    }

    /// Whether a `>` outside of quotes ends what was noted.
    fn is_complete(&self) -> Result<bool, MarkupError> {
        match self.head[..] {
            [b'?', ..] if self.length == 1 => Err(MarkupError::Malformed),
            [b'?', ..] => Ok(self.last[1] == b'?'),
            // `<!-->` and `<!--->` are ends of comments to some readers, and beginnings to others.
            [b'!', b'-', b'-', ..] if self.length < 5 => Err(MarkupError::Malformed),
            [b'!', b'-', b'-', ..] => Ok(self.last == *b"--"),
            [b'!', b'[', b'C', b'D', b'A', b'T', b'A', b'[', ..] => Ok(self.last == *b"]]"),
            // The standard of such packages has no document types (ECMA-376, part 2, 6.2.5).
            [b'!', ..] => Err(MarkupError::Malformed),
            _ => Ok(true),
        }
    }

    fn end_markup(&mut self) -> Result<(), MarkupError> {
        let head = std::mem::take(&mut self.head);
        let result = match head.first() {
            None => Err(MarkupError::Malformed),
            Some(b'!') => Ok(()),
            Some(b'?') => check_declaration(&head),
            Some(b'/') => self.end_element(head[1..].trim_ascii_end()),
            Some(_) => self.start_element(&head),
        };
        (self.head, self.is_in_markup) = (head, false);
        if self.item.is_none() {
            self.text = 0;
        }
        result
    }

    fn start_element(&mut self, head: &[u8]) -> Result<(), MarkupError> {
        let name = name_of(head);
        if name.is_empty() || name.len() == HEAD {
            return Err(MarkupError::Malformed);
        }
        let local = name.iter().position(|&byte| byte == b':').map_or(name, |colon| &name[colon + 1..]);
        self.count(local, head)?;
        if self.last[1] == b'/' {
            return Ok(());
        }
        if self.starts.len() == MAX_DEPTH {
            return Err(MarkupError::TooDeep);
        }
        if self.item.is_none() && matches!(local, b"c" | b"si") {
            self.item = Some(self.starts.len());
        }
        self.starts.push(self.names.len());
        self.names.extend_from_slice(name);
        Ok(())
    }

    fn end_element(&mut self, name: &[u8]) -> Result<(), MarkupError> {
        // A quote would hide a `>` from this pass alone: the reader of sheets knows none here.
        let start = self.starts.pop().filter(|&start| self.names[start..] == *name).ok_or(MarkupError::Malformed)?;
        self.names.truncate(start);
        if self.item == Some(self.starts.len()) {
            self.item = None;
        }
        Ok(())
    }

    fn count(&mut self, local: &[u8], head: &[u8]) -> Result<(), MarkupError> {
        let counts = &mut self.counts;
        match local {
            b"row" => counts.rows += 1,
            b"c" => counts.cells += 1,
            b"si" => counts.strings += 1,
            b"xf" => counts.formats += 1,
            b"sheet" => counts.sheets += 1,
            b"Relationship" => counts.relations += 1,
            b"sst" => counts.claimed_strings = counts.claimed_strings.max(claimed_strings(head)?),
            _ => {}
        }
        if self.starts.len() > 1 {
            counts.longest_tag = counts.longest_tag.max(self.length as u64);
        }
        if counts.rows > MAX_ROWS {
            return Err(MarkupError::TooManyRows);
        }
        if counts.formats > MAX_FORMATS || counts.formats * counts.longest_tag > MAX_FORMAT_BYTES {
            return Err(MarkupError::TooManyFormats);
        }
        if counts.sheets > MAX_SHEETS || counts.relations > MAX_RELATIONS {
            return Err(MarkupError::TooManyParts);
        }
        Ok(())
    }
}

/// The name at the start of a tag.
fn name_of(tag: &[u8]) -> &[u8] {
    let end = tag.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'/');
    &tag[..end.unwrap_or(tag.len())]
}

/// Refuses a declaration of another encoding: its bytes could be other characters to the reader.
fn check_declaration(head: &[u8]) -> Result<(), MarkupError> {
    if !head.starts_with(b"?xml") {
        return Ok(());
    }
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    let mut values = text.split("encoding").skip(1);
    match (values.next(), values.next()) {
        (None, _) if head.len() < HEAD => Ok(()),
        (Some(value), None) if head.len() < HEAD && quoted(value) == Some("utf-8") => Ok(()),
        _ => Err(MarkupError::NotUtf8),
    }
}

/// The value behind the name of an attribute.
fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start().strip_prefix('=')?.trim_start();
    let quote = text.chars().next().filter(|&quote| quote == '"' || quote == '\'')?;
    text[1..].split(quote).next()
}

/// How many strings a table of them says it has, at most.
fn claimed_strings(head: &[u8]) -> Result<u64, MarkupError> {
    if head.len() == HEAD {
        return Err(MarkupError::Malformed);
    }
    let text = String::from_utf8_lossy(head);
    let claims = text.split("uniqueCount").skip(1);
    claims
        .map(|claim| quoted(claim).and_then(|value| value.trim().parse().ok()))
        .try_fold(0, |most: u64, claim| claim.map(|claim: u64| most.max(claim)).ok_or(MarkupError::Malformed))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counts of a part, however it is cut into pieces.
    fn counts(text: &str) -> Result<MarkupCounts, MarkupError> {
        let in_pieces = |piece: usize| {
            let mut scan = MarkupScan::default();
            text.as_bytes().chunks(piece).try_for_each(|bytes| scan.feed(bytes))?;
            scan.finish()
        };
        let all = in_pieces(text.len());
        // Long texts would take seconds byte by byte.
        let pieces = if text.len() < 1000 { [1, 7] } else { [997, 65_536] };
        pieces.iter().for_each(|&piece| assert!(in_pieces(piece) == all, "{piece}: {text:.200}"));
        all
    }

    fn refused(text: &str) -> MarkupError {
        counts(text).unwrap_err()
    }

    #[test]
    fn rows_cells_strings_and_formats_are_counted_under_any_prefix() {
        let found = counts(
            "<?xml version=\"1.0\" encoding='UTF-8'?><!-- <row> --><x:a b='>'><x:row><c r=\"1\"/><c><![CDATA[<c>]]></c>\
             </x:row ><sst uniqueCount = '3' x:uniqueCount=\"07\"><si/></sst><xf/></x:a>",
        );
        let found = found.unwrap();
        assert_eq!((found.rows, found.cells, found.strings), (1, 2, 1));
        assert_eq!((found.claimed_strings, found.formats), (7, 1));
    }

    #[test]
    fn what_is_longer_than_a_field_is_refused_however_it_is_written() {
        let long = "x".repeat(MAX_FIELD + 1);
        for text in [
            format!("<a>{long}</a>"),
            format!("<si><r><t>{}</t></r><r><t>{0}</t></r></si>", &long[..MAX_FIELD / 2]),
            format!("<c>{}</c>", "<t/>".repeat(MAX_FIELD / 2)),
            format!("<si><t>{}<c/>{0}</t></si>", &long[..MAX_FIELD / 2]),
        ] {
            assert_eq!(refused(&text), MarkupError::TextTooLong, "{text:.40}");
        }
        for text in [format!("<a b='{long}'/>"), format!("<!--{}-->", "<!".repeat(MAX_FIELD)), format!("<?{long}?>")] {
            assert_eq!(refused(&text), MarkupError::TagTooLong, "{text:.40}");
        }
        assert!(counts(&format!("<a>{}</a>", "<si>x</si>".repeat(MAX_FIELD / 4))).is_ok());
    }

    #[test]
    fn more_rows_formats_parts_or_levels_than_a_workbook_has_are_refused() {
        let rows = |rows: u64| format!("<a>{}</a>", "<row/>".repeat(rows as usize));
        assert!(counts(&rows(MAX_ROWS)).is_ok());
        assert_eq!(refused(&rows(MAX_ROWS + 1)), MarkupError::TooManyRows);
        assert_eq!(
            refused(&format!("<a>{}</a>", "<xf/>".repeat(MAX_FORMATS as usize + 1))),
            MarkupError::TooManyFormats
        );
        for (element, most) in [("sheet", MAX_SHEETS), ("x:Relationship", MAX_RELATIONS)] {
            let parts = |number: u64| format!("<a>{}</a>", format!("<{element}/>").repeat(number as usize));
            assert!(counts(&parts(most)).is_ok());
            assert_eq!(refused(&parts(most + 1)), MarkupError::TooManyParts, "{element}");
        }
        let font = format!("<a><b><name val='{}'/></b>{}</a>", "x".repeat(1 << 19), "<xf/>".repeat(200));
        assert_eq!(refused(&font), MarkupError::TooManyFormats);
        assert_eq!(refused(&"<a>".repeat(MAX_DEPTH + 1)), MarkupError::TooDeep);
    }

    #[test]
    fn what_another_reader_could_take_for_something_else_is_refused() {
        let utf16: String = "<a/>".chars().flat_map(|character| [character, '\0']).collect();
        let encodings = [
            &utf16,
            "<?xml version='1.0' encoding='UTF-16'?><a/>",
            "<?xml version='1.0' encoding='ISO-2022-JP' x='encoding=\"utf-8\"'?><a/>",
        ];
        encodings.iter().for_each(|text| assert_eq!(refused(text), MarkupError::NotUtf8, "{text}"));
        for text in [
            "<!DOCTYPE a><a/>",
            "<!--><a/>-->",
            "<!---><a/>-->",
            "<?><a/>?>",
            "<a></b>",
            "<a></a '>'>",
            "</a>",
            "<a>",
            "<>",
            "<a",
            "<sst uniqueCount='x'/>",
        ] {
            assert_eq!(refused(text), MarkupError::Malformed, "{text}");
        }
    }
}
