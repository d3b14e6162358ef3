//! Triangles, vertices, tags, weights, groups.

use std::collections::HashSet;

use super::Finding;
use crate::model::{Blend, EngineMesh, Geometry, Model, SkinnedSurface};
use crate::pose::Pose;

/// How far the sum of weights may be from 1: they are written with six digits.
const WEIGHT_SLACK: f32 = 1e-3;
/// How far lengths and cosines of axes may be from those of right angles.
const AXIS_SLACK: f64 = 1e-2;
/// How far times may be from even steps, as a part of a step.
const TIME_SLACK: f32 = 1e-2;

pub(super) fn check(model: &Model, found: &mut Vec<Finding>) {
    triangles(model, found);
    vertices(model, found);
    tags(model, found);
    groups(model, found);
    if let Geometry::Skeleton(skeleton) = &model.geometry {
        for (number, surface) in skeleton.surfaces.iter().enumerate() {
            weights(surface, &surface_name(model, number), found);
        }
    }
}

/// What a surface is called in a finding.
pub(super) fn surface_name(model: &Model, number: usize) -> String {
    match model.surfaces().get(number).map(crate::model::Surface::name) {
        Some(name) if !name.is_empty() => format!("surface '{name}'"),
        _ => format!("surface {number}"),
    }
}

/// Adds a finding if there is any: how many, and the first.
fn add(
    found: &mut Vec<Finding>,
    code: &'static str,
    place: &str,
    [one, many]: [&str; 2],
    which: &[usize],
) {
    if let Some(first) = which.first() {
        let count = which.len();
        let what = if count == 1 { one } else { many };
        found.push(Finding::new(code, place, format!("{count} {what}; the first is {first}")));
    }
}

fn triangles(model: &Model, found: &mut Vec<Finding>) {
    let flat = flat_triangles(model);
    for (number, surface) in model.surfaces().iter().enumerate() {
        let place = surface_name(model, number);
        let mut seen = HashSet::new();
        let twice: Vec<usize> = (0..surface.triangles().len())
            .filter(|&triangle| {
                let [a, b, c] = surface.triangles()[triangle];
                let turned = [[a, b, c], [b, c, a], [c, a, b]].into_iter().min();
                !seen.insert(turned)
            })
            .collect();
        let words = ["triangle without area", "triangles without area"];
        add(found, "degenerate-triangle", &place, words, &flat[number]);
        let words = ["triangle that is there twice", "triangles that are there twice"];
        add(found, "duplicate-triangle", &place, words, &twice);
    }
}

