//! Laws of the numbers of several units, or messages to them, one after the other in one vector:
//! a sweep of belief propagation makes millions, most of them of two numbers.

/// Numbers for each of several units.
#[derive(Debug)]
pub(crate) struct Laws {
    values: Vec<f64>,
    /// 0, and where the numbers of each unit end.
    ends: Vec<usize>,
}

impl Default for Laws {
    fn default() -> Self {
        Self { values: Vec::new(), ends: vec![0] }
    }
}

impl Laws {
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.ends.truncate(1);
    }

    /// One more unit. The numbers can be changed where they are.
    pub(crate) fn push(&mut self, numbers: impl IntoIterator<Item = f64>) -> &mut [f64] {
        let start = self.values.len();
        self.values.extend(numbers);
        self.ends.push(self.values.len());
        &mut self.values[start..]
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &[f64]> {
        self.ends.windows(2).map(|ends| &self.values[ends[0]..ends[1]])
    }
}
