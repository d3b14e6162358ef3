//! The stages of a draw, each over all surfaces or bands, in parallel where that pays.
//!
//! The buffers are kept from frame to frame. No piece of the work looks at another's result, so threads
//! cannot change a bit.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::bands::{Band, Bands};
use super::bins::{Bins, Chunk};
use super::clear::ColorRows;
use super::clip::Clipper;
use super::clusters;
use super::dirty;
use super::kernel::{self, Kernel, ToDraw};
use super::plan::{Plan, SurfacePlan, emptied};
use super::ring;
use super::shade::ATTRIBUTES;
use super::surface::Surface;
use super::target::{Area, ROW_PADDING, Target, indices};
use super::threads::Threads;
use super::vertex::{Extent, ScreenVertices, Stretch, fine};
use super::visible::Visible;
use crate::pages::Pages;

/// Buffers of the stages.
#[derive(Debug, Default)]
pub(crate) struct Work {
    vertices: ScreenVertices,
    /// Vertices and triangles of surfaces that went through the clip stage.
    pub(crate) clipped_vertices: ScreenVertices,
    clipped: Vec<Vec<[u32; 3]>>,
    clipper: Clipper,
    /// Of all vertices of the frame.
    extent: Option<Extent>,
    /// Memory of [`Drawing::surfaces`].
    surfaces: Vec<Surface<'static>>,
    bins: Bins,
    visible: Visible,
    /// Memory of the kernels, one for every thread.
    scratch: Vec<Mutex<Scratch>>,
}

/// What a thread needs to draw a band.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Depth of the band, unless the picture keeps it: far, between draws.
    pub(crate) depth: Pages<f32>,
    /// See [`Band::farthest`].
    pub(crate) farthest: Vec<f32>,
    clusters: clusters::Scratch,
    pub(crate) kernel: kernel::Scratch,
}

/// Vertices of a piece of the vertex stage; a multiple of 8.
const PIECE_VERTICES: usize = 2048;

