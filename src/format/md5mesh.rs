//! Doom 3's `.md5mesh`: a skeleton in its bind pose and meshes whose vertices hang on its joints.
//!
//! The file is read statement by statement in whatever order it has; nothing is allocated for a
//! declared count. A vertex is a range of weights, a weight a position in a joint's space.

use super::md5::{
    compare_counts, count, own_number, parent, parents_first, place, unclosed, version,
};
use super::reading::Tally;
use crate::error::{LoadError, LoadErrorKind, Place, Warning};
use crate::image::Palette;
use crate::model::{
    Clusters, Format, Geometry, Joint, JointFrame, Model, Reach, Skeleton, SkinnedSurface, Slots,
    Surface, TagTrack, Weight, orientation, weld,
};
use crate::tokens::{Token, Tokens};

/// Weights may be shared by vertices, but not so often that a small file takes forever to pose.
const MEAN_WEIGHTS_PER_VERTEX: usize = 64;

/// Sums of weights that differ from 1 by less than this come from rounding in the text.
const BIAS_TOLERANCE: f32 = 1e-3;

/// The model of an `.md5mesh`, without animations: its only pose is the bind pose.
pub(crate) fn load(file: &[u8]) -> Result<Model, LoadError> {
    if u32::try_from(file.len()).is_err() {
        return Err(LoadError::malformed("file", Place::File, "is larger than 4 GiB"));
    }
    let mut tokens = Tokens::new(file);
    version(&mut tokens)?;
    let mut mesh_file = MeshFile::default();
    while let Some(token) = tokens.token() {
        if !mesh_file.statement(&token, &mut tokens)? {
            break;
        }
    }
    mesh_file.finish(&tokens)
}

/// What has been read of a file.
#[derive(Default)]
struct MeshFile {
    declared_joints: Option<usize>,
    declared_meshes: Option<usize>,
    joints: Vec<Joint>,
    order: Vec<u32>,
    frames: Vec<JointFrame>,
    meshes: usize,
    surfaces: Vec<Surface>,
    skinned: Vec<SkinnedSurface>,
    empty_meshes: Tally,
    /// What the file is instead, if it has keywords of another MD5 file.
    other: Option<&'static str>,
    warnings: Vec<Warning>,
}

impl MeshFile {
    /// Reads what `keyword` begins; false where the file has nothing more to say.
    fn statement(
        &mut self,
        keyword: &Token<'_>,
        tokens: &mut Tokens<'_>,
    ) -> Result<bool, LoadError> {
        let again = keyword.is("MD5Version") || (keyword.is("joints") && !self.joints.is_empty());
        if again {
            let message = "a second model begins here; it is ignored";
            self.warnings.push(Warning::new(place(keyword), "file", message));
            return Ok(false);
        }
        if keyword.is("commandline") {
            tokens.token_on_line();
        } else if keyword.is("numJoints") {
            self.declared_joints = Some(count(tokens, "numJoints")?);
        } else if keyword.is("numMeshes") {
            self.declared_meshes = Some(count(tokens, "numMeshes")?);
        } else if keyword.is("joints") {
            self.joints = read_joints(tokens)?;
            self.order = parents_first(&self.joints, keyword, &mut self.warnings)?;
            self.frames = self.joints.iter().map(Joint::frame).collect();
        } else if keyword.is("mesh") {
            self.mesh(keyword, tokens)?;
        } else {
            if ["numFrames", "hierarchy", "baseframe"].iter().any(|word| keyword.is(word)) {
                self.other = Some("an md5anim (animation); give the md5mesh as the model");
            } else if ["numCuts", "cuts", "camera"].iter().any(|word| keyword.is(word)) {
                self.other = Some("an md5camera, which has nothing to draw");
            }
            tokens.skip_statement(keyword);
        }
        Ok(true)
    }

    fn mesh(&mut self, keyword: &Token<'_>, tokens: &mut Tokens<'_>) -> Result<(), LoadError> {
        if self.joints.is_empty() {
            let message = "expected the block 'joints' before the first mesh";
            return Err(LoadError::malformed("joints", place(keyword), message));
        }
        let part = format!("mesh {}", self.meshes);
        self.meshes += 1;
        let block = MeshBlock::read(tokens, self.joints.len(), &part)?;
        if block.vertices.is_empty() || block.triangles.is_empty() {
            self.empty_meshes.add_at(place(keyword), || {
                let (vertices, triangles) = (block.vertices.len(), block.triangles.len());
                format!("{part} has {vertices} vertices and {triangles} triangles")
            });
            return Ok(());
        }
        let (surface, skinned) = block.finish(&self.frames, &part, &mut self.warnings)?;
        self.surfaces.push(surface);
        self.skinned.push(skinned);
        Ok(())
    }

