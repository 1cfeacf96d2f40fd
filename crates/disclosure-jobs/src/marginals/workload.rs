//! Which marginals a spec asks for, and how much each of them counts.
//!
//! ```text
//! up_to = 2                                              every set of at most two attributes
//! marginals = [["age"], {exactly = 2, with = ["age"]}]   sets and families of sets
//! weights = "equal-error"                                one error for all tables
//! max_sd = {"" = 5.0}                                    a bound for the total
//! ```

use std::collections::BTreeMap;

use disclosure::privacy_core::param::StdDev;
use disclosure::privacy_core::{AttrSet, Domain};
use disclosure::resplan::{Objective, PlanLimits, QueryBasis, SetFamily, Workload};
use privacy_data::fields_of_line;
use serde::Deserialize;

use crate::error::JobError;
use crate::input::domain_error;

/// Most tables that a family of sets may have; also what weights by table are written for.
const MOST_TABLES: f64 = 1e6;

/// A set, or a family of sets.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected [\"age\", \"sex\"], {set = [\"age\"], weight = 2.0, max_sd = 5.0} or \
                 {exactly = 2, with = [\"age\"], most_cells = 10000}"
)]
pub(crate) enum MarginalSpec {
    Set(Vec<String>),
    Detailed {
        set: Vec<String>,
        weight: Option<f64>,
        /// No answer may have a larger standard deviation, in counts.
        max_sd: Option<f64>,
    },
    Family {
        /// Every set of at most this many attributes.
        up_to: Option<usize>,
        /// Every set of this many attributes. Without either, of any number.
        exactly: Option<usize>,
        /// Attributes that every set has.
        #[serde(default)]
        with: Vec<String>,
        /// Attributes that a set may have besides; all by default. `"hierarchies"` stands for
        /// those with a hierarchical basis.
        among: Option<AmongSpec>,
        /// The most cells of a table.
        most_cells: Option<f64>,
        weight: Option<f64>,
        /// No answer may have a larger standard deviation, in counts.
        max_sd: Option<f64>,
    },
}

/// The attributes of a family.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected [\"age\", \"sex\"] or \"hierarchies\"")]
pub(crate) enum AmongSpec {
    Named(NamedAttributes),
    Listed(Vec<String>),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NamedAttributes {
    Hierarchies,
}

/// How much each table counts.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected \"equal-error\", \"by-cells\", \"by-tables\" or {\"age\" = 4, \"age,sex\" = 1}"
)]
pub(super) enum WeightsSpec {
    Named(WeightsName),
    Listed(BTreeMap<String, f64>),
}

/// How much each table counts, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WeightsName {
    /// All tables have the same root mean square error, except tables that cannot be made worse
    /// to the benefit of others.
    EqualError,
    /// Every answer counts alike, a table as much as it has answers: the default.
    ByCells,
    /// Every table counts alike, by the mean variance of its answers.
    ByTables,
}

/// What is asked for, and what is made small.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) workload: Workload,
    pub(super) bounds: Vec<(AttrSet, StdDev)>,
    pub(super) objective: Objective,
}

/// The keys of a spec that say what is asked for.
pub(super) struct WorkloadKeys<'a> {
    pub(super) marginals: Option<&'a [MarginalSpec]>,
    pub(super) up_to: Option<usize>,
    pub(super) weights: Option<&'a WeightsSpec>,
    pub(super) max_sd: &'a BTreeMap<String, f64>,
    /// `None` where the spec does not say.
    pub(super) objective: Option<Objective>,
}

