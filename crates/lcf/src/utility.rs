//! What parameters cost on the user's own group sizes.
