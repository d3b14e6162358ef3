//! Stages that are mixed with what is there, on every level.

use super::*;
use crate::model::{AlphaGen, AlphaTest, ColorGen, DepthTest, Faces, Factor, Map, Material, Stage};

/// A texture of every alpha.
pub(super) fn graded(width: u32, height: u32) -> Arc<Image> {
    let rgba = (0..width * height)
        .flat_map(|i| [(i * 7) as u8, (i * 13) as u8, (i / width * 9) as u8, (i * 29) as u8]);
    Arc::new(Image::from_rgba(width, height, rgba.collect()).unwrap())
}

/// A stage for every depth test and way to mix, the ones that replace first.
fn stages(image: &Arc<Image>) -> Vec<Stage> {
    let plain = Stage {
        maps: vec![Map::Picture { name: "graded".to_owned(), image: Some(image.clone()) }],
        color: ColorGen::Lighting,
        ..Stage::default()
    };
    let blend = Some([Factor::SrcAlpha, Factor::OneMinusSrcAlpha]);
    let add = Some([Factor::One, Factor::One]);
    let filter = Some([Factor::DstColor, Factor::OneMinusSrcAlpha]);
    vec![
        Stage {
            clamp: true,
            alpha_test: Some(AlphaTest::AtLeast(60)),
            depth_test: DepthTest::NotFarther,
            ..plain.clone()
        },
        Stage { blend, depth_test: DepthTest::Equal, depth_write: false, ..plain.clone() },
        Stage {
            blend: add,
            alpha: AlphaGen::Const(0.4),
            color: ColorGen::Const([0.2, 0.9, 0.5]),
            alpha_test: Some(AlphaTest::Below(90)),
            depth_test: DepthTest::NotFarther,
            ..plain.clone()
        },
        Stage { blend: filter, depth_write: false, ..plain },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn mixed_stages_have_the_bits_of_the_scalar_twin(
        seed in any::<u64>(), width in 1u32..300, height in 1u32..200, distance in 5f32..120.0,
    ) {
        let camera = Camera::placed([distance, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]).near(Some(1.0));
        let image = if seed % 2 == 0 { graded(32, 16) } else { graded(13, 7) };
        for (number, filter) in
            [Filter::Nearest, Filter::Bilinear, Filter::Trilinear, Filter::Nearest].into_iter().enumerate()
        {
            let look = Look { filter, lighting: [Lighting::Gl, Lighting::Quake][number % 2], ..Look::default() };
            // The last one is blended without stages, in palette indices or not.
            let alpha = if number == 3 { Alpha::Blend } else { Alpha::Auto };
            for color in [ColorMode::Rgb, ColorMode::Indexed] {
                let case = Case { look: Look { alpha, ..look }, color, ..Case::default() };
                let mut model = soup(seed.wrapping_add(number as u64), 60, Some(image.clone()));
                if number != 3 {
                    let (faces, hidden, stages) = (Faces::Both, false, stages(&image));
                    let material = Material { faces, hidden, sort: 3.0, stages };
                    model.surfaces[0].material = Some(Arc::new(material));
                }
                let mut scalar = Renderer::new().with_simd(SimdLevel::Scalar).unwrap();
                let expected = hash(&model, &camera, &case, [width, height], &mut scalar);
                for mut renderer in renderers() {
                    let found = hash(&model, &camera, &case, [width, height], &mut renderer);
                    prop_assert_eq!(found, expected, "{} with {:?}", number, renderer.kernel);
                }
            }
        }
    }
}
