//! For tests: model files written field by field.

/// Little-endian bytes, appended in file order.
#[derive(Clone, Default)]
pub(super) struct Bytes(pub(super) Vec<u8>);

impl Bytes {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn ints(mut self, values: &[i32]) -> Self {
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self
    }

    pub(super) fn shorts(mut self, values: &[i16]) -> Self {
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self
    }

    pub(super) fn floats(mut self, values: &[f32]) -> Self {
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self
    }

    /// A name padded with NUL to `size` bytes.
    pub(super) fn name(mut self, name: &str, size: usize) -> Self {
        let start = self.0.len();
        self.0.extend_from_slice(name.as_bytes());
        self.0.resize(start + size, 0);
        self
    }

    pub(super) fn len(&self) -> i32 {
        self.0.len() as i32
    }
}

/// `file` with the 4 bytes at `offset` replaced.
pub(super) fn with_int(file: &[u8], offset: usize, value: i32) -> Vec<u8> {
    let mut file = file.to_vec();
    file[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    file
}

/// What a changed file must give.
pub(super) enum Expect {
    /// An error whose text contains this.
    Error(&'static str),
    /// A model with a warning whose text contains this.
    Warning(&'static str),
    /// A model without warnings.
    Silence,
}

/// Loads `file` and judges the outcome; `case` names it in failures.
pub(super) fn expect(case: &str, file: Vec<u8>, expected: &Expect) {
    match (crate::Model::from_vec(file), expected) {
        (Err(error), Expect::Error(text)) => {
            assert!(error.to_string().contains(text), "{case}: {error}");
        }
        (Ok(model), Expect::Warning(text)) => {
            let texts: Vec<String> = model.warnings().iter().map(ToString::to_string).collect();
            assert!(texts.iter().any(|w| w.contains(text)), "{case}: {texts:?}");
        }
        (Ok(model), Expect::Silence) => {
            assert_eq!(model.warnings(), [], "{case}");
        }
        (Ok(model), Expect::Error(text)) => {
            panic!("{case}: loaded with {:?}, expected the error {text}", model.warnings());
        }
        (Err(error), _) => panic!("{case}: {error}"),
    }
}

/// Every truncation of `file`, and every 4 bytes of it set to extreme values, gives an error or a
/// model that can be posed.
pub(super) fn survives_damage(file: &[u8]) {
    let try_one = |data: Vec<u8>| {
        let Ok(mut model) = crate::Model::from_vec(data) else { return };
        let frames = model.frame_count();
        let _ = model.check_frames(0..frames);
        let image = crate::Image::from_rgba(1, 1, vec![0; 4]).unwrap();
        model.set_skin(0, image);
        for skin in 0..model.skins().len() {
            let _ = model.skin_image(skin, 0.15);
        }
        for from in [0, frames.saturating_sub(1), frames] {
            let _ = model.pose_blend(crate::Blend { from, to: 0, t: 0.5, anim: 0 });
        }
        for clip in model.clips() {
            let _ = model.pose(clip, 0.07);
        }
    };
    for end in 0..file.len() {
        try_one(file[..end].to_vec());
    }
    for offset in (0..file.len() - 4).step_by(2) {
        for value in [0, 1, -1, i32::MAX, i32::MIN, 0x7fc0_0000] {
            try_one(with_int(file, offset, value));
        }
    }
}