impl WorkloadKeys<'_> {
    /// The workload over `domain`, with these bases.
    ///
    /// # Errors
    /// E0211 for keys that do not go together; E0221 to E0224 and E0229 for what is wrong with
    /// one of them; E0611 for too many tables.
    pub(super) fn asked(&self, domain: &Domain, bases: &[QueryBasis]) -> Result<Asked, JobError> {
        let listed = match (self.marginals, self.up_to) {
            (None, Some(order)) => Listed { workload: Workload::UpTo(order), bounds: Vec::new() },
            (Some(marginals), None) => Listed::of(marginals, domain, bases)?,
            _ => return Err(JobError::new("E0211", "give either marginals = [[\"age\"]] or up_to = 2")),
        };
        let objective = self.objective.unwrap_or_default();
        let asked = Asked { workload: listed.workload, bounds: listed.bounds, objective };
        let asked = match self.weights {
            None => asked,
            Some(WeightsSpec::Named(name)) => {
                if self.objective.is_some() {
                    let message = "weights by name replace objective: leave objective out";
                    return Err(JobError::new("E0211", message));
                }
                asked.weighted(*name, domain, bases)?
            }
            Some(WeightsSpec::Listed(weights)) => asked.with_weights(weights, domain, bases)?,
        };
        asked.with_bounds(self.max_sd, domain, bases)
    }
}

/// The sets that a spec asks for, each with its weight: `marginals`, or every set `up_to` a number
/// of attributes. About categories alone.
pub(crate) fn listed_sets(
    marginals: Option<&[MarginalSpec]>,
    up_to: Option<usize>,
    domain: &Domain,
) -> Result<Vec<(AttrSet, f64)>, JobError> {
    let bases = vec![QueryBasis::Identity; domain.len()];
    let keys = WorkloadKeys { marginals, up_to, weights: None, max_sd: &BTreeMap::new(), objective: None };
    let asked = keys.asked(domain, &bases)?;
    match asked.bounds.is_empty() {
        true => asked.sets(domain, &bases),
        false => {
            Err(JobError::new("E0229", "max_sd is only used by resplan; here the noise depends on earlier rounds"))
        }
    }
}

impl Asked {
    /// The same tables, counted as `name` says; weights of single tables are factors.
    pub(super) fn weighted(self, name: WeightsName, domain: &Domain, bases: &[QueryBasis]) -> Result<Self, JobError> {
        match name {
            WeightsName::ByCells => Ok(Self { objective: Objective::SumVariance, ..self }),
            WeightsName::EqualError => Ok(Self { objective: Objective::EqualError, ..self }),
            WeightsName::ByTables => {
                let sets = self.sets(domain, bases)?.into_iter();
                let sets = sets.map(|(set, weight)| (set, weight / answers(set, domain, bases)));
                let workload = Workload::Sets(sets.collect());
                Ok(Self { workload, objective: Objective::SumVariance, ..self })
            }
        }
    }

    fn sets(&self, domain: &Domain, bases: &[QueryBasis]) -> Result<Vec<(AttrSet, f64)>, JobError> {
        Ok(self.workload.sets(domain, bases, &listing())?)
    }

    fn with_weights(
        self,
        weights: &BTreeMap<String, f64>,
        domain: &Domain,
        bases: &[QueryBasis],
    ) -> Result<Self, JobError> {
        let mut sets = self.sets(domain, bases)?;
        for (names, weight) in weights {
            let place = planned(names, "weights", &sets, domain)?;
            sets[place].1 *= weight;
        }
        Ok(Self { workload: Workload::Sets(sets), ..self })
    }

    fn with_bounds(
        mut self,
        max_sd: &BTreeMap<String, f64>,
        domain: &Domain,
        bases: &[QueryBasis],
    ) -> Result<Self, JobError> {
        if max_sd.is_empty() {
            return Ok(self);
        }
        let sets = self.sets(domain, bases)?;
        for (names, sd) in max_sd {
            let set = sets[planned(names, "max_sd", &sets, domain)?].0;
            if self.bounds.iter().any(|(bounded, _)| *bounded == set) {
                return Err(JobError::new("E0229", format!("max_sd: the marginal {names:?} has two bounds")));
            }
            self.bounds.push((set, bound(*sd)?));
        }
        Ok(self)
    }
}

