//! Examples in print, of the handbook of the field and of an R package: rules, protection levels,
//! intervals of readers, and a respondent who undoes a suppression.

use magnitude_release::{
    AmountStatus, Axis, AxisNode, Contribution, Cube, Dominance, MagnitudeTable, MinFrequency, Record, SensitivityRule,
    Share, SuppressionProblem,
};
use serde_json::Value;
use testkit::fixtures::json;

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn whole(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

fn index(value: &Value) -> usize {
    usize::try_from(whole(value)).unwrap()
}

fn percent(value: &Value) -> Share {
    Share::of_percent("share", value.as_f64().unwrap()).unwrap()
}

fn rule(case: &Value, coalition: usize) -> SensitivityRule {
    let p = case["p"].as_f64().map(|_| percent(&case["p"]));
    let p = p.map(|p| case["q"].as_f64().map_or(p, |_| p.over(percent(&case["q"]))));
    let dominance = case["dominance"].as_array().map_or(&[][..], Vec::as_slice);
    let dominance = dominance.iter().map(|own| Dominance { largest: index(&own[0]), share: percent(&own[1]) });
    let frequency = case["frequency"].as_array();
    let frequency = frequency.map(|own| MinFrequency { at_least: index(&own[0]), range: percent(&own[1]) });
    SensitivityRule::new(p, dominance.collect(), frequency, coalition).unwrap()
}

#[test]
fn cells_of_the_handbook_are_judged_as_in_print() {
    let file = json("magnitude/published.json");
    for case in list(&file["cells"]) {
        let amounts = (0..).zip(list(&case["amounts"]));
        let cell: Vec<Contribution> =
            amounts.map(|(respondent, amount)| Contribution { respondent, amount: whole(amount) }).collect();
        let rule = rule(case, index(&case["coalition"]));
        assert_eq!(rule.is_sensitive(&cell), case["sensitive"].as_bool().unwrap(), "{case}");
        if let Some(coalition) = case["against"].as_array() {
            let coalition: Vec<u32> = coalition.iter().map(|own| u32::try_from(whole(own)).unwrap()).collect();
            assert_eq!(rule.level(&cell, &coalition), whole(&case["level"]), "{case}");
        }
    }
}

/// Rows and columns with their totals; every cell has two respondents of its own.
fn plain_table(rows: &[Value]) -> MagnitudeTable {
    let columns = list(&rows[0]).len();
    let axis = |name: &str, size: usize| Axis::flat(name, "Total", (0..size).map(|own| own.to_string())).unwrap();
    let cube = Cube::new(vec![axis("row", rows.len()), axis("column", columns)]).unwrap();
    let mut records = Vec::new();
    for (row, amounts) in rows.iter().enumerate() {
        for (column, amount) in list(amounts).iter().enumerate() {
            let respondent = u32::try_from(2 * records.len()).unwrap();
            records.push(Record { leaves: vec![row, column], respondent, amount: whole(amount) - 1 });
            records.push(Record { leaves: vec![row, column], respondent: respondent + 1, amount: 1 });
        }
    }
    MagnitudeTable::from_records(cube, &records).unwrap()
}

/// The intervals of a reader, rounded to whole units, of the cells with these nodes.
fn intervals(problem: &SuppressionProblem<'_>, is_withheld: &[bool], cells: &[Vec<usize>]) -> Vec<[f64; 2]> {
    let found = problem.intervals(is_withheld).unwrap();
    let cells = cells.iter().map(|nodes| problem.table.cube().cell_of(nodes));
    let of_cell = |cell| found.iter().find(|own| own.cell == cell).unwrap();
    cells.map(|cell| [of_cell(cell).lower, of_cell(cell).upper].map(|end| end.unwrap().value())).collect()
}

fn withheld(table: &MagnitudeTable, cells: &[Vec<usize>]) -> Vec<bool> {
    let mut is_withheld = vec![false; table.cube().cells()];
    cells.iter().for_each(|nodes| is_withheld[table.cube().cell_of(nodes)] = true);
    is_withheld
}

#[test]
fn the_interval_of_geurts_is_that_of_the_handbook() {
    let case = &json("magnitude/published.json")["geurts"];
    let table = plain_table(list(&case["rows"]));
    let cells: Vec<Vec<usize>> =
        list(&case["withheld"]).iter().map(|cell| vec![index(&cell[0]) + 1, index(&cell[1]) + 1]).collect();
    let rule = SensitivityRule::new(Some(Share::of_percent("p", 10.0).unwrap()), Vec::new(), None, 0).unwrap();
    let found = intervals(&SuppressionProblem::new(&table, &rule), &withheld(&table, &cells), &cells);
    let wanted = list(&case["intervals"]).iter().map(|own| [own[0].as_f64().unwrap(), own[1].as_f64().unwrap()]);
    assert_eq!(found, wanted.collect::<Vec<_>>());
}

/// The table of the vignette: four sectors in two groups, three places.
fn magnitude1(case: &Value, has_holdings: bool) -> MagnitudeTable {
    let node = |label: &str, parent: Option<usize>| AxisNode { label: label.to_owned(), parent };
    let sectors = vec![
        node("Total", None),
        node("private", Some(0)),
        node("Agriculture", Some(1)),
        node("Entertainment", Some(1)),
        node("Industry", Some(1)),
        node("public", Some(0)),
        node("Governmental", Some(5)),
    ];
    let sectors = Axis::new("sector", sectors).unwrap();
    let leaf = |label: &Value| {
        let leaves = sectors.leaves().iter();
        leaves.map(|&own| &sectors.nodes()[own].label).position(|own| own == label.as_str().unwrap()).unwrap()
    };
    let leaf_of_sector: Vec<usize> = list(&case["sectors"]).iter().map(leaf).collect();
    let record = |(row, own): (usize, &Value)| Record {
        leaves: vec![leaf_of_sector[index(&own[0])], index(&own[1])],
        respondent: if has_holdings { u32::try_from(whole(&own[2])).unwrap() } else { u32::try_from(row).unwrap() },
        amount: whole(&own[3]),
    };
    let records: Vec<Record> = list(&case["records"]).iter().enumerate().map(record).collect();
    let places = list(&case["places"]).iter().map(|own| own.as_str().unwrap());
    let places = Axis::flat("place", "Total", places).unwrap();
    MagnitudeTable::from_records(Cube::new(vec![sectors, places]).unwrap(), &records).unwrap()
}

fn nodes(table: &MagnitudeTable, cell: &Value) -> Vec<usize> {
    let node = |(axis, label): (&Axis, &Value)| {
        axis.nodes().iter().position(|own| own.label == label.as_str().unwrap()).unwrap()
    };
    table.cube().axes().iter().zip(list(cell)).map(node).collect()
}

#[test]
fn primary_cells_of_the_vignette_are_those_in_print() {
    let file = json("magnitude/published.json");
    let case = &file["magnitude1"];
    for wanted in list(&case["primary"]) {
        let table = magnitude1(case, wanted["holdings"].as_bool().unwrap());
        let rule = rule(wanted, 0);
        // Groups of sectors are not in the tables of the vignette that this is compared with.
        let is_in_print = |cell: &usize| !["private", "public"].contains(&table.cube().labels_of(*cell)[0]);
        let sensitive = (0..table.cube().cells()).filter(is_in_print);
        let sensitive: Vec<usize> = sensitive.filter(|&cell| rule.is_sensitive(table.contributions(cell))).collect();
        let mut cells: Vec<usize> =
            list(&wanted["cells"]).iter().map(|cell| table.cube().cell_of(&nodes(&table, cell))).collect();
        cells.sort_unstable();
        assert_eq!(sensitive, cells, "{}", wanted["table"]);
    }
}

#[test]
fn a_single_contributor_undoes_the_pattern_that_the_vignette_says_it_undoes() {
    let file = json("magnitude/published.json");
    let (case, singleton) = (&file["magnitude1"], &file["magnitude1"]["singleton"]);
    let table = magnitude1(case, false);
    let rule = rule(&list(&case["primary"])[0], 1);
    let problem = SuppressionProblem::new(&table, &rule);
    let mut cells: Vec<Vec<usize>> = list(&singleton["withheld"]).iter().map(|own| nodes(&table, own)).collect();
    // Their groups of sectors are not in that table, so that they are withheld here.
    for place in 0..4 {
        cells.extend([vec![1, place], vec![5, place]]);
    }
    let exposed = table.cube().cell_of(&nodes(&table, &singleton["exposed"]));
    let is_exposed = |cells: &[Vec<usize>]| {
        let audit = problem.audit(&withheld(&table, cells)).unwrap();
        audit.findings.iter().any(|own| own.cell == Some(exposed) && own.status == AmountStatus::Exposed)
    };
    assert!(is_exposed(&cells));
    cells.push(nodes(&table, &singleton["also"]));
    assert!(!is_exposed(&cells));
}

#[test]
fn intervals_of_the_vignette_are_those_in_print() {
    let file = json("magnitude/published.json");
    let (case, wanted) = (&file["magnitude1"], &file["magnitude1"]["intervals"]);
    let table = magnitude1(case, false);
    let rule = rule(&list(&case["primary"])[0], 0);
    let published: Vec<Vec<usize>> = list(&wanted["published"]).iter().map(|own| nodes(&table, own)).collect();
    let is_withheld: Vec<bool> = withheld(&table, &published).iter().map(|is_published| !is_published).collect();
    let cells: Vec<Vec<usize>> = list(&wanted["cells"]).iter().map(|own| nodes(&table, own)).collect();
    let found = intervals(&SuppressionProblem::new(&table, &rule), &is_withheld, &cells);
    let ends = list(&wanted["cells"]).iter().map(|own| [own[2].as_f64().unwrap(), own[3].as_f64().unwrap()]);
    assert_eq!(found, ends.collect::<Vec<_>>());
}
