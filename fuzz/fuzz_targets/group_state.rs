#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("group_state", bytes));
