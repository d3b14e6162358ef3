//! Plan of a draw: for every surface what its vertices become and how its pixels are shaded.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::clip::Clipper;
use super::expand::{Clipped, expand, expands};
use super::instance::Instance;
use super::mix::{Mix, PaletteMix};
use super::pass::{Pass, Picture, passes};
use super::shade::{ATTRIBUTES, LightTable, Shader, Shading};
use super::surface::Surface;
use super::texcoord::{self, Eye};
use super::texture::Texture;
use super::texture_cache::TextureCache;
use super::threads::Threads;
use super::vertex::{ClipRows, RING, ScreenVertices, Source, VertexSetup};
use super::view::View;
use crate::image::Palette;
use crate::light::LightRamp;
use crate::look::{ColorMode, Cull, Draw, Filter, Look, Perspective};
use crate::model::{Reached, SORT_OPAQUE, Surface as ModelSurface};
use crate::pose::PosedSurface;

/// What a draw works on.
pub(crate) struct Plan<'a> {
    pub(crate) surfaces: Vec<SurfacePlan<'a>>,
    /// Vertices of all surfaces, each surface padded to a multiple of 8.
    pub(crate) vertex_count: usize,
}

/// One pass over a surface of an instance.
#[derive(Debug)]
pub(crate) struct SurfacePlan<'a> {
    pub(crate) posed: &'a PosedSurface,
    pub(crate) texcoords: Cow<'a, [[f32; 2]]>,
    /// Lower ones are drawn first.
    sort: f32,
    /// Those that are to be drawn.
    pub(crate) triangles: &'a [[u32; 3]],
    /// Whose triangles they are, all or the last ones.
    surface: &'a ModelSurface,
    pub(crate) setup: VertexSetup,
    cull: Cull,
    shader: Shader,
    texture: Arc<Texture>,
    colormap: Option<Arc<LightTable>>,
    mix: Option<Mix>,
    palette_mix: Option<Arc<PaletteMix>>,
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
    /// Whether any surface is mixed with what is there.
    pub(crate) fn is_mixed(&self) -> bool {
        self.surfaces.iter().any(|surface| surface.mix.is_some())
    }

    /// `palette` is that of an indexed picture, `memory` what an earlier plan gave back; see
    /// [`Plan::into_memory`].
    pub(crate) fn new(
        view: &View,
        instances: &[Instance<'a>],
        palette: Option<&Arc<Palette>>,
        size: [u32; 2],
        textures: &mut TextureCache,
        memory: Vec<SurfacePlan<'static>>,
    ) -> Self {
        textures.begin(size.map(u64::from).iter().product());
        let camera = view.resolve(instances, size);
        let mut surfaces: Vec<SurfacePlan<'a>> = emptied(memory);
        for instance in instances {
            let Instance { model, pose, look, transform } = instance;
            let rows = camera.of(transform);
            let light = LightRamp::for_kernel(look, view.color).on(transform);
            let colormap = palette
                .map(|palette| textures.colormap(view.colormap.as_ref(), look.colors, palette));
            for (surface, posed) in model.surfaces.iter().zip(&pose.surfaces) {
                for pass in passes(surface, look, view.color, view.time) {
                    let given = view.palette.as_ref();
                    let mut texture =
                        |image, alpha| textures.texture(model, image, look, alpha, given, palette);
                    let texture = match pass.picture {
                        Picture::Texture => texture(surface.texture.as_ref(), pass.alpha),
                        Picture::Map(map) => texture(map.image(), pass.alpha),
                        Picture::White => textures.white(palette),
                    };
                    let is_mixed = !pass.is_mixed_if_translucent || texture.is_translucent;
                    let mix = pass.mix.filter(|_| is_mixed);
                    let cull = match transform.turns_triangles_over() {
                        true => opposite(pass.cull),
                        false => pass.cull,
                    };
                    let palette_mix = palette.filter(|_| mix.is_some());
                    surfaces.push(SurfacePlan {
                        posed,
                        texcoords: texcoords(surface, &pass, posed, &rows, view.time),
                        sort: if is_mixed { pass.sort } else { SORT_OPAQUE },
                        triangles: &surface.triangles,
                        surface,
                        setup: VertexSetup {
                            camera: rows,
                            light: pass.light.unwrap_or(light),
                            source: source(look.draw, &texture),
                            perspective: look.perspective == Perspective::Correct,
                            half: size.map(|side| side as f32 * 0.5),
                        },
                        cull,
                        shader: shader(look, view.color),
                        texture,
                        colormap: colormap.clone(),
                        mix,
                        palette_mix: palette_mix.map(|palette| textures.palette_mix(palette)),
                        base: 0,
                        count: posed.position[0].len(),
                        outside: AtomicBool::new(false),
                        clipped_base: 0,
                        expansion: expands(look.draw).then_some(look.draw),
                    });
                }
            }
        }
        textures.end();
        // As the engine sorts; surfaces of one `sort` stay in the order of the file.
        if surfaces.iter().any(|surface| surface.sort != SORT_OPAQUE) {
            surfaces.sort_by(|a, b| a.sort.total_cmp(&b.sort));
        }
        let mut base = 0;
        for surface in &mut surfaces {
            surface.base = base;
            base += surface.count;
        }
        Self { surfaces, vertex_count: base }
    }

    /// The memory of the plan, for the next frame's.
    pub(crate) fn into_memory(self) -> Vec<SurfacePlan<'static>> {
        emptied(self.surfaces)
    }

    pub(crate) fn triangle_count(&self) -> usize {
        self.surfaces.iter().map(|surface| surface.triangles.len()).sum()
    }
}

