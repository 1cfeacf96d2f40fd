//! What is refused although it can be read: targets, registries, budgets.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0401",
        "The domain was learnt from the data: a label is listed because someone has it, so the list itself discloses \
         something about people, and noise cannot undo that. Go through the labels in the domain file, remove those \
         that identify someone, add those that could have occurred, and then write domain_is_public = true. A \
         domain.json does not state its origin and counts as learnt; write a domain.toml instead.",
    ),
    (
        "E0402",
        "The ledger was created for another guarantee than that of this release: the neighbouring relation or the \
         number of rows per person differs. Costs of different guarantees cannot be added up. Use the terms of the \
         ledger in the specification, or another ledger.",
    ),
    (
        "E0403",
        "No plan satisfies every max_sd within this budget. The message gives the smallest pcost that does, for this \
         kind of strategy (rho is half of it). Raise the budget, or allow more noise. Nothing was charged.",
    ),
    (
        "E0407",
        "The file is not a valid secret key: a key is a regular file of exactly 32 random bytes that only its owner \
         can read (mode 0600 or 0400), where nobody else can replace it: every directory on the way to it, and to what it \
         points to, counts. Anyone who has it can predict which groups are suppressed. --new-secret creates a key if \
         the file does not exist. Never replace the key while the data stay the same: every new key gives an \
         attacker one more draw to average over.",
    ),
    (
        "E0408",
        "Everything besides the data that determines a draw is fixed by the first job of a secret key, in the \
         registry next to it (KEY.registry): the kinds, columns and forms of identifiers, the threshold \
         distributions, rule and mode, and, where every row is an entity, the rows themselves. A job that differs \
         would draw again, and draws can be averaged, so it is refused; the message names the difference. Write the \
         job as it was registered. For other data or another purpose, create another key. --register creates the \
         registry of a key that has none.",
    ),
    (
        "E0409",
        "Another table was published with this secret key, of other data or other groups. Unchanged groups keep \
         their answer, so the changed ones would prove who joined or left. Publish the same table, or create a new \
         key for the new one: its draws are independent, and the epsilon and delta of both publications add up.",
    ),
    (
        "E0410",
        "With a difference guard, every answer is stored next to the secret key (KEY.answers), and the registry \
         records the newest ones. If answers are missing, outdated, changed or from another threshold distribution, \
         groups would be drawn again, and two draws about groups that differ by one person can prove that person's \
         membership. Restore KEY.answers and KEY.registry from the same, newest backup. If the answers are lost, use \
         a new key with other data.",
    ),
    (
        "E0411",
        "The published numbers do not meet the target of the job, so nothing was released. `disclosure frechet \
         audit` lists the groups that are disclosed, what follows about them, and who can infer it. Publish fewer \
         attributes together, or coarser ones; merge small groups; or leave out the table that makes the difference. \
         Raising min_interval_width, or lowering rate_margin or min_frequency, changes the guarantee but not the \
         risk.",
    ),
    (
        "E0412",
        "Information that is already public (the population table, the numbers in publish and the facts in known) \
         discloses a group, or two of its numbers differ by fewer people than may be published: suppression cannot \
         protect the group. Correct the job, or exclude the group by a smaller scope (classes). A group of at most \
         min_interval_width people is disclosed from the start: lower min_interval_width, or make attributes \
         coarser.",
    ),
    (
        "E0413",
        "Two reference periods, or two successive releases, disclose something in combination that neither discloses \
         alone: the few people who joined or left are the difference of two published numbers, or different tables \
         share a cell. A published table cannot be withdrawn, so change the later one: publish fewer or coarser \
         tables, or wait until at least min_frequency people have joined or left everywhere. A group that is \
         undecided within [limits] also counts as disclosed.",
    ),
    (
        "E0414",
        "A sensitive suppressed cell can be derived from the published cells, exactly or more closely than its \
         protection levels allow, or a limit was reached before the opposite was proved. Nothing was changed. \
         Suppress more cells with the tool that wrote the file, or publish coarser ones; --certificates writes a \
         proof of every bound.",
    ),
    (
        "E0415",
        "A solver is expected to reconstruct more of the labels than target_accuracy allows, or a simulated attack \
         does. In screen search, no setting meets the target. The report was printed nevertheless. Raise \
         suppress_below or noise, or lower max_order; screen search finds the first setting that meets the target. \
         Guessing the most frequent class is a lower limit for every release.",
    ),
    (
        "E0416",
        "A reader who knows this program and the disclosure rule can run it on every table consistent with the \
         release, and keep those tables for which it publishes exactly this release. What these tables have in \
         common is more than the published numbers disclose: here a withheld number, or a class in scope. This \
         happens when the plan depends on the counts (decide_on = \"counts\"). The report was printed nevertheless. \
         Write decide_on = \"robust\", or count a response among people whose numbers are public, so that the plan \
         can depend on those numbers.",
    ),
    (
        "E0417",
        "screen table only predicts, but the specification has a target_accuracy. On actual tables, attacks got up \
         to a third more of the labels right than predicted, because the prediction ignores what columns disclose \
         about the label. Its lower bound is the most frequent released label of each cell, which does not prove \
         that no attack does better. The report was printed nevertheless. screen simulate SPEC DATA attacks the \
         table and compares the best attack with the target; or leave target_accuracy out.",
    ),
    (
        "E0418",
        "A person gives another answer than in earlier rounds, while reports are derived from the permanent response \
         of the earlier answer. Nothing was drawn or stored. --changed keep continues to report the first answer: \
         the epsilon of one permanent response covers all reports, and estimates refer to first answers. --changed \
         draw draws a permanent response for the new answer, as RAPPOR does: it costs epsilon once more, and reports \
         show in which round the answer changed.",
    ),
    (
        "E0419",
        "A file that is kept from one job to the next can be changed by somebody it must be protected from. In a ledger \
         that every user can write to, or replace, spent budget could be given back. The registry of a secret key, the \
         stored answers, the memory of a round of reports and the choices of a workbench are for their owner alone \
         (mode 0600). Every directory on the way to the file counts: who can write to it can put another file there. A \
         sticky bit, as that of /tmp, protects files of this user and of root only. Nothing was read or charged. Look at \
         who could have changed the file, then use the chmod command that is printed, or keep the file in another \
         directory.",
    ),
    (
        "E0421",
        "The release misses one of the targets of the job, so nothing was written, charged or drawn. The printed \
         table shows which target, the required value and the value found. One target can also be missed later: \
         max_posterior is checked again after the noise is drawn, and the noise is charged by then. Withhold or \
         coarsen more, drop the total that discloses a group, group by other columns than the exact tables, or allow \
         more in [targets].",
    ),
    (
        "E0422",
        "The time limit in [limits] was reached before a robust plan was found. A robust rule must be a function of \
         the table and not of time, so nothing was planned or released. Allow more seconds, name fewer or coarser \
         attributes, or narrow the scope (classes = \"pairs\" or \"cells\"). A plan with decide_on = \"counts\" \
         withholds what it could not decide in time, and so discloses something about the counts.",
    ),
    (
        "E0425",
        "No mean up to max_mean keeps what an attacker learns below the target. Raise max_mean, use finer steps \
         (mean_steps, sd_steps), or loosen the target; a lower always_suppress_upper_bound leaves more room for \
         noise above it.",
    ),
    (
        "E0426",
        "decide_on = \"private\" publishes the counts that reach a threshold after noise was added for the decision. \
         The noise of this draw was large enough that a number would be published that is too small, or that \
         discloses a class. Nothing was published. For every table, this happens with at most the probability that \
         the plan states (refusal_probability), and the delta of the pattern covers what such a refusal discloses. \
         The pattern was charged, because it was drawn. Another release is another draw and another charge.",
    ),
    (
        "E0440",
        "A sensitive cell of a magnitude table cannot be protected as the rule requires: it is listed in keep, or \
         all cells that could be withheld to protect it are, or known_within states that everyone knows the amounts \
         more closely than the rule allows. List fewer cells in keep, or loosen the rule.",
    ),
    (
        "E0441",
        "The built-in attackers found an unprotected sensitive cell in the planned magnitude table, or reached a \
         limit before they could decide. Nothing was written. Raise steps in the job, or use a coarser table.",
    ),
    (
        "E0442",
        "The published cells bound a sensitive cell of the magnitude table more closely than its protection levels \
         allow, or a limit was reached before that was decided. Withhold more cells with the tool that wrote the \
         file.",
    ),
    (
        "E0443",
        "No rounding of the table keeps every total within the base, or the search ended before it found one. Tables \
         with up to two attributes always have one; some tables with three or more have none. Run the command again, \
         which draws again, or use fewer attributes or another base.",
    ),
    (
        "E0444",
        "In the rounded table, a class is known to within min_interval_width counts, or a limit was reached before \
         that was decided. A number rounded to 0 is known to within the base minus 1, and any other number to within \
         twice that; facts in known narrow both. Use a larger base, or lower min_interval_width. Nothing was \
         written.",
    ),
    (
        "E0445",
        "In the table perturbed by the cell-key method, a class is known to within min_interval_width counts, or a \
         limit was reached before that was decided. A number published as 0 is known to within max_deviation, and \
         any other number to within twice that; totals, which are perturbed separately, and facts in known narrow \
         both. Use a larger max_deviation and variance, or lower min_interval_width. A new secret key draws again, \
         and averages over several keys approach the counts. Nothing was written.",
    ),
    (
        "E0501",
        "The remaining budget of the ledger is too small for this release. Nothing was released. Request a smaller \
         rho; the standard deviation of the noise grows as one over its square root. A budget can never be raised.",
    ),
    (
        "E0502",
        "The parts of the run cost more than [budget] allows. The noise of [exact] costs half the square of its \
         epsilon, in rho, and [noisy] gets the rest. Lower epsilon, or raise the budget. Nothing was drawn or \
         charged.",
    ),
];
