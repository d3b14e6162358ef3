//! The state under keys and mouse, without a window.

use super::event::{Button, Event, Held};
use super::facts::Facts;
use super::keys::Key::{self, Char};
use super::orbit::Orbit;
use super::playback::Playback;
use super::settings::{InternalResolution, Settings};
use super::source::Shown;
use super::state::{Request, State};
use crate::look::{ColorMode, Draw};
use crate::model::{Clip, Format, Timing};
use crate::scene::{Frames, Moment, Scene};

/// How long a message stays.
const MESSAGE_MS: u64 = 1500;

fn state() -> State {
    let settings = Settings::new(Scene::new("a.md2"), InternalResolution::Window);
    let playback = Playback::new(true, true);
    let shown = Shown::default();
    let mut state = State::new(settings, playback, shown, true, false, 3, [640, 400]);
    let clip = |name: &str, first| Clip {
        name: name.into(),
        first,
        count: 4,
        anim: 0,
        timing: Timing::Rate(10.0),
    };
    state.set_facts(Facts {
        format: Format::Md2,
        clips: vec![clip("stand", 0), clip("run", 4)],
        frames: 8,
        skins: vec!["a.pcx".into(), "b.pcx".into()],
        worn: 0,
        ..Facts::default()
    });
    state.set_home(Orbit::default(), true);
    state
}

fn press(state: &mut State, now: u64, key: Key, shift: bool) -> Option<Request> {
    state.advance(now);
    state.apply(Event::Key { key, shift })
}

#[test]
fn keys_change_what_they_say() {
    type Check = fn(&State) -> bool;
    let table: [(char, Check); 14] = [
        ('C', |s| s.scene(false).look.color == Some(ColorMode::Indexed)),
        ('E', |s| s.scene(false).look.draw == Draw::Wire),
        ('V', |s| s.settings.is_classic()),
        ('5', |s| s.orbit.orthographic),
        ('I', |s| !s.playback.interpolates),
        ('H', |s| s.shown.keys),
        ('N', |s| s.shown.name),
        ('M', |s| s.shown.facts),
        ('Z', |s| s.shown.stats),
        ('X', |s| s.shown.axes),
        ('W', |s| s.playback.clip() == Some(1)),
        ('.', |s| s.blend().from == 1 && !s.playback.playing),
        ('R', |s| s.picture_size() == [320, 200] && s.placement().scale == 2),
        ('T', |s| s.scene(false).look.colors == Some([1, 7])),
    ];
    for (key, check) in table {
        let mut state = state();
        assert!(!check(&state), "{key} before");
        press(&mut state, 0, Char(key), false);
        assert!(check(&state), "{key} after");
    }
}

#[test]
fn keys_ask_for_what_the_state_cannot_do() {
    let table = [
        (Key::Right, false, Request::Load(1)),
        (Key::PageUp, false, Request::Load(2)),
        (Key::Up, false, Request::Reload),
        (Char('+'), false, Request::Dress(Some(1))),
        (Char('3'), false, Request::Frame(Some([-90.0, 0.0]))),
        (Key::F12, false, Request::Screenshot { alone: false }),
        (Key::F12, true, Request::Screenshot { alone: true }),
        (Char('K'), false, Request::Command),
        (Key::Escape, false, Request::Quit),
        (Char('Q'), true, Request::Quit),
        (Char('R'), false, Request::Frame(None)),
    ];
    for (key, shift, expected) in table {
        assert_eq!(press(&mut state(), 0, key, shift), Some(expected), "{key}");
    }
    assert_eq!(press(&mut state(), 0, Char('%'), false), None);
}

#[test]
fn left_drag_orbits_and_shift_or_middle_drag_pans() {
    for (button, shift, pans) in
        [(Button::Left, false, false), (Button::Left, true, true), (Button::Middle, false, true)]
    {
        let mut state = state();
        let before = state.orbit;
        state.apply(Event::Press { button, at: [100, 100], held: Held { shift, ctrl: false } });
        state.apply(Event::Move([140, 120]));
        let after = state.orbit;
        if pans {
            assert_ne!(after.focal_point, before.focal_point);
            assert_eq!(after.azimuth, before.azimuth);
        } else {
            // A tenth of the height is 18 degrees.
            assert!((after.azimuth - (before.azimuth - 18.0)).abs() < 1e-4);
            assert!((after.elevation - (before.elevation + 9.0)).abs() < 1e-4);
        }
        state.apply(Event::Release(button));
        state.apply(Event::Move([300, 300]));
        assert_eq!(state.orbit, after, "the button is up");
        assert_eq!(state.apply(Event::Resize([800, 600])), None, "the user has set the camera");
        press(&mut state, 0, Key::Enter, false);
        assert_eq!(state.orbit, before);
        assert_eq!(state.apply(Event::Resize([900, 600])), Some(Request::Frame(None)));
    }
}

