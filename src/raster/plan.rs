//! Plan of a draw: for every surface what its vertices become and how its pixels are shaded.
//! Textures are made here and kept for the next frames.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::camera::Camera;
use crate::image::{Colormap, Image, Palette, Pixels};
use crate::light::LightRamp;
use crate::look::{ColorMode, Cull, Draw, Filter, Lighting, Look, Perspective};
use crate::model::{Format, Model};
use crate::pose::{Pose, PosedSurface};

use super::clip::Clipper;
use super::framebuffer::DRAWN;
use super::shade::{ATTRIBUTES, LightTable, Shader, Shading};
use super::surface::Surface;
use super::texture::{Texture, TextureUse};
use super::vertex::{ScreenVertices, Source, VertexSetup, point};

/// One model to draw, and how.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Surfaces, texture coordinates and textures.
    pub model: &'a Model,
    /// Positions and normals of that model.
    pub pose: &'a Pose,
    /// Where it is seen from.
    pub camera: &'a Camera,
    /// How it is drawn.
    pub look: &'a Look,
}

/// What a draw works on.
pub(crate) struct Plan<'a> {
    pub(crate) surfaces: Vec<SurfacePlan<'a>>,
    /// Vertices of all surfaces, each surface padded to a multiple of 8.
    pub(crate) vertex_count: usize,
    /// The palette of an indexed picture.
    pub(crate) palette: Option<Arc<Palette>>,
}

/// One surface of one item.
#[derive(Debug)]
pub(crate) struct SurfacePlan<'a> {
    pub(crate) posed: &'a PosedSurface,
    pub(crate) texcoords: &'a [[f32; 2]],
    triangles: &'a [[u32; 3]],
    pub(crate) setup: VertexSetup,
    cull: Cull,
    shader: Shader,
    texture: Arc<Texture>,
    colormap: Option<Arc<LightTable>>,
    /// First vertex and number of vertices with padding.
    pub(crate) base: usize,
    pub(crate) count: usize,
    /// The vertex stage found a vertex outside.
    outside: AtomicBool,
    /// Where the vertices stand that the clip stage made.
    clipped_base: usize,
    /// Every triangle has vertices of its own in this mode.
    expansion: Option<Draw>,
}

impl<'a> Plan<'a> {
    /// `memory` is what an earlier plan gave back; see [`Plan::into_memory`].
    pub(crate) fn new(
        items: &[Item<'a>],
        size: [u32; 2],
        textures: &mut TextureCache,
        memory: Vec<SurfacePlan<'static>>,
    ) -> Self {
        textures.generation += 1;
        let color = items[0].look.color;
        let palette = (color == ColorMode::Indexed).then(|| picture_palette(&items[0]));
        let mut surfaces = emptied(memory);
        let mut base = 0;
        for item in items {
            let look = item.look;
            let aspect = size[0] as f32 / size[1] as f32;
            let camera = item.camera.resolve(item.pose, aspect);
            let colormap = palette.as_ref().map(|palette| textures.colormap(look, palette));
            for (surface, posed) in item.model.surfaces().iter().zip(&item.pose.surfaces) {
                let texture =
                    textures.texture(item.model, surface.texture(), look, palette.as_deref());
                let source = match look.draw {
                    Draw::Normals => Source::Normals,
                    Draw::Depth => Source::Depth,
                    Draw::Uv | Draw::Flat | Draw::Wire => Source::Textured([1.0; 2]),
                    Draw::Textured => Source::Textured(texture.scale()),
                };
                let count = posed.position[0].len();
                surfaces.push(SurfacePlan {
                    posed,
                    texcoords: surface.texcoords(),
                    triangles: surface.triangles(),
                    setup: VertexSetup {
                        camera,
                        light: LightRamp::for_kernel(&Look { color, ..look.clone() })
                            .on_turned_model(item.camera.model_yaw),
                        source,
                        perspective: look.perspective == Perspective::Correct,
                        half: size.map(|side| side as f32 * 0.5),
                    },
                    cull: look.cull,
                    shader: shader(look, color),
                    texture,
                    colormap: colormap.clone(),
                    base,
                    count,
                    outside: AtomicBool::new(false),
                    clipped_base: 0,
                    expansion: expands(look.draw).then_some(look.draw),
                });
                base += count;
            }
        }
        textures.forget_unused();
        Self { surfaces, vertex_count: base, palette }
    }

    /// The memory of the plan, for the next frame's.
    pub(crate) fn into_memory(self) -> Vec<SurfacePlan<'static>> {
        emptied(self.surfaces)
    }

    pub(crate) fn triangle_count(&self) -> usize {
        self.surfaces.iter().map(|surface| surface.triangles.len()).sum()
    }
}

/// An empty vector in the memory of another of the same layout: the standard library collects in
/// place.
pub(crate) fn emptied<A, B>(mut items: Vec<A>) -> Vec<B> {
    items.clear();
    items.into_iter().map_while(|_| None).collect()
}

