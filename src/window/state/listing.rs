//! The list while it is open: keys, wheel and clicks go to it.

use super::hand::DOUBLE_CLICK_MS;
use super::{Request, State};
use crate::window::keys::Key;
use crate::window::list::{Kind, Outcome};
use crate::window::list_layout::Layout;

impl State {
    /// The inputs that can be chosen, by name.
    pub(crate) fn set_inputs(&mut self, names: Vec<String>) {
        self.inputs = names.len();
        self.names = names;
        self.renew_list(Kind::Files);
    }

    /// Whether keys are letters of a filter.
    pub(crate) fn is_typing(&self) -> bool {
        self.list.is_open()
    }

    pub(super) fn open_list(&mut self) {
        self.list_kind(self.list.kind(self.inputs));
    }

    fn list_kind(&mut self, kind: Kind) {
        let (names, current) = self.entries(kind);
        self.list.show(kind, names, current);
    }

    /// The entries of this kind may be others.
    pub(super) fn renew_list(&mut self, kind: Kind) {
        if self.list.listed() == Some(kind) {
            let (names, current) = self.entries(kind);
            self.list.renew(names, current);
        }
    }

    /// What there is of a kind, and the number of what is shown.
    fn entries(&self, kind: Kind) -> (Vec<String>, usize) {
        match kind {
            Kind::Files => (self.names.clone(), self.input),
            Kind::Clips => {
                let names = self.facts.clips.iter().map(|clip| clip.name().to_owned());
                (names.collect(), self.playback.clip().unwrap_or(0))
            }
            Kind::Skins => (self.facts.skins.clone(), self.worn_skin()),
        }
    }

    pub(super) fn press_in_list(&mut self, key: Key, shift: bool) -> Option<Request> {
        let rows = Layout::of(self.window).row_count();
        match self.list.press(key, shift, rows) {
            Outcome::Stays | Outcome::Closed => None,
            Outcome::Turned(kind) => {
                self.list_kind(kind);
                None
            }
            Outcome::Opened(kind, number) => self.open_entry(kind, number),
        }
    }

    /// A press of the left button; two at one row open it.
    pub(super) fn click_in_list(&mut self, at: [i32; 2]) -> Option<Request> {
        let layout = Layout::of(self.window);
        let row = layout.row_at(at)?;
        let before = self.list.choice();
        let chosen = self.list.click(row, layout.row_count())?;
        let last = self.last_press.replace((self.now, at));
        let is_double = before == Some(chosen)
            && last.is_some_and(|(when, place)| {
                self.now - when <= DOUBLE_CLICK_MS && layout.row_at(place) == Some(row)
            });
        if !is_double {
            return None;
        }
        self.list.close();
        self.last_press = None;
        self.open_entry(chosen.0, chosen.1)
    }

    fn open_entry(&mut self, kind: Kind, number: usize) -> Option<Request> {
        match kind {
            Kind::Files => (number != self.input).then_some(Request::Load(number)),
            Kind::Clips => {
                let before = self.moving();
                self.choose_clip(number);
                self.refit().filter(|_| self.moving() != before)
            }
            Kind::Skins => {
                self.skin = Some(number);
                Some(Request::Dress(Some(number)))
            }
        }
    }
}