#[test]
fn only_two_quick_presses_at_one_place_are_a_double_click() {
    let click = |state: &mut State, now, at| {
        state.advance(now);
        let request = state.apply(Event::Press { button: Button::Left, at, held: Held::default() });
        state.apply(Event::Release(Button::Left));
        request
    };
    let frame = || Some(Request::Frame(None));
    for (now, at, expected) in
        [(200, [52, 49], frame()), (500, [50, 50], None), (200, [90, 50], None)]
    {
        let mut state = state();
        assert_eq!(click(&mut state, 0, [50, 50]), None);
        assert_eq!(click(&mut state, now, at), expected, "{now} {at:?}");
    }
    let mut state = state();
    let clicks = [0, 100, 200, 300].map(|now| click(&mut state, now, [5, 5]));
    assert_eq!(clicks, [None, frame(), None, frame()]);
}

#[test]
fn the_turntable_turns_with_the_clock_and_the_wheel_goes_nearer() {
    let mut state = state();
    press(&mut state, 1000, Char('O'), false);
    state.advance(3500);
    assert_eq!(state.yaw(), 90.0);
    press(&mut state, 3500, Char('O'), false);
    press(&mut state, 3500, Key::Space, false);
    state.advance(9000);
    assert_eq!(state.yaw(), 90.0);
    assert!(!state.is_moving());
    let distance = state.orbit.distance;
    state.apply(Event::Wheel { steps: 2.0, held: Held::default() });
    assert!(state.orbit.distance < distance);
    press(&mut state, 9000, Key::Enter, false);
    assert_eq!((state.yaw(), state.orbit.distance), (0.0, distance));
}

#[test]
fn messages_come_and_go_and_can_be_switched_off() {
    let mut state = state();
    press(&mut state, 100, Char('L'), false);
    assert_eq!(state.message(), Some("lighting: gl"));
    state.advance(99 + MESSAGE_MS);
    assert!(state.message().is_some());
    state.advance(100 + MESSAGE_MS);
    assert_eq!(state.message(), None);
    state.messages = false;
    press(&mut state, 2000, Char('L'), false);
    assert_eq!(state.message(), None);
}

#[test]
fn a_reset_comes_back_to_the_first_view_whatever_was_framed_meanwhile() {
    let mut state = state();
    let home = state.orbit;
    for key in ['1', '3', '7', '9'] {
        assert!(matches!(press(&mut state, 0, Char(key), false), Some(Request::Frame(Some(_)))));
        state.set_framed(Orbit { azimuth: 77.0, elevation: -5.0, ..home });
        // It is fitted again: clip and window may be others than at first.
        assert_eq!(press(&mut state, 0, Key::Enter, false), Some(Request::Frame(None)));
        assert_eq!(state.orbit, home, "{key}");
    }
    let given = Orbit { distance: 7.0, ..Orbit::default() };
    state.set_home(given, false);
    assert_eq!(state.apply(Event::Resize([500, 400])), None, "a given camera stays");
    assert_eq!(press(&mut state, 0, Key::Enter, false), None);
    assert_eq!(state.orbit, given);
}

#[test]
fn another_clip_is_framed_unless_the_user_has_set_the_camera() {
    let mut state = state();
    for key in ['W', 'O'] {
        assert_eq!(press(&mut state, 0, Char(key), false), Some(Request::Frame(None)), "{key}");
    }
    assert_eq!(press(&mut state, 0, Char('.'), false), None);
    state.apply(Event::Wheel { steps: 1.0, held: Held::default() });
    assert_eq!(press(&mut state, 0, Char('W'), false), None);
}

#[test]
fn the_list_of_keys_has_pages_where_a_window_is_small() {
    let mut state = state();
    state.apply(Event::Resize([320, 200]));
    let pages = super::help::pages([320, 200]);
    for page in 0..pages {
        press(&mut state, 0, Char('H'), false);
        assert_eq!((state.shown.keys, state.help_page()), (true, page));
    }
    press(&mut state, 0, Char('?'), false);
    assert!(!state.shown.keys);
    press(&mut state, 0, Key::F1, false);
    assert_eq!((state.shown.keys, state.help_page()), (true, 0));
}

