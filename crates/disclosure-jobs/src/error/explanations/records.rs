//! The specs of screening, randomised reports and filters.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0251",
        "The model of a release takes rows, cardinalities (a number of values for each known column, or the list of their \
         frequencies) and classes (how many, or the list of their shares). For an actual table write screen table SPEC DATA.",
    ),
    (
        "E0252",
        "A number of the spec is out of range: 2 to 2^53 rows, 1 to 500 columns of 1 to 2^32 values (or at most 65,536 \
         frequencies, at least 0 and not all 0), 1 to 256 classes, suppress_below up to 2^32, noise up to 1,000,000.",
    ),
    ("E0253", "alpha, beta, gamma and target_accuracy are above 0 and below 1."),
    (
        "E0254",
        "target and known name attributes of the table, each once, and the target is not among the known columns. Without \
         target, the last attribute is the target; without known, all others are known.",
    ),
    (
        "E0255",
        "screen search looks for settings that keep a target, and the spec has none. Write target_accuracy = 0.8: the largest \
         share of the labels that a solver may be expected to reconstruct. It should be above what guessing reaches.",
    ),
    (
        "E0256",
        "A grid has at least one threshold and one noise, at most 100 thresholds and 10,000 places. Write [grid] with shorter lists.",
    ),
    (
        "E0257",
        "A table like this cannot be attacked: attacks take between 2 and 256 classes, at most 128 known columns and 2^32 rows. \
         Merge rare classes, or leave columns out.",
    ),
    (
        "E0261",
        "A feature of an ldp schema is invalid: it needs at least two different values, exactly two for rr, and \
         the true answer must be more likely in a report than each other one (p below q).",
    ),
    (
        "E0262",
        "The numbers of a protocol do not go together. rr: epsilon, or p and q. ue: epsilon, with variant if you like, or p and \
         q. grr: epsilon, or q. lh: epsilon, with buckets if you like. rappor: permanent and instantaneous, each with epsilon \
         or with p and q. p is the probability that a 0 becomes 1, q that a 1 stays 1.",
    ),
    (
        "E0263",
        "An ldp schema has at least one [[feature]]; each has a name of its own, and so has each column: a feature `a` with a value \
         `b=c` and a feature `a=b` with a value `c` would both be `a=b=c`.",
    ),
    (
        "E0264",
        "features_per_person is how many features a person reports: at least 1 and at most all. Every report says which they \
         are; bits that were randomised elsewhere do not.",
    ),
    (
        "E0265",
        "order is how many columns the largest sets have whose counts are kept: 1 to 6, \"full\" for a table of all columns (at \
         most 20), or \"reports\" to keep the reports themselves.",
    ),
    (
        "E0266",
        "A set names a column that the schema does not have. A column is named `feature` for rr and `feature=value` elsewhere; #3 is \
         the third. The first value of an rr feature has no column: its count is the rest.",
    ),
    (
        "E0267",
        "A set lists a feature twice. Nobody has two values of one feature, so there is nothing to count: list each once.",
    ),
    (
        "E0268",
        "The state keeps counts of smaller sets only. Reports are counted again with a larger order, or with order = \"full\" or \
         \"reports\" in the schema; a covariance of two sets needs the order of both together, and with features_per_person the \
         features themselves count as well. Reports of parities are about one feature or two: ask for no larger sets.",
    ),
    (
        "E0269",
        "An ldp plan has features, with epsilon or epsilon_per_feature, frequency and pair_frequency, or [[feature]] tables with \
         name, values, epsilon and frequency. Frequencies are what you expect, above 0 and below 1; epsilon is at most 100.",
    ),
    (
        "E0270",
        "RAPPOR draws a permanent stage once for every person, and all later reports are made from it: together they cost its \
         epsilon and no more. A run that does not keep it draws it anew the next time, and then reports about one person add up. \
         --memory FILE --person COLUMN keeps it, by person. --once says that there will be no other round about these people: \
         the promise is then that of one report. A schema without protocol = \"rappor\" has nothing to keep.",
    ),
    (
        "E0271",
        "The law of a threshold is out of range. always_suppress_upper_bound is at least 1 and the mean above it, or groups of one \
         person could be shown; sd is above 0; minimum numbers (at_least, pre_threshold) are at least 2.",
    ),
    (
        "E0272",
        "Every column of identifiers needs one law: mean, sd and always_suppress_upper_bound together, or law = {name = \"hard\", \
         at_least = 5} for another one. A column may have its own: entity = [{column = \"branch\", law = {...}}].",
    ),
    (
        "E0273",
        "entity (or aid) lists the columns that identify whom to protect: at least one and at most 64, each once. group_by lists \
         each column once, and none with the name rows, which the outputs add.",
    ),
    (
        "E0274",
        "--group names one group by its labels, one for each column of group_by in that order: --group \"Bonn,eye\". Labels with a \
         comma are quoted as in CSV.",
    ),
    (
        "E0275",
        "The rest would have the label of a group that is shown, and the two could not be distinguished. Give it another one: \
         --rest=\"(other)\".",
    ),
    (
        "E0276",
        "Each law of a threshold has its own parameters: clamped-normal takes --mean, --sd and --floor; thin-uniform and hard take \
         --at-least; elm takes --at-least, --gap and --sd; optimal-selection takes --epsilon, --delta and --at-least. Parameters of \
         another law are refused, since they would silently do nothing.",
    ),
    (
        "E0277",
        "The parameters of the threshold are out of range. Groups of one entity must never be reported: --floor (always_suppress_upper_bound) is at least \
         1 and the mean above it, --at-least is at least 2. Spread, epsilon and delta are above 0, a prior is from 0 to 1.",
    ),
    (
        "E0278",
        "A target has certainty_odds (above 0, at most 0.5) with posterior (above 0.5, below 1), or epsilon with delta, or all four. \
         One of a pair bounds nothing: a threshold that is almost hard rarely proves anything, but its answers are almost proofs, \
         and a threshold whose proofs are frequent can leave the other answers uncertain.",
    ),
    (
        "E0279",
        "group_sizes is the number of groups for each number of entities: [{entities = 3, groups = 120}], or a CSV file with \
         the header entities,groups and two whole numbers a line. There is at least one group with an entity, and at most 2^53 \
         entities in all.",
    ),
    (
        "E0281",
        "draws = \"publish\" promises (epsilon, delta) for groups that are decided one by one. Merged groups depend on several: \
         leave low_effect = true and --rest out, or draw by the set of entities alone, draws = \"query\".",
    ),
    (
        "E0282",
        "What a published table tells about a person grows with the groups that the person counts in, so draws = \"publish\" \
         with a column of identifiers takes groups_per_entity = K: each entity counts in K of its groups at most, chosen by \
         the secret, and the promise holds for K. Choose K by what you know of such data, never by this table: a K that is \
         read off the data tells about it. entity = \"row\" takes none, as a row is in one group.",
    ),
    (
        "E0283",
        "The number beside a group is asked for in a way that no promise covers, or with fields that do not go together. \
         counts = \"hidden\" (the default), \"rounded\", \"noisy\" or \"exact\"; {kind = \"rounded\", base = 10} with a base of 2 \
         to 1000; {kind = \"noisy\", scale = 2} with a scale of at least 0.5. Rounded and noisy numbers are of entities, of \
         one column of identifiers. draws = \"publish\" takes no rounding, since rounding has no epsilon, and noise that \
         leaves some of epsilon to the decisions. Other choices under one secret are refused: each would be another draw.",
    ),
    (
        "E0284",
        "A difference guard (guard = true) gives groups that differ by one entity one answer, so it compares one set of \
         entities per group and remembers every answer. It takes draws = \"query\", one column of identifiers, counts = \
         \"hidden\" and `disclosure lcf filter`; a program gives it the answers of the secret. Change these, or leave guard out.",
    ),
    (
        "E0285",
        "Groups that are stored by `disclosure lcf group` are added to others later, so every part must say alike who is who. \
         entity = \"row\" tells equal rows of one file apart, not those of two; and a column without a declared form is checked \
         for mixed spellings in one file at a time. Name a column of identifiers with form = \"integer\" or form = \"text\". Groups \
         of a query have the labels of the query, so the specification declares none.",
    ),
    (
        "E0287",
        "--zero names labels that nobody has together, one for each of some attributes: --zero \"age=child,works=yes\". \
         Names and labels are those of the domain of the measurement, quoted as in CSV where they hold a comma. Some \
         combination of labels must remain possible.",
    ),
    (
        "E0291",
        "A setting of `disclosure adaptive` is out of its range: rounds are 1 to 100,000 and at least the number of attributes, \
         noise_share is above 0 and below 1, model_cells at least 1, rows_per_person 1 to 1,000. Only categories are measured: \
         attributes have no basis there; ranges and prefixes belong to `disclosure resplan`.",
    ),
    (
        "E0292",
        "What a job of `disclosure adaptive` says that nobody has does not fit the domain. A structural zero names one label, or \
         a list of them, of each of some attributes: structural_zeros = [{ age = \"child\", works = \"yes\" }]. A hierarchy says \
         for every label of its child which label of its parent it is within, once: hierarchies = [{ child = \"town\", \
         parent = \"region\", groups = { north = [\"A\", \"B\"] } }], or a file with a line `town,region` for each town. Some \
         combination must remain possible, at most a million may be excluded, and the tables over the attributes that they join \
         must be within model_cells.",
    ),
];
