//! `disclosure ledger`: open one, show one.

use disclosure_jobs::budget::EpsilonAtDelta;
use disclosure_jobs::ledger::{Chain, FileLedger, LedgerTerms};

use crate::args::LedgerCommand;
use crate::display::{Align, Table, short_down, short_up};
use crate::error::Failure;
use crate::files::{named, print_json, print_text, say};

/// Carries a subcommand out.
pub(crate) fn run(command: LedgerCommand) -> Result<(), Failure> {
    match command {
        LedgerCommand::Open { ledger, rho, neighbours, rows_per_person } => {
            FileLedger::create(named(&ledger)?, rho, LedgerTerms { neighbours, rows_per_person })?;
            say(&format!("Opened {} with rho {rho}. Release with --ledger {0}.", ledger.display()));
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
        "\n  {}\n  budget rho {}, spent {}, left {}\n",
        ledger.terms().describe(),
        short_down(ledger.budget()),
        short_up(ledger.spent()),
        short_down(ledger.left()),
    );
    let document = ledger.document();
    text += &statement("the whole budget means", &document.budget_epsilon_at_delta);
    text += &statement("what is spent means", &document.epsilon_at_delta);
    if !ledger.charges().is_empty() {
        text += "  the second for costs that were not chosen with knowledge of earlier releases\n";
    }
    text += "\n";
    if ledger.charges().is_empty() {
        return print_text(&(text + "  no release yet\n"));
    }
    let mut table = Table::new([("release", Align::Right), ("rho", Align::Right), ("spec (SHA-256)", Align::Left)]);
    for (number, charge) in (1..).zip(ledger.charges()) {
        let digest = charge.spec_sha256.get(..16).unwrap_or_default();
        table.row([number.to_string(), short_up(charge.rho), digest.to_owned()]);
    }
    text += &table.render();
    print_text(&text)
}
