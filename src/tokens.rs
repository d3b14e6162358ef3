//! Words, numbers and quoted strings with line numbers, for the text formats.
