//! Light of an entity and of its vertices: fixed point with 8 fraction bits, larger is darker.

use super::camera::Axes;
use super::number::{dot, int, int_f64};
use super::scene::ClassicScene;

/// Rows of the light table, as a power of two.
const ROW_BITS: u32 = 6;
const DARKEST: i32 = 5;

/// What a model's vertices are lit with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Light {
    ambient: i32,
    shade: f32,
    /// The way the light goes (from +X of the world), in model space.
    direction: [f32; 3],
}

impl Light {
    /// `level` is the light at the entity, `axes` are the entity's.
    pub(super) fn new(level: i32, axes: &Axes) -> Self {
        let ambient = level.min(128);
        let mut shade = level;
        if ambient.wrapping_add(shade) > 192 {
            shade = 192_i32.wrapping_sub(ambient);
        }
        Self {
            ambient: (255 - ambient.max(DARKEST)) << ROW_BITS,
            shade: shade.max(0) as f32 * (1 << ROW_BITS) as f32,
            direction: [-axes.forward[0], axes.right[0], -axes.up[0]],
        }
    }

    /// The light of a vertex: `row << 8` and a fraction.
    #[inline(always)]
    pub(super) fn at(&self, normal: [f32; 3]) -> i32 {
        let cosine = dot(normal, self.direction);
        if cosine < 0.0 {
            self.ambient.wrapping_add(int(self.shade * cosine)).max(0)
        } else {
            self.ambient
        }
    }
}

/// The light level of an `.md2` entity: its colour after the effects, as grey.
pub(super) fn md2_level(scene: &ClassicScene) -> i32 {
    let mut light = if scene.fullbright { [1.0; 3] } else { scene.light_color };
    if scene.minlight || scene.view_weapon {
        light = light.map(|l| if f64::from(l) < 0.1 { 0.1 } else { l });
    }
    if scene.glow {
        let phase = scene.time as f32 * 7.0;
        let pulse = (0.1 * libm::sin(f64::from(phase))) as f32;
        light = light.map(|l| {
            let least = (f64::from(l) * 0.8) as f32;
            let l = l + pulse;
            if l < least { least } else { l }
        });
    }
    int_f64(f64::from(light[0] + light[1] + light[2]) * 0.3333 * 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(yaw: f32) -> Axes {
        Axes::from_angles([0.0, yaw, 0.0])
    }

    #[test]
    fn levels_give_the_rows_of_quake() {
        // Level, row of the unlit side, rows at cosines -0.25, -0.5, -0.75, -1.
        let table = [
            (0, [62, 62, 62, 62, 62]),
            (16, [59, 58, 57, 56, 55]),
            (24, [57, 56, 54, 53, 51]),
            (32, [55, 53, 51, 49, 47]),
            (64, [47, 43, 39, 35, 31]),
            (96, [39, 33, 27, 21, 15]),
            (100, [38, 33, 27, 21, 15]),
            (128, [31, 27, 23, 19, 15]),
            (255, [31, 27, 23, 19, 15]),
        ];
        for (level, rows) in table {
            let light = Light::new(level, &axes(0.0));
            for (step, row) in rows.into_iter().enumerate() {
                let normal = [0.25 * step as f32, 0.0, 0.0];
                assert_eq!(light.at(normal) >> 8, row, "level {level}, cosine -{}", normal[0]);
            }
        }
        assert_eq!(Light::new(96, &axes(0.0)).at([1.0, 0.0, 0.0]), 4032);
        assert_eq!(Light::new(100, &axes(0.0)).at([0.5, 0.0, 0.0]), 6976);
    }

    #[test]
    fn the_light_stays_while_the_model_turns() {
        let turned = Light::new(96, &axes(90.0));
        assert_eq!(turned.at([0.0, -1.0, 0.0]) >> 8, 15, "the right side faces +X now");
        assert_eq!(turned.at([0.0, 1.0, 0.0]) >> 8, 39);
    }

    #[test]
    fn md2_light_is_the_grey_of_its_color() {
        let mut scene = ClassicScene::default();
        assert_eq!(md2_level(&scene), 254);
        scene.light_color = [0.0; 3];
        scene.minlight = true;
        assert_eq!(md2_level(&scene), 25);
        scene.fullbright = true;
        assert_eq!(md2_level(&scene), 254);
        scene.light_color = [f32::NAN; 3];
        scene.fullbright = false;
        assert_eq!(md2_level(&scene), i32::MIN);
    }
}
