//! The command line, and the specs of marginals, exact tables and runs.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
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
         marginals, with the objective sum-variance. {set = [\"age\"], max_sd = 5.0}, or max_sd = {\"age\" = 5.0} for the spec. \
         weights = \"equal-error\" takes no bounds: its errors are equal.",
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
         [[attribute]]) belongs at the top of the job, data and format there or in [source] and not in both; the budget, its neighbours and rows_per_person in [budget]; [screen] takes \
         the table as it is; and [filtered] does not merge groups, because merged numbers are not comparable with exact counts. [noisy] has a strategy \
         for each attribute, since the attacks are on what each table measures by itself: strategy = \"joint\" is for \
         `disclosure resplan` alone.",
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
        "E0246",
        "A job of `disclosure magnitude` is out of range. [rule] has at least one of p_percent or prior_posterior, dominance and \
         min_frequency; shares are percentages with at most two decimals; coalition is 1 or 2; ready lists as many of the largest \
         contributions as the rule adds up, and one more than the coalition. keep and total name labels of the axes.",
    ),
    (
        "E0248",
        "person names the column that says who has a row, so that at most rows_per_person rows of each are counted in noisy \
         tables; excess_rows says what becomes of the others. It goes neither with count, where a line stands for several \
         rows, nor with what is about all rows: epsilon in [exact], and max_posterior.",
    ),
];
