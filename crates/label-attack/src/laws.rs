//! Laws of the numbers of several units, or messages to them, one after the other in one vector:
//! a sweep of belief propagation makes millions, most of them of two numbers.

/// Numbers for each of several units.
#[derive(Debug, Default)]
pub(crate) struct Laws {
    values: Vec<f64>,
    ends: Vec<usize>,
}

impl Laws {
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.ends.clear();
    }

    /// One more unit. The numbers can be changed where they are.
    pub(crate) fn push(&mut self, numbers: impl IntoIterator<Item = f64>) -> &mut [f64] {
        let start = self.values.len();
        self.values.extend(numbers);
        self.ends.push(self.values.len());
        &mut self.values[start..]
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &[f64]> {
        let start_of = |unit: usize| if unit == 0 { 0 } else { self.ends[unit - 1] };
        self.ends.iter().enumerate().map(move |(unit, &end)| &self.values[start_of(unit)..end])
    }
}
