//! Workbooks (XLSX) with parts that no program would write.

use std::io::Write;
use std::path::Path;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A part whose text repeats a unit.
pub(crate) struct Part<'a> {
    pub(crate) name: &'a str,
    pub(crate) before: &'a str,
    pub(crate) unit: &'a str,
    pub(crate) times: usize,
    pub(crate) after: &'a str,
}

/// The only sheet.
pub(crate) fn sheet<'a>(before: &'a str, unit: &'a str, times: usize, after: &'a str) -> Part<'a> {
    Part { name: "xl/worksheets/sheet1.xml", before, unit, times, after }
}

/// The shared strings.
pub(crate) fn strings<'a>(before: &'a str, unit: &'a str, times: usize) -> Part<'a> {
    Part { name: "xl/sharedStrings.xml", before, unit, times, after: "</sst>" }
}

/// The cell formats.
pub(crate) fn styles<'a>(before: &'a str, unit: &'a str, times: usize) -> Part<'a> {
    Part { name: "xl/styles.xml", before, unit, times, after: "</cellXfs></styleSheet>" }
}

/// Writes a workbook of these parts and of those that say where they are.
pub(crate) fn write_workbook(path: &Path, parts: &[Part<'_>]) {
    let target = |id: &str, kind: &str, target: &str| {
        let relation = format!("<Relationship Id='{id}' Type='{RELATIONS}/{kind}' Target='{target}'/>");
        format!("<Relationships>{relation}</Relationships>")
    };
    let names = format!(
        "<workbook xmlns:r='{RELATIONS}'><sheets><sheet name='s' sheetId='1' r:id='rId1'/></sheets></workbook>"
    );
    let mut writer = ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, text) in [
        ("_rels/.rels", target("rId1", "officeDocument", "xl/workbook.xml")),
        ("xl/workbook.xml", names),
        ("xl/_rels/workbook.xml.rels", target("rId1", "worksheet", "worksheets/sheet1.xml")),
    ] {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    for part in parts {
        writer.start_file(part.name, SimpleFileOptions::default()).unwrap();
        writer.write_all(part.before.as_bytes()).unwrap();
        let piece = part.unit.repeat(1000);
        (0..part.times / 1000).for_each(|_| writer.write_all(piece.as_bytes()).unwrap());
        writer.write_all(part.unit.repeat(part.times % 1000).as_bytes()).unwrap();
        writer.write_all(part.after.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
}
