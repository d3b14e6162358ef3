//! The stages of a draw, each over all surfaces or bands, in parallel where that pays.
//!
//! The buffers are kept from frame to frame. Work is cut into pieces by the sizes of the model and
//! the picture alone, and no piece looks at another's result, so threads cannot change a bit.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::bins::{self, Band, Bin, Chunk};
use super::clip::Clipper;
use super::kernel::Kernel;
use super::plan::{Plan, SurfacePlan};
use super::scalar;
use super::setup::{self, Planes, Triangle};
use super::shade::ATTRIBUTES;
use super::target::{ROW_PADDING, Target};
use super::vertex::{self, Extent, ScreenVertices};

/// Buffers of the stages.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) vertices: ScreenVertices,
    /// Triangles of surfaces that went through the clip stage.
    clipped: Vec<Vec<[u32; 3]>>,
    clipper: Clipper,
    chunks: Vec<Chunk>,
    /// Chunks in use.
    chunk_count: usize,
    /// Of all vertices of the frame.
    extent: Option<Extent>,
    /// Memory of the kernels, one for every thread.
    scratch: Vec<Mutex<Scratch>>,
}

/// What a thread needs to draw a band.
#[derive(Debug, Default)]
struct Scratch {
    /// Depth of the band, unless the picture keeps it.
    depth: Vec<f32>,
    /// See [`Band::farthest`].
    farthest: Vec<f32>,
}

/// How the picture is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bands {
    /// A power of two, unless there is one band only.
    rows: usize,
    count: usize,
    size: [i32; 2],
}

/// Pixels of a band: its colour and depth stay in the second-level cache.
const BAND_PIXELS: usize = 1 << 17;
/// Most rows of a band.
const BAND_ROWS: usize = 64;
/// The same for several threads: a crowd fills a few bands only, which are to be shared out evenly.
const SHARED_BAND_ROWS: usize = 32;
/// Bands that each thread should get at least.
const BANDS_PER_THREAD: usize = 4;
/// Pixels a triangle up to which a picture is dense. Its bands are larger and fewer, as vertices cost
/// more than pixels and neighbouring bands share them.
const DENSE_PIXELS: usize = 8;
const DENSE_BAND_PIXELS: usize = 1 << 18;
const DENSE_BAND_ROWS: usize = 128;
const DENSE_BANDS_PER_THREAD: usize = 2;
/// Pixels up to which one thread draws the whole picture as one band, without bins, as it does every
/// dense one.
const WHOLE_PIXELS: usize = 1 << 19;
/// Pixels and triangles up to which sharing the work out costs more than it gives.
const SMALL_PIXELS: usize = 20_000;
const SMALL_TRIANGLES: usize = 4_000;
/// Vertices of a piece of the vertex stage; a multiple of 8.
const PIECE_VERTICES: usize = 4096;
/// Spare floats behind the last vertex: its record is read as a vector of 8.
const SPARE: usize = 8;

/// Whether one thread is done before others have woken up.
pub(crate) fn is_small(target: &Target<'_>, triangles: usize) -> bool {
    target.width * target.height <= SMALL_PIXELS && triangles <= SMALL_TRIANGLES
}

impl Bands {
    pub(crate) fn of(target: &Target<'_>, triangles: usize, threads: usize) -> Self {
        let pixels = target.width * target.height;
        let dense = pixels <= triangles * DENSE_PIXELS;
        let rows = if threads == 1 && (dense || pixels <= WHOLE_PIXELS) {
            target.height
        } else {
            let (pixels, rows, bands) = if dense {
                (DENSE_BAND_PIXELS, DENSE_BAND_ROWS, DENSE_BANDS_PER_THREAD)
            } else if threads == 1 {
                (BAND_PIXELS, BAND_ROWS, BANDS_PER_THREAD)
            } else {
                (BAND_PIXELS, SHARED_BAND_ROWS, BANDS_PER_THREAD)
            };
            // Enough bands that every thread gets several, to share them out evenly.
            let even = target.height / (bands * threads);
            1 << (pixels / target.stride).min(even).clamp(8, rows).ilog2()
        };
        Self {
            rows,
            count: target.height.div_ceil(rows),
            size: [target.width as i32, target.height as i32],
        }
    }

    fn rows_of(&self, band: usize) -> Range<i32> {
        let first = (band * self.rows) as i32;
        first..(first + self.rows as i32).min(self.size[1])
    }
}

