//! What the statement of an exact release says is true of every table consistent with it, and
//! each sentence is printed under its condition alone.

use disclosure::frechet::{DisclosureRule, Scope};
use disclosure_jobs::JobError;
use disclosure_jobs::exact::{
    Circumstances, Condition, DecisionData, DisclosureTarget, Job, Place, ReleaseDocument, SENTENCES,
};
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::observer::Silent;
use disclosure_jobs::sink::MemorySink;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Published counts, each with its cells.
type Counts = Vec<(Vec<usize>, u64)>;

const BETA: f64 = 0.1;
const TAU: i64 = 1;
const KAPPA: u64 = 3;

/// A table of 2 x 3 cells: who is counted, and all people where there is a response.
struct World {
    counts: [u64; 6],
    people: Option<[u64; 6]>,
}

/// The cells of every class of the table: rows, columns, cells.
fn classes() -> Vec<Vec<usize>> {
    let rows = (0..2).map(|row| (0..3).map(|column| 3 * row + column).collect());
    let columns = (0..3).map(|column| vec![column, 3 + column]);
    rows.chain(columns).chain((0..6).map(|cell| vec![cell])).collect()
}

impl World {
    fn draw(rng: &mut ChaCha20Rng) -> Self {
        let mut below = |end: u64| rng.next_u64() % end;
        if below(2) == 0 {
            return Self { counts: [0; 6].map(|_: u64| below(9)), people: None };
        }
        let people = [0; 6].map(|_: u64| 3 + below(6));
        Self { counts: people.map(|people| below(people + 1)), people: Some(people) }
    }

    /// The data as lines of microdata.
    fn csv(&self) -> String {
        let mut text = "a,b,answer\n".to_owned();
        for (cell, &count) in self.counts.iter().enumerate() {
            let line = |answer: &str| format!("{},{},{answer}\n", ["x", "y"][cell / 3], ["p", "q", "r"][cell % 3]);
            text += &line("yes").repeat(usize::try_from(count).unwrap());
            let others = self.people.map_or(0, |people| people[cell] - count);
            text += &line("no").repeat(usize::try_from(others).unwrap());
        }
        text
    }

    fn release(&self, target: &str, basis: &str) -> Result<(ReleaseDocument, Counts), JobError> {
        let response = match self.people {
            Some(_) => format!("response = {{ column = \"answer\", value = \"yes\" }}\nbeta = {BETA}\n"),
            None => String::new(),
        };
        let spec = format!(
            "data = \"d.csv\"\nmargins = [[\"a\"], [\"b\"], [\"a\", \"b\"]]\ntau = {TAU}\nkappa = {KAPPA}\n\
             target = \"{target}\"\ndecide_on = \"{basis}\"\n{response}\
             [[attribute]]\nname = \"a\"\nlabels = [\"x\", \"y\"]\n\
             [[attribute]]\nname = \"b\"\nlabels = [\"p\", \"q\", \"r\"]\n"
        );
        let source = CsvSource::bytes("d.csv", self.csv().into_bytes());
        let planned = Job::parse(&spec, "test", &MemoryFiles::default())?.plan(&source, &Silent)?;
        let mut sink = MemorySink::default();
        let record = planned.release(&mut ChaCha20Rng::from_seed([1; 32]))?.write(&mut sink)?;
        let mut published = Vec::new();
        for file in record.files.iter().filter_map(|file| file.name.as_ref().map(|name| (name, file))) {
            let text = String::from_utf8(sink.files()[file.0].clone()).unwrap();
            for line in text.lines().skip(1) {
                let fields: Vec<&str> = line.split(',').collect();
                let (labels, rest) = fields.split_at(file.1.attributes.len());
                if let Ok(count) = rest[0].parse() {
                    published.push((cells(&file.1.attributes, labels), count));
                }
            }
        }
        Ok((record, published))
    }
}

/// The cells with these labels; a label may be several, joined by ` + `, or `all`.
fn cells(attributes: &[String], labels: &[&str]) -> Vec<usize> {
    let is_in = |cell: usize| {
        attributes.iter().zip(labels).all(|(attribute, label)| {
            let own = if attribute == "a" { ["x", "y"][cell / 3] } else { ["p", "q", "r"][cell % 3] };
            *label == "all" || label.split(" + ").any(|label| label == own)
        })
    };
    (0..6).filter(|&cell| is_in(cell)).collect()
}

