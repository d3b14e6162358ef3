//! The list over the picture: files, clips or skins, filtered as one types. Plain data; `list_panel`
//! draws it.

use std::collections::BTreeSet;

use super::keys::{Direction, Key};

/// Letters of a filter.
const LONGEST_FILTER: usize = 200;
/// Rows that a step of the wheel moves the choice.
const WHEEL_ROWS: f32 = 3.0;
/// Stands for what is left out of a name.
const GAP: &str = "...";

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Files,
    Clips,
    Skins,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Files, Self::Clips, Self::Skins];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Files => "Files",
            Self::Clips => "Clips",
            Self::Skins => "Skins",
        }
    }
}

/// What a key comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Stays,
    Closed,
    /// This kind is to be listed.
    Turned(Kind),
    /// This entry is to be shown.
    Opened(Kind, usize),
}

/// The list, open or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    /// What was listed last.
    kind: Option<Kind>,
    filter: String,
    open: Option<Open>,
}

#[derive(Clone, Debug)]
struct Open {
    kind: Kind,
    names: Vec<Name>,
    /// Number of the entry that is shown now.
    current: usize,
    /// Numbers of the entries that the filter leaves.
    matches: Vec<usize>,
    /// Place among the matches.
    chosen: usize,
    /// Place among the matches of the first row.
    first: usize,
}

#[derive(Clone, Debug)]
struct Name {
    text: String,
    /// In lower case, letter by letter.
    folded: String,
}

/// A row as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Letters, and whether the filter names them.
    pub(crate) letters: Vec<(char, bool)>,
    pub(crate) is_chosen: bool,
    /// It is what the window shows now.
    pub(crate) is_current: bool,
}

impl List {
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// What is listed when the list opens: as the last time, at first clips if there is one file.
    pub(crate) fn kind(&self, files: usize) -> Kind {
        self.kind.unwrap_or(if files > 1 { Kind::Files } else { Kind::Clips })
    }

    /// Opens with these names; `current` is the number of the one that is shown.
    pub(crate) fn show(&mut self, kind: Kind, names: Vec<String>, current: usize) {
        self.filter.clear();
        self.kind = Some(kind);
        let fold = |text: &str| text.chars().map(folded).collect();
        let names: Vec<Name> =
            names.into_iter().map(|text| Name { folded: fold(&text), text }).collect();
        let matches: Vec<usize> = (0..names.len()).collect();
        let chosen = current.min(names.len().saturating_sub(1));
        self.open = Some(Open { kind, names, current, matches, chosen, first: 0 });
    }

    /// Other names of the kind that is listed: filter and choice stay.
    pub(crate) fn renew(&mut self, names: Vec<String>, current: usize) {
        let Some(open) = &self.open else { return };
        let kind = open.kind;
        let chosen = self.choice().map(|(_, number)| open.names[number].text.clone());
        let filter = std::mem::take(&mut self.filter);
        self.show(kind, names, current);
        if let (Some(open), Some(chosen)) = (&mut self.open, chosen) {
            let number = open.names.iter().position(|name| name.text == chosen);
            open.chosen = number.unwrap_or(open.chosen);
        }
        self.filter = filter;
        self.narrow();
    }

    pub(crate) fn close(&mut self) {
        self.open = None;
    }

    /// What is listed while the list is open.
    pub(crate) fn listed(&self) -> Option<Kind> {
        self.open.as_ref().map(|open| open.kind)
    }

    /// The chosen entry.
    pub(crate) fn choice(&self) -> Option<(Kind, usize)> {
        let open = self.open.as_ref()?;
        Some((open.kind, *open.matches.get(open.chosen)?))
    }

    pub(crate) fn filter(&self) -> &str {
        &self.filter
    }

    /// How many entries match, of how many.
    pub(crate) fn counts(&self) -> [usize; 2] {
        self.open.as_ref().map_or([0; 2], |open| [open.matches.len(), open.names.len()])
    }

    /// Takes a key; the list has so many rows.
    pub(crate) fn press(&mut self, key: Key, shift: bool, rows: usize) -> Outcome {
        let Some(open) = &self.open else { return Outcome::Stays };
        let page = rows.max(2) as isize - 1;
        match key {
            Key::Escape => {
                self.close();
                return Outcome::Closed;
            }
            Key::Enter => {
                if let Some((kind, number)) = self.choice() {
                    self.close();
                    return Outcome::Opened(kind, number);
                }
            }
            Key::Tab => {
                let direction = if shift { Direction::Back } else { Direction::Forward };
                return Outcome::Turned(direction.next(&Kind::ALL, open.kind));
            }
            Key::Up => self.step(-1),
            Key::Down => self.step(1),
            Key::PageUp => self.step(-page),
            Key::PageDown => self.step(page),
            Key::Home => self.step(isize::MIN),
            Key::End => self.step(isize::MAX),
            Key::Backspace => {
                self.filter.pop();
                self.narrow();
            }
            Key::Space => self.extend(' '),
            Key::Char(letter) => self.extend(letter),
            _ => {}
        }
        Outcome::Stays
    }

