//! The engines' lighting styles: a vertex normal to a light value.

/// How vertices are lit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lighting {
    /// `clamp(ambient + diffuse * max(0, N.L), 0, 1)`.
    Lambert,
    /// Every texel as it is.
    Unlit,
    /// WinQuake's alias models.
    Quake,
    /// Quake II's software renderer.
    Quake2,
    /// GLQuake's dot table.
    Gl,
    /// Quake III's `rgbGen lightingDiffuse` without a world.
    Quake3,
}