impl Work {
    /// Vertex stage.
    pub(crate) fn transform(
        &mut self,
        plan: &mut Plan<'_>,
        kernel: Option<Kernel>,
        threads: usize,
    ) {
        let ScreenVertices { xy, attributes } = &mut self.vertices;
        xy.resize(plan.vertex_count, 0);
        attributes.resize(plan.vertex_count * ATTRIBUTES, 0.0);
        let surfaces = &plan.surfaces;
        let piece = |(number, (xy, attributes)): (usize, (&mut [u64], &mut [f32]))| {
            transform_piece(surfaces, kernel, number * PIECE_VERTICES, xy, attributes)
        };
        let extent = if threads == 1 || plan.vertex_count < 2 * PIECE_VERTICES {
            let pieces = xy.chunks_mut(PIECE_VERTICES);
            let records = attributes.chunks_mut(PIECE_VERTICES * ATTRIBUTES);
            pieces.zip(records).enumerate().map(piece).fold(Extent::NONE, Extent::and)
        } else {
            let pieces = xy.par_chunks_mut(PIECE_VERTICES);
            let records = attributes.par_chunks_mut(PIECE_VERTICES * ATTRIBUTES);
            pieces.zip(records).enumerate().map(piece).reduce(|| Extent::NONE, Extent::and)
        };
        self.extent = Some(extent);
    }

    /// Clip stage.
    pub(crate) fn clip(&mut self, plan: &mut Plan<'_>, threads: usize) {
        self.clipped.resize_with(plan.surfaces.len(), Vec::new);
        for (surface, triangles) in plan.surfaces.iter_mut().zip(&mut self.clipped) {
            triangles.clear();
            if surface.needs_clip() {
                surface.clip(&mut self.vertices, triangles, &mut self.clipper, threads > 1);
            }
        }
        let spare = self.vertices.xy.len() * ATTRIBUTES + SPARE;
        self.vertices.attributes.resize(spare, 0.0);
    }

    /// Triangles after the clip stage.
    pub(crate) fn triangle_count(&self, plan: &Plan<'_>) -> usize {
        let drawn = plan.surfaces.iter().zip(&self.clipped);
        drawn.map(|(surface, clipped)| surface.drawn(clipped).1.len()).sum()
    }

    /// Sorts the triangles into bands; returns how many entries that makes. The plain twin and a
    /// picture of one band need no bins.
    pub(crate) fn bin(
        &mut self,
        plan: &Plan<'_>,
        kernel: Option<Kernel>,
        bands: &Bands,
        threads: usize,
    ) -> usize {
        let triangles = self.triangle_count(plan);
        let (Some(kernel), 2..) = (kernel, bands.count) else { return triangles };
        let drawn = plan.surfaces.iter().zip(&self.clipped);
        let counts = drawn.map(|(surface, clipped)| surface.drawn(clipped).1.len());
        self.chunk_count = bins::cut(counts, bands.count, &mut self.chunks);
        let (clipped, vertices) = (&self.clipped, &self.vertices);
        let rows = bands.rows as i32;
        let fill = |chunk: &mut Chunk| {
            kernel.bin(plan, clipped, vertices, bands.size, rows, chunk);
        };
        let chunks = &mut self.chunks[..self.chunk_count];
        if threads == 1 || chunks.len() == 1 {
            chunks.iter_mut().for_each(fill);
        } else {
            chunks.par_iter_mut().for_each(fill);
        }
        let bins = chunks.iter().flat_map(|chunk| &chunk.bins);
        bins.map(Bin::len).sum()
    }

    /// Kernel stage.
    pub(crate) fn draw(
        &mut self,
        plan: &Plan<'_>,
        kernel: Option<Kernel>,
        bands: &Bands,
        target: &mut Target<'_>,
        threads: usize,
    ) {
        let (stride, clear) = (target.stride, target.clear);
        let length = bands.rows * stride;
        let serial = threads == 1;
        let blocks = Band::blocks_of(stride) * bands.rows.div_ceil(Band::BLOCK);
        self.scratch.resize_with(self.scratch.len().max(threads), Mutex::default);
        let work = &*self;
        let drawn = self.drawn_box(bands);
        let scratch = || {
            let thread = if serial { 0 } else { rayon::current_thread_index().unwrap_or(0) };
            let mut scratch = work.scratch[thread].lock().unwrap_or_else(PoisonError::into_inner);
            if scratch.farthest.len() < blocks {
                scratch.farthest.resize(blocks, f32::INFINITY);
            }
            scratch
        };
        let draw = |number: usize, color: &mut [u32], depth: &mut [f32], farthest: &mut [f32]| {
            let (rows, width) = (bands.rows_of(number), bands.size[0]);
            let farthest = &mut farthest[..blocks];
            let mut band = Band { rows, width, stride, color, depth, farthest };
            work.draw_band(plan, kernel, bands, number, &mut band);
        };
        let clear_color = |color: &mut [u32]| {
            if let Some(pixel) = clear {
                let (first, rest) = color.split_at_mut(stride);
                first.fill(pixel);
                for row in rest.chunks_exact_mut(stride) {
                    row.copy_from_slice(first);
                }
            }
        };
        let with_scratch = |(number, color): (usize, &mut [u32])| {
            clear_color(color);
            let rows = bands.rows_of(number);
            let [columns, box_rows] = &drawn;
            if rows.start >= box_rows.end || rows.end <= box_rows.start {
                return;
            }
            let mut scratch = scratch();
            let Scratch { depth, farthest } = &mut *scratch;
            if depth.len() < color.len() {
                depth.resize(color.len(), 1.0);
            }
            let depth = &mut depth[..color.len()];
            let first = (box_rows.start.max(rows.start) - rows.start) as usize * stride;
            let last = (box_rows.end.min(rows.end) - rows.start) as usize * stride;
            // Kernels read up to eight pixels behind the box.
            let columns = columns.start as usize..(columns.end as usize + ROW_PADDING).min(stride);
            match kernel {
                Some(kernel) => kernel.clear_depth(&mut depth[first..last], stride, columns),
                None => depth.fill(1.0),
            }
            draw(number, color, depth, farthest);
        };
        let with_depth = |(number, (color, depth)): (usize, (&mut [u32], &mut [f32]))| {
            clear_color(color);
            draw(number, color, depth, &mut scratch().farthest);
        };
        let color = &mut *target.color;
        match (&mut target.depth, serial) {
            (None, true) => color.chunks_mut(length).enumerate().for_each(with_scratch),
            (None, false) => {
                // Every band is a task of its own: models often fill a few of them only.
                let bands = color.par_chunks_mut(length).enumerate().with_max_len(1);
                bands.for_each(with_scratch);
            }
            (Some(depth), true) => {
                let depth = depth.chunks_mut(length);
                color.chunks_mut(length).zip(depth).enumerate().for_each(with_depth);
            }
            (Some(depth), false) => {
                let depth = depth.par_chunks_mut(length);
                let bands = color.par_chunks_mut(length).zip(depth).enumerate().with_max_len(1);
                bands.for_each(with_depth);
            }
        }
    }