#[test]
fn clips_and_frames_are_counted_in_one_way() {
    let mut state = state();
    let names = ["stand1", "stand2", "stand3", "stand4", "run1", "run2", "run3", "run4"];
    state.facts.frame_names = names.map(str::to_owned).to_vec();
    let said = |state: &mut State, key| {
        press(state, 0, Char(key), false);
        state.message().unwrap_or_default().to_owned()
    };
    assert_eq!(said(&mut state, 'W'), "clip 2 of 2: run");
    assert_eq!(said(&mut state, '.'), "frame 1 of 0-3: run2");
    assert_eq!(state.chosen_clip.as_deref(), Some("run"));
    assert_eq!(state.skin_line(), "skin 0 of 0-1: a.pcx");
    assert_eq!(said(&mut state, '\\'), "play: once");
    press(&mut state, 0, Key::Backspace, false);
    assert_eq!(state.message(), Some("backwards"));
}

#[test]
fn skins_go_round_from_the_one_worn_and_end_with_the_model() {
    let mut state = state();
    assert_eq!(press(&mut state, 0, Char('-'), false), Some(Request::Dress(Some(1))));
    assert_eq!(press(&mut state, 0, Char('-'), false), Some(Request::Dress(Some(0))));
    press(&mut state, 0, Char('-'), false);
    state.set_facts(Facts { skins: vec!["only".into()], ..Facts::default() });
    assert_eq!(state.worn_skin(), 0);
    assert_eq!(press(&mut state, 0, Char('+'), false), None);
}

#[test]
fn the_scene_says_the_moment_of_a_clip_or_its_exact_frames() {
    let mut state = state();
    state.playback.start(0, 0, 0.0, None);
    state.advance(120);
    let moment = |animation: &str, seconds, frames| Moment {
        animation: Some(animation.into()),
        seconds,
        frames,
        ..Moment::default()
    };
    assert_eq!(state.scene(false).moment, moment("stand", Some(0.12), None));
    assert_eq!(state.scene(true).moment.clock, Some(f64::from(0.12f32)));
    press(&mut state, 120, Char('I'), false);
    let frame = Frames { from: 1, to: 1, t: 0.0 };
    assert_eq!(state.scene(false).moment, moment("stand", None, Some(frame)));
    press(&mut state, 120, Char('W'), false);
    let frame = Frames { from: 0, to: 0, t: 0.0 };
    assert_eq!(state.scene(false).moment, moment("run", None, Some(frame)));
}

#[test]
fn the_scene_of_a_window_is_printed_as_the_command_that_draws_it() {
    let mut state = state();
    for key in ['L', 'F', 'A', 'S'] {
        press(&mut state, 0, Char(key), false);
    }
    let line = |state: &State| state.scene(false).command_line().into_string().unwrap();
    let precise = line(&state);
    for option in ["--lighting gl", "--filter bilinear", "--anti-aliasing ssaa2", "--colors 2,6"] {
        assert!(precise.contains(option), "{precise}");
    }
    press(&mut state, 0, Char('V'), false);
    let classic = line(&state);
    assert!(
        classic.contains("--renderer classic") && classic.contains("--colors 2,6"),
        "{classic}"
    );
    assert!(!classic.contains("--filter") && !classic.contains("--lighting"), "{classic}");
}

#[test]
fn legs_torso_and_weapon_of_a_player_are_chosen_by_keys() {
    let mut state = state();
    assert_eq!(press(&mut state, 0, Char('Y'), false), None);
    assert_eq!(state.scene(false).moment.legs, None, "this is no player");
    state.set_facts(Facts {
        legs: vec!["LEGS_RUN".into(), "BOTH_DEATH1".into()],
        torso: vec!["TORSO_STAND".into()],
        weapons: vec!["w/a.md3".into()],
        clips: state.facts.clips.clone(),
        ..Facts::default()
    });
    let moment = |state: &State| {
        let moment = state.scene(false).moment;
        (moment.legs, moment.torso)
    };
    for (key, shift, legs, torso) in [
        ('Y', false, Some("LEGS_RUN"), None),
        ('Y', false, Some("BOTH_DEATH1"), None),
        ('U', true, Some("BOTH_DEATH1"), Some("TORSO_STAND")),
        ('Y', false, None, Some("TORSO_STAND")),
        ('Y', true, Some("BOTH_DEATH1"), Some("TORSO_STAND")),
        // Another clip for the whole is for all of it.
        ('W', false, None, None),
    ] {
        // What moves otherwise is framed anew.
        assert_eq!(press(&mut state, 0, Char(key), shift), Some(Request::Frame(None)));
        let expected = (legs.map(str::to_owned), torso.map(str::to_owned));
        assert_eq!(moment(&state), expected, "{key}");
    }
    // Ten steps a second are times here: each part has frames of its own.
    press(&mut state, 0, Char('I'), false);
    state.playback.start(0, 0, 0.25, None);
    let scene = state.scene(false);
    // The frame that stands at the beginning of a step, and nothing in between.
    assert_eq!((scene.moment.frames, scene.moment.seconds), (None, Some(0.201)));
    assert_eq!(scene.moment.interpolation, Some(false));
    let weapon = |state: &State| state.settings.scene().source.weapon.clone();
    for expected in [Some("w/a.md3".into()), None] {
        assert_eq!(press(&mut state, 300, Char('0'), false), Some(Request::Arm));
        assert_eq!(weapon(&state), expected);
    }
}

