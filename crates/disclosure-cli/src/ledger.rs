//! `disclosure ledger`: open one, show one.

use serde_json::json;

use crate::args::LedgerCommand;
use crate::display::{Align, Table, short_down, short_up};
use crate::error::Failure;
use crate::files::{named, print, print_json, say};
pub(crate) use disclosure_jobs::ledger::Ledger;
pub(crate) use disclosure_jobs::ledger::LedgerTerms as Promise;

/// Carries a subcommand out.
pub(crate) fn run(command: LedgerCommand) -> Result<(), Failure> {
    match command {
        LedgerCommand::Open { ledger, rho, neighbours, rows_per_person } => {
            Ledger::open(named(&ledger)?, rho, Promise { neighbours, rows_per_person })?;
            say(&format!("Opened {} with rho {rho}. Release with --ledger {0}.", ledger.display()));
            Ok(())
        }
        LedgerCommand::Show { ledger, json } => show(&Ledger::read(&ledger)?, json),
    }
}

fn show(ledger: &Ledger, json: bool) -> Result<(), Failure> {
    if json {
        return print_json(&json!({
            "schema": "disclosure.ledger-state/1",
            "budget_rho": ledger.budget,
            "spent_rho": ledger.spent(),
            "left_rho": ledger.left(),
            "promise": ledger.promise,
            "releases": ledger.spends,
            "hash": ledger.hash,
        }));
    }
    let mut text = format!(
        "\n  {}\n  budget rho {}, spent {}, left {}\n\n",
        ledger.promise.words(),
        short_down(ledger.budget),
        short_up(ledger.spent()),
        short_down(ledger.left()),
    );
    if ledger.spends.is_empty() {
        return print((text + "  no release yet\n").as_bytes());
    }
    let mut table = Table::new([("release", Align::Right), ("rho", Align::Right), ("spec (SHA-256)", Align::Left)]);
    for (number, spend) in (1..).zip(&ledger.spends) {
        let digest = spend.spec_sha256.get(..16).unwrap_or_default();
        table.row([number.to_string(), short_up(spend.rho), digest.to_owned()]);
    }
    text += &table.render();
    print(text.as_bytes())
}