    fn finish(mut self, tokens: &Tokens<'_>) -> Result<Model, LoadError> {
        if self.joints.is_empty() {
            return Err(match self.other {
                Some(what) => {
                    let message = format!("this is {what}");
                    LoadError::new(LoadErrorKind::UnknownFormat, Place::File, "file", message)
                }
                None => LoadError::malformed(
                    "joints",
                    tokens.place(),
                    "expected a block 'joints' with at least one joint, found none",
                ),
            });
        }
        let warnings = &mut self.warnings;
        compare_counts(warnings, "numJoints", self.declared_joints, self.joints.len());
        compare_counts(warnings, "numMeshes", self.declared_meshes, self.meshes);
        self.empty_meshes.report("meshes", "skipped", warnings);
        warnings.extend(tokens.warning());
        Ok(Model {
            format: Format::Md5,
            name: String::new(),
            surfaces: self.surfaces,
            geometry: Geometry::Skeleton(Skeleton {
                names: self.joints.iter().map(|joint| joint.name.clone()).collect(),
                joints: self.joints,
                surfaces: self.skinned,
                order: self.order,
                anims: Vec::new(),
            }),
            clips: Vec::new(),
            tags: TagTrack::default(),
            skins: Vec::new(),
            palette: Palette::quake(),
            holey: false,
            idle: 0,
            engine: None,
            warnings: self.warnings,
        })
    }
}

/// `joints { "name" parent ( x y z ) ( qx qy qz ) ... }`, the parents not yet checked.
fn read_joints(tokens: &mut Tokens<'_>) -> Result<Vec<Joint>, LoadError> {
    let part = "joints";
    tokens.expect("{", part)?;
    let mut joints = Vec::new();
    while !tokens.peek().ok_or_else(|| unclosed(tokens, part))?.is("}") {
        let name = tokens.name(part)?;
        let parent = parent(tokens.integer(part)?);
        let position = tokens.tuple(part)?;
        let orientation = orientation(tokens.tuple(part)?).to_array();
        joints.push(Joint { name, parent, position, orientation });
    }
    tokens.expect("}", part)?;
    Ok(joints)
}

/// The statements of one `mesh { }`, with their lines.
#[derive(Default)]
struct MeshBlock {
    name: String,
    shader: String,
    declared: [Option<usize>; 3],
    texcoords: Vec<[f32; 2]>,
    /// Line, first weight, number of weights.
    vertices: Vec<(u32, i64, i64)>,
    /// Line, vertices.
    triangles: Vec<(u32, [i64; 3])>,
    weights: Vec<Weight>,
    misnumbered: Tally,
}

impl MeshBlock {
    fn read(tokens: &mut Tokens<'_>, joint_count: usize, part: &str) -> Result<Self, LoadError> {
        let mut block = Self::default();
        tokens.expect("{", part)?;
        loop {
            let token = tokens.token().ok_or_else(|| unclosed(tokens, part))?;
            if token.is("}") {
                return Ok(block);
            }
            block.statement(&token, tokens, joint_count, part)?;
        }
    }

    fn statement(
        &mut self,
        keyword: &Token<'_>,
        tokens: &mut Tokens<'_>,
        joint_count: usize,
        part: &str,
    ) -> Result<(), LoadError> {
        let line = keyword.line;
        let [verts, tris, weights] = self.declared;
        if keyword.is("vert") {
            let number = own_number(tokens, verts, part)?;
            self.check_order(number, self.vertices.len(), line);
            self.texcoords.push(tokens.tuple(part)?);
            self.vertices.push((line, tokens.integer(part)?, tokens.integer(part)?));
        } else if keyword.is("tri") {
            let number = own_number(tokens, tris, part)?;
            self.check_order(number, self.triangles.len(), line);
            let mut corner = || tokens.integer(part);
            self.triangles.push((line, [corner()?, corner()?, corner()?]));
        } else if keyword.is("weight") {
            let number = own_number(tokens, weights, part)?;
            self.check_order(number, self.weights.len(), line);
            let number = tokens.integer(part)?;
            let joint = u32::try_from(number).ok().filter(|&j| (j as usize) < joint_count);
            let joint = joint.ok_or_else(|| {
                let message = format!("the weight's joint {number} is not one of {joint_count}");
                LoadError::malformed(part, place(keyword), message)
            })?;
            let bias = tokens.number(part)?;
            self.weights.push(Weight { joint, bias, position: tokens.tuple(part)? });
        } else if keyword.is("numverts") {
            self.declared[0] = Some(count(tokens, part)?);
        } else if keyword.is("numtris") {
            self.declared[1] = Some(count(tokens, part)?);
        } else if keyword.is("numweights") {
            self.declared[2] = Some(count(tokens, part)?);
        } else if keyword.is("name") {
            self.name = tokens.token_on_line().map_or_else(String::new, |t| t.text());
        } else if keyword.is("shader") {
            self.shader = tokens.token_on_line().map_or_else(String::new, |t| t.text());
        } else {
            tokens.skip_statement(keyword);
        }
        Ok(())
    }

