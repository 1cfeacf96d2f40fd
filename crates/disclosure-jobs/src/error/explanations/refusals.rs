//! What is refused although it can be read: targets, registries, budgets.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0401",
        "The domain was learnt from the data: a label is listed because somebody has it, so the list itself discloses \
         people, and no noise repairs that. Go through the labels in the domain file, remove those that disclose somebody, \
         add those that could have occurred, and then write domain_is_public = true. A domain.json does not state \
         its origin and counts as learnt: write a domain.toml.",
    ),
    (
        "E0402",
        "The ledger counts another promise than this release makes: neighbouring tables or the rows of a person \
         differ. Costs of different promises do not add up. Use the terms of the ledger in the spec, or another ledger.",
    ),
    (
        "E0403",
        "No plan keeps every max_sd at this budget. The message names the least pcost that does (rho is half of it), as far as \
         these strategies go. Raise the budget, or allow more noise. Nothing was spent.",
    ),
    (
        "E0407",
        "The file is not a valid secret: a secret is a regular file of exactly 32 random bytes that only its owner can read \
         (mode 0600). Anyone who has it can predict which groups are suppressed. --new-secret makes one where there is \
         no file yet. Never replace it while the data stay: every new secret is one more draw to average over.",
    ),
    (
        "E0408",
        "What a draw depends on besides the data is fixed with the first job of a secret, in the registry beside it \
         (KEY.registry): kinds, columns and forms of identifiers, laws, rule and mode, and where every row is an entity the \
         rows themselves. A job that differs would draw anew, and draws can be averaged, so it is refused; the message names \
         what differs. Write the job as it was registered. For other data or another purpose make another secret. \
         --register makes the registry of a secret that has none.",
    ),
    (
        "E0409",
        "Another table was published under this secret: other data, or other groups. Groups that did not change keep their \
         answer, so what changed would prove who came or went. Publish the same table, or make a new secret for the new one: \
         its draws are independent, and the epsilon and delta of both publications add up.",
    ),
    (
        "E0410",
        "Under a difference guard every answer is kept beside the secret (KEY.answers), and the registry knows the newest \
         ones. Answers that are missing, older, changed or of another law would let groups be drawn anew, and two draws about \
         groups that differ by one person can prove that person. Restore KEY.answers and KEY.registry of the same time, the \
         newest there are. Where the answers are lost, make a new secret for other data.",
    ),
    (
        "E0411",
        "The published numbers do not meet the job's own target, so nothing was released. `disclosure frechet audit` names \
         the groups, what follows about them, and for whom. Publish fewer attributes together, or coarser ones; merge \
         small groups; or leave out what makes the difference. Raising min_interval_width or lowering rate_margin and min_frequency changes the promise, \
         not the risk.",
    ),
    (
        "E0412",
        "What is already public (the population table, the numbers of publish and the facts of known) discloses a group, or two of its \
         numbers differ by fewer people than may be published: \
         suppression cannot protect it. Correct the job, or accept that group by a smaller scope (classes). A group of at most \
         min_interval_width people is disclosed from the start: lower min_interval_width, or make attributes coarser.",
    ),
    (
        "E0413",
        "Two reference periods, or a release and the next, disclose together what neither discloses alone: the few who joined or \
         left are the difference of two published numbers, or different tables share a cell. A published table cannot be \
         withdrawn, so change the later one: publish fewer or coarser tables, or wait until at least min_frequency people \
         joined or left everywhere. A \
         group that is not decided within [limits] counts as well.",
    ),
    (
        "E0414",
        "A suppressed cell that is sensitive can be derived from the published ones, exactly or more closely than its protection \
         levels allow, or a limit was reached before it was shown that it cannot. Nothing was changed. Suppress more cells with \
         the tool that wrote the file, or publish coarser ones; --certificates writes what proves every bound.",
    ),
    (
        "E0415",
        "A solver is expected to reconstruct more of the labels than target_accuracy allows (or, for screen search, no setting \
         keeps it there; or a simulated attack exceeds it). The report was printed all the same. Raise suppress_below or noise, or \
         lower max_order; screen search finds the first setting. Guessing the most frequent class is the floor: no release is below \
         it.",
    ),
    (
        "E0416",
        "A reader who knows this program and the policy can run it on every table consistent with the release, and keep those \
         for which it publishes just this. What they have in common is more than the published numbers say: here a withheld \
         number, or a class in scope. It happens where the plan is decided on the counts (decide_on = \"counts\"). The report was \
         printed all the same. Write decide_on = \"robust\", or count a response among people whose numbers are public, so that \
         the plan can be decided on those.",
    ),
    (
        "E0417",
        "screen table predicts, and the spec has a target_accuracy. On actual tables, attacks got up to a third of the labels \
         more right than predicted, because what columns say about the label is not in the prediction. It is bounded from below \
         by the most frequent released label of each cell, which is no proof that nothing does better. The report was printed \
         all the same. screen simulate SPEC DATA attacks the table and judges the target by the best attack; or leave \
         target_accuracy out.",
    ),
    (
        "E0418",
        "A person gives another answer than in earlier rounds, and reports are made from the permanent stage of the earlier one. \
         Nothing was drawn or stored. --changed keep reports the first answer for ever: the epsilon of one permanent stage bounds \
         all reports, and estimates are about first answers. --changed draw draws a permanent stage for the new answer, as \
         RAPPOR does: it costs epsilon once more, and reports show in which round the answer changed.",
    ),
    (
        "E0421",
        "A run misses one of its own targets, so nothing was written, spent or drawn. The printed table says which one, what was \
         requested and what was found. One target can be missed later: max_posterior is asked again of the noise that was drawn, \
         which is paid for then. Withhold or coarsen more, drop the total that discloses a group, group by \
         other columns than the exact tables, or allow more under [targets].",
    ),
    (
        "E0422",
        "The seconds of [limits] were over before a robust plan was found. Its rule is a function of the table and not of time, \
         so nothing was planned and nothing released. Allow more seconds, name fewer or coarser attributes, or narrow the scope \
         (classes = \"pairs\" or \"cells\"); a plan with decide_on = \"counts\" withholds what it could not decide in time, and \
         tells something about the counts.",
    ),
    (
        "E0425",
        "No mean up to max_mean keeps what an attacker learns below the target. Raise max_mean, take finer steps (mean_steps, \
         sd_steps), or loosen the target; a lower always_suppress_upper_bound leaves more room for noise above it.",
    ),
    (
        "E0426",
        "decide_on = \"private\" publishes the counts that reach a threshold after noise was added for the decision. The noise of \
         this draw was so large that a number would have left which is too small, or with which a class is disclosed. Nothing \
         was published. For every table, this has at most the probability that the plan states (refusal_probability), and that \
         such a refusal tells something is covered by the delta of the pattern. The pattern was charged, as it was drawn. \
         Another release is another draw and another charge.",
    ),
    (
        "E0440",
        "A sensitive cell of a table of amounts cannot be protected as the rule asks: keep lists it, or all cells \
         that could be withheld for it, or known_within says that everybody knows the amounts more closely than the rule allows anyone to. \
         Keep fewer cells, or loosen the rule.",
    ),
    (
        "E0441",
        "The attackers found a sensitive cell in a planned table of amounts that is not protected, or reached a limit before they could \
         tell. Nothing was written. Raise steps in the job, or use a coarser table.",
    ),
    (
        "E0442",
        "A sensitive cell of a pattern of amounts can be bounded more closely than its protection levels allow from what is published \
         beside it, or a limit was reached before that was decided. Withhold more cells with the tool that wrote the file.",
    ),
    (
        "E0443",
        "No rounding of the table keeps every total within the base, or the search ended before it found one. Tables of up to two \
         attributes always have one; some of three and more have none. Ask again, which draws anew, or round a table of fewer \
         attributes, or with another base.",
    ),
    (
        "E0444",
        "In the rounded table a class is known to within min_interval_width counts, or a limit was reached before that was decided. \
         A number that is rounded to 0 is known to within the base less 1, another one to within twice that, and facts in known \
         narrow both. Use a larger base, or lower the width. Nothing was written.",
    ),
    (
        "E0445",
        "In the table under the cell-key method a class is known to within min_interval_width counts, or a limit was reached before \
         that was decided. A number that is published as 0 is known to within max_deviation, another one to within twice that; \
         totals, which are perturbed by themselves, and facts in known narrow both. Use a larger max_deviation and variance, or \
         lower the width. Another secret draws anew, and the averages of several come close to the counts. Nothing was written.",
    ),
    (
        "E0501",
        "The ledger does not have that much budget left. Nothing was released. Ask for a smaller rho: the noise grows \
         as one over its square root. A budget is never raised.",
    ),
    (
        "E0502",
        "The parts of a run cost more than [budget] has. The noise of [exact] costs half the square of its epsilon, in rho, and \
         [noisy] gets what is left. Lower epsilon, or raise the budget. Nothing was drawn or spent.",
    ),
];
