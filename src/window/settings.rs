//! What the picture looks like besides pose and camera, and the lists that keys go through.

use std::sync::Arc;

use super::keys::Direction;
use crate::camera::Camera;
use crate::image::{Colormap, Palette};
use crate::look::{ColorMode, Cull, Draw, Filter, Lighting, Look, Perspective, Samples};
use crate::model::Format;
use crate::raster::View;

/// The size of the picture before it is enlarged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

const LIGHTINGS: [Lighting; 6] = [
    Lighting::Lambert,
    Lighting::Unlit,
    Lighting::Quake,
    Lighting::Quake2,
    Lighting::Gl,
    Lighting::Quake3,
];
const FILTERS: [Filter; 3] = [Filter::Nearest, Filter::Bilinear, Filter::Trilinear];
const DRAWS: [Draw; 6] =
    [Draw::Textured, Draw::Flat, Draw::Wire, Draw::Normals, Draw::Uv, Draw::Depth];
const CULLS: [Cull; 3] = [Cull::Back, Cull::Front, Cull::None];
const SAMPLES: [Samples; 3] = [Samples::One, Samples::Two, Samples::Four];

/// The backgrounds that the key goes through; one from the command line comes before them.
const BACKGROUNDS: [[u8; 3]; 5] =
    [[0x30, 0x30, 0x34], [0, 0, 0], [0xff, 0xff, 0xff], [0x6b, 0x8c, 0xb0], [0x4b, 0x3b, 0x2b]];

/// Rows of Quake's palette that the player's shirt and trousers have without any change.
pub(crate) const OWN_COLORS: [u8; 2] = [1, 6];
/// Rows that a player can choose.
const COLOR_ROWS: usize = 14;

/// Colours and samples of the whole picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PictureColors {
    /// True colour or palette indices.
    pub color: ColorMode,
    /// Samples a pixel.
    pub samples: Samples,
    /// What indices mean instead of what the model says.
    pub palette: Option<Arc<Palette>>,
    /// The light table of indexed pictures.
    pub colormap: Option<Arc<Colormap>>,
}

/// What keys and options change about the look.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// The look without lighting and player colours, which stand below.
    look: Look,
    color: ColorMode,
    samples: Samples,
    pub(crate) colormap: Option<Arc<Colormap>>,
    /// `None` is what the model's format suggests.
    pub(crate) lighting: Option<Lighting>,
    pub(crate) colors: [u8; 2],
    /// The palette of the command line.
    palette: Option<Arc<Palette>>,
    pub(crate) uses_given_palette: bool,
    pub(crate) classic: bool,
    pub(crate) resolution: InternalResolution,
    pub(crate) background: [u8; 3],
    given_background: Option<[u8; 3]>,
}

impl Settings {
    pub(crate) fn new(
        look: Look,
        colors: PictureColors,
        lighting: Option<Lighting>,
        classic: bool,
        resolution: InternalResolution,
        background: Option<[u8; 3]>,
    ) -> Self {
        Self {
            lighting,
            colors: look.colors.unwrap_or(OWN_COLORS),
            color: colors.color,
            samples: colors.samples,
            colormap: colors.colormap,
            uses_given_palette: colors.palette.is_some(),
            palette: colors.palette,
            classic,
            resolution,
            background: background.unwrap_or(BACKGROUNDS[0]),
            given_background: background.filter(|given| !BACKGROUNDS.contains(given)),
            look,
        }
    }

    pub(crate) fn lighting(&self, format: Format) -> Lighting {
        self.lighting.unwrap_or(Look::of(format).lighting)
    }

    /// The look of a model of this format.
    pub(crate) fn look(&self, format: Format) -> Look {
        Look {
            lighting: self.lighting(format),
            colors: (self.colors != OWN_COLORS).then_some(self.colors),
            ..self.look
        }
    }

    /// The palette that is in use.
    pub(crate) fn palette(&self) -> Option<Arc<Palette>> {
        self.palette.clone().filter(|_| self.uses_given_palette)
    }

    /// What the camera sees, in the colours that are chosen.
    pub(crate) fn view(&self, camera: Camera) -> View {
        let view = View::new(camera).color(self.color).samples(self.samples);
        view.palette(self.palette()).colormap(self.colormap.clone())
    }

    /// The size of the picture in a window of this size.
    pub(crate) fn picture_size(&self, window: [u32; 2]) -> [u32; 2] {
        match self.resolution {
            InternalResolution::Window => window.map(|side| side.max(1)),
            InternalResolution::Fixed(width, height) => [width, height],
        }
    }

    pub(crate) fn is_indexed(&self) -> bool {
        self.classic || self.color == ColorMode::Indexed
    }

