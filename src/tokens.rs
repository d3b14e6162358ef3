//! Words, numbers and quoted strings with line numbers, for the text formats.
//!
//! Tokens are separated by white space. `"..."` is one token whatever stands inside, up to the end
//! of its line; `( ) { }` are tokens even without blanks around them; `//` to the end of the line
//! and `/* */` are comments where a token could begin. Bytes of any encoding are allowed, a byte
//! order mark is skipped, and `\n`, `\r\n` and `\r` all end a line.

use crate::error::{LoadError, LoadErrorKind, Place, Warning};

/// A piece of text and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// The bytes, without the quotes of a quoted string.
    pub(crate) bytes: &'a [u8],
    /// Counted from 1.
    pub(crate) line: u32,
    /// A quoted string is never a bracket, keyword or number.
    pub(crate) quoted: bool,
}

impl Token<'_> {
    /// Whether this is the bare word or bracket `word`, ASCII letters in either case.
    pub(crate) fn is(&self, word: &str) -> bool {
        !self.quoted && self.bytes.eq_ignore_ascii_case(word.as_bytes())
    }

    /// The text, invalid UTF-8 replaced.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes).into_owned()
    }

    /// The text as messages quote it: short and printable.
    pub(crate) fn shown(&self) -> String {
        let text = String::from_utf8_lossy(self.bytes);
        let mut shown: String = text.chars().take(40).flat_map(char::escape_default).collect();
        if text.chars().nth(40).is_some() {
            shown.push_str("...");
        }
        shown
    }
}