/// Every table with the published counts, within the people there are.
fn fiber(published: &[(Vec<usize>, u64)], people: Option<[u64; 6]>) -> Vec<[u64; 6]> {
    let mut found = Vec::new();
    let most = people.unwrap_or([published.iter().map(|(_, count)| *count).max().unwrap_or(0); 6]);
    extend(&mut [0; 6], 0, &most, published, &mut found);
    found
}

fn extend(
    table: &mut [u64; 6],
    cell: usize,
    most: &[u64; 6],
    published: &[(Vec<usize>, u64)],
    found: &mut Vec<[u64; 6]>,
) {
    let sum = |cells: &[usize], table: &[u64; 6]| cells.iter().map(|&cell| table[cell]).sum::<u64>();
    let fits = |(cells, count): &(Vec<usize>, u64)| match cells.iter().all(|&own| own < cell) {
        true => sum(cells, table) == *count,
        false => cells.iter().filter(|&&own| own < cell).map(|&own| table[own]).sum::<u64>() <= *count,
    };
    if !published.iter().all(fits) {
        return;
    }
    if cell == 6 {
        found.push(*table);
        return;
    }
    for count in 0..=most[cell] {
        table[cell] = count;
        extend(table, cell + 1, most, published, found);
    }
    table[cell] = 0;
}

/// Whether a sentence of the guarantee is true, by brute force.
fn is_true(words: &str, fiber: &[[u64; 6]], published: &[(Vec<usize>, u64)], people: Option<[u64; 6]>) -> bool {
    let sum = |table: &[u64; 6], cells: &[usize]| cells.iter().map(|&cell| table[cell]).sum::<u64>();
    let range = |cells: &[usize]| {
        let sums = || fiber.iter().map(|table| sum(table, cells));
        (i64::try_from(sums().min().unwrap()).unwrap(), i64::try_from(sums().max().unwrap()).unwrap())
    };
    let peopled = |cells: &[usize]| people.map(|people| sum(&people, cells));
    let rates = |cells: &[usize]| {
        let (least, most) = range(cells);
        let people = peopled(cells).unwrap() as f64;
        (least as f64 / people, 1.0 - most as f64 / people)
    };
    let classes: Vec<Vec<usize>> = classes().into_iter().filter(|class| peopled(class) != Some(0)).collect();
    match words {
        w if w.starts_with("in every table consistent with the release, every class") => classes.iter().all(|class| {
            let (least, rest) = rates(class);
            least >= BETA - 1e-9 && rest >= BETA - 1e-9 && peopled(class).unwrap() >= KAPPA
        }),
        w if w.starts_with("no class in scope that is not itself published") => classes.iter().all(|class| {
            let is_published = published.iter().any(|(cells, _)| cells == class) || is_sum(class, published);
            let (least, most) = range(class);
            is_published || most - least > TAU
        }),
        w if w.starts_with("no class in scope has a rate") => classes.iter().all(|class| {
            let (least, most) = range(class);
            let people = peopled(class).unwrap() as f64;
            most as f64 / people >= BETA - 1e-9 && 1.0 - least as f64 / people >= BETA - 1e-9
        }),
        w if w.starts_with("every count that is published exactly is about a group without people") => {
            published.iter().all(|(cells, count)| {
                let people = peopled(cells).unwrap();
                let rate = *count as f64 / people as f64;
                people == 0 || people >= KAPPA && (BETA - 1e-9..=1.0 - BETA + 1e-9).contains(&rate)
            })
        }
        w if w.starts_with("every count that is published exactly is 0") => {
            published.iter().all(|&(_, count)| count == 0 || count >= KAPPA)
        }
        _ => panic!("a sentence without a check: {words}"),
    }
}

/// Whether published counts that share nobody add up to the class.
fn is_sum(class: &[usize], published: &[(Vec<usize>, u64)]) -> bool {
    let covers = |length: usize| {
        let parts = published.iter().filter(|(cells, _)| cells.len() == length);
        let within = parts.filter(|(cells, _)| cells.iter().all(|cell| class.contains(cell)));
        let mut covered: Vec<usize> = within.flat_map(|(cells, _)| cells.clone()).collect();
        covered.sort_unstable();
        covered == class
    };
    (1..=6).any(covers)
}

