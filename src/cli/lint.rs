//! `polyset lint`: what a mapper or modder wants to hear before release.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::ArgMatches;
use polyset::Location;
use polyset::lint::{CODES, Code, Finding, Severity, code};
use polyset::scene::options::Command;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Outcome;
use super::arguments::{self, Given, INPUT};
use super::batch;
use super::console;
use super::lines::line;
use super::output;

/// The version of the JSON: raised when a field changes its meaning or goes away.
const VERSION: u32 = 1;
/// The file of lists that is read without being asked for.
const CONFIG: &str = "polyset.toml";
/// Every code.
const ALL: &str = "all";

pub(crate) fn command() -> clap::Command {
    let about = "Look for what engines refuse and what was probably not meant";
    arguments::subcommand("lint", Command::Lint, about)
        .arg(batch::inputs())
        .after_help("Exit codes: 0 nothing denied was found, 1 something was, 2 trouble.")
}

/// What is said of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Allow,
    Deny,
}

/// What `polyset.toml` holds for this command; other commands have their own parts.
#[derive(Debug, Default, Deserialize)]
struct Config {
    #[serde(default)]
    lint: Lists,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    #[serde(default)]
    deny: Vec<String>,
    #[serde(default)]
    allow: Vec<String>,
}

/// What is denied and what left out: what is said of a code, and what is said of all.
#[derive(Debug, Default)]
struct Levels {
    by_code: BTreeMap<&'static str, Level>,
    of_all: Option<Level>,
}

#[derive(Debug, Serialize)]
struct Report {
    polyset_lint: u32,
    /// Findings that are denied.
    denied: usize,
    models: Vec<ModelReport>,
}

#[derive(Debug, Serialize)]
struct ModelReport {
    model: String,
    findings: Vec<FindingReport>,
}

#[derive(Debug, Serialize)]
struct FindingReport {
    code: &'static str,
    severity: Severity,
    denied: bool,
    place: String,
    message: String,
    mend: &'static str,
}

/// Looks and prints; returns whether something denied was found. An input that is not there is told, and the
/// others are looked at.
///
/// # Errors
/// If the options, the file of lists or all inputs are bad.
pub(crate) fn run(matches: &ArgMatches) -> Result<Outcome> {
    let given = Given::new(Command::Lint, matches)?;
    let levels = Levels::of(given, matches)?;
    let mut errors: Vec<anyhow::Error> = Vec::new();
    let files = models(given, matches, &mut errors)?;
    let lint = |model: &Location| {
        let scene = given.scene(&model.to_os_string());
        let found = scene.lint().map(|found| levels.report(&found));
        found.map(|findings| ModelReport { model: model.to_string(), findings })
    };
    let mut models = Vec::new();
    for looked in files.par_iter().map(lint).collect::<Vec<_>>() {
        match looked {
            Ok(model) => models.push(model),
            Err(error) => errors.push(error.into()),
        }
    }
    if models.is_empty() && !errors.is_empty() {
        return Err(errors.swap_remove(0));
    }
    errors.iter().for_each(console::error);
    let findings = models.iter().flat_map(|model| &model.findings);
    let denied = findings.filter(|finding| finding.denied).count();
    let report = Report { polyset_lint: VERSION, denied, models };
    let text = if given.has("json") {
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        print(&report)
    };
    output::stdout(text.as_bytes())?;
    Ok(match (errors.is_empty(), denied) {
        (false, _) => Outcome::Trouble,
        (true, 0) => Outcome::Equal,
        _ => Outcome::Different,
    })
}

/// Every file by itself: the parts of a player too.
fn models(
    given: Given<'_>,
    matches: &ArgMatches,
    errors: &mut Vec<anyhow::Error>,
) -> Result<Vec<Location>> {
    let inputs: Vec<Location> =
        matches.get_raw(INPUT).into_iter().flatten().map(Location::from).collect();
    if inputs.is_empty() {
        ensure!(
            given.value("game").is_some(),
            "nothing to look at: give models, folders or archives, or --game DIR"
        );
        let models = given.scene(OsStr::new("-")).game_models()?;
        models.warnings.iter().for_each(console::warning);
        return Ok(models.files);
    }
    let mut all = Vec::new();
    for input in inputs {
        match given.scene(&input.to_os_string()).models() {
            Ok(Some(models)) => {
                models.warnings.iter().for_each(console::warning);
                if models.files.is_empty() {
                    errors.push(anyhow!("'{input}' holds no models"));
                }
                all.extend(models.files);
            }
            Ok(None) => all.push(input),
            Err(error) => errors.push(error.into()),
        }
    }
    Ok(all)
}