    /// Steps of the wheel, away from the user is up.
    pub(crate) fn wheel(&mut self, steps: f32) {
        self.step((-steps * WHEEL_ROWS) as isize);
    }

    /// Chooses what stands in a row; returns its number.
    pub(crate) fn click(&mut self, row: usize, rows: usize) -> Option<(Kind, usize)> {
        let first = self.first(rows);
        let open = self.open.as_mut().filter(|open| first + row < open.matches.len())?;
        open.chosen = first + row;
        self.choice()
    }

    fn step(&mut self, steps: isize) {
        if let Some(open) = &mut self.open {
            let last = open.matches.len().saturating_sub(1);
            open.chosen = open.chosen.saturating_add_signed(steps).min(last);
        }
    }

    fn extend(&mut self, letter: char) {
        if self.filter.chars().count() < LONGEST_FILTER {
            self.filter.push(folded(letter));
            self.narrow();
        }
    }

    /// Leaves what matches the filter; the choice stays if it does.
    fn narrow(&mut self) {
        let Some(open) = &mut self.open else { return };
        let chosen = open.matches.get(open.chosen).copied().unwrap_or(open.current);
        let words: Vec<&str> = self.filter.split_whitespace().collect();
        let is_match = |name: &Name| words.iter().all(|word| name.folded.contains(word));
        let numbered = open.names.iter().enumerate();
        open.matches = numbered.filter(|(_, name)| is_match(name)).map(|(at, _)| at).collect();
        open.chosen = open.matches.binary_search(&chosen).unwrap_or(0);
    }

    /// Place among the matches of the first of so many rows, so that the choice is among them. The rows
    /// stay while it is.
    fn first(&mut self, rows: usize) -> usize {
        let Some(open) = &mut self.open else { return 0 };
        let rows = rows.max(1);
        let last = open.matches.len().saturating_sub(rows);
        let earliest = (open.chosen + 1).saturating_sub(rows);
        open.first = open.first.clamp(earliest, open.chosen.max(earliest)).min(last);
        open.first
    }

    /// The rows that are seen, so wide in letters.
    pub(crate) fn rows(&mut self, rows: usize, columns: usize) -> Vec<Row> {
        let first = self.first(rows);
        let Some(open) = &self.open else { return Vec::new() };
        let words: Vec<&str> = self.filter.split_whitespace().collect();
        let row = |(place, &number): (usize, &usize)| {
            let name = &open.names[number];
            Row {
                letters: letters(name, &words, columns),
                is_chosen: place == open.chosen,
                is_current: number == open.current,
            }
        };
        open.matches.iter().enumerate().skip(first).take(rows).map(row).collect()
    }
}

/// A letter in lower case, if that is one letter too.
fn folded(letter: char) -> char {
    let mut lower = letter.to_lowercase();
    lower.next().filter(|_| lower.next().is_none()).unwrap_or(letter)
}

