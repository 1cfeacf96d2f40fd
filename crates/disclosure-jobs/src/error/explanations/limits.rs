//! Limits of size, memory and work.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0611",
        "The release would need more answers, memory or planning time than the limit allows. These needs are \
         predicted before anything is computed. Request fewer or smaller marginals (a lower up_to, coarser bins), \
         categories instead of prefix sums or ranges, or raise --max-answers, --max-memory or --max-planning.",
    ),
    (
        "E0612",
        "The counts are too large for exact integer transforms, which must fit 62 bits: total times the cells of a \
         marginal. Request smaller marginals.",
    ),
    ("E0613", "The counts do not match the plan, or exceed what the machine can represent. Request smaller marginals."),
    (
        "E0614",
        "A specification, or a file that it names, is larger than 16 MiB, or a stored plan is larger than 1 GiB. \
         Neither should be that large; check the path.",
    ),
    (
        "E0621",
        "The table, its classes or its linear programs exceed the limits of the job, or the search reached its \
         limit. Use fewer or coarser attributes, classes = \"pairs\" or \"cells\", or raise the limit that the \
         message names in [limits]: steps, nodes, super_cells, rows or classes.",
    ),
    ("E0622", "A number is above 2^53, or the sum of all cells could exceed 2^62. Count in larger units."),
    (
        "E0624",
        "One strategy measures all attributes together, and there are too many people for its answers to be exact: \
         rounding would shift some answers by more than a hundredth of their standard deviation. Plan with strategy \
         = \"automatic\", or count in larger units.",
    ),
    (
        "E0631",
        "The model has too many different columns or orders for the memory or time limit; the message gives the \
         amount. Name fewer columns, round frequencies to fewer distinct values, or leave max_order out.",
    ),
    (
        "E0632",
        "The table has too many queries that release something, or too many rows for the memory limit; the message \
         gives the amount. Set max_order, raise suppress_below, name fewer known columns, or raise --max-visits or \
         --max-memory.",
    ),
    (
        "E0635",
        "The simulated release would have more entries (rows times released tables) than --max-entries allows. Lower \
         max_order, simulate fewer rows, or raise --max-entries; an entry takes about 40 bytes.",
    ),
    (
        "E0636",
        "The simulated attacks together would take too long, as estimated from rows, released tables and trials. \
         Request fewer trials, a smaller max_order or fewer rows.",
    ),
    (
        "E0640",
        "A magnitude table is too large: more than 2^20 cells including all totals, more than 2^25 rows, or linear \
         programs with more than 40 million coefficients (withheld cells times totals that contain one); or a linear \
         program reached its limit of steps. Use fewer or coarser axes; steps in the job raises the last limit.",
    ),
    (
        "E0641",
        "The counts would take more memory than --max-memory, a full table would have more than 20 columns, or the \
         schema has more than 65,536 columns. Keep a lower order, give features fewer values, or raise the limit.",
    ),
    ("E0642", "There are more than 2^53 reports in total. Compute estimates from parts of them."),
    (
        "E0643",
        "A file with more than 128 relevant columns is read into memory, and this one is larger than 1 GiB. Split \
         it, or remove columns.",
    ),
    (
        "E0645",
        "The number of sets exceeds the limit of one answer. Request a smaller --order, or list the sets that you \
         need with --sets.",
    ),
    (
        "E0646",
        "A set has more than 20 columns (2^20 counts), or the covariance of more than 2000 sets was requested (four \
         million numbers). List fewer columns or sets with --sets.",
    ),
    (
        "E0647",
        "The simulation would take more than 10^11 steps: of reports, the number of trials times what is drawn (rows \
         times columns), counted (every stored set or combination) and estimated; of marginals, the number of trials \
         times the answers. Request fewer trials, sets or tables, or keep a lower order.",
    ),
    (
        "E0648",
        "The estimates would take more than 10^11 steps, as predicted before they are computed: a set of k columns \
         needs 2^k counts, each of them a pass over all reports if the state keeps reports; --covariance needs the \
         counts of every pair of sets, and --feasible up to 2000 iterations per set. List fewer or smaller sets with \
         --sets.",
    ),
    (
        "E0651",
        "There are more groups than the limit allows. In a table with that many groups, few would be shown. Group by \
         fewer or coarser columns, or raise groups in [limits].",
    ),
    (
        "E0652",
        "The labels and entities of all groups would take more memory than the limit, as predicted before it was \
         allocated. Group by fewer or coarser columns, lower the mean, or raise mebibytes in [limits].",
    ),
    (
        "E0654",
        "The search would evaluate more than 500,000,000 group sizes: three times max_mean, times mean_steps and \
         sd_steps. Lower one of them; steps of a tenth up to a mean of 100 give 100,000,000.",
    ),
    (
        "E0655",
        "With these parameters, only groups of more than 65,536 entities would be certain to be reported, and that \
         many entities would have to be stored per group. Lower the mean or the spread; for optimal selection, raise \
         epsilon or delta.",
    ),
    (
        "E0661",
        "A run reads its data once and keeps the file in memory, because every part counts the same rows. The file, \
         or the text of a sheet, is larger than --max-memory. Raise the limit, or run the parts separately: frechet, \
         lcf and resplan read row by row. A workbook is also refused above 256 MiB, 2 GiB unpacked or 1,048,576 rows, \
         and where it unpacks to far more than sheets do, and the rows of a query or a view of a database above 4 GiB; \
         a ledger, a registry, stored answers or a memory of reports is not written where it would be too large to be \
         read again. No option changes that.",
    ),
    (
        "E0671",
        "The page would be too large to read: more than 10,000 files, or more than 16 MiB of table lines. Show fewer \
         lines of each table with --max-lines; the files contain the rest. A record of more than 64 MiB is refused \
         as well.",
    ),
    (
        "E0672",
        "The Arrow stream of a data frame or a relation ended with an error in the program that produces it. Its own \
         message can contain values of the data and is not repeated. Collect the table first, and pass the result.",
    ),
    (
        "E0673",
        "A column of an Arrow table has a type that cannot be categorised, such as a timestamp, a list or bytes. \
         Cast it to strings, numbers or dates, or leave the column out of the job.",
    ),
    (
        "E0674",
        "A column was given as codes with their texts, and a code has no text. Codes are positions in the list of \
         texts, starting at 0.",
    ),
    (
        "E0681",
        "Synthetic rows are drawn from tables over all attributes that the planned marginals connect: if the pairs \
         of a, b and c form a ring, all three are in one table. The message names the attributes of the largest \
         table. Raise --max-cells, plan fewer or smaller marginals, or use --choose to keep the most informative \
         ones that fit, or --weight to weight people simulated from these until all planned marginals fit.",
    ),
];