impl Work {
    /// Vertex stage.
    pub(crate) fn transform(
        &mut self,
        surfaces: &[SurfacePlan<'_>],
        kernel: Kernel,
        threads: &Threads,
    ) {
        let count = surfaces.last().map_or(0, |surface| surface.base + surface.count);
        let most = surfaces.iter().map(|surface| surface.count).max().unwrap_or(0);
        self.vertices.resize(count, most);
        let xy = &mut self.vertices.xy[..count];
        let attributes = &mut self.vertices.attributes[..count * ATTRIBUTES];
        let pieces = xy.chunks_mut(PIECE_VERTICES);
        let pieces = pieces.zip(attributes.chunks_mut(PIECE_VERTICES * ATTRIBUTES)).enumerate();
        let all = Mutex::new(Extent::NONE);
        let threads = if count < 2 * PIECE_VERTICES { &Threads::One } else { threads };
        threads.share_from_ends(pieces, |_, (number, (xy, attributes))| {
            let first = number * PIECE_VERTICES;
            let extent = transform_piece(surfaces, kernel, first, xy, attributes);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            *all = all.and(extent);
        });
        self.extent = Some(all.into_inner().unwrap_or_else(PoisonError::into_inner));
    }

    /// Clip stage. What it leaves is drawn by the stages of the [`Drawing`].
    pub(crate) fn clip<'a>(
        &'a mut self,
        plans: &'a mut [SurfacePlan<'_>],
        kernel: Kernel,
        threads: &'a Threads,
    ) -> Drawing<'a> {
        let Self {
            vertices,
            clipped_vertices,
            clipped,
            clipper,
            extent,
            surfaces: memory,
            bins,
            scratch,
            ..
        } = self;
        clipped_vertices.clear();
        clipped.resize_with(clipped.len().max(plans.len()), Vec::new);
        for (surface, triangles) in plans.iter_mut().zip(&mut *clipped) {
            triangles.clear();
            if surface.needs_clip() {
                surface.clip(vertices, clipped_vertices, triangles, clipper, threads);
            }
        }
        clipped_vertices.add_spare();
        scratch.resize_with(scratch.len().max(threads.count()), Mutex::default);
        let mut surfaces = emptied(std::mem::take(memory));
        let joined = plans.iter().zip(&*clipped);
        surfaces.extend(
            joined.map(|(surface, clipped)| surface.drawn(vertices, clipped_vertices, clipped)),
        );
        Drawing { surfaces, memory, extent: *extent, bins, scratch, kernel, threads }
    }

    /// Vertex stage of some vertices of a surface (from a multiple of eight to another), into the ring. Returns
    /// whether they are all inside.
    pub(crate) fn transform_into_ring(
        &mut self,
        surface: &SurfacePlan<'_>,
        kernel: Kernel,
        vertices: Range<usize>,
    ) -> bool {
        ring::transform(&mut self.vertices, surface, kernel, vertices, None)
    }

    /// Draws all surfaces by clusters, all stages in one, if that pays. Returns where.
    pub(crate) fn draw_clusters(
        &mut self,
        plan: &Plan<'_>,
        kernel: Kernel,
        target: &mut Target<'_>,
        threads: &Threads,
    ) -> Option<Area> {
        let Self { visible, scratch, .. } = self;
        let count = threads.count();
        if !clusters::pays(plan, target, kernel, threads, visible) {
            return None;
        }
        let drawn = visible.columns_and_rows();
        let bands = Bands::of_clusters(target, drawn[1].len(), count);
        visible.share_out(&bands, threads);
        scratch.resize_with(scratch.len().max(count), Mutex::default);
        let painter = Painter {
            source: Source::Clusters(&plan.surfaces, visible),
            kernel,
            bands: &bands,
            stride: target.stride,
            clear: target.clear.take(),
            is_mixed: plan.is_mixed(),
            drawn: drawn.clone(),
            scratch,
            threads,
        };
        painter.draw_all(target);
        Some(drawn)
    }

    /// What [`Work::transform_into_ring`] has written.
    pub(crate) fn ring(&self) -> &ScreenVertices {
        &self.vertices
    }

    /// The memory of the calling thread, which may be taken out and put back.
    pub(crate) fn scratch(&mut self) -> &mut Scratch {
        self.scratch.resize_with(self.scratch.len().max(1), Mutex::default);
        self.scratch[0].get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scratch {
    /// Takes out depth of at least so many pixels, which are far, and are to be so again when it is put back into
    /// [`Scratch::depth`]. A draw that panics does not come to that.
    pub(crate) fn take_depth(&mut self, pixels: usize) -> Pages<f32> {
        let mut depth = std::mem::take(&mut self.depth);
        if depth.len() < pixels {
            depth.resize(pixels, 1.0);
        }
        depth
    }

    /// Memory for [`Band::farthest`].
    pub(crate) fn farthest(farthest: &mut Vec<f32>, stride: usize, rows: usize) -> &mut [f32] {
        let blocks = Band::blocks_of(stride) * rows.div_ceil(Band::BLOCK);
        if farthest.len() < blocks {
            farthest.resize(blocks, f32::INFINITY);
        }
        &mut farthest[..blocks]
    }
}

/// The surfaces of a frame behind the clip stage, and what the stages that draw them need.
pub(crate) struct Drawing<'a> {
    surfaces: Vec<Surface<'a>>,
    memory: &'a mut Vec<Surface<'static>>,
    extent: Option<Extent>,
    bins: &'a mut Bins,
    scratch: &'a [Mutex<Scratch>],
    kernel: Kernel,
    threads: &'a Threads,
}

impl Drawing<'_> {
    pub(crate) fn triangle_count(&self) -> usize {
        self.surfaces.iter().map(|surface| surface.triangles.len()).sum()
    }

    /// Pixels of the boxes around all triangles, as far as they are in a picture of this size.
    pub(crate) fn work(&self, size: [u32; 2]) -> u64 {
        let in_surface = |surface: &Surface<'_>| -> u64 {
            let corner = |vertex: u32| fine(surface.xy[surface.slot(vertex)]);
            surface.triangles.iter().map(|triangle| covered(triangle.map(corner), size)).sum()
        };
        self.surfaces.iter().map(in_surface).sum()
    }

    /// How the picture is to be cut into bands.
    pub(crate) fn bands(&self, target: &Target<'_>) -> Bands {
        let size = [target.width as i32, target.height as i32];
        let [_, rows] = drawn_box(self.extent, size);
        let rows = rows.start as usize..rows.end as usize;
        Bands::of(target, rows, self.triangle_count(), self.threads.count())
    }

    /// Sorts the triangles into bands, if the kernel draws by bins; returns how many entries that
    /// makes.
    pub(crate) fn bin(&mut self, bands: &Bands) -> usize {
        if !self.kernel.needs_bins(bands.count) {
            return self.triangle_count();
        }
        let Self { surfaces, bins, kernel, threads, .. } = self;
        let counts = surfaces.iter().map(|surface| surface.triangles.len());
        bins.split(counts, bands.count, threads.count());
        let fill = |_, chunk: &mut Chunk| kernel.bin(surfaces, bands, chunk);
        threads.share_from_ends(bins.chunks().iter_mut(), fill);
        bins.len()
    }

    /// Hands the surfaces to what draws them.
    pub(crate) fn feed(self, draw: &mut dyn FnMut(ToDraw<'_>)) {
        self.surfaces.iter().for_each(|surface| draw((surface, None)));
        *self.memory = emptied(self.surfaces);
    }

    /// Kernel stage: draws the bands. Returns where.
    pub(crate) fn draw(self, bands: &Bands, target: &mut Target<'_>) -> Area {
        let bins = self.kernel.needs_bins(bands.count).then_some(&*self.bins);
        let painter = Painter {
            source: Source::Surfaces(&self.surfaces, bins),
            kernel: self.kernel,
            bands,
            stride: target.stride,
            clear: target.clear.take(),
            is_mixed: self.surfaces.iter().any(|surface| surface.shading.mix.is_some()),
            drawn: drawn_box(self.extent, bands.size),
            scratch: self.scratch,
            threads: self.threads,
        };
        painter.draw_all(target);
        let drawn = painter.drawn;
        *self.memory = emptied(self.surfaces);
        drawn
    }
}