#[test]
fn what_a_statement_says_holds_in_every_table_consistent_with_the_release() {
    let mut rng = ChaCha20Rng::from_seed([16; 32]);
    let mut seen = std::collections::BTreeSet::new();
    let even = World { counts: [4; 6], people: Some([8; 6]) };
    let drawn: Vec<World> = (0..90).map(|_| World::draw(&mut rng)).collect();
    for world in drawn.into_iter().chain([even]) {
        let is_certified = world.people.is_some() && (rng.next_u64() % 4 == 0 || world.counts == [4; 6]);
        let target = if is_certified { "certified" } else { "undisclosed" };
        let basis = if world.people.is_some() && rng.next_u64() % 2 == 0 { "public-sizes" } else { "counts" };
        let Ok((record, published)) = world.release(target, basis) else { continue };
        let fiber = fiber(&published, world.people);
        assert!(fiber.contains(&world.counts));
        for words in record.promise.guarantee.split("; ") {
            assert!(is_true(words, &fiber, &published, world.people), "{words}: {published:?} of {:?}", world.counts);
            seen.insert(words.to_owned());
        }
    }
    let said = SENTENCES.iter().filter(|sentence| sentence.place == Place::Guarantee).count();
    assert_eq!(seen.len(), said, "every sentence was put to the test: {seen:?}");
}

#[test]
fn a_department_of_one_mind_is_not_said_to_be_mixed() {
    let department = World { counts: [100, 0, 0, 40, 30, 30], people: None };
    let (record, published) = department.release("undisclosed", "counts").unwrap();
    assert!(published.contains(&(vec![0, 1, 2], 100)), "the department of one mind is published");
    assert!(record.policy.beta.is_none());
    assert!(!record.promise.guarantee.contains("rate") && !record.promise.guarantee.contains("one side"));
    assert!(record.not_covered.iter().any(|words| words.starts_with("whether everyone in a group is alike")));
}

#[test]
fn each_sentence_is_printed_under_its_condition_alone() {
    use DisclosureTarget::{Certified, Undisclosed};
    let rule = DisclosureRule::new(1, 0.3, 5, Scope::All).unwrap();
    for (target, has_rates) in [(Certified, true), (Undisclosed, true), (Undisclosed, false)] {
        for basis in [DecisionData::PublicSizes, DecisionData::Counts, DecisionData::Private] {
            for has_noise in [false, true] {
                let case = Circumstances { rule, target, has_rates, basis, has_noise };
                let printed: Vec<String> =
                    case.sentences(Place::Guarantee).chain(case.sentences(Place::NotCovered)).collect();
                for sentence in &SENTENCES {
                    let is_due = sentence.when.iter().all(|condition| match condition {
                        Condition::Certified => target == Certified,
                        Condition::Undisclosed => target == Undisclosed,
                        Condition::Rates => has_rates,
                        Condition::NoRates => !has_rates,
                        Condition::OnCounts => basis == DecisionData::Counts,
                        Condition::Noise => has_noise,
                        Condition::Private => basis == DecisionData::Private,
                    });
                    assert_eq!(printed.contains(&sentence.with_rule(&rule)), is_due, "{}", sentence.words);
                }
            }
        }
    }
}

fn texts(width: u64, margin: f64) -> Vec<String> {
    let rule = DisclosureRule::new(width, margin, 5, Scope::All).unwrap();
    SENTENCES.iter().map(|sentence| sentence.with_rule(&rule)).collect()
}

#[test]
fn a_sentence_has_the_numbers_of_its_rule() {
    let exact = texts(0, 0.3);
    assert!(exact.iter().all(|text| !text.contains(['{', '}'])), "{exact:?}");
    assert!(exact[0].ends_with("a rate between 0.3 and 0.7, and at least 5 people"), "{}", exact[0]);
    assert!(
        exact[1].contains("is known exactly: ") && exact[1].ends_with("have different counts for it"),
        "{}",
        exact[1]
    );
    let wide = &texts(4, 0.1)[1];
    assert!(wide.contains("is known to within 4: ") && wide.ends_with("differ by more than 4"), "{wide}");
}

#[test]
fn what_leaves_holds_no_digest_of_what_the_job_calls_known() {
    let world = World { counts: [20; 6], people: None };
    let (record, _) = world.release("undisclosed", "counts").unwrap();
    assert!(!serde_json::to_string(&record).unwrap().contains("spec_sha256"));
}
