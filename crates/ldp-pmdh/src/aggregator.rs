//! The aggregator: reports in, counts out.
