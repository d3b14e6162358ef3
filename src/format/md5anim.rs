//! Doom 3's `.md5anim`: frames of parent-relative joints for the skeleton of an `.md5mesh`.
//!
//! `baseframe` holds a pose, `hierarchy` says which of a joint's six components every frame
//! replaces. A frame is a row of numbers; only the components that joints use are kept.

use super::md5::{compare_counts, count, parent, place, unclosed, version};
use super::reading::Tally;
use crate::error::{LoadError, Place, Warning};
use crate::model::{AnimJoint, SkeletalAnim};
use crate::tokens::{Token, Tokens};

/// Frames per second where the file says none.
const DEFAULT_RATE: f32 = 24.0;

/// Reads an animation and checks it in itself; it has no name yet.
pub(crate) fn load(bytes: &[u8], warnings: &mut Vec<Warning>) -> Result<SkeletalAnim, LoadError> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(LoadError::malformed("file", Place::File, "is larger than 4 GiB"));
    }
    let mut tokens = Tokens::new(bytes);
    version(&mut tokens)?;
    let mut file = AnimFile::default();
    while let Some(keyword) = tokens.token() {
        if keyword.is("MD5Version") {
            let message = "a second animation begins here; it is ignored";
            warnings.push(Warning::new(place(&keyword), "file", message));
            break;
        }
        file.statement(&keyword, &mut tokens)?;
    }
    let anim = file.finish(bytes.len(), warnings)?;
    warnings.extend(tokens.warning());
    Ok(anim)
}

/// One `frame i { }`: its number, its line, and where its values end in the list of all.
struct FrameBlock {
    number: usize,
    line: u32,
    end: usize,
}

/// What has been read of a file.
#[derive(Default)]
struct AnimFile {
    declared_frames: Option<usize>,
    declared_joints: Option<usize>,
    declared_components: Option<usize>,
    frame_rate: Option<(f32, Place)>,
    joints: Vec<AnimJoint>,
    bounds: Option<usize>,
    base: Vec<([f32; 3], [f32; 3])>,
    blocks: Vec<FrameBlock>,
    values: Vec<f32>,
}

impl AnimFile {
    fn statement(&mut self, keyword: &Token<'_>, tokens: &mut Tokens<'_>) -> Result<(), LoadError> {
        if keyword.is("commandline") {
            tokens.token_on_line();
        } else if keyword.is("numFrames") {
            self.declared_frames = Some(count(tokens, "numFrames")?);
        } else if keyword.is("numJoints") {
            self.declared_joints = Some(count(tokens, "numJoints")?);
        } else if keyword.is("numAnimatedComponents") {
            self.declared_components = Some(count(tokens, "numAnimatedComponents")?);
        } else if keyword.is("frameRate") {
            self.frame_rate = Some((tokens.number("frameRate")?, place(keyword)));
        } else if keyword.is("hierarchy") {
            block(tokens, "hierarchy", |tokens| {
                self.joints.push(hierarchy_row(tokens)?);
                Ok(())
            })?;
        } else if keyword.is("bounds") {
            let mut boxes = 0;
            block(tokens, "bounds", |tokens| {
                tokens.tuple::<3>("bounds")?;
                tokens.tuple::<3>("bounds")?;
                boxes += 1;
                Ok(())
            })?;
            self.bounds = Some(boxes);
        } else if keyword.is("baseframe") {
            block(tokens, "baseframe", |tokens| {
                self.base.push((tokens.tuple("baseframe")?, tokens.tuple("baseframe")?));
                Ok(())
            })?;
        } else if keyword.is("frame") {
            let number = count(tokens, "frame")?;
            block(tokens, "frame", |tokens| {
                self.values.push(tokens.number("frame")?);
                Ok(())
            })?;
            let end = self.values.len();
            self.blocks.push(FrameBlock { number, line: keyword.line, end });
        } else {
            tokens.skip_statement(keyword);
        }
        Ok(())
    }