    /// Every change returns what is said about it.
    pub(crate) fn toggle_color(&mut self) -> String {
        if self.classic {
            return "the classic renderer is always indexed (V)".into();
        }
        let indexed = self.color == ColorMode::Rgb;
        self.color = if indexed { ColorMode::Indexed } else { ColorMode::Rgb };
        format!("colour: {}", if indexed { "indexed" } else { "rgb" })
    }

    pub(crate) fn change_lighting(&mut self, direction: Direction, format: Format) -> String {
        let lighting = direction.next(&LIGHTINGS, self.lighting(format));
        self.lighting = Some(lighting);
        format!("lighting: {}", lighting_name(lighting))
    }

    pub(crate) fn change_filter(&mut self, direction: Direction) -> String {
        self.look.filter = direction.next(&FILTERS, self.look.filter);
        format!("filter: {}", filter_name(self.look.filter))
    }

    pub(crate) fn toggle_perspective(&mut self) -> String {
        let affine = self.look.perspective == Perspective::Correct;
        self.look.perspective = if affine { Perspective::Affine } else { Perspective::Correct };
        format!("perspective: {}", if affine { "affine" } else { "correct" })
    }

    pub(crate) fn change_samples(&mut self, direction: Direction) -> String {
        self.samples = direction.next(&SAMPLES, self.samples);
        format!("anti-aliasing: {}", samples_name(self.samples))
    }

    pub(crate) fn change_draw(&mut self, direction: Direction) -> String {
        self.look.draw = direction.next(&DRAWS, self.look.draw);
        format!("draw: {}", draw_name(self.look.draw))
    }

    pub(crate) fn toggle_wire(&mut self) -> String {
        let wire = self.look.draw != Draw::Wire;
        self.look.draw = if wire { Draw::Wire } else { Draw::Textured };
        format!("draw: {}", draw_name(self.look.draw))
    }

    pub(crate) fn change_cull(&mut self, direction: Direction) -> String {
        self.look.cull = direction.next(&CULLS, self.look.cull);
        format!("culled faces: {}", cull_name(self.look.cull))
    }

    pub(crate) fn change_resolution(&mut self, direction: Direction) -> String {
        self.resolution = direction.next(&RESOLUTIONS, self.resolution);
        match self.resolution {
            InternalResolution::Window => "resolution: the window's".into(),
            InternalResolution::Fixed(width, height) => format!("resolution: {width} x {height}"),
        }
    }

    pub(crate) fn toggle_renderer(&mut self) -> String {
        self.classic = !self.classic;
        format!("renderer: {}", if self.classic { "classic" } else { "precise" })
    }

    pub(crate) fn toggle_palette(&mut self) -> String {
        if self.palette.is_none() {
            return "no other palette: start with --palette FILE".into();
        }
        self.uses_given_palette = !self.uses_given_palette;
        format!("palette: {}", if self.uses_given_palette { "--palette" } else { "standard" })
    }

    pub(crate) fn change_player_color(&mut self, part: usize, direction: Direction) -> String {
        let row = direction.step(usize::from(self.colors[part]), COLOR_ROWS);
        self.colors[part] = row as u8;
        let own = if self.colors[part] == OWN_COLORS[part] { " (its own)" } else { "" };
        format!("{}: {row}{own}", ["shirt", "trousers"][part])
    }

    pub(crate) fn change_background(&mut self, direction: Direction) -> String {
        let list: Vec<[u8; 3]> = self.given_background.into_iter().chain(BACKGROUNDS).collect();
        self.background = direction.next(&list, self.background);
        format!("background: {}", color_name(self.background))
    }

    /// The options of `polyset render` that give this look to a model of this format.
    pub(crate) fn render_options(&self, format: Format) -> Vec<String> {
        let standard = Look::default();
        let look = self.look(format);
        let mut options = vec!["--background-color".into(), color_name(self.background)];
        let mut add = |option: &str, value: String| options.extend([option.to_owned(), value]);
        if self.classic {
            add("--renderer", "classic".into());
        } else {
            if self.color == ColorMode::Indexed {
                add("--color", "indexed".into());
            }
            add("--lighting", lighting_name(look.lighting).into());
            if look.filter != standard.filter {
                add("--filter", filter_name(look.filter).into());
            }
            if look.perspective != standard.perspective {
                add("--perspective", "affine".into());
            }
            if self.samples != Samples::One {
                add("--anti-aliasing", samples_name(self.samples));
            }
            if look.draw != standard.draw {
                add("--draw", draw_name(look.draw).into());
            }
            if look.cull != standard.cull {
                add("--cull", cull_name(look.cull).into());
            }
            if look.light != standard.light {
                add("--light", look.light.map(|x| x.to_string()).join(","));
            }
            if look.ambient != standard.ambient {
                add("--ambient", look.ambient.to_string());
            }
            if look.diffuse != standard.diffuse {
                add("--diffuse", look.diffuse.to_string());
            }
        }
        if look.light_level != standard.light_level {
            add("--light-level", look.light_level.to_string());
        }
        if let Some([top, bottom]) = look.colors {
            add("--colors", format!("{top},{bottom}"));
        }
        if look.alpha_test && !self.classic {
            options.push("--alpha-test".into());
        }
        options
    }
}

