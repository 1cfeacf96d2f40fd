//! The command line, and the specs of marginals, exact tables and runs.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0200",
        "The command line is invalid. `disclosure --help` lists the commands and their arguments, with an example.",
    ),
    (
        "E0210",
        "The specification is not valid TOML, has an unknown field, has a value of the wrong type, or has more \
         values than fit in 48 MB of memory. Unknown fields are refused because a misspelt one would be ignored \
         silently. docs/formats.md lists every field.",
    ),
    (
        "E0211",
        "The specification defines something twice or not at all. Give either marginals = [[\"age\"], [\"age\", \
         \"sex\"]] or up_to = 2, and either [[attribute]] tables or domain = \"domain.toml\".",
    ),
    ("E0212", "[privacy] takes exactly one budget: rho, mu, pcost, or epsilon together with delta. Keep one."),
    (
        "E0213",
        "The queries of an attribute do not match it. There must be one weight per query, between 1e-12 and 1e12; \
         the numbers in a file of queries must be between -1e6 and 1e6, and not all 0. docs/formats.md lists every \
         basis.",
    ),
    (
        "E0214",
        "noise = \"continuous\" is for simulation only: the digits of floating-point noise can reveal the value \
         under it. A release draws exact integer noise; write noise = \"discrete\" or leave the line out.",
    ),
    (
        "E0215",
        "An attribute has the name of a column that every output file adds: value, sd, ci95_low, ci95_high, status \
         or reason. Give the attribute another name, and write column = \"...\" for its name in the data.",
    ),
    (
        "E0216",
        "objective = {norm = 2} takes an order from 1 (the sum of the variances) to 64. For the largest variance write \
         objective = \"max-variance\".",
    ),
    (
        "E0217",
        "strategy = {tilted = 1.0} takes a number from 0 to 1e6, the weight of the total. If you leave strategy out, \
         the best one is found.",
    ),
    (
        "E0218",
        "No strategy was found for the queries about an attribute, because their magnitudes differ too much for \
         double precision. Scale the rows of the file of queries to similar magnitudes.",
    ),
    (
        "E0219",
        "Two answers about an attribute would have the same name in the outputs and could not be distinguished. \
         Ranges are named FIRST .. LAST, so a label of that form may equal the name of a range. Rename the label.",
    ),
    (
        "E0220",
        "The job needs dense matrix factorisations, for queries other than the categories of an attribute, and this \
         program was built without them. Build it with the feature linalg of resplan, or ask for categories only \
         (basis = \"identity\").",
    ),
    ("E0221", "The workload is empty. List at least one marginal, or give up_to."),
    ("E0222", "A marginal names an attribute that the domain does not have, or names one twice. Compare the spelling."),
    (
        "E0223",
        "A marginal is listed twice, possibly with its attributes in another order. Its error would count twice in \
         the plan. List it once, with a weight: {set = [\"age\", \"sex\"], weight = 2.0}.",
    ),
    ("E0224", "A weight must be finite and above 0. To exclude a marginal, do not list it."),
    ("E0225", "The privacy budget must be finite and above 0 (delta between 0 and 1), and rows_per_person at least 1."),
    (
        "E0226",
        "The noise for this budget is outside the range of exact noise: its variance is below 2^-64 or above 2^100. \
         The budget or a weight is unreasonably large or small; check its unit.",
    ),
    (
        "E0227",
        "A measurement can answer the planned marginals and every marginal of them. The requested one is not among \
         these. Without --marginal, `disclosure resplan answer FILE` lists the planned marginals. Any other marginal \
         needs another release.",
    ),
    (
        "E0228",
        "--query names one answer for each attribute of a table: \"sex=female,age<=40\". Answers are named as in the \
         CSV file of the table: a label, \"<= LABEL\", \"FIRST .. LAST\", a node, or a query. Names that contain a \
         comma are quoted as in CSV.",
    ),
    (
        "E0229",
        "max_sd is an upper bound on the standard deviation of every answer of a marginal, in counts: a number above \
         0, for marginals that are listed, with the objective sum-variance. Write {set = [\"age\"], max_sd = 5.0} \
         for one marginal, or max_sd = {\"age\" = 5.0} at the top. weights = \"equal-error\" takes no such bounds \
         because its errors are equal.",
    ),
    (
        "E0231",
        "margins of a frechet job lists sets of attributes, each once and without the response attribute: every \
         margin either counts the people with the response value or has all response categories. [] is the total; \
         \"axial\" stands for every attribute by itself.",
    ),
    (
        "E0232",
        "response = {column, value} names a column of the data and one of its labels; without value, every label is \
         a response category. At least one other attribute is needed.",
    ),
    (
        "E0233",
        "An entry of publish or known names an attribute, a label or a group that does not exist, or combines fields \
         that exclude each other. publish takes where and at most one of rounded and interval; known takes where, \
         and either value or at_least and at_most. In a job with response.value, all numbers count the people with \
         that response, so the response cannot be used as an attribute there.",
    ),
    (
        "E0234",
        "The disclosure rule is out of range: rate_margin must be above 0 and at most 0.5, and is required with a \
         response; min_frequency must be at least 1. target = \"certified\" is about rates, so it requires a \
         response.",
    ),
    (
        "E0235",
        "A hierarchy file does not cover every label of its attribute exactly once, or [hierarchy] names an unknown \
         attribute. A .hrc file has one code per line, with one @ per level of depth; any other file has lines of \
         the form category;parent;grandparent. Both are limited to 256 levels.",
    ),
    (
        "E0236",
        "Write the attributes once, either in the job or in domain; for data from standard input they are required. \
         A frechet job has data, or it has [[attribute]] tables and known numbers only. Anything that is published \
         from data requires the data.",
    ),
    (
        "E0237",
        "The size of some cell is unbounded: it is in no published number, and the population table is not known. \
         Publish the total with margins = [[]], or give a response.",
    ),
    (
        "E0238",
        "decide_on = \"public-sizes\" bases decisions on public numbers of people, and without a response no numbers \
         are public. Leave decide_on out, or write decide_on = \"robust\": the plan then uses the counts, and \
         withholds more until knowledge of the algorithm discloses nothing further. decide_on = \"counts\" retains \
         more, but its decisions disclose something about the counts, and the release states what was found.",
    ),
    (
        "E0239",
        "The noise for such a small budget exceeds the range of its integers, or the cost cannot be stated at this \
         delta. Give a larger epsilon or delta, or leave delta out.",
    ),
    (
        "E0240",
        "frechet diff takes two jobs about one population: the same attributes with the same labels in the same \
         order, a response in both or in neither, and the same disclosure rule and classes.",
    ),
    (
        "E0243",
        "A section of a run's job does not take this field. Fields that all parts share (title, data, count, \
         encoding, domain, [[attribute]]) belong at the top of the job; data and format belong there or in \
         [source], not in both; the budget, its neighbours and rows_per_person belong in [budget]. [screen] takes \
         the table as it is. [filtered] does not merge groups, because merged numbers are not comparable with exact \
         counts. [noisy] has one strategy per attribute, because the attacks use what each table measures \
         separately: strategy = \"joint\" is for `disclosure resplan` only.",
    ),
    (
        "E0244",
        "The parts of a run's job do not fit together. A job needs data, at least one of [exact], [filtered] and \
         [noisy], a [budget] if and only if something is noised, and max_rmse only with [noisy]. [filtered] counts \
         rows, so it cannot be combined with count.",
    ),
    (
        "E0245",
        "[filtered] draws its thresholds with a 32-byte secret key, which it reads from --secret-file; a job without \
         this section takes no key. --new-secret creates the file.",
    ),
    (
        "E0246",
        "A value in a job of `disclosure magnitude` is out of range. [rule] needs at least one of p_percent or \
         prior_posterior, dominance and min_frequency; shares are percentages with at most two decimals; coalition \
         is 1 or 2; ready lists as many of the largest contributions as the rule adds up, and one more than the \
         coalition. keep and total name labels of the axes.",
    ),
    (
        "E0248",
        "person names the column that identifies the person of a row, so that at most rows_per_person rows of each \
         person are counted in noisy tables; excess_rows decides what happens to further rows. It cannot be combined \
         with count, where a line stands for several rows, nor with options that concern all rows: epsilon in \
         [exact], and max_posterior.",
    ),
];
