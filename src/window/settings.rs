//! The scene that keys edit, and the lists that they go through.

use super::keys::{Body, Direction};
use super::present::Placement;
use crate::location::Location;
use crate::look::{ColorMode, Draw, Lighting, Look};
use crate::model::Format;
use crate::scene::notation::Named;
use crate::scene::options::{self, Command, Row};
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
/// How many times higher than wide the pixels of 320 x 200 are on a screen of 4:3.
const OLD_PIXELS: f32 = 1.2;
/// Light that a step of the wheel is.
const LEVELS_PER_STEP: f32 = 8.0;

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
    given_pixel_aspect: Option<f32>,
    /// What was drawn before wire was.
    before_wire: Draw,
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
            given_pixel_aspect: scene.camera.pixel_aspect,
            before_wire: Draw::default(),
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

    /// How many times higher than wide a pixel is shown.
    pub(crate) fn pixel_aspect(&self) -> f32 {
        self.scene.camera.pixel_aspect.unwrap_or(1.0)
    }

    /// Pixels as wide as high, or as the command line says, else as of 320 x 200 on a screen of 4:3.
    pub(crate) fn toggle_pixel_aspect(&mut self) -> String {
        let other = self.given_pixel_aspect.unwrap_or(OLD_PIXELS);
        let aspect = &mut self.scene.camera.pixel_aspect;
        *aspect = if aspect.is_some() { None } else { Some(other) };
        format!("pixels: 1 x {}", self.pixel_aspect())
    }

    /// The size of the picture in a window of this size.
    pub(crate) fn picture_size(&self, window: [u32; 2]) -> [u32; 2] {
        match self.resolution {
            InternalResolution::Window => {
                let rows = f64::from(window[1]) / f64::from(self.pixel_aspect());
                [window[0].max(1), (rows.round() as u32).max(1)]
            }
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
        self.set(option, names[direction.step(at, names.len())], format)
    }

    fn set(&mut self, option: &'static str, value: &str, format: Format) -> String {
        let row = options::row(Command::View, option).expect("keys go through options");
        row.read(&mut self.scene, value.as_ref()).expect("it is one of the choices");
        let said = format!("{}: {value}", option.replace('-', " "));
        if option == "renderer" {
            return said + &self.ignored_by_renderer();
        }
        said + &self.ignored(row, format)
    }

    /// What is said of an option that changes nothing in this picture.
    fn ignored(&self, row: &Row, format: Format) -> String {
        let renderer = self.scene.renderer;
        if !row.renderers.contains(&renderer) {
            return format!(" (the {} renderer ignores it)", renderer.name());
        }
        if !row.formats.is_empty() && !row.formats.contains(&format) {
            return format!(" (.{} ignores it)", format.extension());
        }
        String::new()
    }

    /// What the renderer does not honour of all that was chosen.
    fn ignored_by_renderer(&self) -> String {
        let renderer = self.scene.renderer;
        let is_ignored = |row: &&Row| {
            row.commands.contains(&Command::View)
                && !row.renderers.contains(&renderer)
                && row.values(&self.scene).iter().any(|value| value != row.default)
        };
        let ignored: Vec<&str> =
            options::ROWS.iter().filter(is_ignored).map(|row| row.name).collect();
        if ignored.is_empty() {
            String::new()
        } else {
            format!(" (ignores {})", ignored.join(", "))
        }
    }

    /// Wire, or what was drawn before.
    pub(crate) fn toggle_wire(&mut self, format: Format) -> String {
        let before = self.scene.look.draw;
        let other = if before == Draw::Wire { self.before_wire } else { Draw::Wire };
        self.before_wire = before;
        self.set("draw", other.name(), format)
    }

    /// The next resolution, in a window of this size.
    pub(crate) fn change_resolution(&mut self, direction: Direction, window: [u32; 2]) -> String {
        self.resolution = direction.next(&RESOLUTIONS, self.resolution);
        let InternalResolution::Fixed(width, height) = self.resolution else {
            return "resolution: the window's".into();
        };
        let said = format!("resolution: {width} x {height}");
        let scale = Placement::new([width, height], window, self.pixel_aspect()).scale as u32;
        let next = [width, height].map(|side| side * (scale + 1));
        if [width, height].map(|side| side * scale) == window {
            return said;
        }
        format!("{said}, {scale} times ({} times needs {} x {})", scale + 1, next[0], next[1])
    }

    /// Returns whether there is another palette.
    pub(crate) fn toggle_palette(&mut self) -> Option<String> {
        self.given_palette.as_ref()?;
        let palette = &mut self.scene.source.palette;
        *palette = if palette.is_some() { None } else { self.given_palette.clone() };
        let name = if palette.is_some() { "--palette" } else { "standard" };
        Some(format!("palette: {name}"))
    }

    pub(crate) fn change_player_color(
        &mut self,
        part: usize,
        direction: Direction,
        format: Format,
    ) -> String {
        let mut colors = self.scene.look.colors.unwrap_or(OWN_COLORS);
        let row = direction.step(usize::from(colors[part]), COLOR_ROWS);
        colors[part] = row as u8;
        self.scene.look.colors = (colors != OWN_COLORS).then_some(colors);
        let own = if colors[part] == OWN_COLORS[part] { " (its own)" } else { "" };
        let colors = options::row(Command::View, "colors").expect("keys go through options");
        let ignored = self.ignored(colors, format);
        format!("{}: {row}{own}{ignored}", ["shirt", "trousers"][part])
    }

    /// Turns the light by degrees round the model and up, in the style that has a direction; returns what
    /// is said about it.
    pub(crate) fn turn_light(&mut self, [azimuth, elevation]: [f32; 2], format: Format) -> String {
        self.set("lighting", Lighting::Lambert.name(), format);
        let light = self.scene.light.direction.unwrap_or(Look::default().light);
        let [x, y, z] = light.map(f64::from);
        let now = [libm::atan2(y, x), libm::atan2(z, libm::hypot(x, y))].map(f64::to_degrees);
        // Straight up the azimuth would be lost.
        let raised = (now[1] + f64::from(elevation)).clamp(-89.0, 89.0).to_radians();
        let turned = (now[0] + f64::from(azimuth)).to_radians();
        let flat = libm::cos(raised);
        let direction = [libm::cos(turned) * flat, libm::sin(turned) * flat, libm::sin(raised)];
        // Three digits keep the command that says it short.
        let [x, y, z] = direction.map(|x| (x * 1e3).round() / 1e3);
        self.set("light", &format!("{x},{y},{z}"), format)
    }

    /// More or less light of the place, by steps of the wheel; returns what is said about it.
    pub(crate) fn change_light_level(&mut self, steps: f32, format: Format) -> String {
        let level = self.scene.light.level.unwrap_or(Look::default().light_level);
        let level = (level + steps * LEVELS_PER_STEP).round().clamp(0.0, 255.0);
        let said = self.set("light-level", &level.to_string(), format);
        let style = self.scene.light.style.unwrap_or(Look::of(format).lighting);
        let has_level = matches!(style, Lighting::Quake | Lighting::Quake2 | Lighting::Gl);
        if has_level || self.is_classic() {
            return said;
        }
        format!("{said} (lighting {} ignores it)", style.name())
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
            (|s, d| s.change_resolution(d, [640, 400]), RESOLUTIONS.len()),
            (Settings::change_background, BACKGROUNDS.len() + 1),
            (|s, d| s.change_player_color(0, d, Format::Mdl), COLOR_ROWS),
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
        settings.change_player_color(1, Back, Format::Mdl);
        assert_eq!(settings.scene().look.colors, Some([1, 5]));
        settings.change_player_color(1, Forward, Format::Mdl);
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

    #[test]
    fn what_is_not_honoured_is_said() {
        let mut settings = settings();
        let filter = |settings: &mut Settings| settings.cycle("filter", Forward, Format::Md2);
        assert_eq!(filter(&mut settings), "filter: bilinear");
        let said = settings.cycle("renderer", Forward, Format::Md2);
        assert_eq!(said, "renderer: classic (ignores filter)");
        assert_eq!(filter(&mut settings), "filter: trilinear (the classic renderer ignores it)");
        let said = settings.change_player_color(0, Forward, Format::Md3);
        assert_eq!(said, "shirt: 2");
    }

    #[test]
    fn wire_gives_back_what_was_drawn_before() {
        let mut settings = settings();
        settings.cycle("draw", Forward, Format::Md2);
        let before = settings.scene().look.draw;
        assert_ne!(before, Draw::Textured);
        assert_eq!(settings.toggle_wire(Format::Md2), "draw: wire");
        settings.toggle_wire(Format::Md2);
        assert_eq!(settings.scene().look.draw, before);
    }

    #[test]
    fn a_resolution_says_how_large_it_is_shown() {
        let mut settings = settings();
        let mut said = || settings.change_resolution(Forward, [960, 600]);
        assert_eq!(said(), "resolution: 320 x 200");
        assert_eq!(said(), "resolution: 320 x 240, 2 times (3 times needs 960 x 720)");
        assert_eq!(said(), "resolution: 640 x 480, 1 times (2 times needs 1280 x 960)");
        assert_eq!(said(), "resolution: the window's");
    }

    #[test]
    fn the_hand_turns_the_light_and_the_wheel_is_its_level() {
        let mut settings = settings();
        assert_eq!(settings.turn_light([0.0, 90.0], Format::Md2), "light: 0.015,0.009,1");
        assert_eq!(settings.scene().light.style, Some(Lighting::Lambert));
        let said = settings.change_light_level(2.0, Format::Md2);
        assert_eq!(said, "light level: 144 (lighting lambert ignores it)");
        settings.cycle("renderer", Forward, Format::Md2);
        assert_eq!(settings.change_light_level(90.0, Format::Md2), "light level: 255");
        let said = settings.turn_light([10.0, 0.0], Format::Md2);
        assert!(said.ends_with("(the classic renderer ignores it)"), "{said}");
    }
}
