//! The scene that keys edit, and the lists that they go through.

use super::keys::{Body, Direction};
use crate::location::Location;
use crate::look::{ColorMode, Draw, Look};
use crate::model::Format;
use crate::scene::notation::Named;
use crate::scene::options::{self, Command};
use crate::scene::{Background, Moment, RendererKind, Scene, Skin};

/// The size of the picture before it is enlarged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum InternalResolution {
    /// That of the window.
    #[default]
    Window,
    /// Width and height in pixels.
    Fixed(u32, u32),
}

/// The resolutions that the key goes through.
pub(crate) const RESOLUTIONS: [InternalResolution; 4] = [
    InternalResolution::Window,
    InternalResolution::Fixed(320, 200),
    InternalResolution::Fixed(320, 240),
    InternalResolution::Fixed(640, 480),
];

/// The backgrounds that the key goes through; one from the command line comes before them.
const BACKGROUNDS: [[u8; 3]; 5] =
    [[0x30, 0x30, 0x34], [0, 0, 0], [0xff, 0xff, 0xff], [0x6b, 0x8c, 0xb0], [0x4b, 0x3b, 0x2b]];

/// Rows of Quake's palette that the player's shirt and trousers have without any change.
pub(crate) const OWN_COLORS: [u8; 2] = [1, 6];
/// Rows that a player can choose.
const COLOR_ROWS: usize = 14;

/// What all pictures of the window have in common, whatever the moment and the camera.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    scene: Scene,
    pub(crate) resolution: InternalResolution,
    /// Of the command line.
    given_background: Option<[u8; 3]>,
    given_palette: Option<Location>,
    given_skins: Vec<Skin>,
    given_weapon: Option<Location>,
    given_moment: Moment,
}

impl Settings {
    /// The settings of a window that begins with `scene`.
    pub(crate) fn new(mut scene: Scene, resolution: InternalResolution) -> Self {
        let given = match scene.background {
            Some(Background::Color([r, g, b, _])) => Some([r, g, b]),
            _ => None,
        };
        let given_background = given.filter(|given| !BACKGROUNDS.contains(given));
        scene.background = Some(opaque(given.unwrap_or(BACKGROUNDS[0])));
        Self {
            resolution,
            given_background,
            given_palette: scene.source.palette.clone(),
            given_skins: scene.source.skins.clone(),
            given_weapon: scene.source.weapon.clone(),
            given_moment: scene.moment.clone(),
            scene,
        }
    }

    /// What the pictures have in common.
    pub(crate) fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Another model, with the skins, clips and weapon of the command line.
    pub(crate) fn set_input(&mut self, input: crate::scene::Input) {
        self.scene.source.input = input;
        self.scene.source.skins = self.given_skins.clone();
        self.scene.source.weapon = self.given_weapon.clone();
        self.scene.moment = self.given_moment.clone();
    }

    /// Another skin for all surfaces.
    pub(crate) fn wear(&mut self, skin: Skin) {
        let skins = &mut self.scene.source.skins;
        skins.retain(|skin| matches!(skin, Skin::Surface { .. }));
        skins.push(skin);
    }

    /// Another clip for a part of a player; `None` is that of the whole.
    pub(crate) fn move_body(&mut self, body: Body, clip: Option<String>) {
        let moment = &mut self.scene.moment;
        match body {
            Body::Legs => moment.legs = clip,
            Body::Torso => moment.torso = clip,
        }
    }

    /// The clip that was chosen for a part of a player.
    pub(crate) fn body_clip(&self, body: Body) -> Option<&str> {
        let moment = &self.scene.moment;
        match body {
            Body::Legs => moment.legs.as_deref(),
            Body::Torso => moment.torso.as_deref(),
        }
    }

    /// Another weapon, or none; it is there when the model is read again.
    pub(crate) fn arm(&mut self, weapon: Option<Location>) {
        self.scene.source.weapon = weapon;
    }

    pub(crate) fn background(&self) -> [u8; 3] {
        match self.scene.background {
            Some(Background::Color([r, g, b, _])) => [r, g, b],
            _ => BACKGROUNDS[0],
        }
    }

    /// The size of the picture in a window of this size.
    pub(crate) fn picture_size(&self, window: [u32; 2]) -> [u32; 2] {
        match self.resolution {
            InternalResolution::Window => window.map(|side| side.max(1)),
            InternalResolution::Fixed(width, height) => [width, height],
        }
    }

    pub(crate) fn is_classic(&self) -> bool {
        self.scene.renderer == RendererKind::Classic
    }

    /// The next value of an option that has a list of them. Every change returns what is said
    /// about it.
    pub(crate) fn cycle(
        &mut self,
        option: &'static str,
        direction: Direction,
        format: Format,
    ) -> String {
        if option == "color" && self.is_classic() {
            return "the classic renderer is always indexed (V)".into();
        }
        let row = options::row(Command::View, option).expect("keys go through options");
        let names: Vec<&str> = row.choices().into_iter().map(|(name, _)| name).collect();
        let said = row.values(&self.scene).pop();
        let current = match (said.as_deref().and_then(|value| value.to_str()), option) {
            (Some(said), _) => said,
            (None, "lighting") => Look::of(format).lighting.name(),
            (None, "color") => ColorMode::Rgb.name(),
            (None, _) => row.default,
        };
        let at = names.iter().position(|name| *name == current).unwrap_or(0);
        self.set(option, names[direction.step(at, names.len())])
    }