/// Reads forward through a text.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    data: &'a [u8],
    at: usize,
    line: u32,
    /// A word ends behind a comma, which belongs to it, as in Doom 3.
    commas_end_words: bool,
    /// Line of the first number that is none, and how many there are.
    not_finite: Option<(u32, usize)>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        let at = if data.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { data, at, line: 1, commas_end_words: false, not_finite: None }
    }

    /// From now on a word ends behind a comma: `a,b` is `a,` and `b`.
    pub(crate) fn end_words_at_commas(mut self) -> Self {
        self.commas_end_words = true;
        self
    }

    /// Where the reading is, for [`Tokens::resume`].
    pub(crate) fn position(&self) -> (usize, u32) {
        (self.at, self.line)
    }

    /// Goes on in `data` from a [`Tokens::position`] of it.
    pub(crate) fn resume(data: &'a [u8], (at, line): (usize, u32)) -> Self {
        Self { at: at.min(data.len()), line, ..Self::new(data) }
    }

    /// Where the next error would stand.
    pub(crate) fn place(&self) -> Place {
        Place::Line(self.line)
    }

    /// The next token; `None` at the end of the text.
    pub(crate) fn token(&mut self) -> Option<Token<'a>> {
        self.skip_blanks(false);
        let line = self.line;
        let first = *self.data.get(self.at)?;
        if first == b'"' {
            self.at += 1;
            let bytes = self.take(|b| b == b'"' || b == b'\n' || b == b'\r');
            if self.data.get(self.at) == Some(&b'"') {
                self.at += 1;
            }
            return Some(Token { bytes, line, quoted: true });
        }
        if is_bracket(first) {
            self.at += 1;
            return Some(Token { bytes: &self.data[self.at - 1..self.at], line, quoted: false });
        }
        let bytes = &self.data[self.at..self.at + self.bare_length()];
        self.at += bytes.len();
        Some(Token { bytes, line, quoted: false })
    }

    /// Bytes of the bare word that begins here. Paths may hold "//", numbers may not: "1.5//comment" is a
    /// number. Nothing behind the word is looked at, so that reading a text is linear in its length.
    fn bare_length(&self) -> usize {
        let rest = &self.data[self.at..];
        let mut may_be_number = matches!(rest[0], b'0'..=b'9' | b'+' | b'-' | b'.');
        let mut length = 0;
        while let Some(&byte) = rest.get(length)
            && !(is_blank(byte) || is_bracket(byte) || byte == b'"')
        {
            let is_comment = byte == b'/' && matches!(rest.get(length + 1), Some(b'/' | b'*'));
            if may_be_number && is_comment {
                if is_number(&rest[..length]) {
                    break;
                }
                may_be_number = false;
            }
            length += 1;
            if self.commas_end_words && byte == b',' {
                break;
            }
        }
        length
    }

    /// The next token without taking it.
    pub(crate) fn peek(&self) -> Option<Token<'a>> {
        self.clone().token()
    }

    /// The next token if it stands on the line that the reading has reached.
    pub(crate) fn token_on_line(&mut self) -> Option<Token<'a>> {
        let mut ahead = self.clone();
        ahead.skip_blanks(true);
        if ahead.data.get(ahead.at).is_none_or(|&b| is_line_end(b)) || ahead.line != self.line {
            return None;
        }
        *self = ahead;
        self.token()
    }

    /// Skips an unknown statement that began with `first`: to the end of the line, and to the end of
    /// a block that opens on it.
    pub(crate) fn skip_statement(&mut self, first: &Token<'_>) {
        let mut depth = usize::from(first.is("{"));
        while let Some(token) = if depth == 0 { self.token_on_line() } else { self.token() } {
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth = depth.saturating_sub(1);
            }
        }
    }

    /// The next token, which must be `word`.
    pub(crate) fn expect(&mut self, word: &str, part: &str) -> Result<(), LoadError> {
        let token = self.required(part, || format!("'{word}'"))?;
        if token.is(word) { Ok(()) } else { Err(unexpected(&token, part, &format!("'{word}'"))) }
    }

    /// The next token, quoted or bare, as a name.
    pub(crate) fn name(&mut self, part: &str) -> Result<String, LoadError> {
        let token = self.required(part, || "a name".into())?;
        if !token.quoted && is_bracket(token.bytes[0]) {
            return Err(unexpected(&token, part, "a name"));
        }
        Ok(token.text())
    }

    /// The next token as a number. What is no finite number but written as one ("nan", "-1.#IND00",
    /// "1e999") is 0 and counted for [`Tokens::warning`].
    pub(crate) fn number(&mut self, part: &str) -> Result<f32, LoadError> {
        let token = self.required(part, || "a number".into())?;
        let text = if token.quoted { None } else { std::str::from_utf8(token.bytes).ok() };
        if let Some(value) = text.and_then(|text| text.parse::<f32>().ok())
            && value.is_finite()
        {
            return Ok(value);
        }
        if token.quoted || !is_number(token.bytes) {
            return Err(unexpected(&token, part, "a number"));
        }
        self.skip_nan_payload();
        let (_, count) = self.not_finite.get_or_insert((token.line, 0));
        *count += 1;
        Ok(0.0)
    }

    /// The next token as a whole number; a fraction is cut.
    pub(crate) fn integer(&mut self, part: &str) -> Result<i64, LoadError> {
        let token = self.required(part, || "a whole number".into())?;
        let text = if token.quoted { None } else { std::str::from_utf8(token.bytes).ok() };
        let value = text.and_then(|text| {
            let cut = || text.parse::<f64>().ok().filter(|v| v.abs() < 1e15).map(|v| v as i64);
            text.parse::<i64>().ok().or_else(cut)
        });
        value.ok_or_else(|| unexpected(&token, part, "a whole number"))
    }

    /// `N` numbers in parentheses.
    pub(crate) fn tuple<const N: usize>(&mut self, part: &str) -> Result<[f32; N], LoadError> {
        self.expect("(", part)?;
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.number(part)?;
        }
        self.expect(")", part)?;
        Ok(values)
    }

    /// A warning if any number was read as 0 because it was none.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let (line, count) = self.not_finite?;
        let message = format!("{count} values are not finite numbers; they are read as 0");
        Some(Warning::new(Place::Line(line), "numbers", message))
    }

    fn required(
        &mut self,
        part: &str,
        wanted: impl Fn() -> String,
    ) -> Result<Token<'a>, LoadError> {
        self.token().ok_or_else(|| {
            let message = format!("truncated: expected {}, found the end of the file", wanted());
            LoadError::new(LoadErrorKind::Truncated, self.place(), part, message)
        })
    }

    /// Some C libraries write "-nan(ind)": the parenthesis belongs to the number.
    fn skip_nan_payload(&mut self) {
        let rest = &self.data[self.at..];
        if rest.len() > 1 && rest[0] == b'(' && rest[1].is_ascii_alphabetic() {
            let end = rest.iter().position(|&b| b == b')' || is_line_end(b));
            self.at += end.map_or(rest.len(), |end| end + usize::from(rest[end] == b')'));
        }
    }

    fn take(&mut self, end: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.data[self.at..];
        let len = rest.iter().position(|&b| end(b)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// Skips white space and comments; with `on_line` stops before the end of the line.
    fn skip_blanks(&mut self, on_line: bool) {
        while let Some(&byte) = self.data.get(self.at) {
            if is_line_end(byte) && on_line {
                return;
            }
            if is_blank(byte) {
                let crlf = byte == b'\r' && self.data.get(self.at + 1) == Some(&b'\n');
                self.line += u32::from(is_line_end(byte) && !crlf);
                self.at += 1;
            } else if self.data[self.at..].starts_with(b"//") {
                self.take(is_line_end);
            } else if self.data[self.at..].starts_with(b"/*") {
                self.skip_block_comment();
            } else {
                return;
            }
        }
    }

    fn skip_block_comment(&mut self) {
        let rest = &self.data[self.at + 2..];
        let len = rest.windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 2);
        let comment = &rest[..len];
        let ends = (0..len).filter(|&i| {
            comment[i] == b'\n' || (comment[i] == b'\r' && comment.get(i + 1) != Some(&b'\n'))
        });
        self.line += u32::try_from(ends.count()).unwrap_or(u32::MAX);
        self.at += 2 + len;
    }
}