/// The texture coordinates of a pass: the model's own, or those that its stage has at this time.
fn texcoords<'a>(
    surface: &'a ModelSurface,
    pass: &Pass<'_>,
    posed: &PosedSurface,
    rows: &ClipRows,
    time: f64,
) -> Cow<'a, [[f32; 2]]> {
    let own = &surface.texcoords;
    let moved = pass
        .stage
        .and_then(|stage| texcoord::coordinates(stage, own, posed, || Eye::of(rows), time));
    moved.map_or(Cow::Borrowed(own), Cow::Owned)
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

fn source(draw: Draw, texture: &Texture) -> Source {
    match draw {
        Draw::Normals => Source::Normals,
        Draw::Depth => Source::Depth,
        Draw::Uv | Draw::Flat | Draw::Wire => Source::Textured([1.0; 2]),
        Draw::Textured => Source::Textured(texture.scale()),
    }
}

/// What is culled where a mirror shows the other side.
fn opposite(cull: Cull) -> Cull {
    match cull {
        Cull::Back => Cull::Front,
        Cull::Front => Cull::Back,
        Cull::None => Cull::None,
    }
}

impl<'a> SurfacePlan<'a> {
    /// See [`Reach::of`](crate::model::Reach::of): of all triangles of the surface.
    pub(crate) fn reach(&self) -> &'a [Range<u32>] {
        self.surface.reach.of(&self.surface.triangles)
    }

    /// Whether all that a run of triangles needs is in the ring when the run's last vertex is.
    pub(crate) fn fits_ring(&self) -> bool {
        let mut end = 0;
        self.reach().iter().all(|run| {
            end = end.max(run.end.next_multiple_of(8) as usize);
            end - run.start as usize <= RING
        })
    }

    /// See [`Clusters::reached`](crate::model::Clusters::reached): by all triangles of the surface.
    pub(crate) fn reached(&self) -> &'a Reached {
        self.surface.clusters.reached(&self.surface.triangles)
    }

    /// Which side is not drawn.
    pub(crate) fn cull(&self) -> Cull {
        self.cull
    }

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
            mix: self.mix.as_ref(),
            palette_mix: self.palette_mix.as_deref(),
        }
    }

    /// The surface after the clip stage, which made the vertices and triangles `clipped` where they
    /// were needed.
    pub(crate) fn drawn<'b>(
        &'b self,
        vertices: &'b ScreenVertices,
        clipped_vertices: &'b ScreenVertices,
        clipped: &'b [[u32; 3]],
    ) -> Surface<'b> {
        if self.needs_clip() {
            let base = self.clipped_base;
            let attributes = &clipped_vertices.attributes[base * ATTRIBUTES..];
            self.on_screen((clipped, None), &clipped_vertices.xy[base..], attributes, usize::MAX)
        } else {
            let xy = vertices.positions(self.base, self.count);
            let attributes = vertices.records(self.base, self.count);
            let slots = self.surface.slots.whole(&self.surface.triangles, self.count);
            let slots = slots.map(|all| &all[all.len() - self.triangles.len()..]);
            self.on_screen((self.triangles, slots), xy, attributes, usize::MAX)
        }
    }

    /// Some triangles of the surface, whose vertices are in the ring as far as they are of `clusters`; see
    /// [`Surface::clusters`].
    pub(crate) fn streamed<'b>(
        &'b self,
        ring: &'b ScreenVertices,
        triangles: Range<usize>,
        clusters: Option<&'b [u64]>,
    ) -> Surface<'b> {
        let all = &self.surface.triangles;
        let slots = self.surface.slots.ring(all, self.count, (RING - 1) as u16);
        let triangles = (&all[triangles.clone()], Some(&slots[triangles]));
        let (xy, attributes) = (ring.positions(0, RING), ring.records(0, RING));
        let surface = self.on_screen(triangles, xy, attributes, RING - 1);
        Surface { clusters, ..surface }
    }

    fn on_screen<'b>(
        &'b self,
        (triangles, slots): (&'b [[u32; 3]], Option<&'b [[u16; 3]]>),
        xy: &'b [u64],
        attributes: &'b [f32],
        slot_mask: usize,
    ) -> Surface<'b> {
        let shading = self.shading();
        Surface {
            triangles,
            slots,
            xy,
            attributes,
            slot_mask,
            clusters: None,
            cull: self.cull,
            shading,
            fast_path: shading.fast_path(),
            plain_blocks: shading.plain_blocks(),
        }
    }

    /// Makes vertices and triangles that can be drawn from a surface with vertices outside, or with
    /// three vertices of its own for every triangle.
    pub(crate) fn clip(
        &mut self,
        vertices: &ScreenVertices,
        clipped: &mut ScreenVertices,
        triangles: &mut Vec<[u32; 3]>,
        clipper: &mut Clipper,
        threads: &Threads,
    ) {
        let base = clipped.xy.len();
        self.clipped_base = base;
        let range = self.base..self.base + self.count;
        clipped.xy.extend_from_slice(&vertices.xy[range.clone()]);
        let range = range.start * ATTRIBUTES..range.end * ATTRIBUTES;
        clipped.attributes.extend_from_slice(&vertices.attributes[range]);
        let vertex = |i: usize| self.setup.clip_vertex(self.posed, &self.texcoords, i);
        clipper.set_vertices(self.posed.count, vertex, threads);
        clipper.clip(&self.setup, self.triangles, base, clipped, triangles, threads);
        if let Some(draw) = self.expansion {
            let (first_new, sources) = (self.count, clipper.sources());
            let surface = Clipped { triangles, base, first_new, sources };
            expand(draw, &self.setup, surface, clipped);
            self.clipped_base = clipped.xy.len() - triangles.len() * 3;
            for (i, corners) in triangles.iter_mut().enumerate() {
                *corners = [0, 1, 2].map(|corner| (3 * i + corner) as u32);
            }
        }
    }
}