    fn check_order(&mut self, number: usize, expected: usize, line: u32) {
        if number != expected {
            self.misnumbered.add_at(Place::Line(line), || {
                format!("statement {number} stands at place {expected}")
            });
        }
    }

    /// Checks what the statements say of each other.
    fn finish(
        mut self,
        joints: &[JointFrame],
        part: &str,
        warnings: &mut Vec<Warning>,
    ) -> Result<(Surface, SkinnedSurface), LoadError> {
        let present = [self.vertices.len(), self.triangles.len(), self.weights.len()];
        for (what, i) in [("numverts", 0), ("numtris", 1), ("numweights", 2)] {
            compare_counts(warnings, &format!("{part}, {what}"), self.declared[i], present[i]);
        }
        std::mem::take(&mut self.misnumbered).report(part, "the order counts", warnings);
        let vertices = self.ranges(part, warnings)?;
        let mut dropped = Tally::default();
        let mut triangles = Vec::with_capacity(self.triangles.len());
        for (number, &(line, corners)) in self.triangles.iter().enumerate() {
            if corners.iter().all(|&v| usize::try_from(v).is_ok_and(|v| v < vertices.len())) {
                triangles.push(corners.map(|v| v as u32));
            } else {
                dropped.add_at(Place::Line(line), || {
                    format!("triangle {number} names vertices {corners:?} of {}", vertices.len())
                });
            }
        }
        dropped.report(part, "dropped", warnings);
        let mut skinned = SkinnedSurface { vertices, weights: self.weights, weld: Vec::new() };
        let bind: Vec<_> =
            (0..skinned.vertices.len()).map(|vertex| skinned.position(vertex, joints)).collect();
        skinned.weld = weld(&bind);
        let surface = Surface {
            name: if self.name.is_empty() { self.shader.clone() } else { self.name },
            shaders: if self.shader.is_empty() { Vec::new() } else { vec![self.shader] },
            texcoords: self.texcoords.into(),
            triangles: triangles.into(),
            texture: None,
            material: None,
            reach: Reach::default(),
            clusters: Clusters::default(),
            slots: Slots::default(),
        };
        Ok((surface, skinned))
    }

    /// The vertices' ranges of weights, which must exist.
    fn ranges(
        &self,
        part: &str,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<(u32, u32)>, LoadError> {
        let (mut weightless, mut unbalanced) = (Tally::default(), Tally::default());
        let mut total = 0_usize;
        let budget = (self.vertices.len() + self.weights.len()) * MEAN_WEIGHTS_PER_VERTEX;
        let mut ranges = Vec::with_capacity(self.vertices.len());
        for (number, &(line, first, count)) in self.vertices.iter().enumerate() {
            let place = Place::Line(line);
            if count == 0 {
                weightless.add_at(place, || format!("vertex {number} has no weight"));
                ranges.push((0, 0));
                continue;
            }
            let range = usize::try_from(first).ok().zip(usize::try_from(count).ok());
            let weights = range.and_then(|(first, count)| self.weights.get(first..)?.get(..count));
            let weights = weights.ok_or_else(|| {
                let message = format!(
                    "the vertex has {count} weights from number {first}, the mesh has {}",
                    self.weights.len()
                );
                LoadError::malformed(part, place, message)
            })?;
            total += weights.len();
            if total > budget {
                let message = format!(
                    "the vertices so far use {total} weights, more than {MEAN_WEIGHTS_PER_VERTEX} \
                     for every vertex and weight of the mesh"
                );
                return Err(LoadError::malformed(part, place, message));
            }
            let sum: f32 = weights.iter().map(|weight| weight.bias).sum();
            if (sum - 1.0).abs() > BIAS_TOLERANCE {
                unbalanced.add_at(place, || {
                    format!("the weights of vertex {number} add up to {sum}, not to 1")
                });
            }
            ranges.push((first as u32, count as u32));
        }
        weightless.report(part, "it lies at the origin", warnings);
        unbalanced.report(part, "used as they are", warnings);
        Ok(ranges)
    }
}
