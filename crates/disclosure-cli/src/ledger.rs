//! `disclosure ledger`: open one, show one.

use disclosure_jobs::budget::EpsilonAtDelta;
use disclosure_jobs::document::date_of;
use disclosure_jobs::ledger::{Chain, Charge, ChargeSubject, FileLedger, LedgerTerms};

use crate::args::LedgerCommand;
use crate::display::{Align, Table, count, short_down, short_up};
use crate::error::Failure;
use crate::files::{named, print_json, print_text, say, system_rng};
use crate::resplan::name_of;

/// Carries a subcommand out.
pub(crate) fn run(command: LedgerCommand) -> Result<(), Failure> {
    match command {
        LedgerCommand::Open { ledger, rho, neighbours, rows_per_person } => {
            let terms = LedgerTerms { neighbours, rows_per_person };
            FileLedger::create(named(&ledger)?, rho, terms, &mut system_rng()?)?;
            let budget = if (1e-9..1e9).contains(&rho) { rho.to_string() } else { format!("{rho:e}") };
            say(&format!(
                "Created {} with a budget of rho {budget}. Charge releases to it with --ledger {0}.",
                ledger.display()
            ));
            Ok(())
        }
        LedgerCommand::Show { ledger, json } => show(&FileLedger::at(&ledger).read()?, json),
    }
}

/// A line of epsilons; none where nothing is stated.
fn statement(name: &str, stated: &[EpsilonAtDelta]) -> String {
    let words: Vec<String> = stated.iter().map(EpsilonAtDelta::statement).collect();
    if words.is_empty() { String::new() } else { format!("  {name} {}\n", words.join(", ")) }
}

fn show(ledger: &Chain, json: bool) -> Result<(), Failure> {
    if json {
        return print_json(&ledger.document());
    }
    let mut text = format!(
        "\n  {}\n  budget rho {}, spent {}, remaining {}\n",
        ledger.terms().describe(),
        short_down(ledger.budget()),
        short_up(ledger.spent()),
        short_down(ledger.left()),
    );
    let document = ledger.document();
    text += &statement("total budget:", &document.budget_epsilon_at_delta);
    text += &statement("spent so far:", &document.epsilon_at_delta);
    if !ledger.charges().is_empty() {
        text += "  (the second line assumes that no cost was chosen in view of earlier releases)\n";
    }
    text += "\n";
    if ledger.charges().is_empty() {
        return print_text(&(text + "  no release yet\n"));
    }
    text += &charges(ledger.charges());
    print_text(&text)
}

/// Every charge, and what it was for. Lines of earlier versions do not say that.
fn charges(charges: &[Charge]) -> String {
    let columns = [
        ("release", Align::Right),
        ("date", Align::Left),
        ("rho", Align::Right),
        ("spec", Align::Left),
        ("title", Align::Left),
        ("owner", Align::Left),
        ("tables", Align::Left),
    ];
    let mut table = Table::new(columns);
    for (number, charge) in (1..).zip(charges) {
        let digest = charge.spec_sha256.get(..8).unwrap_or_default().to_owned();
        let [title, owner, tables] = charge.subject.as_ref().map(subject).unwrap_or_default();
        table.row([number.to_string(), date_of(charge.time), short_up(charge.rho), digest, title, owner, tables]);
    }
    table.render()
}

/// Title, owner and tables.
fn subject(subject: &ChargeSubject) -> [String; 3] {
    let mut tables: Vec<String> = subject.tables.iter().take(MOST_TABLES).map(|names| name_of(names)).collect();
    let more = subject.tables.len().saturating_sub(MOST_TABLES) + subject.more_tables;
    tables.extend((more > 0).then(|| format!("{} more", count(more as f64))));
    [subject.title.clone(), subject.owner.clone().unwrap_or_default(), tables.join(", ")]
}

/// Most tables that a line names.
const MOST_TABLES: usize = 3;
