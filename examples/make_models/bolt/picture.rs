//! Pictures for the skins that lie beside the models.

use anyhow::Context as _;

/// 8-bit run-length coded PCX. Rows have an even number of bytes, as the format asks for.
pub(crate) fn pcx(width: u32, height: u32, indices: &[u8], palette: &[[u8; 3]; 256]) -> Vec<u8> {
    let mut out = vec![0x0A, 5, 1, 8, 0, 0, 0, 0];
    out.extend((width as u16 - 1).to_le_bytes());
    out.extend((height as u16 - 1).to_le_bytes());
    out.resize(65, 0);
    out.push(1);
    let row_bytes = width.next_multiple_of(2) as u16;
    out.extend(row_bytes.to_le_bytes());
    out.extend(1_u16.to_le_bytes());
    out.resize(128, 0);
    for row in indices.chunks_exact(width as usize) {
        let mut row = row.to_vec();
        row.resize(usize::from(row_bytes), 0);
        for run in row.chunk_by(|a, b| a == b) {
            for piece in run.chunks(63) {
                const RUN: u8 = 0xC0;
                if piece.len() > 1 || piece[0] >= RUN {
                    out.push(RUN + piece.len() as u8);
                }
                out.push(piece[0]);
            }
        }
    }
    out.push(0x0C);
    out.extend(palette.iter().flatten());
    out
}

/// 24-bit run-length coded TGA, rows from the bottom up.
pub(crate) fn tga(width: u32, height: u32, rgb: &[u8]) -> Vec<u8> {
    let mut out = vec![0, 0, 10];
    out.resize(12, 0);
    out.extend((width as u16).to_le_bytes());
    out.extend((height as u16).to_le_bytes());
    out.extend([24, 0]);
    for row in rgb.chunks_exact(3 * width as usize).rev() {
        let (pixels, _) = row.as_chunks::<3>();
        let mut plain: Vec<[u8; 3]> = Vec::new();
        for run in pixels.chunk_by(|a, b| a == b).flat_map(|run| run.chunks(128)) {
            if run.len() < 2 {
                plain.push(run[0]);
                continue;
            }
            write_plain(&mut out, &plain);
            plain.clear();
            out.push(0x80 | (run.len() - 1) as u8);
            out.extend(run[0].iter().rev());
        }
        write_plain(&mut out, &plain);
    }
    out
}

fn write_plain(out: &mut Vec<u8>, pixels: &[[u8; 3]]) {
    for piece in pixels.chunks(128) {
        out.push((piece.len() - 1) as u8);
        out.extend(piece.iter().flat_map(|pixel| pixel.iter().rev()));
    }
}

/// 24-bit PNG.
pub(crate) fn png(width: u32, height: u32, rgb: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().context("the header of a .png")?;
    writer.write_image_data(rgb).context("the pixels of a .png")?;
    writer.finish().context("the end of a .png")?;
    Ok(bytes)
}
