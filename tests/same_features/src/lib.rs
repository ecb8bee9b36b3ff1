//! Empty: its dependencies say what it is for.
