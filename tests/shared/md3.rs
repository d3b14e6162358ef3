//! An `.md3` of one-triangle surfaces that name these textures.

pub(crate) fn md3(textures: &[String]) -> Vec<u8> {
    let mut surfaces = Vec::new();
    for (number, texture) in textures.iter().enumerate() {
        let start = surfaces.len();
        surfaces.extend(header(&format!("surface{number}")));
        // One frame, one shader, three vertices, one triangle; where each table begins.
        let fields = [
            (72, 1),
            (76, 1),
            (80, 3),
            (84, 1),
            (88, 176),
            (92, 108),
            (96, 188),
            (100, 212),
            (104, 236),
        ];
        put(&mut surfaces[start..], &fields);
        let mut shader = [0; 68];
        shader[..texture.len()].copy_from_slice(texture.as_bytes());
        surfaces.extend(shader);
        surfaces.extend([0, 1, 2].map(i32::to_le_bytes).concat());
        surfaces.extend([0.0, 0.0, 1.0, 0.0, 0.0, 1.0].map(f32::to_le_bytes).concat());
        let corners: [[i16; 4]; 3] = [[0, 0, 0, 0], [0, 64, 0, 0], [0, 0, 64, 0]];
        surfaces.extend(corners.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    }
    let mut file = header("");
    let end = 164 + surfaces.len() as i32;
    let count = textures.len() as i32;
    put(&mut file, &[(4, 15), (76, 1), (84, count), (92, 108), (96, 164), (100, 164), (104, end)]);
    file.extend([0; 56]);
    file.extend(surfaces);
    file
}

fn header(name: &str) -> Vec<u8> {
    let mut header = vec![0; 108];
    header[..4].copy_from_slice(b"IDP3");
    header[4..4 + name.len()].copy_from_slice(name.as_bytes());
    header
}

fn put(bytes: &mut [u8], fields: &[(usize, i32)]) {
    for (at, value) in fields {
        bytes[*at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
}
