//! Bytes to a [`Model`]: detection by content, one file per format. No I/O here.