impl Levels {
    /// The file's lists, then those of the command line.
    fn of(given: Given<'_>, matches: &ArgMatches) -> Result<Self> {
        let file = given.file("config").or_else(|| {
            let path = Path::new(CONFIG);
            path.exists().then(|| path.to_path_buf())
        });
        let mut levels = Self::default();
        if let Some(file) = file {
            let shown = file.display();
            let text = output::read_text(&file)?;
            let config: Config = toml_edit::de::from_str(&text)
                .with_context(|| format!("'{shown}' cannot be used"))?;
            let Lists { deny, allow } = config.lint;
            levels.add(&deny, &allow).with_context(|| format!("'{shown}'"))?;
        }
        let list = |option: &str| -> Vec<String> {
            let given = matches.get_raw(option).into_iter().flatten();
            given.map(|name| name.to_string_lossy().into_owned()).collect()
        };
        levels.add(&list("deny"), &list("allow"))?;
        Ok(levels)
    }

    fn add(&mut self, deny: &[String], allow: &[String]) -> Result<()> {
        if let Some(both) = deny.iter().find(|name| allow.contains(name)) {
            bail!("'{both}' is denied and allowed");
        }
        for (names, level) in [(deny, Level::Deny), (allow, Level::Allow)] {
            for name in names {
                if name == ALL {
                    self.of_all = Some(level);
                    continue;
                }
                let Some(code) = code(name) else {
                    let known: Vec<&str> = CODES.iter().map(|code| code.name).collect();
                    bail!("there is no code '{name}'; known are all, {}", known.join(", "));
                };
                self.by_code.insert(code.name, level);
            }
        }
        Ok(())
    }

    fn level(&self, code: &Code) -> Option<Level> {
        let standard = (code.severity == Severity::Error).then_some(Level::Deny);
        self.by_code.get(code.name).copied().or(self.of_all).or(standard)
    }

    fn report(&self, found: &[Finding]) -> Vec<FindingReport> {
        let report = |finding: &Finding| {
            let kind = finding.kind();
            let level = self.level(kind);
            (level != Some(Level::Allow)).then(|| FindingReport {
                code: kind.name,
                severity: kind.severity,
                denied: level == Some(Level::Deny),
                place: finding.place.clone(),
                message: finding.message.clone(),
                mend: kind.mend,
            })
        };
        found.iter().filter_map(report).collect()
    }
}

/// A line for every finding; how each kind is mended is told once, at the end.
fn print(report: &Report) -> String {
    let mut text = String::new();
    let mut mends: BTreeMap<&str, &str> = BTreeMap::new();
    let mut counts: BTreeMap<Severity, usize> = BTreeMap::new();
    for ModelReport { model, findings } in &report.models {
        for finding in findings {
            let FindingReport { code, severity, place, message, mend, denied } = finding;
            let denied = if *denied { " (denied)" } else { "" };
            let severity_name = severity.name();
            line(
                &mut text,
                &format!("{model}: {severity_name} {code}{denied}: {place}: {message}"),
            );
            mends.insert(code, mend);
            *counts.entry(*severity).or_default() += 1;
        }
    }
    if !mends.is_empty() {
        text.push_str("\nTo mend it\n");
        for (code, mend) in mends {
            line(&mut text, &format!("  {code}: {mend}"));
        }
        text.push('\n');
    }
    let plural = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {one}s"),
    };
    let models = plural(report.models.len(), "model");
    let count = |severity| counts.get(&severity).copied().unwrap_or(0);
    let [errors, warnings, notes] = [Severity::Error, Severity::Warning, Severity::Note].map(count);
    let found =
        [plural(errors, "error"), plural(warnings, "warning"), plural(notes, "note")].join(", ");
    line(&mut text, &format!("{models}: {found}; {} denied", report.denied));
    text
}
