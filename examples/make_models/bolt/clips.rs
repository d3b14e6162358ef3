//! Bolt's animations: what each joint does at a phase 0..1 of a clip.
//!
//! Every format gets its frames from here, so that all of them show the same poses.

use std::f32::consts::TAU;

use super::skeleton::{ANTENNA, ARMS, CHEST, HEAD, LEGS, PELVIS, Posed, SPINE, Turns};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clip {
    Stand,
    Walk,
    Run,
    Wave,
    Attack,
    PainA,
    PainB,
}

fn wave(phase: f32) -> f32 {
    libm::sinf(phase * TAU)
}

/// 0 at both ends, 1 in the middle.
fn bump(phase: f32) -> f32 {
    let s = libm::sinf(phase.clamp(0.0, 1.0) * TAU * 0.5);
    s * s
}

/// From 0 at `from` smoothly to 1 at `to`.
fn ramp(phase: f32, from: f32, to: f32) -> f32 {
    let x = ((phase - from) / (to - from)).clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

impl Clip {
    /// The pose at a phase: loops come back to their start at phase 1.
    pub(crate) fn pose(self, phase: f32) -> Posed {
        let mut turns = Turns::rest();
        match self {
            Self::Stand => stand(&mut turns, phase),
            Self::Walk => gait(&mut turns, phase, 0.5, 0.75, 0.06),
            Self::Run => {
                gait(&mut turns, phase, 0.85, 1.25, 0.26);
                turns.hop = 2.2 * bump(2.0 * phase - libm::floorf(2.0 * phase));
            }
            Self::Wave => greet(&mut turns, phase),
            Self::Attack => attack(&mut turns, phase),
            Self::PainA => pain(&mut turns, phase, 1.0),
            Self::PainB => pain(&mut turns, phase, -1.0),
        }
        Posed::new(&turns)
    }
}

/// Side 0 is the left one; its turns about X and Z have this sign.
fn side_sign(side: usize) -> f32 {
    if side == 0 { 1.0 } else { -1.0 }
}

fn stand(turns: &mut Turns, phase: f32) {
    let breath = wave(phase);
    turns.set(SPINE, 0.0, 0.03 * breath, 0.0);
    turns.set(CHEST, 0.0, -0.04 * breath, 0.0);
    turns.set(HEAD, 0.0, 0.02 - 0.04 * breath, 0.10 * wave(phase + 0.15));
    turns.set(ANTENNA, 0.05 * wave(2.0 * phase), 0.08 * wave(2.0 * phase + 0.25), 0.0);
    for side in 0..2 {
        let sign = side_sign(side);
        turns.set(ARMS[side][0], sign * (0.03 + 0.03 * breath), -0.08, 0.0);
        turns.set(ARMS[side][1], 0.0, -0.45 - 0.05 * breath, 0.0);
        turns.set(LEGS[side][0], sign * 0.03, -0.10 - 0.02 * breath, 0.0);
        turns.set(LEGS[side][1], 0.0, 0.18 + 0.04 * breath, 0.0);
        turns.set(LEGS[side][2], sign * -0.03, -0.08 - 0.02 * breath, sign * 0.12);
    }
}

/// Walking and running: half a cycle per step.
fn gait(turns: &mut Turns, phase: f32, swing: f32, lift: f32, lean: f32) {
    for side in 0..2 {
        let own = if side == 0 { phase } else { phase + 0.5 };
        let sign = side_sign(side);
        let forward = wave(own);
        let lifted = wave(own + 0.25).max(0.0);
        let hip = -swing * forward - 0.35 * lift * lifted;
        let knee = 0.14 + lift * lifted;
        turns.set(LEGS[side][0], 0.0, hip, 0.0);
        turns.set(LEGS[side][1], 0.0, knee, 0.0);
        turns.set(LEGS[side][2], 0.0, -0.8 * (hip + knee) - lean * 0.5, sign * 0.08);
        turns.set(ARMS[side][0], sign * 0.10, swing * 0.9 * forward, 0.0);
        turns.set(ARMS[side][1], 0.0, -0.45 - lean - 0.35 * swing * (1.0 - forward), 0.0);
    }
    let sway = wave(phase);
    turns.set(PELVIS, 0.05 * wave(phase + 0.25), lean * 0.4, -0.16 * swing * sway);
    turns.set(SPINE, 0.0, lean * 0.5, 0.18 * swing * sway);
    turns.set(CHEST, -0.04 * wave(phase + 0.25), lean * 0.4, 0.26 * swing * sway);
    turns.set(HEAD, 0.0, -lean, -0.24 * swing * sway);
    turns.set(ANTENNA, 0.0, -lean + 0.22 * swing * wave(2.0 * phase + 0.1), 0.0);
}

fn greet(turns: &mut Turns, phase: f32) {
    let raised = ramp(phase, 0.0, 0.25) * (1.0 - ramp(phase, 0.8, 1.0));
    let shake =
        wave(3.0 * (phase - 0.25)) * ramp(phase, 0.2, 0.3) * (1.0 - ramp(phase, 0.75, 0.85));
    stand(turns, phase);
    let right = ARMS[1];
    turns.set(right[0], -0.03 - 1.75 * raised, -0.08, 0.0);
    turns.set(right[1], (-0.55 - 0.45 * shake) * raised, -0.45 * (1.0 - raised), 0.0);
    turns.set(right[2], -0.30 * shake * raised, 0.0, 0.0);
    turns.set(CHEST, 0.10 * raised, -0.04 * raised, 0.0);
    turns.set(HEAD, -0.14 * raised, -0.05 * raised, 0.12 * raised);
    turns.set(ANTENNA, 0.25 * shake, 0.0, 0.0);
}

fn attack(turns: &mut Turns, phase: f32) {
    let back = bump(phase / 0.45) * if phase < 0.45 { 1.0 } else { 0.0 };
    let punch = ramp(phase, 0.3, 0.45) * (1.0 - ramp(phase, 0.6, 1.0));
    stand(turns, phase);
    let [left, right] = ARMS;
    turns.set(SPINE, 0.0, 0.10 * punch, -0.25 * back + 0.3 * punch);
    turns.set(CHEST, 0.0, 0.06 * punch, -0.35 * back + 0.4 * punch);
    turns.set(HEAD, 0.0, 0.0, 0.5 * back - 0.6 * punch);
    turns.set(right[0], -0.1, 0.6 * back - 1.45 * punch - 0.08, 0.0);
    turns.set(right[1], 0.0, -1.2 * back - 0.15 * punch - 0.3, 0.0);
    turns.set(left[0], 0.2 * punch, -0.3 * back + 0.35 * punch, 0.0);
    turns.set(left[1], 0.0, -0.5 - 0.5 * (back + punch), 0.0);
    turns.set(LEGS[1][0], -0.03, 0.25 * punch, 0.0);
    turns.set(LEGS[0][0], 0.03, -0.35 * punch - 0.1, 0.0);
    turns.set(LEGS[0][1], 0.0, 0.18 + 0.25 * punch, 0.0);
}

/// Struck from the left (`sign` 1) or from the right (-1).
fn pain(turns: &mut Turns, phase: f32, sign: f32) {
    let hit = bump(libm::sqrtf(phase.clamp(0.0, 1.0)));
    stand(turns, phase);
    turns.set(SPINE, 0.18 * sign * hit, -0.12 * hit, 0.1 * sign * hit);
    turns.set(CHEST, 0.15 * sign * hit, -0.12 * hit, 0.25 * sign * hit);
    turns.set(HEAD, 0.25 * sign * hit, -0.22 * hit, 0.35 * sign * hit);
    turns.set(ANTENNA, 0.4 * sign * hit, -0.3 * hit, 0.0);
    for (side, arm) in ARMS.iter().enumerate() {
        let out = side_sign(side);
        turns.set(arm[0], out * (0.05 + 0.6 * hit), 0.35 * hit - 0.08, 0.0);
        turns.set(arm[1], out * 0.2 * hit, -0.45 - 0.5 * hit, 0.0);
    }
    turns.set(LEGS[1][0], -0.12 * hit, 0.2 * hit - 0.1, 0.0);
    turns.set(LEGS[0][0], 0.12 * hit, -0.3 * hit - 0.1, 0.0);
    turns.set(LEGS[0][1], 0.0, 0.18 + 0.3 * hit, 0.0);
}
