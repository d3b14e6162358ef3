//! JUnit's XML, as servers of continuous integration read it.

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::Row;

/// Writes a test suite with a test case a row: a known failure is a skipped one, what cannot be drawn an
/// error. Kept pictures that are gone are no tests.
pub(super) fn write(title: &str, rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.verdict != "gone").collect();
    let count = |verdicts: &[&str]| {
        rows.iter().filter(|row| verdicts.contains(&row.verdict)).count().to_string()
    };
    let seconds = rows.iter().map(|row| row.milliseconds).sum::<f64>() / 1e3;
    let tests = rows.len().to_string();
    let (failures, errors, skipped) =
        (count(&["failed", "new", "fixed"]), count(&["broken"]), count(&["known"]));
    let seconds = format!("{seconds:.3}");
    let mut xml = Writer::new_with_indent(out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.create_element("testsuite")
        .with_attributes([
            ("name", &*plain(title)),
            ("tests", &*tests),
            ("failures", &*failures),
            ("errors", &*errors),
            ("skipped", &*skipped),
            ("time", &*seconds),
        ])
        .write_inner_content(|xml| rows.iter().try_for_each(|row| case(xml, row)))?;
    xml.get_mut().write_all(b"\n")
}

fn case(xml: &mut Writer<&mut dyn Write>, row: &Row) -> io::Result<()> {
    let seconds = format!("{:.3}", row.milliseconds / 1e3);
    let line = row.line.to_string();
    let (name, file) = (plain(&row.name), plain(&row.file));
    let element = xml.create_element("testcase").with_attributes([
        ("classname", &*file),
        ("name", &*name),
        ("file", &*file),
        ("line", &*line),
        ("time", &*seconds),
    ]);
    let what = match row.verdict {
        "passed" => return element.write_empty().map(drop),
        "known" => "skipped",
        "broken" => "error",
        _ => "failure",
    };
    let message = plain(&row.message);
    let more = [row.cause.as_deref(), row.command.as_deref()];
    let more = plain(&more.into_iter().flatten().collect::<Vec<_>>().join("\n"));
    element
        .write_inner_content(|xml| {
            let inner = xml.create_element(what).with_attribute(("message", &*message));
            if what == "skipped" {
                return inner.write_empty().map(drop);
            }
            let inner = inner.with_attribute(("type", row.verdict));
            inner.write_text_content(BytesText::new(&more)).map(drop)
        })
        .map(drop)
}

/// A text without the characters that XML cannot say.
fn plain(text: &str) -> String {
    let is_bad = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t') || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    text.chars().map(|c| if is_bad(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_its_element() {
        let row = |name: &str, verdict| Row {
            name: name.into(),
            verdict,
            message: "1 < 2 & \"x\" \u{1}".into(),
            command: Some("polyset render 'a b'".into()),
            file: "scenes.toml".into(),
            line: 3,
            milliseconds: 1.5,
            ..Row::default()
        };
        let rows = ["passed", "failed", "new", "known", "fixed", "broken", "gone"]
            .map(|verdict| row(&format!("<{verdict}>"), verdict));
        let mut bytes = Vec::new();
        write("a & b", &rows, &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        for piece in [
            "<testsuite name=\"a &amp; b\" tests=\"6\" failures=\"3\" errors=\"1\" skipped=\"1\" time=\"0.009\">",
            "name=\"&lt;passed&gt;\" file=\"scenes.toml\" line=\"3\" time=\"0.002\"/>",
            "<failure message=\"1 &lt; 2 &amp; &quot;x&quot; \u{fffd}\" type=\"failed\">",
            "<error message=",
            "<skipped message=",
            "polyset render &apos;a b&apos;",
        ] {
            assert!(text.contains(piece), "no {piece} in\n{text}");
        }
        assert!(!text.contains("gone"), "{text}");
    }
}
