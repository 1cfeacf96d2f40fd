//! Why a filter or its state is refused.
