//! What a draw did.

use std::fmt;

/// Which way a model took through the renderer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClassicPath {
    /// Nothing was drawn: outside the picture, or nothing there to draw.
    #[default]
    Rejected,
    /// `.mdl` wholly inside the picture.
    Unclipped,
    /// Triangles were clipped one by one where necessary.
    Clipped,
    /// `.mdl` far away with subdivision on.
    Subdivided,
}

/// Counts of one draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassicStats {
    /// The path that was taken.
    pub path: ClassicPath,
    /// Vertices transformed and lit.
    pub vertices: u64,
    /// Triangles of the model.
    pub triangles: u64,
    /// Triangles outside the picture or behind the near plane.
    pub outside: u64,
    /// Triangles cut by the near plane or an edge of the picture.
    pub clipped: u64,
    /// Triangles of those cut by the near plane.
    pub near_clipped: u64,
    /// Front triangles and parts of cut ones that were filled.
    pub filled: u64,
    /// Pixels tested against the depth buffer.
    pub tested: u64,
    /// Pixels whose texel lies outside the skin. The original reads whatever stands in memory
    /// there; here the nearest texel in the order of memory is taken.
    pub texels_outside: u64,
    /// Pixels darker than the last row of the light table. Quake reads whatever stands behind the
    /// table; here the last row is taken.
    pub rows_outside: u64,
}

impl ClassicStats {
    /// Pixels that the original does not define.
    #[must_use]
    pub fn undefined_pixels(&self) -> u64 {
        self.texels_outside + self.rows_outside
    }

    /// Adds the counts of another pass over the same picture; the path is the later one's.
    pub(crate) fn add(&mut self, pass: &Self) {
        self.path = pass.path;
        self.vertices += pass.vertices;
        self.triangles += pass.triangles;
        self.outside += pass.outside;
        self.clipped += pass.clipped;
        self.near_clipped += pass.near_clipped;
        self.filled += pass.filled;
        self.tested += pass.tested;
        self.texels_outside += pass.texels_outside;
        self.rows_outside += pass.rows_outside;
    }
}

impl fmt::Display for ClassicStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = match self.path {
            ClassicPath::Rejected => "rejected",
            ClassicPath::Unclipped => "unclipped",
            ClassicPath::Clipped => "clipped",
            ClassicPath::Subdivided => "subdivided",
        };
        writeln!(f, "path: {path}")?;
        writeln!(f, "vertices: {}", self.vertices)?;
        writeln!(
            f,
            "triangles: {} ({} outside, {} clipped, {} of them near)",
            self.triangles, self.outside, self.clipped, self.near_clipped
        )?;
        writeln!(f, "filled: {} triangles, {} pixels tested", self.filled, self.tested)?;
        write!(
            f,
            "undefined in the original: {} pixels ({} outside the skin, {} beyond the light table)",
            self.undefined_pixels(),
            self.texels_outside,
            self.rows_outside
        )
    }
}
