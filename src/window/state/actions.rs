//! What keys change: the clip, the look, what the model wears and holds, what is written over it.

use super::{Request, State, on_off};
use crate::window::finish::Finish;
use crate::window::help;
use crate::window::keys::{Action, Body, Direction};

impl State {
    pub(super) fn toggle_overlay(&mut self, action: Action) {
        let overlay = match action {
            Action::Help if self.shown.keys && self.help_page + 1 < help::pages(self.window) => {
                self.help_page += 1;
                return;
            }
            Action::Help => {
                self.help_page = 0;
                &mut self.shown.keys
            }
            Action::Names => &mut self.shown.name,
            Action::Facts => &mut self.shown.facts,
            Action::Stats => &mut self.shown.stats,
            Action::Timeline => &mut self.shown.timeline,
            Action::Edges => &mut self.shown.edges,
            Action::Normals => &mut self.shown.normals,
            Action::Bones => &mut self.shown.bones,
            Action::Grid => &mut self.shown.grid,
            Action::Pick => &mut self.shown.pick,
            Action::PaletteView => &mut self.shown.palette,
            _ => &mut self.shown.axes,
        };
        *overlay = !*overlay;
    }

    pub(super) fn animate(&mut self, action: Action) -> String {
        let now = self.now;
        match action {
            Action::BodyClip(body, direction) => self.move_body(body, direction),
            Action::Clip(direction) => {
                for body in [Body::Legs, Body::Torso] {
                    self.settings.move_body(body, None);
                }
                self.playback.change_clip(now, direction, &self.facts.clips);
                self.chosen_clip = self.clip_name();
                self.clip_line().unwrap_or_else(|| "this model has no clips".into())
            }
            Action::Step(direction) => {
                self.playback.step(now, direction, &self.facts.clips, self.facts.frames);
                self.frame_line()
            }
            Action::Reverse => {
                let clip = self.playback.clip().and_then(|clip| self.facts.clips.get(clip));
                self.playback.reverse(now, clip);
                if self.playback.reversed { "backwards".into() } else { "forwards".into() }
            }
            Action::PlayMode(direction) => {
                let clip = self.playback.clip().and_then(|clip| self.facts.clips.get(clip));
                self.playback.change_mode(now, direction, clip);
                format!("play: {}", self.playback.mode.name())
            }
            Action::Speed(direction) => {
                format!("speed: {}", self.playback.change_speed(now, direction))
            }
            Action::Interpolation => {
                self.playback.interpolates = !self.playback.interpolates;
                format!("interpolation: {}", on_off(self.playback.interpolates))
            }
            _ => {
                self.playback.toggle(now, &self.facts.clips);
                if self.playback.playing { "play".into() } else { "pause".into() }
            }
        }
    }

    /// The name of the clip that is shown.
    pub(crate) fn clip_name(&self) -> Option<String> {
        self.clip().map(|clip| clip.name().to_owned())
    }

    /// Another clip, from its beginning, for all of a player.
    pub(super) fn choose_clip(&mut self, number: usize) {
        for body in [Body::Legs, Body::Torso] {
            self.settings.move_body(body, None);
        }
        self.playback.choose_clip(self.now, number, &self.facts.clips);
        self.chosen_clip = self.clip_name();
        self.say(self.clip_line().unwrap_or_default());
    }

    /// Goes on with the clip of this name, which may have another number now.
    pub(crate) fn keep_clip(&mut self, name: Option<&str>) {
        let Some(name) = name else { return };
        let number = self.facts.clips.iter().position(|clip| clip.name() == name);
        self.playback.renumber(number.unwrap_or(0));
    }

    pub(super) fn change_look(&mut self, action: Action) -> Option<Request> {
        let (settings, format) = (&mut self.settings, self.facts.format);
        let said = match action {
            Action::Finish(direction) => {
                self.finish = direction.next(&Finish::ALL, self.finish);
                format!("finish: {}", self.finish.name())
            }
            Action::Cycle(option, direction) => settings.cycle(option, direction, format),
            Action::Wire => settings.toggle_wire(format),
            Action::Palette => match settings.toggle_palette() {
                Some(said) => {
                    self.say(said);
                    return Some(Request::Dress(None));
                }
                None => "no other palette: start with --palette FILE".into(),
            },
            Action::PlayerColor(part, direction) => {
                settings.change_player_color(part, direction, format)
            }
            Action::PixelAspect => {
                let said = settings.toggle_pixel_aspect();
                self.say(said);
                return self.refit();
            }
            Action::Background(direction) => settings.change_background(direction),
            Action::Resolution(direction) => {
                let said = settings.change_resolution(direction, self.window);
                self.say(said);
                return self.refit();
            }
            _ => return None,
        };
        self.say(said);
        None
    }

    /// The next clip of legs or torso; behind the last that of the whole player.
    pub(super) fn move_body(&mut self, body: Body, direction: Direction) -> String {
        if self.facts.clips_of(body).is_empty() {
            return "only a player has legs and torso".into();
        }
        let next = self.facts.next_clip(body, self.settings.body_clip(body), direction);
        let part = if body == Body::Legs { "legs" } else { "torso" };
        let said = format!("{part}: {}", next.as_deref().unwrap_or("as the whole"));
        self.settings.move_body(body, next);
        said
    }

    pub(super) fn change_weapon(&mut self, direction: Direction) -> Option<Request> {
        let weapons = &self.facts.weapons;
        if weapons.is_empty() {
            self.say("there is no weapon to hold");
            return None;
        }
        let held = self.settings.scene().source.weapon.as_ref();
        let at = weapons.iter().position(|weapon| Some(weapon) == held);
        let at = at.map_or(0, |weapon| weapon + 1);
        let next = direction.step(at, weapons.len() + 1).checked_sub(1);
        let next = next.map(|weapon| weapons[weapon].clone());
        self.settings.arm(next);
        Some(Request::Arm)
    }

    pub(super) fn change_skin(&mut self, direction: Direction) -> Option<Request> {
        if self.facts.skins.len() < 2 {
            self.say("this model has no other skin");
            return None;
        }
        let skin = direction.step(self.worn_skin(), self.facts.skins.len());
        self.skin = Some(skin);
        Some(Request::Dress(Some(skin)))
    }
}
