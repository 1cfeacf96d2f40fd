//! What an attacker gains with several questions.
