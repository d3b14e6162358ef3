//! The `polyset` command.

fn main() {}
