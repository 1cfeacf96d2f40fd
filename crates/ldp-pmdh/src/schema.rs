//! The schema: what is asked, and how each answer is randomised.
