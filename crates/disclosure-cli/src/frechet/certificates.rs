//! Writes the file of certificates: rows, tables, and for each end of each interval what proves it.

use std::path::Path;

use disclosure::frechet::certificate::{Collector, Flaw};
use disclosure::frechet::{Class, Side, Solver};
use privacy_data::write_atomic_with;

use super::bounds::all_cells;
use crate::error::Failure;
use crate::files::{named, say};

/// Writes the certificates of these classes. Each is verified before.
pub(super) fn write(path: &Path, solver: &mut Solver, classes: &[Class]) -> Result<(), Failure> {
    let path = named(path)?;
    let domain = solver.knowledge().domain();
    let shape = domain.shape(domain.all());
    let intervals = solver.intervals(classes)?;
    let system = solver.knowledge().system();
    let mut collector = Collector::new(system.capacity(), system.rows()).expect("the rows of a system are well-formed");
    let unproved = |flaw: Flaw| Failure::new("E0374", flaw.to_string());
    for (class, interval) in classes.iter().zip(intervals) {
        let cells = cells_of(&shape, class);
        collector.add(cells.clone(), Side::Lower, &interval.lower).map_err(unproved)?;
        collector.add(cells, Side::Upper, &interval.upper).map_err(unproved)?;
    }
    let certificates = collector.finish();
    write_atomic_with(path, |out| certificates.write_json(out))?;
    Ok(())
}

/// Says what was written, and that it is no publication.
pub(super) fn say_written(path: &Path) {
    say(&format!(
        "Wrote what proves the bounds: disclosure frechet verify {}\nIt holds tables that fit, and the true one may be among \
         them: keep it where the data are.",
        path.display()
    ));
}

/// The cells of a class, in increasing order.
pub(super) fn cells_of(shape: &[usize], class: &Class) -> Vec<u32> {
    let free = |(axis, &size): (usize, &usize)| if class.axes.contains(axis) { 1 } else { size };
    let free: Vec<usize> = shape.iter().enumerate().map(free).collect();
    let cell = |mut levels: Vec<usize>| {
        class.axes.iter().zip(&class.levels).for_each(|(axis, &level)| levels[axis] = level);
        let cell = levels.iter().zip(shape).fold(0, |cell, (level, size)| cell * size + level);
        u32::try_from(cell).expect("at most 2^24 cells")
    };
    all_cells(free).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cells_of_a_class_are_those_with_its_levels() {
        let shape = [2, 3, 2];
        let class = |axes: &[usize], levels: &[usize]| Class::new(axes.iter().copied().collect(), levels);
        assert_eq!(cells_of(&shape, &class(&[1], &[2])), [4, 5, 10, 11]);
        assert_eq!(cells_of(&shape, &class(&[0, 2], &[1, 0])), [6, 8, 10]);
        assert_eq!(cells_of(&shape, &Class::cell([1, 0, 1])), [7]);
        assert_eq!(cells_of(&shape, &class(&[], &[])).len(), 12);
    }
}