/// The triangles of each surface that have no area in any frame; of an MD5 in the bind pose.
fn flat_triangles(model: &Model) -> Vec<Vec<usize>> {
    let mut flat: Vec<Vec<usize>> =
        model.surfaces().iter().map(|surface| (0..surface.triangles().len()).collect()).collect();
    let mut pose = Pose::default();
    let is_skeletal = matches!(model.geometry, Geometry::Skeleton(_));
    let frames = if is_skeletal { 1 } else { model.frame_count() };
    for frame in 0..frames {
        if flat.iter().all(Vec::is_empty) {
            break;
        }
        let anim = if is_skeletal { usize::MAX } else { 0 };
        model.pose_into(Blend { anim, ..Blend::frame(frame) }, &mut pose);
        for (number, surface) in model.surfaces().iter().enumerate() {
            let points: Vec<[f32; 3]> = pose.positions(number).collect();
            flat[number].retain(|&triangle| {
                let corners = surface.triangles()[triangle];
                let [a, b, c] = corners.map(|corner| points[corner as usize].map(f64::from));
                let side = |p: [f64; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
                let ([ux, uy, uz], [vx, vy, vz]) = (side(b), side(c));
                let cross = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
                cross == [0.0; 3]
            });
        }
    }
    flat
}

fn vertices(model: &Model, found: &mut Vec<Finding>) {
    for (number, surface) in model.surfaces().iter().enumerate() {
        let mut is_used = vec![false; surface.vertex_count()];
        for &corner in surface.triangles().iter().flatten() {
            is_used[corner as usize] = true;
        }
        let place = surface_name(model, number);
        let words = ["vertex on no triangle", "vertices on no triangle"];
        match &model.geometry {
            // Vertices are made of corners; those of the file are what may be left over.
            Geometry::Bytes(keys) => {
                let mut is_decoded = vec![false; keys.packed_count];
                for (vertex, _) in is_used.iter().enumerate().filter(|(_, used)| **used) {
                    is_decoded[keys.vertex_of[vertex] as usize] = true;
                }
                let unused: Vec<usize> =
                    (0..keys.packed_count).filter(|&vertex| !is_decoded[vertex]).collect();
                add(found, "unused-vertex", &place, words, &unused);
            }
            _ => {
                let unused: Vec<usize> =
                    (0..is_used.len()).filter(|&vertex| !is_used[vertex]).collect();
                add(found, "unused-vertex", &place, words, &unused);
            }
        }
    }
}

fn tags(model: &Model, found: &mut Vec<Finding>) {
    let names = &model.tags.names;
    if names.is_empty() {
        return;
    }
    for (tag, name) in names.iter().enumerate() {
        let frames = model.tags.frames.chunks_exact(names.len());
        let broken: Vec<usize> = frames
            .enumerate()
            .filter(|(_, tags)| !are_right_angles(tags[tag].axis))
            .map(|(frame, _)| frame)
            .collect();
        let words = ["frame with broken axes", "frames with broken axes"];
        add(found, "tag-axes", &format!("tag '{name}'"), words, &broken);
    }
}

/// Unit length, at right angles, and not mirrored.
fn are_right_angles(axis: [[f32; 3]; 3]) -> bool {
    let [x, y, z] = axis.map(|row| row.map(f64::from));
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let cross = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
    let is_near = |found: f64, expected: f64| (found - expected).abs() <= AXIS_SLACK;
    [x, y, z].into_iter().all(|row| is_near(dot(row, row).sqrt(), 1.0))
        && [(x, y), (y, z), (z, x)].into_iter().all(|(a, b)| is_near(dot(a, b), 0.0))
        && dot(cross, z) > 0.0
}

/// Frame groups as the engine has them, and skin groups.
fn groups(model: &Model, found: &mut Vec<Finding>) {
    let mut check = |place: String, times: &[f32]| {
        if !are_even(times) {
            let shown: Vec<String> = times.iter().take(6).map(ToString::to_string).collect();
            let more = if times.len() > 6 { ", ..." } else { "" };
            let message = format!("it ends at {}{more} seconds", shown.join(", "));
            found.push(Finding::new("uneven-group-times", place, message));
        }
    };
    if let Some(EngineMesh::Mdl(mesh)) = &model.engine {
        for (number, entry) in mesh.frames.iter().enumerate() {
            check(format!("frame group {number}"), &entry.end_times);
        }
    }
    for skin in 0..model.skins().len() {
        check(format!("skin {skin}"), model.skin_times(skin));
    }
}

fn are_even(times: &[f32]) -> bool {
    let Some(&step) = times.first() else { return true };
    let ends = (1_u16..).map(|member| f32::from(member) * step);
    step > 0.0 && times.iter().zip(ends).all(|(time, end)| (time - end).abs() <= TIME_SLACK * step)
}

fn weights(surface: &SkinnedSurface, place: &str, found: &mut Vec<Finding>) {
    let (mut none, mut many, mut uneven) = (Vec::new(), Vec::new(), Vec::new());
    for (vertex, &(first, count)) in surface.vertices.iter().enumerate() {
        let all = &surface.weights[first as usize..][..count as usize];
        let sum: f32 = all.iter().map(|weight| weight.bias).sum();
        if all.is_empty() {
            none.push(vertex);
        } else if (sum - 1.0).abs() > WEIGHT_SLACK {
            uneven.push(vertex);
        }
        if all.len() > 4 {
            many.push(vertex);
        }
    }
    let words = ["vertex without a weight", "vertices without a weight"];
    add(found, "weightless-vertex", place, words, &none);
    let words =
        ["vertex whose weights do not add up to 1", "vertices whose weights do not add up to 1"];
    add(found, "weights-not-normalised", place, words, &uneven);
    let words = ["vertex with more than 4 weights", "vertices with more than 4 weights"];
    add(found, "many-weights", place, words, &many);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_rise_evenly_are_even() {
        for (times, expected) in [
            (&[][..], true),
            (&[0.1], true),
            (&[0.1, 0.2, 0.3], true),
            (&[0.1, 0.2, 0.35], false),
            (&[0.1, 0.1], false),
            (&[0.0, 0.1], false),
            (&[-0.1], false),
        ] {
            assert_eq!(are_even(times), expected, "{times:?}");
        }
    }

    #[test]
    fn axes_are_told_from_scaled_skewed_and_mirrored_ones() {
        let good = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        assert!(are_right_angles(good));
        assert!(!are_right_angles(good.map(|row| row.map(|x| 0.25 * x))));
        assert!(!are_right_angles([[0.0; 3]; 3]));
        assert!(!are_right_angles([good[0], good[1], [0.0, 0.0, -1.0]]));
        assert!(!are_right_angles([good[0], [0.6, 0.8, 0.0], good[2]]));
        assert!(!are_right_angles([good[0], good[1], [0.0, 0.0, f32::NAN]]));
    }
}