    fn finish(
        mut self,
        file_len: usize,
        warnings: &mut Vec<Warning>,
    ) -> Result<SkeletalAnim, LoadError> {
        if self.joints.is_empty() {
            let message = "expected a block 'hierarchy' with at least one joint, found none";
            return Err(LoadError::malformed("hierarchy", Place::File, message));
        }
        compare_counts(warnings, "numJoints", self.declared_joints, self.joints.len());
        if self.base.len() < self.joints.len() {
            let (base, joints) = (self.base.len(), self.joints.len());
            let message = format!("{joints} joints need as many entries, found {base}");
            return Err(LoadError::malformed("baseframe", Place::File, message));
        }
        for (joint, &(position, orientation)) in self.joints.iter_mut().zip(&self.base) {
            joint.base_position = position;
            joint.base_orientation = orientation;
        }
        let used = self.used_components(warnings)?;
        let (frames, components) = self.frames(used, file_len, warnings)?;
        if let Some(bounds) = self.bounds
            && bounds != frames
        {
            let message = format!("{bounds} boxes for {frames} frames; boxes are not used");
            warnings.push(Warning::new(Place::File, "bounds", message));
        }
        Ok(SkeletalAnim {
            name: String::new(),
            frame_rate: self.rate(warnings),
            joints: self.joints,
            component_count: used,
            components,
            frames,
        })
    }

    fn rate(&self, warnings: &mut Vec<Warning>) -> f32 {
        let (rate, place) = self.frame_rate.unwrap_or((0.0, Place::File));
        if rate > 0.0 {
            return rate;
        }
        let message = format!("expected a rate above 0, found {rate}; {DEFAULT_RATE} is used");
        warnings.push(Warning::new(place, "frameRate", message));
        DEFAULT_RATE
    }

    /// How many components of a frame the joints use. Every frame must have as many.
    fn used_components(&self, warnings: &mut Vec<Warning>) -> Result<usize, LoadError> {
        let used = self.joints.iter().map(AnimJoint::end).max().unwrap_or(0);
        let mut start = 0;
        let mut uneven = Tally::default();
        for frame in &self.blocks {
            let present = frame.end - start;
            start = frame.end;
            if present < used {
                let message = format!("the joints use {used} components, the frame has {present}");
                let part = format!("frame {}", frame.number);
                return Err(LoadError::malformed(part, Place::Line(frame.line), message));
            }
            if let Some(declared) = self.declared_components.filter(|count| *count != present) {
                uneven.add_at(Place::Line(frame.line), || {
                    format!(
                        "frame {} has {present} components, {declared} are declared",
                        frame.number
                    )
                });
            }
        }
        uneven.report("numAnimatedComponents", "those present are used", warnings);
        Ok(used)
    }

    /// The frames by number, `used` components each. A missing frame repeats the one before it.
    fn frames(
        &mut self,
        used: usize,
        file_len: usize,
        warnings: &mut Vec<Warning>,
    ) -> Result<(usize, Vec<f32>), LoadError> {
        if self.blocks.is_empty() {
            let message = "expected at least one block 'frame', found none";
            return Err(LoadError::malformed("frames", Place::File, message));
        }
        let stray = |number: usize, line, message: &str| {
            Warning::new(Place::Line(line), format!("frame {number}"), message)
        };
        let (mut out_of_order, mut twice) = (Tally::default(), Tally::default());
        // Number, place in the file, start of the values; the first of equal numbers counts.
        let mut rows = Vec::with_capacity(self.blocks.len());
        let mut start = 0;
        for (i, block) in self.blocks.iter().enumerate() {
            if i != block.number {
                out_of_order.add_at(Place::Line(block.line), || {
                    format!("block {i} is that of frame {}", block.number)
                });
            }
            rows.push((block.number, i, start));
            start = block.end;
        }
        rows.sort_unstable();
        rows.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                twice.add_at(Place::Line(self.blocks[later.1].line), || {
                    format!("frame {} is there once more", later.0)
                });
            }
            same
        });
        out_of_order.report("frames", "the number counts", warnings);
        twice.report("frames", "the first counts", warnings);

        // Repeated frames take memory that the file did not pay for: a number takes two bytes.
        let (last, ..) = rows[rows.len() - 1];
        let limit = file_len / 2 / used.max(1);
        let present = last.saturating_add(1);
        if present > limit.max(rows.len()) {
            let line = self.blocks[rows[rows.len() - 1].1].line;
            let message =
                format!("frame number {last}, but the file has only {} frames", rows.len());
            return Err(LoadError::malformed("frames", Place::Line(line), message));
        }
        let declared = self.declared_frames.unwrap_or(present);
        let total = if declared <= limit { declared.max(present) } else { present };
        if declared != rows.len() || total != rows.len() {
            let message = format!(
                "{declared} declared, {} present; {total} are used, missing ones repeat the one before",
                rows.len()
            );
            warnings.push(Warning::new(Place::File, "numFrames", message));
        }
        if rows[0].0 != 0 {
            let (number, block, _) = rows[0];
            let message = "is the first; it stands for those before it too";
            warnings.push(stray(number, self.blocks[block].line, message));
        }
        let mut components = Vec::with_capacity(total * used);
        let mut row = 0;
        for frame in 0..total {
            while rows.get(row + 1).is_some_and(|next| next.0 <= frame) {
                row += 1;
            }
            components.extend_from_slice(&self.values[rows[row].2..][..used]);
        }
        Ok((total, components))
    }
}

