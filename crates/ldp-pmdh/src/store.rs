//! What an aggregator keeps: a histogram, all sets up to an order, or the reports.