    /// Columns and rows of the picture that may be drawn: everything, if a surface was clipped.
    fn drawn_box(&self, bands: &Bands) -> [Range<i32>; 2] {
        let whole = [0..bands.size[0], 0..bands.size[1]];
        match self.extent {
            Some(extent) if extent.inside => [0, 1].map(|axis| {
                // One more on both sides: rounding to 1/256 may cross a pixel's border.
                let end = (extent.max[axis] >> 16) + 2;
                ((extent.min[axis] >> 16) - 1).clamp(0, whole[axis].end)
                    ..end.clamp(0, whole[axis].end)
            }),
            _ => whole,
        }
    }

    fn draw_band(
        &self,
        plan: &Plan<'_>,
        kernel: Option<Kernel>,
        bands: &Bands,
        number: usize,
        band: &mut Band<'_>,
    ) {
        match kernel {
            Some(kernel) if bands.count > 1 => {
                let bins = self.chunks[..self.chunk_count].iter().map(|chunk| &chunk.bins[number]);
                kernel.draw_bins(plan, &self.clipped, &self.vertices, bins, band);
            }
            Some(kernel) => kernel.draw_all(plan, &self.clipped, &self.vertices, band),
            None => {
                for (surface, clipped) in plan.surfaces.iter().zip(&self.clipped) {
                    draw_plain(surface, clipped, &self.vertices, band);
                }
            }
        }
    }
}

/// Vertices from number `first` of all surfaces on; surfaces start at multiples of 8.
fn transform_piece(
    surfaces: &[SurfacePlan<'_>],
    kernel: Option<Kernel>,
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
        let (setup, posed, texcoords) = (&surface.setup, surface.posed, surface.texcoords);
        let at = from - surface.base;
        let extent = match kernel {
            Some(kernel) => kernel.transform(setup, posed, texcoords, at, xy, records),
            None => vertex::transform(setup, posed, texcoords, at, xy, records),
        };
        if !extent.inside {
            surface.found_outside();
        }
        all = all.and(extent);
    }
    all
}

/// Draws a surface by the plain kernel.
fn draw_plain(
    surface: &SurfacePlan<'_>,
    clipped: &[[u32; 3]],
    vertices: &ScreenVertices,
    band: &mut Band<'_>,
) {
    let shading = surface.shading();
    let (base, triangles) = surface.drawn(clipped);
    let xy = &vertices.xy[base..];
    let records = vertices.attributes[base * ATTRIBUTES..].as_chunks::<ATTRIBUTES>().0;
    for &corners in triangles {
        let mut corners = corners.map(|corner| corner as usize);
        match setup::facing(corners.map(|corner| xy[corner]), surface.cull) {
            None => continue,
            Some(true) => corners.swap(1, 2),
            Some(false) => {}
        }
        if let Some(triangle) = Triangle::new(corners.map(|corner| xy[corner])) {
            let planes = Planes::new(corners.map(|corner| records[corner]));
            scalar::draw(&triangle, &planes, &shading, band);
        }
    }
}

const _: () = assert!(PIECE_VERTICES.is_multiple_of(8));
const _: () = assert!(ROW_PADDING >= 8, "a kernel writes eight pixels at a time");