impl AnimJoint {
    /// One past the last component that the joint uses; 0 if it uses none.
    fn end(&self) -> usize {
        let used = self.flags.count_ones() as usize;
        if used == 0 { 0 } else { self.first + used }
    }
}

/// `{ ... }` with one `row` after the other.
fn block<'a>(
    tokens: &mut Tokens<'a>,
    part: &str,
    mut row: impl FnMut(&mut Tokens<'a>) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    tokens.expect("{", part)?;
    while !tokens.peek().ok_or_else(|| unclosed(tokens, part))?.is("}") {
        row(tokens)?;
    }
    tokens.expect("}", part)
}

/// `"name" parent flags firstComponent`.
fn hierarchy_row(tokens: &mut Tokens<'_>) -> Result<AnimJoint, LoadError> {
    let part = "hierarchy";
    let name = tokens.name(part)?;
    let place = tokens.place();
    let parent = parent(tokens.integer(part)?);
    let flags = tokens.integer(part)?;
    let first = tokens.integer(part)?;
    let malformed = |message| Err(LoadError::malformed(part, place, message));
    if !(0..64).contains(&flags) {
        return malformed(format!("joint '{name}' has flags {flags}; only 0 to 63 have a meaning"));
    }
    // A joint that is not animated may give any number: exporters write their running total.
    let first = match u32::try_from(first) {
        Ok(first) => first as usize,
        Err(_) if flags == 0 => 0,
        Err(_) => return malformed(format!("joint '{name}' has first component {first}")),
    };
    Ok(AnimJoint {
        name,
        parent,
        flags: flags as u32,
        first,
        base_position: [0.0; 3],
        base_orientation: [0.0; 3],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"MD5Version 10
commandline ""
numFrames 3
numJoints 2
frameRate 30
numAnimatedComponents 3
hierarchy {
    "root" -1 5 0 // ( Tx Tz )
    tip 0 16 2
}
bounds {
    ( 0 0 0 ) ( 1 1 1 )
    ( 0 0 0 ) ( 1 1 1 )
    ( 0 0 0 ) ( 1 1 1 )
}
baseframe {
    ( 7 8 9 ) ( .1 .2 .3 )
    ( 1 0 0 ) ( .4 .5 .6 )
}
frame 0 { 1 2 3 }
frame 1 { 4 5 6 }
frame 2 { 7 8 9 }
"#;

    fn read(text: &str) -> Result<(SkeletalAnim, Vec<String>), LoadError> {
        let mut warnings = Vec::new();
        let anim = load(text.as_bytes(), &mut warnings)?;
        Ok((anim, warnings.iter().map(ToString::to_string).collect()))
    }

    #[test]
    fn reads_every_field() {
        let (anim, warnings) = read(GOOD).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!((anim.frames, anim.component_count, anim.frame_rate), (3, 3, 30.0));
        assert_eq!(anim.components, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!((anim.joints[1].flags, anim.joints[1].first), (16, 2));
        assert_eq!(anim.joints[0].base_position, [7.0, 8.0, 9.0]);
    }

    /// Changes of the good file that must be refused: what is replaced, by what, what the message says.
    #[test]
    fn refuses_what_does_not_fit() {
        let cases = [
            ("MD5Version 10", "MD5Version 6", "MD5Version 6 is not supported"),
            ("tip 0 16 2", "tip 0 16 3", "frame 0 (line 20): the joints use 4 components"),
            ("tip 0 16 2", "tip 0 64 2", "hierarchy (line 9): joint 'tip' has flags 64"),
            ("tip 0 16 2", "tip 0 16 -2", "hierarchy (line 9): joint 'tip' has first component -2"),
            ("    ( 1 0 0 ) ( .4 .5 .6 )\n", "", "baseframe (file): 2 joints need as many"),
            ("{ 4 5 6 }", "{ 4 5 }", "frame 1 (line 21): the joints use 3 components"),
            ("{ 7 8 9 }", "{ 7 8 9", "frame (line 22): truncated"),
            ("frame 2 {", "frame 2000000000 {", "frames (line 22): frame number 2000000000"),
            ("frame 2 {", "frame -1 {", "frame (line 22): a count cannot be -1"),
            ("hierarchy", "joints", "hierarchy (file): expected a block 'hierarchy'"),
        ];
        for (from, to, message) in cases {
            let text = GOOD.replacen(from, to, 1);
            assert_ne!(text, GOOD, "{from}");
            let error = read(&text).expect_err(to).to_string();
            assert!(error.contains(message), "{to}: {error}");
        }
        let frameless = GOOD.split("frame 0").next().unwrap();
        let error = read(frameless).unwrap_err().to_string();
        assert!(error.contains("at least one block 'frame'"), "{error}");
    }

    /// Changes of the good file that give a warning: the message, frames per second, and the first
    /// component of every frame.
    #[test]
    fn warns_of_what_can_be_drawn() {
        let usual = [1.0, 4.0, 7.0];
        let cases: [(&str, &str, &str, f32, &[f32]); 9] = [
            ("frameRate 30", "frameRate 0", "frameRate (line 5)", 24.0, &usual),
            ("frameRate 30", "", "frameRate (file)", 24.0, &usual),
            ("( 0 0 0 ) ( 1 1 1 )\n", "", "bounds (file): 2 boxes for 3 frames", 30.0, &usual),
            (
                "Components 3",
                "Components 2",
                "numAnimatedComponents (line 20): frame 0 has 3 components, 2 are declared (and 2 times more); those present are used",
                30.0,
                &usual,
            ),
            ("frame 1 {", "frame 3 {", "numFrames (file): 3 declared", 30.0, &[1.0, 1.0, 7.0, 4.0]),
            ("frame 2 {", "frame 1 {", "frame 1 is there once more", 30.0, &[1.0, 4.0, 4.0]),
            ("frame 0 {", "frame 4 {", "is the first", 30.0, &[4.0, 4.0, 7.0, 7.0, 1.0]),
            ("numFrames 3", "numFrames 4", "4 are used", 30.0, &[1.0, 4.0, 7.0, 7.0]),
            ("numFrames 3", "numFrames 2000000000", "3 are used", 30.0, &usual),
        ];
        for (from, to, message, rate, firsts) in cases {
            let text = GOOD.replacen(from, to, 1);
            assert_ne!(text, GOOD, "{from}");
            let (anim, warnings) = read(&text).expect(to);
            assert!(warnings.iter().any(|w| w.contains(message)), "{to}: {warnings:?}");
            assert_eq!(anim.frame_rate, rate, "{to}");
            let found: Vec<_> = anim.components.iter().copied().step_by(3).collect();
            assert_eq!(found, firsts, "{to}");
        }
    }

    #[test]
    fn joints_that_do_not_move_need_no_components() {
        let text = GOOD.replace("-1 5 0", "-1 0 -7").replace("0 16 2", "0 0 99");
        let text = text.replace("Components 3", "Components 0").replace("{ 1 2 3 }", "{}");
        let text = text.replace("{ 4 5 6 }", "{}").replace("{ 7 8 9 }", "{}");
        let (anim, warnings) = read(&text).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!((anim.frames, anim.component_count), (3, 0));
    }

    #[test]
    fn a_doubled_file_is_read_once() {
        let (anim, warnings) = read(&[GOOD, GOOD].concat()).unwrap();
        assert_eq!(anim.frames, 3);
        assert!(warnings[0].contains("second animation"), "{warnings:?}");
    }
}
