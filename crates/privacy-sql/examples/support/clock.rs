//! Processor time, and memory.

/// What this process has used so far, by all its threads, in hundredths of a second; 0 where the
/// system does not say it. A machine that is shared shows in the other clock.
pub(crate) fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which may hold anything: the 12th and 13th field, in ticks.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The most memory that this process held since [`forget_peak`], in MiB; 0 where the system does
/// not say it.
pub(crate) fn peak_mebibytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or_default() / 1024
}

/// Counts the memory of this process anew, where the system can.
pub(crate) fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