/// Where a table of a key such as `"age,sex"` is in the workload. `""` is the total.
fn planned(names: &str, key: &str, sets: &[(AttrSet, f64)], domain: &Domain) -> Result<usize, JobError> {
    let fields = match names {
        "" => Vec::new(),
        _ => fields_of_line(names).map_err(|error| JobError::new("E0222", format!("{key}: {error}")))?,
    };
    let set = domain.set_of(&fields).map_err(|error| domain_error("E0222", domain, &error).in_section(key))?;
    let place = sets.iter().position(|(planned, _)| *planned == set);
    place.ok_or_else(|| {
        JobError::new("E0222", format!("{key}: {names:?} is not one of the marginals in this specification"))
    })
}

fn bound(sd: f64) -> Result<StdDev, JobError> {
    StdDev::new(sd).map_err(|error| JobError::new("E0229", format!("max_sd: {error}")))
}

fn answers(set: AttrSet, domain: &Domain, bases: &[QueryBasis]) -> f64 {
    set.iter().map(|attribute| bases[attribute].queries(domain.cardinality(attribute)) as f64).product()
}

/// The limits of a list of tables: planning has its own for everything else.
fn listing() -> PlanLimits {
    PlanLimits { marginals: MOST_TABLES, ..PlanLimits::unlimited() }
}

/// The tables of a list, each once.
struct Listed {
    workload: Workload,
    bounds: Vec<(AttrSet, StdDev)>,
}

impl Listed {
    fn of(marginals: &[MarginalSpec], domain: &Domain, bases: &[QueryBasis]) -> Result<Self, JobError> {
        let mut sets: Vec<(AttrSet, f64)> = Vec::with_capacity(marginals.len());
        let mut places: BTreeMap<AttrSet, usize> = BTreeMap::new();
        let mut bounds: BTreeMap<AttrSet, StdDev> = BTreeMap::new();
        // Sets that are written out come first: their weights and bounds are meant for them.
        for marginal in marginals {
            let (names, weight, max_sd) = match marginal {
                MarginalSpec::Set(names) => (names, None, None),
                MarginalSpec::Detailed { set, weight, max_sd } => (set, *weight, *max_sd),
                MarginalSpec::Family { .. } => continue,
            };
            let set = set_of(names, domain)?;
            if places.insert(set, sets.len()).is_some() {
                return Err(JobError::new("E0223", format!("the marginal {names:?} is listed twice")));
            }
            sets.push((set, weight.unwrap_or(1.0)));
            if let Some(sd) = max_sd {
                bounds.insert(set, bound(sd)?);
            }
        }
        for family in marginals {
            let MarginalSpec::Family { weight, max_sd, .. } = family else { continue };
            let max_sd = max_sd.map(bound).transpose()?;
            for set in family.family(domain, bases)? {
                if places.contains_key(&set) {
                    continue;
                }
                places.insert(set, sets.len());
                sets.push((set, weight.unwrap_or(1.0)));
                bounds.extend(max_sd.map(|sd| (set, sd)));
            }
        }
        let bounds = sets.iter().filter_map(|(set, _)| bounds.get(set).map(|sd| (*set, *sd))).collect();
        Ok(Self { workload: Workload::Sets(sets), bounds })
    }
}

impl MarginalSpec {
    /// The sets of a family; none for what is not one.
    fn family(&self, domain: &Domain, bases: &[QueryBasis]) -> Result<Vec<AttrSet>, JobError> {
        let Self::Family { up_to, exactly, with, among, most_cells, .. } = self else { return Ok(Vec::new()) };
        let sizes = match (up_to, exactly) {
            (Some(_), Some(_)) => {
                return Err(JobError::new("E0211", "a family takes either up_to or exactly, not both"));
            }
            (Some(most), None) => 0..=*most,
            (None, Some(size)) => *size..=*size,
            (None, None) => 0..=domain.len(),
        };
        let among = match among {
            None => domain.all(),
            Some(AmongSpec::Listed(names)) => set_of(names, domain)?,
            Some(AmongSpec::Named(NamedAttributes::Hierarchies)) => hierarchies(bases),
        };
        let family =
            SetFamily { sizes, with: set_of(with, domain)?, among, most_cells: most_cells.unwrap_or(f64::INFINITY) };
        Ok(family.sets(domain, &listing())?)
    }
}