/// What bands are drawn from.
enum Source<'a> {
    /// Surfaces behind the clip stage, and their bins, if there are any.
    Surfaces(&'a [Surface<'a>], Option<&'a Bins>),
    /// Clusters of surfaces.
    Clusters(&'a [SurfacePlan<'a>], &'a Visible),
}

/// Draws bands.
struct Painter<'a> {
    source: Source<'a>,
    kernel: Kernel,
    bands: &'a Bands,
    stride: usize,
    /// Fill the colour with this pixel where nothing is drawn.
    clear: Option<u32>,
    /// Whether pixels are mixed with what is there, so that colour cannot be cleared behind the draw.
    is_mixed: bool,
    /// Columns and rows of the picture that may be drawn.
    drawn: Area,
    scratch: &'a [Mutex<Scratch>],
    threads: &'a Threads,
}

impl Painter<'_> {
    /// Draws all bands.
    fn draw_all(&self, target: &mut Target<'_>) {
        let stride = target.stride;
        let depth = target.depth.as_deref_mut();
        let mut depth = depth.map(|depth| self.bands.cut(depth, stride));
        let dirty = target.dirty.as_deref_mut();
        let mut dirty = dirty.map(|dirty| self.bands.cut(dirty, dirty::words_of(stride)));
        let color = self.bands.cut(target.color, stride);
        let bands = color.enumerate().map(|(number, color)| {
            let dirty = dirty.as_mut().and_then(Iterator::next);
            let depth = depth.as_mut().and_then(Iterator::next);
            (number, ColorRows { color, dirty }, depth)
        });
        let draw = |thread, (number, colors, depth): (usize, ColorRows<'_>, Option<&mut [f32]>)| {
            match depth {
                None => self.draw(thread, number, colors),
                Some(depth) => self.draw_over(thread, number, colors, depth),
            }
        };
        if self.threads.count() == 1 {
            return bands.for_each(|band| draw(0, band));
        }
        let mut bands: Vec<_> = bands.collect();
        match self.source {
            Source::Surfaces(..) => {
                // Each to whoever is done: models often fill a few of them only.
                self.bands.order_from_ends(&mut bands);
                self.threads.share_from_ends(bands.into_iter(), draw);
            }
            Source::Clusters(_, visible) => {
                // The most work first: at the end no thread waits long for another.
                bands.sort_by_cached_key(|&(band, ..)| Reverse(visible.count_in(band)));
                self.threads.share(bands.into_iter(), draw);
            }
        }
    }

    /// Draws a band whose depth is of use to nobody later.
    fn draw(&self, thread: usize, number: usize, mut colors: ColorRows<'_>) {
        let area = self.drawn_in(&self.bands.rows_of(number));
        let (kernel, stride) = (self.kernel, self.stride);
        let behind = colors.clear_before(kernel, stride, &area, self.clear, !self.is_mixed);
        if area[1].is_empty() {
            return;
        }
        let mut scratch = self.scratch(thread);
        let mut far = scratch.take_depth(colors.color.len());
        let depth = &mut far[..colors.color.len()];
        let Scratch { farthest, clusters, kernel: memory, .. } = &mut *scratch;
        self.fill(number, colors.color, depth, farthest, clusters, memory);
        colors.clear_behind(kernel, depth, stride, &area, behind);
        scratch.depth = far;
    }

    /// Draws a band over the depth that the picture keeps.
    fn draw_over(
        &self,
        thread: usize,
        number: usize,
        mut colors: ColorRows<'_>,
        depth: &mut [f32],
    ) {
        let area = self.drawn_in(&self.bands.rows_of(number));
        colors.clear_before(self.kernel, self.stride, &area, self.clear, false);
        let mut scratch = self.scratch(thread);
        let Scratch { farthest, clusters, kernel, .. } = &mut *scratch;
        self.fill(number, colors.color, depth, farthest, clusters, kernel);
    }

    fn fill(
        &self,
        number: usize,
        color: &mut [u32],
        depth: &mut [f32],
        farthest: &mut Vec<f32>,
        cluster_scratch: &mut clusters::Scratch,
        scratch: &mut kernel::Scratch,
    ) {
        let farthest = Scratch::farthest(farthest, self.stride, self.bands.rows);
        let (rows, width) = (self.bands.rows_of(number), self.bands.size[0]);
        let (stride, kernel) = (self.stride, self.kernel);
        let mut band = Band { number, rows, width, stride, color, depth, farthest };
        match self.source {
            Source::Surfaces(surfaces, bins) => kernel.draw(surfaces, bins, &mut band, scratch),
            Source::Clusters(surfaces, visible) => kernel.draw_fed(
                &mut |draw| {
                    clusters::feed(surfaces, visible, kernel, number, cluster_scratch, draw);
                },
                &mut band,
                scratch,
            ),
        }
    }

    /// Of the box that may be drawn what is in some rows, which are counted from the first of these.
    fn drawn_in(&self, rows: &Range<i32>) -> [Range<usize>; 2] {
        let [columns, all] = &self.drawn;
        let [start, end] =
            [all.start, all.end].map(|row| row.clamp(rows.start, rows.end) - rows.start);
        [indices(columns.clone()), indices(start..end.max(start))]
    }

    /// The memory of a thread.
    fn scratch(&self, thread: usize) -> MutexGuard<'_, Scratch> {
        self.scratch[thread].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Pixels of the box around a triangle (corners in 1/65536 pixel), as far as they are in the picture.
