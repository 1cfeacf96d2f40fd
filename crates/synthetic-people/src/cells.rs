//! A smaller table within a larger one: sums over the attributes that only the larger one has, and
//! the way back.
//!
//! Tables are row-major over the attributes of a set in increasing order, the last one fastest.

use privacy_core::AttrSet;

use crate::error::Error;

/// Refuses a set that names an attribute that does not exist.
pub(crate) fn check_set(sizes: &[usize], set: AttrSet) -> Result<(), Error> {
    match set.is_subset_of(AttrSet::first(sizes.len())) {
        true => Ok(()),
        false => Err(Error::UnknownAttribute { set, attributes: sizes.len() }),
    }
}

/// The number of cells of a table over `set`; a float, since it may be more than an integer holds.
pub(crate) fn count(sizes: &[usize], set: AttrSet) -> f64 {
    set.iter().map(|attribute| sizes[attribute] as f64).product()
}

/// Where the cells of a table over some attributes are in a table over a subset of them.
#[derive(Clone, Debug)]
pub(crate) struct Within {
    /// Sizes and strides in the smaller table (0: an attribute that it does not have), adjacent
    /// axes merged where one step along both is one step along their product.
    axes: Vec<(usize, usize)>,
    small: usize,
}

impl Within {
    /// # Panics
    /// If `small` is not a subset of `large`.
    pub(crate) fn new(sizes: &[usize], large: AttrSet, small: AttrSet) -> Self {
        assert!(small.is_subset_of(large), "a smaller table has a subset of the attributes");
        let mut strides: Vec<(usize, usize)> = Vec::with_capacity(large.len());
        let mut stride = 1;
        for attribute in large.iter().collect::<Vec<_>>().into_iter().rev() {
            let size = sizes[attribute];
            if small.contains(attribute) {
                strides.push((size, stride));
                stride *= size;
            } else {
                strides.push((size, 0));
            }
        }
        strides.reverse();
        let mut axes: Vec<(usize, usize)> = Vec::with_capacity(strides.len());
        for (size, stride) in strides.into_iter().filter(|(size, _)| *size > 1) {
            match axes.last_mut() {
                Some((before, step)) if *step == stride * size => (*before, *step) = (*before * size, stride),
                _ => axes.push((size, stride)),
            }
        }
        if axes.is_empty() {
            axes.push((1, 0));
        }
        Self { axes, small: stride }
    }

    /// Visits the large table row by row along its last (merged) axis: where the row is in the
    /// small table, and its length and stride there.
    fn rows(&self, mut visit: impl FnMut(usize, usize, usize)) {
        let (&(length, step), outer) = self.axes.split_last().expect("there is at least one axis");
        let mut at = vec![0; outer.len()];
        let mut offset = 0;
        loop {
            visit(offset, length, step);
            // The next row: an odometer whose wheels move the offset.
            let mut wheel = outer.len();
            loop {
                if wheel == 0 {
                    return;
                }
                wheel -= 1;
                let (size, stride) = outer[wheel];
                at[wheel] += 1;
                offset += stride;
                if at[wheel] < size {
                    break;
                }
                offset -= stride * size;
                at[wheel] = 0;
            }
        }
    }

    /// The sums of a large table.
    pub(crate) fn sums(&self, large: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.small];
        let mut rest = large;
        self.rows(|offset, length, step| {
            let (row, others) = rest.split_at(length);
            rest = others;
            match step {
                0 => sums[offset] += row.iter().sum::<f64>(),
                _ => (0..length).zip(row).for_each(|(place, value)| sums[offset + place * step] += value),
            }
        });
        sums
    }

    /// The largest numbers of a large table.
    pub(crate) fn maxima(&self, large: &[f64]) -> Vec<f64> {
        let mut maxima = vec![f64::NEG_INFINITY; self.small];
        let mut rest = large;
        self.rows(|offset, length, step| {
            let (row, others) = rest.split_at(length);
            rest = others;
            for (place, &value) in row.iter().enumerate() {
                let largest = &mut maxima[offset + place * step];
                *largest = f64::max(*largest, value);
            }
        });
        maxima
    }

    /// Changes every number of a large table by that of the small one that it belongs to.
    pub(crate) fn combine(&self, large: &mut [f64], small: &[f64], mut change: impl FnMut(&mut f64, f64)) {
        let mut rest = large;
        self.rows(|offset, length, step| {
            let (row, others) = std::mem::take(&mut rest).split_at_mut(length);
            rest = others;
            match step {
                0 => row.iter_mut().for_each(|value| change(value, small[offset])),
                1 => row.iter_mut().zip(&small[offset..]).for_each(|(value, &by)| change(value, by)),
                _ => (0..length).zip(row).for_each(|(place, value)| change(value, small[offset + place * step])),
            }
        });
    }

    /// For every cell of the large table, in order, its cell in the small one.
    pub(crate) fn places(&self) -> Vec<u32> {
        let mut places = Vec::new();
        self.rows(|offset, length, step| places.extend((0..length).map(|place| (offset + place * step) as u32)));
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_definition_for_every_subset() {
        let sizes = [2, 3, 1, 4];
        let all = AttrSet::first(4);
        let large: Vec<f64> = (0..24).map(|i| f64::from(i * i % 7)).collect();
        let digits = |cell: usize| [cell / 12, cell / 4 % 3, 0, cell % 4];
        for small in all.subsets() {
            let place = |cell: usize| small.iter().fold(0, |code, a| code * sizes[a] + digits(cell)[a]);
            let mut want = vec![0.0; count(&sizes, small) as usize];
            (0..24).for_each(|cell| want[place(cell)] += large[cell]);
            let within = Within::new(&sizes, all, small);
            assert_eq!(within.sums(&large), want, "{small:?}");
            let places: Vec<usize> = within.places().into_iter().map(|place| place as usize).collect();
            assert_eq!(places, (0..24).map(place).collect::<Vec<_>>());
            let mut spread = vec![0.0; 24];
            within.combine(&mut spread, &want, |value, by| *value += by);
            assert!((0..24).all(|cell| spread[cell] == want[place(cell)]));
            let largest = |code: usize| {
                let cells = (0..24).filter(|&cell| place(cell) == code).map(|cell| large[cell]);
                cells.fold(f64::NEG_INFINITY, f64::max)
            };
            assert_eq!(within.maxima(&large), (0..want.len()).map(largest).collect::<Vec<_>>());
        }
    }
}