fn unexpected(token: &Token<'_>, part: &str, wanted: &str) -> LoadError {
    let message = format!("expected {wanted}, found '{}'", token.shown());
    LoadError::malformed(part, Place::Line(token.line), message)
}

fn is_blank(byte: u8) -> bool {
    byte <= b' '
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

fn is_bracket(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'{' | b'}')
}

/// Whether a word is written as a number, finite or not: what Rust parses ("nan" and "inf"
/// included), and the "1.#INF00", "-1.#IND00" of Microsoft's C library.
fn is_number(word: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(word) else {
        return false;
    };
    let digits = text.trim_start_matches(['+', '-']);
    text.parse::<f32>().is_ok() || digits.split_once(".#").is_some_and(|(whole, _)| whole == "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[u8]) -> Vec<(String, u32)> {
        let mut tokens = Tokens::new(text);
        std::iter::from_fn(|| tokens.token()).map(|t| (t.text(), t.line)).collect()
    }

    #[test]
    fn separates_words_brackets_strings_and_comments() {
        let text = b"\xef\xbb\xbfa(b){\"c d // e\" \"\"} // f\r\n/* g\r\nh */ i//j 1.5//k\rl\xff";
        let expected = [
            ("a", 1),
            ("(", 1),
            ("b", 1),
            (")", 1),
            ("{", 1),
            ("c d // e", 1),
            ("", 1),
            ("}", 1),
            ("i//j", 3),
            ("1.5", 3),
            ("l\u{fffd}", 4),
        ];
        assert_eq!(words(text), expected.map(|(word, line)| (word.to_owned(), line)));
    }

    #[test]
    fn an_open_string_ends_with_its_line_and_an_open_comment_with_the_text() {
        assert_eq!(words(b"\"a b\nc /* d"), [("a b".to_owned(), 1), ("c".to_owned(), 2)]);
    }

    #[test]
    fn numbers() {
        let cases: [(&str, Option<f32>); 12] = [
            ("1e-05", Some(1e-5)),
            (".5", Some(0.5)),
            ("-.25", Some(-0.25)),
            ("+3.", Some(3.0)),
            ("2/*c*/", Some(2.0)),
            ("nan", Some(0.0)),
            ("-1.#IND00", Some(0.0)),
            ("-nan(ind)", Some(0.0)),
            ("1e999", Some(0.0)),
            ("x", None),
            ("\"1\"", None),
            ("(", None),
        ];
        for (text, expected) in cases {
            let mut tokens = Tokens::new(text.as_bytes());
            assert_eq!(tokens.number("test").ok(), expected, "{text}");
            assert!(expected.is_none() || tokens.token().is_none(), "{text} leaves something");
        }
    }

    #[test]
    fn numbers_that_are_none_give_one_warning() {
        let mut tokens = Tokens::new(b"1\nnan\ninf");
        for _ in 0..3 {
            tokens.number("test").unwrap();
        }
        let warning = tokens.warning().unwrap();
        assert_eq!(warning.place, Place::Line(2));
        assert!(warning.message.contains("2 values"), "{warning}");
    }

    #[test]
    fn whole_numbers() {
        let cases = [("12", Some(12)), ("-1", Some(-1)), ("4294967295", Some(4_294_967_295))];
        for (text, expected) in cases.into_iter().chain([("3.7", Some(3)), ("1e300", None)]) {
            assert_eq!(Tokens::new(text.as_bytes()).integer("n").ok(), expected, "{text}");
        }
    }

    #[test]
    fn errors_tell_line_and_both_sides() {
        let error = Tokens::new(b"\n\nvert").expect("(", "vertices").unwrap_err();
        assert_eq!(error.to_string(), "vertices (line 3): expected '(', found 'vert'");
        let error = Tokens::new(b"\n").number("vertices").unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Truncated);
    }

    #[test]
    fn skips_statements_with_their_blocks() {
        let mut tokens = Tokens::new(b"next { 1\n2 } 3\n4 /* a\n */ 5");
        let next = tokens.token().unwrap();
        assert!(next.is("NEXT"));
        tokens.skip_statement(&next);
        assert_eq!(tokens.token().map(|t| (t.text(), t.line)), Some(("4".into(), 3)));
        assert!(tokens.token_on_line().is_none(), "5 stands on the next line");
    }

    #[test]
    fn numbers_between_comments_are_read_in_linear_time() {
        // Looking through the rest of the text for every number would take minutes.
        let text = "1/**/".repeat(400_000);
        let mut tokens = Tokens::new(text.as_bytes());
        let mut sum = 0.0;
        while tokens.peek().is_some() {
            sum += tokens.number("numbers").unwrap();
        }
        assert_eq!(sum, 400_000.0);
    }
}
