//! What a browser sends: fields with texts, and numbers as people write them.

use disclosure_jobs::JobError;

/// Most fields of one form.
const MOST_FIELDS: usize = 4096;

/// The fields of a form in their order. A name may occur several times.
#[derive(Debug, Default)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads the body of a form.
    ///
    /// # Errors
    /// E0704 for more fields than any form of the workbench has.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, JobError> {
        let fields: Vec<(String, String)> =
            form_urlencoded::parse(body).take(MOST_FIELDS + 1).map(|(n, v)| (n.into_owned(), v.into_owned())).collect();
        match fields.len() > MOST_FIELDS {
            true => Err(JobError::new("E0704", "the form has too many fields")),
            false => Ok(Self(fields)),
        }
    }

    /// A form of one field: the number of a column.
    pub(crate) fn of_column(column: usize) -> Self {
        Self::default().with_column(column)
    }

    /// The same form about a column, whatever else was sent.
    pub(crate) fn with_column(mut self, column: usize) -> Self {
        self.0.retain(|(field, _)| field != "column");
        self.0.push(("column".to_owned(), column.to_string()));
        self
    }

    /// The first text of a field, without spaces around it; empty for a field that is not there.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(field, _)| field == name).map_or("", |(_, text)| text.trim())
    }

    /// The first text of a field as it was sent.
    pub(crate) fn verbatim(&self, name: &str) -> &str {
        self.0.iter().find(|(field, _)| field == name).map_or("", |(_, text)| text)
    }

    /// All texts of a field.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, text)| text.as_str())
    }

    /// Whether a box was ticked, or a button pressed.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(field, _)| field == name)
    }

    /// A number with a decimal point or a decimal comma.
    ///
    /// # Errors
    /// E0704, which names the field.
    pub(crate) fn number(&self, name: &str) -> Result<f64, JobError> {
        number(self.text(name)).ok_or_else(|| invalid(name, "is not a number"))
    }

    /// A whole number in a range.
    ///
    /// # Errors
    /// E0704, which names the field.
    pub(crate) fn whole(&self, name: &str, range: std::ops::RangeInclusive<usize>) -> Result<usize, JobError> {
        let found = self.text(name).parse().ok().filter(|number| range.contains(number));
        found.ok_or_else(|| invalid(name, &format!("is not an integer from {} to {}", range.start(), range.end())))
    }
}

/// The refusal of a field. Its name is one of the workbench's own.
pub(crate) fn invalid(name: &str, problem: &str) -> JobError {
    JobError::new("E0704", format!("{name}: {problem}"))
}

/// A finite number with a decimal point or a decimal comma.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim().replace(',', ".").replace(['\u{202f}', '\u{a0}', ' '], "");
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Increasing edges. Commas separate them, unless semicolons or spaces do: commas are decimal
/// marks then.
///
/// # Errors
/// E0704 for anything else.
pub(crate) fn edges(text: &str) -> Result<Vec<f64>, JobError> {
    let text = text.trim();
    let has_semicolons = text.contains(';');
    let parts: Vec<&str> = match () {
        () if has_semicolons => text.split(';').collect(),
        () if text.contains(", ") || !text.contains(char::is_whitespace) => text.split(',').collect(),
        () => text.split_whitespace().collect(),
    };
    let parts = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
    let edges: Vec<f64> = parts.map(|part| number(part).ok_or_else(invalid_edges)).collect::<Result<_, _>>()?;
    match !edges.is_empty() && edges.len() <= 1000 && edges.windows(2).all(|pair| pair[0] < pair[1]) {
        true => Ok(edges),
        false => Err(invalid_edges()),
    }
}

fn invalid_edges() -> JobError {
    invalid("edges", "must be increasing numbers, such as 0, 18, 65 or 0,5; 1,5")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_were_sent() {
        let form = Form::parse(b"a=1&b=%3Cx%3E+y&a=2&rho=0%2C5&n=7").unwrap();
        assert_eq!((form.text("a"), form.text("b"), form.text("c")), ("1", "<x> y", ""));
        assert_eq!(form.all("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!((form.number("rho").unwrap(), form.whole("n", 1..=9).unwrap()), (0.5, 7));
        assert!(form.whole("n", 1..=6).unwrap_err().has_code("E0704") && form.number("b").is_err());
        assert!(Form::parse(&b"a=1&".repeat(5000)).unwrap_err().has_code("E0704"));
    }

    #[test]
    fn edges_have_decimal_points_or_decimal_commas() {
        assert_eq!(edges("0, 18,65").unwrap(), [0.0, 18.0, 65.0]);
        assert_eq!(edges("0,18,65").unwrap(), [0.0, 18.0, 65.0]);
        assert_eq!(edges("0,5; 1,5;2").unwrap(), [0.5, 1.5, 2.0]);
        assert_eq!(edges("0,5 1,5").unwrap(), [0.5, 1.5]);
        assert_eq!(edges("0.5 1.5").unwrap(), [0.5, 1.5]);
        for wrong in ["", "a", "2, 1", "1, 1", "nan", "1; inf", "1, x"] {
            assert!(edges(wrong).is_err(), "{wrong}");
        }
    }
}