fn covered(corners: [[i32; 2]; 3], size: [u32; 2]) -> u64 {
    let side = |axis: usize| {
        let pixels = corners.map(|corner| i64::from(corner[axis] >> 16));
        let first = pixels.into_iter().fold(i64::MAX, i64::min).max(0);
        let last = pixels.into_iter().fold(i64::MIN, i64::max).min(i64::from(size[axis]) - 1);
        (last - first + 1).max(0) as u64
    };
    side(0) * side(1)
}

/// Columns and rows of the picture that may be drawn: everything, if a surface was clipped.
fn drawn_box(extent: Option<Extent>, size: [i32; 2]) -> Area {
    let whole = size.map(|side| 0..side);
    match extent {
        Some(extent) if extent.inside => [0, 1].map(|axis| {
            // One more on both sides: rounding to 1/256 may cross a pixel's border.
            let [start, end] = [(extent.min[axis] >> 16) - 1, (extent.max[axis] >> 16) + 2]
                .map(|end| end.clamp(0, whole[axis].end));
            // Of no vertices the least is above the greatest.
            start..end.max(start)
        }),
        _ => whole,
    }
}

/// Vertices from number `first` of all surfaces on; surfaces start at multiples of 8.
fn transform_piece(
    surfaces: &[SurfacePlan<'_>],
    kernel: Kernel,
    first: usize,
    xy: &mut [u64],
    attributes: &mut [f32],
) -> Extent {
    let mut all = Extent::NONE;
    let end = first + xy.len();
    let start = surfaces.partition_point(|surface| surface.base + surface.count <= first);
    for surface in surfaces[start..].iter().take_while(|surface| surface.base < end) {
        let from = surface.base.max(first);
        let to = (surface.base + surface.count).min(end);
        let xy = &mut xy[from - first..to - first];
        let records = &mut attributes[(from - first) * ATTRIBUTES..(to - first) * ATTRIBUTES];
        let stretch = Stretch::from(from - surface.base);
        all = all.and(surface.transform(kernel, stretch, xy, records));
    }
    all
}

const _: () = assert!(PIECE_VERTICES.is_multiple_of(8));
const _: () = assert!(ROW_PADDING >= 8, "a kernel writes eight pixels at a time");
