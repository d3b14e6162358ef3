//! The frames of an `.mdl`: single poses and groups that play by themselves.

use super::mdl::{Header, end_times, group_count};
use super::reading::{Tally, text};
use crate::bytes::Reader;
use crate::error::{LoadError, LoadErrorKind, Warning};
use crate::model::{ByteFrame, MdlFrameEntry};

/// All poses in file order, and the entries that they belong to as the engine counts frames.
#[derive(Default)]
pub(super) struct Frames {
    pub(super) poses: Vec<ByteFrame>,
    pub(super) entries: Vec<MdlFrameEntry>,
}

/// Reads all frame entries. A file that is cut off after its first pose keeps the complete ones.
pub(super) fn read(
    reader: &mut Reader<'_>,
    header: &Header,
    warnings: &mut Vec<Warning>,
) -> Result<Frames, LoadError> {
    let mut frames = FrameReader {
        header,
        frames: Frames::default(),
        unterminated: Tally::default(),
        odd_types: Tally::default(),
    };
    for index in 0..header.frames {
        match frames.read_entry(reader, index, warnings) {
            Err(error)
                if error.kind() == LoadErrorKind::Truncated && !frames.frames.poses.is_empty() =>
            {
                let kept = frames.frames.poses.len();
                let instead = format!("the {kept} complete poses before it are kept");
                warnings.push(Warning::of_error(&error, &instead));
                break;
            }
            other => other?,
        }
    }
    frames.unterminated.report("frames", "the name is taken whole", warnings);
    frames.odd_types.report("frames", "read as a group", warnings);
    Ok(frames.frames)
}

struct FrameReader<'a> {
    header: &'a Header,
    frames: Frames,
    unterminated: Tally,
    odd_types: Tally,
}

impl FrameReader<'_> {
    fn read_entry(
        &mut self,
        reader: &mut Reader<'_>,
        index: u32,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), LoadError> {
        let part = format!("frame {index}");
        let offset = reader.offset();
        let kind = reader.i32(&part)?;
        if kind == 0 {
            let (bounds, pose) = self.read_pose(reader, &part)?;
            let entry = MdlFrameEntry { bounds, poses: vec![pose], end_times: Vec::new() };
            self.frames.entries.push(entry);
            return Ok(());
        }
        if kind != 1 {
            self.odd_types.add(offset, || format!("type of frame {index} is {kind}, not 0 or 1"));
        }
        let members = group_count(reader, &part)?;
        let bounds = read_bounds(reader, &part)?;
        let mut end_times = end_times(reader, &part, members, warnings)?;
        let mut poses = Vec::new();
        let mut result = Ok(());
        for member in 0..members {
            match self.read_pose(reader, &format!("{part}, member {member}")) {
                Ok((_, pose)) => poses.push(pose),
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        if !poses.is_empty() {
            end_times.truncate(poses.len());
            self.frames.entries.push(MdlFrameEntry { bounds, poses, end_times });
        }
        result
    }

    /// One pose; gives its box and the offset of its vertices.
    fn read_pose(
        &mut self,
        reader: &mut Reader<'_>,
        part: &str,
    ) -> Result<([[u8; 3]; 2], usize), LoadError> {
        let bounds = read_bounds(reader, part)?;
        let name = text::<16>(reader, part, &mut self.unterminated)?;
        let offset = reader.offset();
        reader.records(u64::from(self.header.vertices), 4, part)?;
        let Header { scale, scale_origin, .. } = *self.header;
        self.frames.poses.push(ByteFrame { name, scale, origin: scale_origin, offset });
        Ok((bounds, offset))
    }
}

/// Least and greatest bytes of the box; the fourth byte of each corner means nothing.
fn read_bounds(reader: &mut Reader<'_>, part: &str) -> Result<[[u8; 3]; 2], LoadError> {
    let [x0, y0, z0, _, x1, y1, z1, _] = reader.array::<8>(part)?;
    Ok([[x0, y0, z0], [x1, y1, z1]])
}
