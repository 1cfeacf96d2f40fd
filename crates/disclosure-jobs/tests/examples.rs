//! The example does what it says.

#[path = "../examples/in_memory.rs"]
mod in_memory;

#[test]
fn a_release_needs_no_file_system() {
    in_memory::main().unwrap();
}
