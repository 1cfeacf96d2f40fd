//! How much work an attack may take. Counted in steps, so that the same seed gives the same guess
//! on every machine.

use privacy_core::stop::StopFlag;

use crate::error::Error;

/// Limits of an attack. All but [`AttackLimits::exact_seconds`] count steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttackLimits {
    /// Memberships of rows in queries that are held; above, the release is refused. Some 40 bytes
    /// each.
    pub entries: usize,
    /// Steps of least squares.
    pub iterations: u32,
    /// Sweeps of belief propagation over all counts.
    pub sweeps: u32,
    /// Belief propagation is left out when a sweep would take more steps than this.
    pub sweep_cost: u64,
    /// Memberships that annealing may visit.
    pub visits: u64,
    /// The integer program is left out when it would have more memberships than this.
    pub exact_entries: usize,
    /// Nodes of the integer program.
    pub exact_nodes: u64,
    /// Rows that are tried for a proof of their label, the most confident first; no proof is
    /// sought in problems larger than the next two allow.
    pub proofs: usize,
    /// Distinct sets of rows up to which proofs are sought: the memory is 8 bytes times their
    /// square.
    pub proof_sets: usize,
    /// Simplex steps of one proof.
    pub proof_steps: u64,
    /// Seconds after which the integer program gives up whatever its nodes: a guard against a
    /// single linear program that does not end. A run that ends by it depends on the machine, and
    /// says so.
    pub exact_seconds: u64,
    /// Ends the call with [`Error::Stopped`](crate::Error::Stopped) once it is set, within 50 ms.
    pub stop: StopFlag,
}

impl AttackLimits {
    /// Limits for a prediction: least squares and belief propagation as ever, a tenth of the walk,
    /// no integer program and no proofs. Nothing here depends on the machine.
    #[must_use]
    pub fn quick() -> Self {
        Self { visits: 3_000_000, exact_entries: 0, proofs: 0, ..Self::default() }
    }

    /// Refuses to go on once the flag is set.
    pub(crate) fn check_stop(&self) -> Result<(), Error> {
        if self.stop.is_set() { Err(Error::Stopped) } else { Ok(()) }
    }
}

impl Default for AttackLimits {
    fn default() -> Self {
        Self {
            entries: 20_000_000,
            iterations: 400,
            sweeps: 100,
            sweep_cost: 10_000_000,
            visits: 30_000_000,
            exact_entries: 50_000,
            exact_nodes: 100,
            proofs: 100,
            proof_sets: 1_000,
            proof_steps: 4_000,
            exact_seconds: 20,
            stop: StopFlag::never(),
        }
    }
}