fn hierarchies(bases: &[QueryBasis]) -> AttrSet {
    (0..bases.len()).filter(|&attribute| is_hierarchy(&bases[attribute])).collect()
}

fn is_hierarchy(basis: &QueryBasis) -> bool {
    match basis {
        QueryBasis::Hierarchical(_) => true,
        QueryBasis::Weighted(basis, _) => is_hierarchy(basis),
        _ => false,
    }
}

fn set_of(names: &[String], domain: &Domain) -> Result<AttrSet, JobError> {
    domain.set_of(names).map_err(|error| domain_error("E0222", domain, &error))
}

#[cfg(test)]
mod tests {
    use crate::error::JobError;
    use crate::input::MemoryFiles;
    use crate::limits::Limits;
    use crate::marginals::{Job, PlanDocument, WeightsName};
    use crate::observer::Silent;

    const REST: &str = r#"
        neighbours = "add-remove"
        privacy = { rho = 0.5 }
        attribute = [
            { name = "age", size = 9 },
            { name = "sex", labels = ["f", "m"] },
            { name = "region", size = 4, basis = "hierarchical" },
            { name = "trade", size = 8, basis = "hierarchical" },
        ]
    "#;

    fn job(keys: &str) -> Result<Job, JobError> {
        Job::parse(&format!("{keys}\n{REST}"), &MemoryFiles::default())
    }

    fn document(job: Job) -> PlanDocument {
        job.plan(&Limits::default(), &Silent).unwrap().document()
    }

    fn plan(keys: &str) -> PlanDocument {
        document(job(keys).unwrap())
    }

    fn tables(keys: &str) -> Vec<String> {
        plan(keys).marginals.iter().map(|table| table.attributes.join(",")).collect()
    }

    fn sd(plan: &PlanDocument, name: &str) -> f64 {
        plan.marginals.iter().find(|table| table.attributes.join(",") == name).unwrap().sd
    }

    fn code(keys: &str) -> String {
        match job(keys).and_then(|job| job.plan(&Limits::default(), &Silent)) {
            Ok(_) => "none".to_owned(),
            Err(error) => error.code().to_owned(),
        }
    }

    #[test]
    fn equal_error_gives_every_table_the_same_error() {
        for order in [1, 2, 4] {
            let plan = plan(&format!("up_to = {order}\nweights = \"equal-error\""));
            let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
            for table in &plan.marginals {
                (low, high) = (low.min(table.sd), high.max(table.sd));
            }
            assert!(high - low < 1e-9 * high, "order {order}: {low} to {high}");
            assert_eq!(plan.objective, "equal-error");
            assert!(plan.pcost <= 1.0 && plan.pcost > 1.0 - 1e-8);
        }
        // The default leaves the total with several times the error of the largest table.
        let default = plan("up_to = 4");
        assert!(sd(&default, "") > 2.0 * sd(&default, "age,sex,region,trade"), "{}", sd(&default, ""));
        let compared = document(job("up_to = 4").unwrap().with_weights(WeightsName::EqualError).unwrap());
        assert_eq!(compared.marginals, plan("up_to = 4\nweights = \"equal-error\"").marginals);
    }