    fn set(&mut self, option: &'static str, value: &str) -> String {
        let row = options::row(Command::View, option).expect("keys go through options");
        row.read(&mut self.scene, value.as_ref()).expect("it is one of the choices");
        format!("{}: {value}", option.replace('-', " "))
    }

    pub(crate) fn toggle_wire(&mut self) -> String {
        let wire = self.scene.look.draw != Draw::Wire;
        self.set("draw", if wire { "wire" } else { "textured" })
    }

    pub(crate) fn change_resolution(&mut self, direction: Direction) -> String {
        self.resolution = direction.next(&RESOLUTIONS, self.resolution);
        match self.resolution {
            InternalResolution::Window => "resolution: the window's".into(),
            InternalResolution::Fixed(width, height) => format!("resolution: {width} x {height}"),
        }
    }

    /// Returns whether there is another palette.
    pub(crate) fn toggle_palette(&mut self) -> Option<String> {
        self.given_palette.as_ref()?;
        let palette = &mut self.scene.source.palette;
        *palette = if palette.is_some() { None } else { self.given_palette.clone() };
        let name = if palette.is_some() { "--palette" } else { "standard" };
        Some(format!("palette: {name}"))
    }

    pub(crate) fn change_player_color(&mut self, part: usize, direction: Direction) -> String {
        let mut colors = self.scene.look.colors.unwrap_or(OWN_COLORS);
        let row = direction.step(usize::from(colors[part]), COLOR_ROWS);
        colors[part] = row as u8;
        self.scene.look.colors = (colors != OWN_COLORS).then_some(colors);
        let own = if colors[part] == OWN_COLORS[part] { " (its own)" } else { "" };
        format!("{}: {row}{own}", ["shirt", "trousers"][part])
    }

    pub(crate) fn change_background(&mut self, direction: Direction) -> String {
        let list: Vec<[u8; 3]> = self.given_background.into_iter().chain(BACKGROUNDS).collect();
        let color = direction.next(&list, self.background());
        self.scene.background = Some(opaque(color));
        let [r, g, b] = color;
        format!("background: {r:02X}{g:02X}{b:02X}")
    }
}

fn opaque([r, g, b]: [u8; 3]) -> Background {
    Background::Color([r, g, b, 255])
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Back, Forward};

    fn settings() -> Settings {
        let scene = Scene { background: Some(opaque([1, 2, 3])), ..Scene::new("a.md2") };
        Settings::new(scene, InternalResolution::Window)
    }

    fn list(option: &str) -> usize {
        options::row(Command::View, option).unwrap().choices().len()
    }

    #[test]
    fn every_list_comes_back_to_its_start() {
        type Change = fn(&mut Settings, Direction) -> String;
        let changes: [(Change, usize); 9] = [
            (|s, d| s.cycle("lighting", d, Format::Md3), list("lighting")),
            (|s, d| s.cycle("color", d, Format::Md3), list("color")),
            (|s, d| s.cycle("filter", d, Format::Md3), list("filter")),
            (|s, d| s.cycle("anti-aliasing", d, Format::Md3), list("anti-aliasing")),
            (|s, d| s.cycle("draw", d, Format::Md3), list("draw")),
            (|s, d| s.cycle("cull", d, Format::Md3), list("cull")),
            (Settings::change_resolution, RESOLUTIONS.len()),
            (Settings::change_background, BACKGROUNDS.len() + 1),
            (|s, d| s.change_player_color(0, d), COLOR_ROWS),
        ];
        for (number, (change, count)) in changes.into_iter().enumerate() {
            let mut changed = settings();
            let mut said = Vec::new();
            for _ in 0..count {
                said.push(change(&mut changed, Forward));
            }
            let round = changed.clone();
            said.sort();
            said.dedup();
            assert_eq!(said.len(), count, "list {number} says the same twice");
            for _ in 0..count {
                change(&mut changed, Forward);
            }
            assert_eq!(changed, round, "list {number}");
            change(&mut changed, Forward);
            change(&mut changed, Back);
            assert_eq!(changed, round, "list {number}");
        }
    }

    #[test]
    fn lighting_follows_the_format_until_it_is_chosen() {
        let mut settings = settings();
        assert_eq!(settings.cycle("lighting", Forward, Format::Mdl), "lighting: quake2");
        assert_eq!(settings.cycle("lighting", Back, Format::Md3), "lighting: quake");
    }

    #[test]
    fn own_player_colours_are_no_colours_and_a_palette_must_be_given() {
        let mut settings = settings();
        settings.change_player_color(1, Back);
        assert_eq!(settings.scene().look.colors, Some([1, 5]));
        settings.change_player_color(1, Forward);
        assert_eq!(settings.scene().look.colors, None);
        assert_eq!(settings.toggle_palette(), None);
        let mut scene = Scene::new("a.mdl");
        scene.set("palette", "p.lmp").unwrap();
        let mut settings = Settings::new(scene, InternalResolution::Window);
        assert_eq!(settings.toggle_palette().unwrap(), "palette: standard");
        assert_eq!(settings.scene().source.palette, None);
        settings.toggle_palette();
        assert_eq!(settings.scene().source.palette, Some("p.lmp".into()));
    }

    #[test]
    fn a_skin_by_key_leaves_those_of_single_surfaces() {
        let mut settings = settings();
        let surface = Skin::Surface { surface: "head".into(), file: "a.tga".into() };
        settings.scene.source.skins = vec![Skin::Number(3), surface.clone()];
        settings.wear(Skin::Number(1));
        assert_eq!(settings.scene().source.skins, [surface, Skin::Number(1)]);
    }
}
