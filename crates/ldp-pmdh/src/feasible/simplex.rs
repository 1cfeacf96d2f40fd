//! Projection on the simplex: in the plain metric and in that of the noise.
