//! What a release of amounts promises, against whom, and what it leaves open.

use disclosure::privacy_core::promise::{Promise, PromiseKind};

use crate::amounts::job::LoadedJob;

/// The promise of a table that was attacked and holds.
pub(super) fn promise(job: &LoadedJob) -> Promise {
    let spec = job.spec();
    let statement = format!(
        "no attacker can bound a sensitive cell, or a sum of withheld cells that follows from one published total, \
         more closely than the rule allows ({})",
        spec.rule.words()
    );
    let who = match spec.coalition {
        1 => "readers of the published table, and every respondent, who also knows its own amounts",
        _ => "readers of the published table, and any two respondents together, who also know their own amounts",
    };
    let beforehand = spec.known_within.map_or_else(String::new, |share| format!(", each amount to within {share} %"));
    let against = format!(
        "{who}; all of them know the relations between the cells, which cells are empty{beforehand}, and each cell to \
         which no one else contributes"
    );
    let unit = match (&spec.respondent, &spec.ready) {
        (Some(_), _) => "the amount of a respondent in a cell, summed over all rows of the respondent",
        (None, Some(_)) => {
            "the amount of a respondent in a cell, if every respondent contributes to only one cell that is not a total"
        }
        (None, None) => "the amount of a row",
    };
    Promise::new(PromiseKind::Guarantee, statement).with_attacker(against).with_unit(unit)
}

/// What the promise leaves open.
pub(super) fn not_covered() -> Vec<String> {
    [
        "knowledge of this program: which cells are withheld depends on the amounts, so an attacker who runs the \
         program on every table consistent with the published one can exclude some of them; under a frequency rule, \
         this bounded 46 of 124 sensitive cells of small tables more closely than the rule allows; under p %, \
         prior-posterior and dominance rules it was not measured",
        "larger coalitions of respondents than stated, and respondents who know amounts of others",
        "other tables about the same respondents, and other periods",
        "sums of withheld cells that follow only from several published totals together",
    ]
    .map(str::to_owned)
    .to_vec()
}
