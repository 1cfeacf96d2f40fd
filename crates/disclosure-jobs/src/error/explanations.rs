//! What every code of the jobs and of the command means, and what to do: one paragraph each.

/// Codes of the jobs and of the command with their explanations, in order. Those of data and
/// files are in `privacy-data`.
pub const EXPLANATIONS: &[(&str, &str)] = &[
    ("E0104", "A file that the command was given could not be opened or read. Check the path and its permissions."),
    (
        "E0105",
        "The ledger could not be read or written. Nothing was released. Check the path, the permissions and the free \
         space of its directory; a lock file beside it (FILE.lock) is normal and may stay.",
    ),
    (
        "E0106",
        "The operating system did not hand out random numbers. Noise without them is no noise, so nothing was \
         released. Run on a system with a working generator.",
    ),
    (
        "E0107",
        "The standard output could not be written, a full disk perhaps. A release with -o is complete in its directory \
         all the same, and paid for: the message says so. Do not run it again for the table on the screen.",
    ),
    (
        "E0108",
        "The run was stopped before its end, by Ctrl-C or by the program that started it. No output was written. If a \
         ledger had been charged by then, the message says so.",
    ),
    (
        "E0200",
        "The command line is invalid. `disclosure --help` lists the commands and their arguments, with an example.",
    ),
    (
        "E0210",
        "The spec is not valid TOML, or has a field that does not exist or a value of another type. Unknown fields are \
         refused because a misspelt one would silently do nothing. docs/formats.md lists every field.",
    ),
    (
        "E0211",
        "The spec says what to release twice, or not at all. Give either marginals = [[\"age\"], [\"age\", \"sex\"]] \
         or up_to = 2, and either [[attribute]] tables or domain = \"domain.toml\".",
    ),
    ("E0212", "[privacy] takes exactly one budget: rho, mu, pcost, or epsilon with delta. Keep one."),
    (
        "E0213",
        "The queries of an attribute do not fit it. There is one weight for each query, between 1e-12 and 1e12; the \
         numbers of a file of queries are between -1e6 and 1e6, and not all of them 0. docs/formats.md lists every basis.",
    ),
    (
        "E0214",
        "noise = \"continuous\" is for simulation: floating-point noise can be read back from its digits. A release \
         draws exact integer noise; write noise = \"discrete\" or leave the line out.",
    ),
    (
        "E0215",
        "An attribute has the name of a column that every output file adds: value, sd, ci95_low, ci95_high, status, \
         reason. Give it another name, and write column = \"...\" for the name in the data.",
    ),
    (
        "E0216",
        "objective = {norm = 2} takes an order from 1 (the sum of the variances) to 64. For the largest variance write \
         objective = \"max-variance\".",
    ),
    (
        "E0217",
        "strategy = {tilted = 1.0} takes a number from 0 to 1e6: the weight of the total. Leave strategy out, and the \
         best one is found.",
    ),
    (
        "E0218",
        "No strategy was found for the queries about an attribute: they are too unequal in size for double precision. Scale \
         the rows of the file of queries so that their numbers are alike.",
    ),
    (
        "E0219",
        "Two answers about an attribute would have the same name in the outputs, and could not be distinguished. \
         Ranges are named FIRST .. LAST: a label that looks like that may be the name of another range. Rename it.",
    ),
    (
        "E0220",
        "The job needs dense factorisations, for queries other than the categories of an attribute, and this program was \
         built without them. Build it with the feature linalg of resplan, or ask for categories alone (basis = \"identity\").",
    ),
    ("E0221", "The workload is empty. List at least one marginal, or give up_to."),
    ("E0222", "A marginal names an attribute that the domain does not have, or names one twice. Compare the spelling."),
    (
        "E0223",
        "A marginal is listed twice, in whatever order its attributes are named. Its error would count twice in the \
         plan. List it once, with a weight: {set = [\"age\", \"sex\"], weight = 2.0}.",
    ),
    ("E0224", "A weight must be finite and above 0. To leave a marginal out, do not list it."),
    ("E0225", "The privacy budget must be finite and above 0 (delta between 0 and 1), and rows_per_person at least 1."),
    (
        "E0226",
        "The noise that this budget asks for is out of the range of exact noise: a variance below 2^-64 or above \
         2^100. The budget, or a weight, is absurdly large or small; check its unit.",
    ),
    (
        "E0227",
        "A measurement answers the planned marginals and every subset of their attributes; this one is not among them. Without \
         --marginal, `disclosure resplan answer FILE` lists the planned ones. Another marginal takes another release.",
    ),
    (
        "E0228",
        "--query names one answer about each attribute of a table: \"sex=female,age<=40\". An answer is named as in the CSV \
         of the table: a label, \"<= LABEL\", \"FIRST .. LAST\", a node, a query. Names with a comma are quoted as in CSV.",
    ),
    (
        "E0229",
        "max_sd bounds the standard deviation of every answer of a marginal, in counts: a number above 0, in a list of \
         marginals, with the objective sum-variance. {set = [\"age\"], max_sd = 5.0}.",
    ),
    (
        "E0231",
        "margins of a frechet job lists sets of attributes, each once, without the response: every margin counts the people \
         with the response value, or has all response categories. [] is the total; \"axial\" stands for every attribute by itself.",
    ),
    (
        "E0232",
        "response = {column, value} names a column of the data and one of its labels; without a value every label is a \
         response category. There is at least one other attribute.",
    ),
    (
        "E0233",
        "An entry of publish or known names an attribute, a label or a group that does not exist, or numbers that do not go \
         together. publish takes where and at most one of rounded and interval; known takes where, and value or at_least \
         and at_most. In a job with response.value all numbers count the people with that response, so the response is not an \
         attribute there.",
    ),
    (
        "E0234",
        "The disclosure rule is out of range: rate_margin is above 0 and at most 0.5, and a response needs it; min_frequency is \
         at least 1. target = \"certified\" is about rates, so it takes a response.",
    ),
    (
        "E0235",
        "A hierarchy file does not cover every label of its attribute once, or [hierarchy] names no attribute. A .hrc file \
         has one code per line, deeper ones behind more @; any other has lines category;parent;grandparent. Neither is more than 256 steps deep.",
    ),
    (
        "E0236",
        "Attributes are written once, in the spec or in domain; those of data from the standard input must be written. A \
         frechet job has data, or [[attribute]] tables and nothing but known numbers. What is published from data needs the data.",
    ),
    (
        "E0237",
        "Nothing bounds the size of some cell: it is in no published number, and the population table is not known. Publish \
         the total, margins = [[]], or give a response.",
    ),
    (
        "E0238",
        "decide_on = \"public-sizes\" decides on public numbers of people; without a response none are public. Leave decide_on \
         out, or write decide_on = \"robust\": the plan looks at the counts and withholds more until knowing how it decides adds \
         nothing. decide_on = \"counts\" keeps more, but its choices disclose something about the counts, and the release says \
         what was found.",
    ),
    (
        "E0239",
        "The noise of such a small budget does not fit its integers, or the cost has no statement at this delta. Give a larger \
         epsilon or delta, or leave delta out.",
    ),
    (
        "E0240",
        "frechet diff takes two jobs about one population: the same attributes with the same labels in the same order, a \
         response in both or in neither, and the same disclosure rule and classes.",
    ),
    (
        "E0243",
        "A section of a run's job does not take this field. What all parts share (title, data, count, encoding, domain, \
         [[attribute]]) belongs at the top of the job; the budget, its neighbours and rows_per_person in [budget]; [screen] takes \
         the table as it is; and [filtered] does not merge groups, because merged numbers are not comparable with exact counts.",
    ),
    (
        "E0244",
        "The parts of a run's job do not fit together. It has data, at least one of [exact], [filtered] and [noisy], a [budget] if \
         and only if something is noised, and max_rmse only with [noisy]. [filtered] counts rows, so it does not go with count.",
    ),
    (
        "E0245",
        "[filtered] draws its thresholds under a secret of 32 bytes, and takes it from --secret-file; a job without the section \
         takes none. --new-secret makes the file that it names.",
    ),
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
         features themselves count as well.",
    ),
    (
        "E0269",
        "An ldp plan has features, with epsilon or epsilon_per_feature, frequency and pair_frequency, or [[feature]] tables with \
         name, values, epsilon and frequency. Frequencies are what you expect, above 0 and below 1; epsilon is at most 100.",
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
        "E0328",
        "A workbook could not be read as a table: it is damaged, or the sheet is not there, a row is wider than the \
         header in row 1 or empty, or a cell holds an error such as #N/A or a line break. The message says where. \
         Repair the sheet, name another one with --sheet, or export the sheet as CSV.",
    ),
    (
        "E0351",
        "The ledger is not as it was written: a line was changed, removed, added or reordered, or the file was cut \
         off. Every line holds the digest of the one before. Nothing was released. Restore it from a copy; a ledger \
         that cannot be trusted means that the budget cannot be known.",
    ),
    (
        "E0361",
        "The file is not a stored plan or a measurement of a version that this command reads. A plan file comes from \
         `resplan plan -o FILE`, a measurement from `resplan release` (measurement.bin) or `resplan simulate -o FILE`.",
    ),
    (
        "E0362",
        "The stored plan or measurement is not as it was written: a byte was changed, or the file was cut off. Nothing was \
         released or answered. Fetch it again from where it was written. A plan is not edited by hand: change the spec, \
         and plan again.",
    ),
    (
        "E0363",
        "The stored plan or measurement is whole, but its parts do not make a plan: its marginals, residuals, strategies \
         or columns do not fit together, or it costs more than it says. It was not written by this command. Make it again.",
    ),
    (
        "E0364",
        "The file of --jj is not a JJ file as tau-ARGUS and sdcTable write it: a 0, the number of cells, a line of nine words \
         for each, the number of relations, a line for each. docs/formats.md shows one. Write it again with the tool that made \
         it.",
    ),
    (
        "E0365",
        "A number of the JJ file is not an integer count from 0 to 2^53, or a bound is not finite. Integer bounds hold for \
         tables of counts, not for amounts; write the file with frequencies, and with finite bounds for every cell.",
    ),
    (
        "E0366",
        "A relation of the JJ file names a cell that is not there, names one twice, has a sign other than 1 and -1, or not as \
         many terms as it says; or the cells are not numbered from 0 in the order of their lines.",
    ),
    (
        "E0367",
        "The counts of the JJ file do not satisfy one of its relations, or a count is outside its own bounds. An audit of such a \
         table would find contradictions instead of bounds. Correct the table, or write the file again; cells and relations \
         are numbered from 0.",
    ),
    (
        "E0368",
        "Two tables of one release have different totals, so they do not count the same rows. A GROUP BY over a column with \
         missing values, or an inner join, leaves rows out; rows may also have arrived between two queries. Make missing \
         values a category, and count all tables in one transaction. Nothing was drawn or spent.",
    ),
    (
        "E0369",
        "Two tables of one release disagree about the attributes that they share, so they do not count the same rows. Count \
         both in one transaction, with the same coding of every attribute. Nothing was drawn or spent.",
    ),
    (
        "E0371",
        "No integer table has all these numbers, so at least one does not count the same people: a typing error in \
         known, another year, a rounded number that was read as exact. The message names rows that contradict each other; \
         positions in their names count from 1. \
         frechet bounds --slack says by how many people they contradict each other, and what they disclose within that slack.",
    ),
    (
        "E0372",
        "A number in known is not true of the data. Bounds would be about another table, so none were given. Correct it, or \
         leave it out.",
    ),
    (
        "E0373",
        "The file is not one that `disclosure frechet bounds` or `audit` of this version writes with --certificates, or it was damaged. Write \
         it again.",
    ),
    (
        "E0374",
        "A certificate does not prove what it claims: a table does not fit the rows, or the multipliers bound less. The \
         file was changed, or the program that wrote it is wrong. Trust none of its bounds.",
    ),
    (
        "E0381",
        "The table is too small to be screened: it has fewer than two people, more than 2^53, or no column besides the target.",
    ),
    (
        "E0386",
        "The directory is not a release that a page can be made of: it has no manifest.json or release.json, the record is not JSON or lacks a \
         field, it is of another schema, or it names files outside of the directory. Give the directory that a \
         release was written to, as it was written.",
    ),
    (
        "E0387",
        "A file that the record names is missing, is not a regular file, or has other bytes than the record's digest says. A page \
         would show something that was not released. Fetch the directory again from where it was written.",
    ),
    (
        "E0388",
        "A table has the digest that the record gives but is not in the form in which releases write tables. Write the \
         release again with this version of the command.",
    ),
    (
        "E0391",
        "The file is not what it should be: not a file of reports (of `ldp encode`) or of counts (of `ldp aggregate` and `ldp \
         merge`), of another version, cut off, too long, or changed since it was written. Fetch it again.",
    ),
    (
        "E0392",
        "Reports and states can be counted together when they were made under one schema: the same features, values in the \
         same order, protocols and probabilities. States must also keep the same counts. Look for the schema they came from.",
    ),
    (
        "E0393",
        "No client of this schema makes such a report: its width, its padding, a symbol or the features it covers are invalid. \
         Nothing was written. Leave the report out, and look at where it came from.",
    ),
    (
        "E0394",
        "Bits of a CSV file were randomised by another program, and epsilon is a promise about what randomised them. The schema \
         says p and q of bits that `ldp encode` makes. If the bits were made with exactly these probabilities, independently for \
         every bit and person, say so with --vouch-for-noise; if not, there is no epsilon to print, and estimates are wrong.",
    ),
    ("E0395", "An estimate with an error takes two reports that cover the set. Wait for more."),
    (
        "E0396",
        "With features_per_person no report covers both sets, so nothing is known about them together for the people who reported. \
         Leave --population fixed out, or have more features reported together.",
    ),
    (
        "E0398",
        "No row of the data has these labels, so nothing was decided about the group. Compare the spelling, and the order of \
         group_by.",
    ),
    (
        "E0399",
        "Two files have the same reports, or two states the same counts: the people in them would be counted twice, and the error \
         of every count would be stated too small. Nothing was written. Leave one out. Collectors with very few reports can have \
         the same counts by chance: --allow-repeats adds them.",
    ),
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
        "E0411",
        "The published numbers do not meet the job's own target, so nothing was released. `disclosure frechet audit` names \
         the groups, what follows about them, and for whom. Publish fewer attributes together, or coarser ones; merge \
         small groups; or leave out what makes the difference. Raising min_interval_width or lowering rate_margin and min_frequency changes the promise, \
         not the risk.",
    ),
    (
        "E0412",
        "What is already public (the population table, the numbers of publish and the facts of known) discloses a group: \
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
        "E0421",
        "A run misses one of its own targets, so nothing was written, spent or drawn. The printed table says which one, what was \
         requested and what was found. Withhold or coarsen more, drop the total that discloses a group, group by \
         other columns than the exact tables, or allow more under [targets].",
    ),
    (
        "E0425",
        "No mean up to max_mean keeps what an attacker learns below the target. Raise max_mean, take finer steps (mean_steps, \
         sd_steps), or loosen the target; a lower always_suppress_upper_bound leaves more room for noise above it.",
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
    (
        "E0611",
        "The release would take more numbers or memory than the limit. The size is known before anything is computed. \
         Ask for fewer or smaller marginals (a lower up_to, coarser bins), or raise --max-answers or --max-memory.",
    ),
    (
        "E0612",
        "The counts are so large that their exact integer transforms leave 62 bits: total times cells of a marginal. \
         Ask for smaller marginals.",
    ),
    ("E0613", "The counts do not fit the plan or the machine. Ask for smaller marginals."),
    (
        "E0614",
        "A spec, or a file that it names, is larger than 16 MiB, or a stored plan larger than 1 GiB. Neither needs that \
         much; check the path. Long lists of labels belong in a domain file.",
    ),
    (
        "E0621",
        "The table, its classes or its linear programs are larger than the limits of the job, or the search ended at its \
         limit. Use fewer or coarser attributes, classes = \"pairs\" or \"cells\", or raise what the message names in \
         [limits]: steps, nodes, super_cells, rows, classes. Limits count work, not seconds.",
    ),
    ("E0622", "A number is above 2^53, or all cells together could hold more than 2^62. Count in larger units."),
    (
        "E0631",
        "The model has too many different columns or orders for the memory or the time that it may take; the message says how \
         much. Name fewer columns, round frequencies to fewer values, or leave max_order out.",
    ),
    (
        "E0632",
        "The table has too many queries that release something, or too many rows for the memory; the message says how much. \
         Set max_order, raise suppress_below, name fewer known columns, or raise --max-visits or --max-memory.",
    ),
    (
        "E0635",
        "The simulated release would touch rows more often than --max-entries allows: rows times released tables. Lower max_order, \
         simulate fewer rows, or raise --max-entries; an entry takes some 40 bytes.",
    ),
    (
        "E0636",
        "All simulated attacks together would take too long, as estimated from rows, released tables and trials. Ask for fewer trials, \
         a smaller max_order or fewer rows.",
    ),
    (
        "E0641",
        "The counts would take more memory than --max-memory, a full table would have more than 20 columns, or the schema more \
         than 65,536. Keep a lower order, give features fewer values, or raise the limit.",
    ),
    ("E0642", "Together there are more than 2^53 reports. Estimate from parts."),
    (
        "E0643",
        "A file with more than 128 columns of interest is read into memory, and this one is larger than 1 GiB. Cut it.",
    ),
    (
        "E0645",
        "The number of sets is above the limit of one answer. Ask for a smaller --order, or list what you want with --sets.",
    ),
    (
        "E0646",
        "A set has more than 20 columns, or the covariance of more than 2000 sets was asked for: 2^20 counts, and four million \
         numbers. List fewer with --sets.",
    ),
    (
        "E0647",
        "The simulation would take more than 10^11 steps: trials times what is drawn (rows times columns), counted (every set or \
         combination that is kept) and estimated. Ask for fewer trials or sets, or keep a lower order.",
    ),
    (
        "E0648",
        "The estimates would take more than 10^11 steps, by an estimate made before they are begun: a set of k columns takes 2^k \
         counts, each of them a pass over all reports where the state keeps reports; --covariance takes those of every two sets \
         together, --feasible up to 2000 iterations for each set. List fewer or smaller sets with --sets.",
    ),
    (
        "E0651",
        "There are more groups than the limit. A table with that many groups shows few of them. Group by fewer or coarser columns, \
         or raise groups in [limits].",
    ),
    (
        "E0652",
        "The labels and the entities of all groups take more memory than the limit, as it was estimated before it was taken. Group \
         by fewer or coarser columns, lower the mean, or raise mebibytes in [limits].",
    ),
    (
        "E0654",
        "The search could evaluate more than 500,000,000 sizes of group: max_mean three times, times mean_steps and sd_steps. \
         Lower one of them: tenths up to a mean of 100 are 100,000,000.",
    ),
    (
        "E0655",
        "Under these parameters only groups of more than 65,536 entities would be certain to be reported, and that many would have \
         to be stored for each group. Lower the mean or the spread; for optimal selection raise epsilon or delta.",
    ),
    (
        "E0661",
        "A run reads its data once and keeps the file, since every part counts the same rows. It is larger than --max-memory. Raise \
         it, or run the parts by themselves: frechet, lcf and resplan read row by row.",
    ),
    (
        "E0671",
        "The page would be too large to read: more than 10,000 files, or more than 16 MiB of table lines. Show fewer lines \
         of each table with --max-lines; the files hold the rest. A record of more than 64 MiB is refused as well.",
    ),
];
