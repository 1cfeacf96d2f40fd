//! The tests of `disclosure-cli`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

#[cfg(unix)]
mod another_user;
mod bases;
#[cfg(target_os = "linux")]
mod bombs;
mod browser;
mod command;
mod forms;
mod frechet;
mod frechet_cell_key;
mod frechet_cycles;
mod frechet_jj;
mod frechet_large;
mod frechet_release;
mod frechet_rounding;
#[cfg(unix)]
mod kept_files;
#[cfg(unix)]
mod killed;
#[cfg(unix)]
mod labels;
mod lcf_choose;
mod lcf_filter;
mod lcf_group;
mod lcf_guard;
mod ldp;
mod ldp_estimate;
mod magnitude;
mod main_job;
mod neighbours;
mod outputs;
mod readme;
mod release;
mod report;
mod run;
mod screen;
mod screen_attack;
#[cfg(all(unix, feature = "serve"))]
mod serve;
#[cfg(unix)]
mod stopped;
mod stored;
#[cfg(unix)]
mod system_limits;
mod tables;
mod together;
#[cfg(unix)]
mod tutorials;

#[path = "support/printed.rs"]
mod printed;
mod support;