fn shader(look: &Look, color: ColorMode) -> Shader {
    match (look.draw, color, look.filter) {
        (Draw::Normals, ..) => Shader::Normals,
        (Draw::Uv, ..) => Shader::Uv,
        (Draw::Depth, ..) => Shader::Depth,
        (Draw::Wire, ..) => Shader::Wire,
        (_, ColorMode::Indexed, _) => Shader::Indexed,
        (Draw::Flat, ..) | (_, _, Filter::Nearest) => Shader::Nearest,
        (_, _, Filter::Bilinear) => Shader::Bilinear,
        (_, _, Filter::Trilinear) => Shader::Trilinear,
    }
}

/// The palette of an indexed picture: the skin's own for an MD2 with a palette picture, else the
/// look's, else the model's.
fn picture_palette(item: &Item<'_>) -> Arc<Palette> {
    let own = item.model.surfaces().iter().find_map(|surface| match surface.texture()?.pixels() {
        Pixels::Indexed { palette, .. } if item.model.format() == Format::Md2 => {
            Some(palette.clone())
        }
        _ => None,
    });
    own.or_else(|| item.look.palette.clone()).unwrap_or_else(|| item.model.palette.clone())
}

/// Whether a draw mode needs three vertices of its own for every triangle.
fn expands(draw: Draw) -> bool {
    matches!(draw, Draw::Flat | Draw::Wire)
}

impl SurfacePlan<'_> {
    /// The vertex stage tells that a vertex lies outside.
    pub(crate) fn found_outside(&self) {
        self.outside.store(true, Ordering::Relaxed);
    }

    /// Whether the clip stage has to make vertices and triangles that can be drawn.
    pub(crate) fn needs_clip(&self) -> bool {
        self.expansion.is_some() || self.outside.load(Ordering::Relaxed)
    }

    fn shading(&self) -> Shading<'_> {
        Shading {
            shader: self.shader,
            texture: &self.texture,
            colormap: self.colormap.as_deref(),
            light_max: if self.setup.light.max < 257.0 { 256 } else { 512 },
        }
    }

    /// The surface after the clip stage, which made `clipped` where it was needed.
    pub(crate) fn drawn<'b>(
        &'b self,
        clipped: &'b [[u32; 3]],
        vertices: &'b ScreenVertices,
    ) -> Surface<'b> {
        let (base, triangles) = if self.needs_clip() {
            (self.clipped_base, clipped)
        } else {
            (self.base, self.triangles)
        };
        let shading = self.shading();
        Surface {
            triangles,
            xy: &vertices.xy[base..],
            attributes: &vertices.attributes[base * ATTRIBUTES..],
            cull: self.cull,
            shading,
            fast_path: shading.fast_path(),
        }
    }

    /// Makes vertices and triangles that can be drawn from a surface with vertices outside, or with
    /// three vertices of its own for every triangle.
    pub(crate) fn clip(
        &mut self,
        vertices: &mut ScreenVertices,
        triangles: &mut Vec<[u32; 3]>,
        clipper: &mut Clipper,
        parallel: bool,
    ) {
        let base = vertices.xy.len();
        self.clipped_base = base;
        vertices.xy.extend_from_within(self.base..self.base + self.count);
        let range = self.base * ATTRIBUTES..(self.base + self.count) * ATTRIBUTES;
        vertices.attributes.extend_from_within(range);
        let vertex = |i: usize| self.setup.clip_vertex(self.posed, self.texcoords, i);
        clipper.set_vertices(self.posed.count, vertex, parallel);
        clipper.clip(&self.setup, self.triangles, base, vertices, triangles, parallel);
        if let Some(draw) = self.expansion {
            expand(draw, base, vertices, triangles);
            self.clipped_base = vertices.xy.len() - triangles.len() * 3;
            for (i, corners) in triangles.iter_mut().enumerate() {
                *corners = [0, 1, 2].map(|corner| (3 * i + corner) as u32);
            }
        }
    }
}

/// Appends three vertices for every triangle, with one light (flat) or the distances to the edges
/// (wire).
fn expand(draw: Draw, base: usize, vertices: &mut ScreenVertices, triangles: &[[u32; 3]]) {
    for corners in triangles {
        let corners = corners.map(|corner| base + corner as usize);
        let xy = corners.map(|corner| vertices.xy[corner]);
        let points = xy.map(point);
        let mut records: [[f32; ATTRIBUTES]; 3] = corners
            .map(|corner| std::array::from_fn(|i| vertices.attributes[corner * ATTRIBUTES + i]));
        if draw == Draw::Flat {
            let light = records.iter().map(|r| r[4] / r[1]).sum::<f32>() / 3.0;
            for record in &mut records {
                record[4] = light * record[1];
            }
        } else {
            for (corner, record) in records.iter_mut().enumerate() {
                record[1..].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
                record[2 + corner] = height(points, corner);
            }
        }
        for (xy, record) in xy.into_iter().zip(records) {
            vertices.xy.push(xy);
            vertices.attributes.extend_from_slice(&record);
        }
    }
}

