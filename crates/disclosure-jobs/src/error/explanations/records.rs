//! The specs of screening, randomised reports and filters.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0251",
        "The model of a release needs rows, cardinalities (for each known column its number of values, or the list \
         of their frequencies) and classes (their number, or the list of their proportions). For an actual table, \
         run screen table SPEC DATA.",
    ),
    (
        "E0252",
        "A number in the specification is out of range: 2 to 2^53 rows, 1 to 500 columns with 1 to 2^32 values each \
         (or at most 65,536 frequencies, at least 0 and not all 0), 1 to 256 classes, suppress_below up to 2^32, \
         noise up to 1,000,000.",
    ),
    ("E0253", "alpha, beta, gamma and target_accuracy must be above 0 and below 1."),
    (
        "E0254",
        "target and known name attributes of the table, each once, and the target must not be among the known \
         columns. Without target, the last attribute is the target; without known, all other attributes are known.",
    ),
    (
        "E0255",
        "screen search looks for settings that meet a target, but the specification has no target. Write \
         target_accuracy = 0.8: the largest proportion of the labels that a solver may be expected to reconstruct. \
         It should be above the accuracy of guessing.",
    ),
    (
        "E0256",
        "A grid needs at least one threshold and one noise level, with at most 100 thresholds and 10,000 \
         combinations. Shorten the lists in [grid].",
    ),
    (
        "E0257",
        "This table cannot be attacked: attacks need between 2 and 256 classes, at most 128 known columns and at \
         most 2^32 rows. Merge rare classes, or leave columns out.",
    ),
    (
        "E0261",
        "A feature of an ldp schema is invalid: it needs at least two different values (exactly two for rr), and the \
         true answer must be more likely in a report than any other answer (p below q).",
    ),
    (
        "E0262",
        "The parameters of a protocol do not fit together. rr takes epsilon, or p and q. ue takes epsilon with an \
         optional variant, or p and q. grr takes epsilon, or q. lh takes epsilon with an optional number of buckets. \
         rappor takes permanent and instantaneous, each with epsilon or with p and q. p is the probability that a 0 \
         becomes 1, and q the probability that a 1 stays 1.",
    ),
    (
        "E0263",
        "An ldp schema needs at least one [[feature]]. Feature names must be unique, and so must column names: a \
         feature `a` with a value `b=c` and a feature `a=b` with a value `c` would both give a column `a=b=c`.",
    ),
    (
        "E0264",
        "features_per_person is the number of features that each person reports: at least 1 and at most all of them. \
         Every report states which features it covers; bits that were randomised by another program do not.",
    ),
    (
        "E0265",
        "order is the size of the largest sets of columns whose counts are kept: 1 to 6, \"full\" for the table of \
         all columns (at most 20), or \"reports\" to keep the reports themselves.",
    ),
    (
        "E0266",
        "A set names a column that the schema does not have. A column is named `feature` for rr and `feature=value` \
         for other protocols; #3 is the third column. The first value of an rr feature has no column, because its \
         count follows from the total.",
    ),
    (
        "E0267",
        "A set lists a feature twice. No one has two values of one feature, so there is nothing to count. List each \
         feature once.",
    ),
    (
        "E0268",
        "The state keeps the counts of smaller sets only. Count the reports again with a larger order, or with order \
         = \"full\" or \"reports\" in the schema. A covariance of two sets needs the order of both together, and \
         with features_per_person the features themselves count as well. Parity reports cover one or two features, \
         so larger sets cannot be estimated from them.",
    ),
    (
        "E0269",
        "An ldp plan needs either features, with epsilon or epsilon_per_feature, frequency and pair_frequency, or \
         [[feature]] tables with name, values, epsilon and frequency. Frequencies are those you expect, above 0 and \
         below 1; epsilon is at most 100.",
    ),
    (
        "E0270",
        "RAPPOR draws a permanent response once per person and derives all later reports from it, so that all \
         reports together cost the epsilon of the permanent response. A run that does not store it would draw a new \
         one next time, and the costs of reports about one person would add up. --memory FILE --person COLUMN stores \
         it for each person. --once states that these people report only in this round; the guarantee is then that \
         of one report. A schema without protocol = \"rappor\" has nothing to store.",
    ),
    (
        "E0271",
        "The threshold distribution is out of range. always_suppress_upper_bound must be at least 1 and the mean \
         above it, as groups of one person could be shown otherwise; sd must be above 0; minimum sizes (at_least, \
         pre_threshold) must be at least 2.",
    ),
    (
        "E0272",
        "Every column of identifiers needs one threshold distribution: mean, sd and always_suppress_upper_bound \
         together, or law = {name = \"hard\", at_least = 5} for another distribution. A column can have its own: \
         entity = [{column = \"branch\", law = {...}}].",
    ),
    (
        "E0273",
        "entity (or aid) lists the columns that identify the entities to protect: between 1 and 64 columns, each \
         once. group_by lists each column once; no column may be named rows, because the outputs add a column of \
         that name. An empty group_by with hidden counts leaves a Parquet file without a column: write CSV.",
    ),
    (
        "E0274",
        "--group names one group by its labels, one for each column of group_by in that order: --group \"Bonn,eye\". \
         Labels that contain a comma are quoted as in CSV.",
    ),
    (
        "E0275",
        "The merged rest would have the same label as a group that is shown, and the two could not be distinguished. \
         Choose another label: --rest=\"(other)\".",
    ),
    (
        "E0276",
        "Each threshold distribution has its own parameters: clamped-normal takes --mean, --sd and --floor; \
         thin-uniform and hard take --at-least; elm takes --at-least, --gap and --sd; optimal-selection takes \
         --epsilon, --delta and --at-least. Parameters of another distribution are refused, because they would be \
         ignored silently.",
    ),
    (
        "E0277",
        "The parameters of the threshold are out of range. Groups of one entity must never be reported, so --floor \
         (always_suppress_upper_bound) must be at least 1 and the mean above it, and --at-least must be at least 2. \
         The spread, epsilon and delta must be above 0, and a prior between 0 and 1.",
    ),
    (
        "E0278",
        "A target needs certainty_odds (above 0, at most 0.5) with posterior (above 0.5, below 1), or epsilon with \
         delta, or all four. One value of a pair guarantees nothing: a nearly hard threshold rarely proves a size, \
         but its answers are nearly proofs, and a threshold with frequent proofs can leave the other answers \
         uncertain.",
    ),
    (
        "E0279",
        "group_sizes gives the number of groups for each number of entities: [{entities = 3, groups = 120}], or a \
         CSV file with the header entities,groups and two integers per line. At least one group must have an entity, \
         and there are at most 2^53 entities in total.",
    ),
    (
        "E0281",
        "draws = \"publish\" guarantees (epsilon, delta) for groups that are decided separately, but merged groups \
         depend on several decisions. Leave out low_effect = true and --rest, or write draws = \"query\", which \
         draws by the set of entities only.",
    ),
    (
        "E0282",
        "What a published table discloses about a person grows with the number of groups that include the person. \
         Therefore draws = \"publish\" with a column of identifiers needs groups_per_entity = K: each entity counts \
         in at most K of its groups, chosen with the secret key, and the guarantee holds for K. Choose K from \
         general knowledge of such data, never from this table, because a K derived from the data discloses \
         something about them. entity = \"row\" needs no K, as a row is in one group.",
    ),
    (
        "E0283",
        "The count published with each group is requested in a way that no guarantee covers, or with fields that \
         exclude each other. counts is \"hidden\" (the default), \"rounded\", \"noisy\" or \"exact\"; {kind = \
         \"rounded\", base = 10} has a base of 2 to 1000; {kind = \"noisy\", scale = 2} has a scale of at least 0.5. \
         Rounded and noisy counts are numbers of entities, from one column of identifiers. draws = \"publish\" does \
         not allow rounding, which has no epsilon, and the noise must leave part of epsilon for the decisions. With \
         one secret key, only one choice is allowed, because each would be another draw.",
    ),
    (
        "E0284",
        "A difference guard (guard = true) gives the same answer for groups that differ by one entity, so it \
         compares one set of entities per group and stores every answer. It needs draws = \"query\", one column of \
         identifiers, counts = \"hidden\" and `disclosure lcf filter`; from a program, pass it the answers stored \
         for the key. Change these settings, or leave guard out.",
    ),
    (
        "E0285",
        "Groups stored by `disclosure lcf group` are added to others later, so all parts must identify entities in \
         the same way. entity = \"row\" distinguishes equal rows within one file but not across files, and a column \
         without a declared form is checked for mixed spellings in one file at a time. Name a column of identifiers \
         with form = \"integer\" or form = \"text\". Groups from a query take their labels from the query, so the \
         specification must not declare any.",
    ),
    (
        "E0287",
        "--zero names labels that no one has together, one label for each of some attributes: --zero \
         \"age=child,works=yes\". Names and labels are those in the domain of the measurement, quoted as in CSV if \
         they contain a comma. At least one combination of labels must remain possible.",
    ),
    (
        "E0291",
        "A setting of `disclosure adaptive` is out of range: rounds must be 1 to 100,000 and at least the number of \
         attributes, noise_share above 0 and below 1, model_cells at least 1, and rows_per_person 1 to 1,000. Only \
         categories are measured, so attributes have no basis here; use `disclosure resplan` for ranges and prefix \
         sums.",
    ),
    (
        "E0292",
        "The structural zeros or hierarchies in a job of `disclosure adaptive` do not match the domain. A structural \
         zero names one label, or a list of labels, for each of some attributes: structural_zeros = [{ age = \
         \"child\", works = \"yes\" }]. A hierarchy assigns each label of the child to one label of the parent: \
         hierarchies = [{ child = \"town\", parent = \"region\", groups = { north = [\"A\", \"B\"] } }], or a file \
         with a line `town,region` for each town. At least one combination must remain possible, at most a million \
         may be excluded, and the tables over the attributes that they join must be within model_cells.",
    ),
];
