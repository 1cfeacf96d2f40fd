//! The two stages of RAPPOR as one channel.