/// Distance in pixels from a corner to the opposite side.
fn height(xy: [[i32; 2]; 3], corner: usize) -> f32 {
    let d = |p: [i32; 2], q: [i32; 2], i: usize| (f64::from(q[i]) - f64::from(p[i])) / 256.0;
    let [a, b, c] = [corner, (corner + 1) % 3, (corner + 2) % 3].map(|i| xy[i]);
    let area = (d(b, c, 0) * d(b, a, 1) - d(b, c, 1) * d(b, a, 0)).abs();
    let side = (d(b, c, 0) * d(b, c, 0) + d(b, c, 1) * d(b, c, 1)).sqrt();
    if side > 0.0 { (area / side) as f32 } else { 0.0 }
}

/// Textures and colormaps of the frames before.
#[derive(Debug, Default)]
pub(crate) struct TextureCache {
    entries: Vec<TextureEntry>,
    colormaps: Vec<ColormapEntry>,
    generation: u64,
}

#[derive(Debug)]
struct TextureEntry {
    image: Option<Arc<Image>>,
    key: TextureKey,
    texture: Arc<Texture>,
    used: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct TextureKey {
    target: Option<Palette>,
    lookup: Option<Palette>,
    colors: Option<[u8; 2]>,
    alpha_test: bool,
    fullbright: bool,
    mipmaps: bool,
}

#[derive(Debug)]
struct ColormapEntry {
    palette: Arc<Palette>,
    given: Option<Arc<Colormap>>,
    colors: Option<[u8; 2]>,
    table: Arc<LightTable>,
}

/// Frames after which a texture that no draw uses is dropped.
const KEPT_FRAMES: u64 = 60;
/// Colormaps that are kept.
const KEPT_COLORMAPS: usize = 4;

impl TextureCache {
    fn texture(
        &mut self,
        model: &Model,
        image: Option<&Arc<Image>>,
        look: &Look,
        target: Option<&Palette>,
    ) -> Arc<Texture> {
        let image = image.filter(|_| look.draw == Draw::Textured);
        let embedded = image.is_some_and(|image| {
            matches!(image.pixels(), Pixels::Indexed { palette, .. } if **palette == *model.palette)
        });
        let lookup = embedded.then(|| look.palette.as_deref().unwrap_or(&model.palette));
        let key = TextureKey {
            target: target.cloned(),
            lookup: lookup.cloned(),
            colors: look.colors,
            alpha_test: look.alpha_test,
            fullbright: matches!(look.lighting, Lighting::Quake | Lighting::Gl),
            mipmaps: look.filter == Filter::Trilinear,
        };
        let same = |entry: &TextureEntry| {
            entry.image.as_ref().map(Arc::as_ptr) == image.map(Arc::as_ptr) && entry.key == key
        };
        if let Some(entry) = self.entries.iter_mut().find(|entry| same(entry)) {
            entry.used = self.generation;
            return entry.texture.clone();
        }
        let usage = TextureUse {
            target,
            lookup,
            colors: key.colors,
            alpha_test: key.alpha_test,
            fullbright: key.fullbright,
            mipmaps: key.mipmaps,
        };
        let texture = Arc::new(match image {
            Some(image) => Texture::new(image, &usage),
            None => Texture::grey(target),
        });
        let (image, used) = (image.cloned(), self.generation);
        self.entries.push(TextureEntry { image, key, texture: texture.clone(), used });
        texture
    }

    /// The light table of an indexed picture, with player colours.
    fn colormap(&mut self, look: &Look, palette: &Arc<Palette>) -> Arc<LightTable> {
        let same = |entry: &ColormapEntry| {
            entry.palette == *palette && entry.given == look.colormap && entry.colors == look.colors
        };
        if let Some(entry) = self.colormaps.iter().find(|entry| same(entry)) {
            return entry.table.clone();
        }
        let colormap = match &look.colormap {
            Some(given) => (**given).clone(),
            None => Colormap::from_palette(palette),
        };
        let colormap = match look.colors {
            Some(colors) => colormap.with_player_colors(colors),
            None => colormap,
        };
        let mut table = [0; 64 * 256];
        for (pixel, &index) in table.iter_mut().zip(colormap.rows()) {
            *pixel = DRAWN | u32::from(index);
        }
        let table = Arc::new(table);
        self.colormaps.truncate(KEPT_COLORMAPS - 1);
        self.colormaps.insert(
            0,
            ColormapEntry {
                palette: palette.clone(),
                given: look.colormap.clone(),
                colors: look.colors,
                table: table.clone(),
            },
        );
        table
    }

    fn forget_unused(&mut self) {
        let oldest = self.generation.saturating_sub(KEPT_FRAMES);
        self.entries.retain(|entry| entry.used >= oldest);
    }
}
