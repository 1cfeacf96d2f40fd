//! Which protocol for a budget, with its predicted variance.