    #[test]
    fn weights_by_table_are_factors_and_by_cells_is_the_default() {
        assert_eq!(plan("up_to = 2\nweights = \"by-cells\"").marginals, plan("up_to = 2").marginals);
        let by_tables = plan("up_to = 2\nweights = \"by-tables\"");
        assert!(sd(&by_tables, "") < sd(&plan("up_to = 2"), ""));
        let weight = |name: &str| by_tables.marginals.iter().find(|t| t.attributes.join(",") == name).unwrap().weight;
        assert_eq!((weight(""), weight("age,sex")), (1.0, 1.0 / 18.0));
        let listed = plan("up_to = 1\nweights = {\"age\" = 4, \"\" = 100}");
        let written = plan(
            "marginals = [{set = [], weight = 100}, {set = [\"age\"], weight = 4}, [\"sex\"], [\"region\"], [\"trade\"]]",
        );
        assert_eq!(listed.marginals, written.marginals);
        // A factor in a plan of equal errors: four times the weight is half the error.
        let halved = plan(
            "marginals = [{set = [], weight = 4}, [\"age\"], [\"sex\"], [\"age\", \"sex\"]]\nweights = \"equal-error\"",
        );
        assert!((2.0 * sd(&halved, "") / sd(&halved, "age,sex") - 1.0).abs() < 1e-9);
    }

    #[test]
    fn targets_are_kept_and_the_one_that_binds_has_no_room_to_spare() {
        let free = plan("up_to = 2");
        let target = 0.6 * sd(&free, "");
        let bounded = plan(&format!("up_to = 2\nmax_sd = {{\"\" = {target:?}}}"));
        assert!(
            sd(&bounded, "") <= target && sd(&bounded, "") > target * (1.0 - 1e-5),
            "{}",
            sd(&bounded, "") / target
        );
        let also = plan(&format!("marginals = [{{set = [], max_sd = {target:?}}}, {{up_to = 2}}]"));
        assert_eq!(also.marginals, bounded.marginals);
        let loose = plan(&format!("up_to = 2\nmax_sd = {{\"\" = {target:?}, \"age,sex\" = 1000.0}}"));
        assert!(sd(&loose, "") <= target && (loose.rmse / bounded.rmse - 1.0).abs() < 1e-5);
    }

    #[test]
    fn families_stand_for_their_sets() {
        let age = ["age,sex", "age,region", "age,trade"];
        assert_eq!(tables("marginals = [{exactly = 2, with = [\"age\"]}]"), age);
        assert_eq!(tables("marginals = [[\"age\", \"sex\"], {exactly = 2, with = [\"age\"]}]"), age);
        assert_eq!(tables("marginals = [{exactly = 2, among = \"hierarchies\"}]"), ["region,trade"]);
        assert_eq!(tables("marginals = [{up_to = 1, among = [\"sex\", \"age\"]}]"), ["", "age", "sex"]);
        assert_eq!(tables("marginals = [{most_cells = 8}]"), ["", "sex", "region", "trade", "sex,region"]);
    }

    #[test]
    fn keys_that_do_not_go_together_are_refused() {
        for (keys, want) in [
            ("up_to = 2\nweights = \"equal-error\"\nobjective = \"sum-variance\"", "E0211"),
            ("up_to = 2\nweights = \"equal-error\"\nmax_sd = {\"age\" = 5.0}", "E0229"),
            ("up_to = 2\nweights = \"fair\"", "E0210"),
            ("up_to = 1\nweights = {\"age,sex\" = 2}", "E0222"),
            ("up_to = 1\nweights = {\"height\" = 2}", "E0222"),
            ("up_to = 1\nweights = {\"age\" = 0}", "E0224"),
            ("up_to = 1\nmax_sd = {\"age\" = -1.0}", "E0229"),
            ("up_to = 1\nmax_sd = {\"age,sex\" = 5.0}", "E0222"),
            ("marginals = [{up_to = 1, exactly = 1}]", "E0211"),
            ("marginals = [{set = [\"age\"], max_sd = 5.0}]\nmax_sd = {\"age\" = 4.0}", "E0229"),
            ("marginals = [{exactly = 2, whith = [\"age\"]}]", "E0210"),
            ("marginals = [{most_cells = 0.5}]", "E0221"),
        ] {
            assert_eq!(code(keys), want, "{keys}");
        }
    }
}
