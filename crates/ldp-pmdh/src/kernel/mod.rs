//! AND and popcount over bit strings, by what the processor offers.
