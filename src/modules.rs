//! modules