/// The letters of a name, at most so many: of a long one the middle is left out.
fn letters(name: &Name, words: &[&str], columns: usize) -> Vec<(char, bool)> {
    let mut named = BTreeSet::new();
    for word in words {
        for (at, _) in name.folded.match_indices(word) {
            let first = name.folded[..at].chars().count();
            named.extend(first..first + word.chars().count());
        }
    }
    let all: Vec<char> = name.text.chars().collect();
    let letter = |at: usize| (all[at], named.contains(&at));
    if all.len() <= columns {
        return (0..all.len()).map(letter).collect();
    }
    // The end tells more than the beginning.
    let kept = columns.saturating_sub(GAP.len());
    let head = kept / 3;
    let gap = GAP.chars().take(columns).map(|dot| (dot, false));
    (0..head)
        .map(letter)
        .chain(gap)
        .chain((all.len() - (kept - head)..all.len()).map(letter))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str], current: usize) -> List {
        let mut list = List::default();
        list.show(Kind::Files, names.iter().map(|&name| name.to_owned()).collect(), current);
        list
    }

    fn type_in(list: &mut List, text: &str) {
        for letter in text.chars() {
            let key = if letter == ' ' { Key::Space } else { Key::Char(letter) };
            assert_eq!(list.press(key, false, 10), Outcome::Stays);
        }
    }

    fn shown(list: &mut List, rows: usize) -> Vec<String> {
        let text = |row: Row| row.letters.iter().map(|(letter, _)| *letter).collect();
        list.rows(rows, 80).into_iter().map(text).collect()
    }

    #[test]
    fn all_words_must_match_in_any_case() {
        let names = ["models/Ogre/tris.md2", "models/tank/tris.md2", "\u{c4}rger/ogre.mdl"];
        for (filter, expected) in [
            ("", vec![0, 1, 2]),
            ("OGRE", vec![0, 2]),
            ("TRIS OGRE", vec![0]),
            ("MODELS/T", vec![1]),
            ("\u{e4}R", vec![2]),
            ("  ", vec![0, 1, 2]),
            ("OGRE NONE", vec![]),
        ] {
            let mut list = list(&names, 0);
            type_in(&mut list, filter);
            let expected: Vec<String> =
                expected.into_iter().map(|at: usize| names[at].to_owned()).collect();
            assert_eq!(shown(&mut list, 10), expected, "{filter}");
            assert_eq!(list.counts(), [expected.len(), 3]);
        }
    }

    #[test]
    fn the_choice_stays_while_it_matches() {
        let mut list = list(&["a1", "b1", "b2", "c2"], 2);
        assert_eq!(list.choice(), Some((Kind::Files, 2)));
        type_in(&mut list, "B");
        assert_eq!(list.choice(), Some((Kind::Files, 2)));
        list.press(Key::Backspace, false, 10);
        type_in(&mut list, "1");
        assert_eq!(list.choice(), Some((Kind::Files, 0)));
        type_in(&mut list, "X");
        assert_eq!(list.choice(), None);
        assert_eq!(list.press(Key::Enter, false, 10), Outcome::Stays, "there is nothing to open");
        list.press(Key::Backspace, false, 10);
        assert_eq!(list.press(Key::Enter, false, 10), Outcome::Opened(Kind::Files, 0));
        assert!(!list.is_open());
    }

    #[test]
    fn keys_move_the_choice_and_the_rows_follow() {
        let names: Vec<String> = (0..100).map(|number| format!("n{number:02}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut list = list(&names, 0);
        for (key, chosen, first) in [
            (Key::Down, 1, 0),
            (Key::Up, 0, 0),
            (Key::Up, 0, 0),
            (Key::PageDown, 9, 0),
            (Key::PageDown, 18, 9),
            (Key::PageUp, 9, 9),
            (Key::Up, 8, 8),
            (Key::End, 99, 90),
            (Key::Down, 99, 90),
            (Key::Home, 0, 0),
        ] {
            assert_eq!(list.press(key, false, 10), Outcome::Stays);
            assert_eq!(list.choice(), Some((Kind::Files, chosen)), "{key}");
            assert_eq!(shown(&mut list, 10)[0], names[first], "{key}");
        }
        list.wheel(-1.0);
        assert_eq!(list.choice(), Some((Kind::Files, 3)));
        list.press(Key::End, false, 10);
        assert_eq!(list.click(4, 10), Some((Kind::Files, 94)));
        type_in(&mut list, "N0");
        assert_eq!(list.click(10, 20), None, "below the last row");
    }

    #[test]
    fn tab_goes_round_the_kinds_and_escape_changes_nothing() {
        let mut list = list(&["a"], 0);
        assert_eq!(list.press(Key::Tab, false, 9), Outcome::Turned(Kind::Clips));
        assert_eq!(list.press(Key::Tab, true, 9), Outcome::Turned(Kind::Skins));
        assert_eq!(list.press(Key::Escape, false, 9), Outcome::Closed);
        assert_eq!((list.choice(), list.kind(9)), (None, Kind::Files));
        assert_eq!(List::default().kind(2), Kind::Files);
        assert_eq!(List::default().kind(1), Kind::Clips);
    }

    #[test]
    fn names_that_come_and_go_leave_filter_and_choice() {
        let mut list = list(&["a1", "b1", "b2"], 0);
        type_in(&mut list, "B");
        list.press(Key::Down, false, 9);
        list.renew(["b0", "a1", "b1", "b2"].map(str::to_owned).into(), 1);
        assert_eq!((list.filter(), list.choice()), ("b", Some((Kind::Files, 3))));
        list.renew(vec!["a1".into()], 0);
        assert_eq!(list.choice(), None);
    }

    #[test]
    fn long_names_lose_their_middle_and_matches_are_marked() {
        let mut list = list(&["baseq2/models/monsters/tank/tris.md2"], 0);
        type_in(&mut list, "TANK BASEQ2/M");
        for (columns, text, marks) in [
            (36, "baseq2/models/monsters/tank/tris.md2", 12),
            (24, "baseq2/.../tank/tris.md2", 11),
            (4, "...2", 0),
            (2, "..", 0),
            (0, "", 0),
        ] {
            let row = list.rows(1, columns).remove(0);
            let shown: String = row.letters.iter().map(|(letter, _)| *letter).collect();
            assert_eq!(shown, text);
            let marked = row.letters.iter().filter(|(_, is_named)| *is_named).count();
            assert_eq!(marked, marks, "{text}");
        }
    }
}
