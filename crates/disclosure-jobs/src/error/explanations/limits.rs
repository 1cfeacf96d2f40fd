//! Limits of size, memory and work.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0611",
        "The release would take more numbers, memory or time for planning than the limit. What it takes is predicted \
         before anything is computed. Ask for fewer or smaller marginals (a lower up_to, coarser bins), for categories \
         in the place of prefix sums or ranges, or raise --max-answers, --max-memory or --max-planning.",
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
         [limits]: steps, nodes, super_cells, rows, classes.",
    ),
    ("E0622", "A number is above 2^53, or all cells together could hold more than 2^62. Count in larger units."),
    (
        "E0624",
        "One strategy measures all attributes together, and there are more people than its answers are exact for: rounding \
         would take some of them further off than a hundredth of their standard deviation. Plan with \
         strategy = \"automatic\", or count in larger units.",
    ),
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
        "E0640",
        "A table of amounts is too large: more than 2^20 cells with all totals, more than 2^25 rows, or linear programs of more than 40 \
         million coefficients (withheld cells times totals that have one); or a linear program reached its limit of steps. Use fewer or \
         coarser axes; steps in the job raises the last.",
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
    (
        "E0672",
        "The Arrow stream of a data frame or a relation ended with an error of the program that makes it. Its own message may \
         hold values of the data and is not repeated. Collect the table there first, and hand over the result.",
    ),
    (
        "E0673",
        "A column of an Arrow table has a type without categories, such as a time stamp, a list or bytes. Cast it to strings, \
         numbers or days, or leave the column out of the job.",
    ),
    (
        "E0674",
        "A column was given as codes with their texts, and a code has no text. Codes are positions among the texts, from 0.",
    ),
    (
        "E0681",
        "Synthetic rows come from tables over all attributes that the planned marginals join: pairs of a, b and c in a ring join \
         all three. The message names the attributes of the largest. Raise --max-cells, plan fewer or smaller marginals, or let \
         --choose keep those that say most and fit.",
    ),
];