fn lighting_name(lighting: Lighting) -> &'static str {
    match lighting {
        Lighting::Lambert => "lambert",
        Lighting::Unlit => "unlit",
        Lighting::Quake => "quake",
        Lighting::Quake2 => "quake2",
        Lighting::Gl => "gl",
        Lighting::Quake3 => "quake3",
    }
}

fn filter_name(filter: Filter) -> &'static str {
    match filter {
        Filter::Nearest => "nearest",
        Filter::Bilinear => "bilinear",
        Filter::Trilinear => "trilinear",
    }
}

fn draw_name(draw: Draw) -> &'static str {
    match draw {
        Draw::Textured => "textured",
        Draw::Flat => "flat",
        Draw::Wire => "wire",
        Draw::Normals => "normals",
        Draw::Uv => "uv",
        Draw::Depth => "depth",
    }
}

fn cull_name(cull: Cull) -> &'static str {
    match cull {
        Cull::Back => "back",
        Cull::Front => "front",
        Cull::None => "none",
    }
}

fn samples_name(samples: Samples) -> String {
    if samples == Samples::One { "none".into() } else { format!("ssaa{}", samples.per_axis()) }
}

fn color_name([r, g, b]: [u8; 3]) -> String {
    format!("{r:02X}{g:02X}{b:02X}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Back, Forward};

    fn settings(look: Look) -> Settings {
        let colors = PictureColors::default();
        Settings::new(look, colors, None, false, InternalResolution::Window, Some([1, 2, 3]))
    }

    #[test]
    fn every_list_comes_back_to_its_start() {
        let mut changed = settings(Look::default());
        let start = changed.clone();
        type Change = fn(&mut Settings, Direction) -> String;
        let changes: [(Change, usize); 7] = [
            (Settings::change_filter, FILTERS.len()),
            (Settings::change_samples, SAMPLES.len()),
            (Settings::change_draw, DRAWS.len()),
            (Settings::change_cull, CULLS.len()),
            (Settings::change_resolution, RESOLUTIONS.len()),
            (Settings::change_background, BACKGROUNDS.len() + 1),
            (|s, d| s.change_player_color(0, d), COLOR_ROWS),
        ];
        for (number, (change, count)) in changes.into_iter().enumerate() {
            let mut said = Vec::new();
            for _ in 0..count {
                assert!(said.is_empty() || changed != start, "list {number}");
                said.push(change(&mut changed, Forward));
            }
            assert_eq!(changed, start, "list {number}");
            said.sort();
            said.dedup();
            assert_eq!(said.len(), count, "list {number} says the same twice");
            change(&mut changed, Forward);
            change(&mut changed, Back);
            assert_eq!(changed, start, "list {number}");
        }
    }

    #[test]
    fn lighting_follows_the_format_until_it_is_chosen() {
        let mut settings = settings(Look::default());
        assert_eq!(settings.look(Format::Md2).lighting, Lighting::Quake2);
        assert_eq!(settings.look(Format::Mdl).lighting, Lighting::Quake);
        assert_eq!(settings.change_lighting(Forward, Format::Mdl), "lighting: quake2");
        assert_eq!(settings.look(Format::Mdl).lighting, Lighting::Quake2);
    }

    #[test]
    fn own_player_colours_are_no_colours_and_a_palette_must_be_given() {
        let mut settings = settings(Look::default());
        settings.palette = Some(Palette::quake());
        settings.uses_given_palette = true;
        assert_eq!(settings.look(Format::Mdl).colors, None);
        settings.change_player_color(1, Back);
        assert_eq!(settings.look(Format::Mdl).colors, Some([1, 5]));
        settings.toggle_palette();
        assert_eq!(settings.palette(), None);
        settings.toggle_palette();
        assert!(settings.palette().is_some());
    }

    #[test]
    fn the_command_has_what_is_not_standard() {
        let mut settings = settings(Look::default());
        let options = |settings: &Settings| settings.render_options(Format::Md3).join(" ");
        assert_eq!(options(&settings), "--background-color 010203 --lighting quake3");
        settings.toggle_color();
        settings.toggle_perspective();
        settings.change_samples(Forward);
        settings.change_player_color(0, Back);
        assert_eq!(
            options(&settings),
            "--background-color 010203 --color indexed --lighting quake3 --perspective affine \
             --anti-aliasing ssaa2 --colors 0,6"
        );
        settings.toggle_renderer();
        assert_eq!(options(&settings), "--background-color 010203 --renderer classic --colors 0,6");
    }
}
