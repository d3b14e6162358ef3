//! The kernels of AVX-512 fetch texels by gather instructions.
//!
//! Safe code cannot ask for them: the compiler makes them of loops of a certain form (see
//! `src/raster/kernel/fetch.rs`), and a small change may take them away without changing a picture. So
//! they are counted here, in this test's own executable.

#![cfg(target_arch = "x86_64")]

use polyset::{Blend, Camera, Framebuffer, Instance, Model, Renderer, View};

/// Gathers of 32-bit values.
#[derive(Debug, Default)]
struct Gathers {
    /// By 16 indices of 32 bits.
    sixteen: usize,
    /// By 8 indices of 32 bits.
    eight: usize,
    /// By 8 indices of 64 bits.
    eight_wide: usize,
}

/// Counts the encodings of `vpgatherdd` and `vpgatherqd` with 512-bit vectors, or 256-bit ones of the
/// former, in the EVEX form.
///
/// 35 bits of six bytes are fixed, so other bytes hardly ever look like one.
fn gathers(code: &[u8]) -> Gathers {
    let mut found = Gathers::default();
    for bytes in code.windows(6) {
        let &[0x62, map, 0x7d, length, opcode, modrm] = bytes else { continue };
        // Opcode map 0F 38; no zeroing and no broadcast, but a mask; a memory operand with an index.
        let is_gather = map & 0x0f == 2
            && length & 0x90 == 0
            && length & 7 != 0
            && modrm >> 6 != 3
            && modrm & 7 == 4;
        match (opcode, length >> 5 & 3) {
            (0x90, 2) if is_gather => found.sixteen += 1,
            (0x90, 1) if is_gather => found.eight += 1,
            (0x91, 2) if is_gather => found.eight_wide += 1,
            _ => {}
        }
    }
    found
}

#[test]
fn encodings_are_found_among_other_bytes() {
    // vpgatherdd zmm10{k2}, [r14 + 4 zmm11], vpgatherqd ymm2{k1}, [rcx + 4 zmm3], a vpaddd between.
    let code = [
        0x90, 0x62, 0x12, 0x7d, 0x4a, 0x90, 0x14, 0x9e, 0x62, 0xf1, 0x75, 0x48, 0xfe, 0xc2, 0x62,
        0xf2, 0x7d, 0x49, 0x91, 0x14, 0x99, 0xc3,
    ];
    let found = gathers(&code);
    assert_eq!((found.sixteen, found.eight, found.eight_wide), (1, 0, 1));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "what counts is the release profile")]
fn texels_are_fetched_by_gathers() {
    // What is not called is not in the executable.
    let model = Model::open("tests/models/bolt.md3").unwrap();
    let pose = model.pose_blend(Blend::frame(0));
    let mut frame = Framebuffer::new(16, 16).unwrap();
    let view = View::new(Camera::framing(&pose));
    let instance = Instance::new(&model, &pose);
    Renderer::new().draw(&view, &[instance], &mut frame).expect("its own pose");

    let found = gathers(&std::fs::read(std::env::current_exe().unwrap()).unwrap());
    // Filling spans two and four at once: texels of the fast path and rows of the colormap.
    assert!(found.sixteen >= 4, "{found:?}");
    // The queue of tiny triangles: the same.
    assert!(found.eight >= 2, "{found:?}");
    // Texels of any texture in all these places, sixteen by two gathers, and four of each mipmap's.
    assert!(found.eight_wide >= 4 + 1 + 8, "{found:?}");
}