#[test]
fn buttons_and_modifiers_move_camera_clip_and_light() {
    let drag = |state: &mut State, button, held, from, to| {
        state.apply(Event::Press { button, at: from, held });
        state.apply(Event::Move(to));
        state.apply(Event::Release(button));
    };
    let (none, ctrl) = (Held::default(), Held { ctrl: true, shift: false });
    let mut state = state();
    let before = state.orbit;
    drag(&mut state, Button::Right, none, [100, 100], [100, 60]);
    assert!(state.orbit.distance < before.distance, "up goes nearer");
    let after = state.orbit;
    drag(&mut state, Button::Left, ctrl, [100, 100], [140, 100]);
    assert_eq!(state.orbit, after, "the light turns, the camera stays");
    let scene = state.scene(false);
    assert!(scene.light.direction.is_some());
    assert!(scene.command_line().into_string().unwrap().contains("--lighting lambert --light"));
    state.apply(Event::Wheel { steps: 2.0, held: ctrl });
    assert_eq!((state.scene(false).light.level, state.orbit), (Some(144.0), after));
    // The timeline, once it is shown.
    press(&mut state, 0, Key::F3, false);
    drag(&mut state, Button::Left, none, [10, 395], [400, 395]);
    assert_eq!((state.blend().from, state.playback.playing, state.orbit), (2, false, after));
    press(&mut state, 0, Key::F3, false);
    drag(&mut state, Button::Left, none, [10, 395], [480, 395]);
    assert_ne!(state.orbit, after);
}

#[test]
fn what_lies_about_turns_about_its_own_origin_and_floats_in_quake_3() {
    for (format, turned, floats) in [(Format::Mdl, 100.0, false), (Format::Md3, 175.78125, true)] {
        let mut state = state();
        state.set_facts(Facts { format, ..Facts::default() });
        state.set_bounds([[10.0, 0.0, 0.0], [30.0, 0.0, 0.0]]);
        press(&mut state, 0, Char('O'), true);
        state.advance(1000);
        let placement = state.scene(false).placement;
        assert_eq!(placement.angles, Some([0.0, turned, 0.0]));
        // The next model turns as its own game has it.
        let mut other = state.clone();
        other.set_facts(Facts { format: Format::Md2, ..Facts::default() });
        other.advance(2000);
        let angles = other.scene(false).placement.angles.unwrap();
        assert!((angles[1] - (turned + 175.78125)).abs() < 1e-3, "{angles:?}");
        let [x, y, z] = placement.origin.unwrap();
        assert_eq!(([x, y], z != 0.0), ([0.0; 2], floats));
        press(&mut state, 1000, Char('O'), true);
        assert!(!state.is_moving());
    }
}

#[test]
fn pixels_of_old_screens_are_higher_than_wide_and_the_camera_knows_it() {
    let mut state = state();
    state.apply(Event::Resize([960, 720]));
    press(&mut state, 0, Char('R'), false);
    assert_eq!((state.picture_size(), state.placement().y), ([320, 200], 60));
    assert_eq!(press(&mut state, 0, Char(';'), false), Some(Request::Frame(None)));
    assert_eq!((state.placement().scale, state.placement().y), (3, 0));
    let line = state.scene(false).command_line().into_string().unwrap();
    assert!(line.contains("--pixel-aspect 1.2"), "{line}");
    press(&mut state, 0, Char(';'), false);
    assert_eq!(state.scene(false).camera.pixel_aspect, None);
}
