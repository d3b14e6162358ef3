//! Which file an engine takes for a model and for each of its textures, and why the others lose.
//!
//! Each engine's way to find files is a [`Rule`] of one table. A model is looked up as the rule says, read,
//! and every picture that it asks for is looked up in turn; every file of a name that is there is told.

mod rules;
mod scripts;

pub use rules::{RULES, Rule};

use std::path::{Path, PathBuf};

use crate::assets::{TextureEntry, skin_file_textures};
use crate::error::{OpenError, RequestError};
use crate::files::{Files, Limit, Tree};
use crate::location::{Location, is_archive_name};
use crate::model::{Format, Model};
use crate::scene::{Anims, Input, Opened, Scene};
use rules::Textures;
use scripts::Scripts;

/// polyset itself, which is no row of the table: it tells what it did.
pub const POLYSET: &str = "polyset";

/// What an engine takes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Explanation {
    /// The name in the table, or "polyset".
    pub engine: String,
    /// Which programs that is.
    pub title: String,
    /// Where the rule is known from.
    pub source: String,
    /// What of it is not known for sure.
    pub unsure: Vec<String>,
    /// The folders and archives that names are looked up in, the one that wins first.
    pub places: Vec<String>,
    /// The model, then its pictures.
    pub files: Vec<Trail>,
}

/// How a file is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Trail {
    /// "model", "skin 0", "surface 'head'".
    pub what: String,
    /// The name that is looked for; empty if there is none.
    pub name: String,
    /// The file that is taken.
    pub taken: Option<String>,
    /// Why, or what happens without a file.
    pub why: String,
    /// Every name that is tried, in order.
    pub steps: Vec<Step>,
}

/// A name that is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Step {
    /// The path in the game; of polyset the place.
    pub name: String,
    /// Why it is tried.
    pub why: String,
    /// The files of this name, in the order of the places.
    pub found: Vec<FoundFile>,
}

/// A file of a name that is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct FoundFile {
    /// Where it is.
    pub file: String,
    /// Whether it is the one that is taken.
    pub is_taken: bool,
    /// Why it is not; empty for the one that is.
    pub why: String,
}

impl Scene {
    /// The engines that load models of the format of the scene's model, and polyset. It alone for the
    /// standard input, which lies in no game and can be read only once.
    ///
    /// # Errors
    /// If the model cannot be read.
    pub fn engines(&self) -> Result<Vec<&'static str>, OpenError> {
        if self.source.input == Input::Stdin {
            return Ok(vec![POLYSET]);
        }
        let format = self.open_with(Anims::AsAsked)?.model.format();
        let names = RULES.iter().filter(|rule| rule.loads(format)).map(|rule| rule.name);
        Ok(names.chain([POLYSET]).collect())
    }

    /// What an engine of the table, or polyset, takes for the scene's model and its pictures; of a player
    /// for one part after the other.
    ///
    /// # Errors
    /// If there is no such engine, the model lies in no game, or cannot be read.
    pub fn explain(&self, engine: &str) -> Result<Explanation, OpenError> {
        if engine == POLYSET {
            let opened = self.open_with(Anims::AsAsked)?;
            return Ok(by_polyset(&opened));
        }
        let Some(rule) = Rule::of(engine) else {
            let known: Vec<&str> = RULES.iter().map(|rule| rule.name).chain([POLYSET]).collect();
            let known = known.join(", ");
            let message = format!("there is no engine '{engine}'; known are {known}");
            return Err(RequestError::new(message).into());
        };
        let mut parts = self.player_parts()?.into_iter().map(|(part, scene)| {
            let mut explained = scene.explain_by(rule)?;
            explained.files.iter_mut().for_each(|trail| trail.belongs_to(part));
            Ok::<_, OpenError>(explained)
        });
        let Some(first) = parts.next() else { return self.explain_by(rule) };
        let mut whole = first?;
        for part in parts {
            whole.files.extend(part?.files);
        }
        Ok(whole)
    }

    /// What an engine takes for a single model.
    fn explain_by(&self, rule: &'static Rule) -> Result<Explanation, OpenError> {
        let (files, place) = self.in_game()?;
        let tree = files.engine_tree(&place.folders, rule.archives, rule.loose_first);
        let game = Game { files, tree, folders: place.folders, rule };
        game.explain(&place.name)
    }
}

impl Trail {
    /// Says of which part of a player it is; models by themselves have no name.
    fn belongs_to(&mut self, part: &str) {
        if !part.is_empty() {
            self.what = format!("{part} {}", self.what);
        }
    }
}

/// A game, as an engine sees it.
struct Game {
    files: Files,
    tree: Tree,
    folders: Vec<PathBuf>,
    rule: &'static Rule,
}

impl Game {
    fn explain(&self, name: &str) -> Result<Explanation, OpenError> {
        let rule = self.rule;
        let mut trail = Trail { what: "model".into(), name: name.into(), ..Trail::default() };
        let taken = self.try_name(&mut trail, name, "it is asked for by its name");
        let mut files = vec![trail];
        if let Some(file) = taken {
            let bytes = self.files.read(&file, Limit::MODEL)?;
            let model = Model::from_vec(bytes)
                .map_err(|source| OpenError::Load { file: file.clone(), source })?;
            if rule.loads(model.format()) {
                files.extend(self.pictures(&model, name));
            } else {
                let extension = model.format().extension();
                files[0].why = format!("{} does not load .{extension}", rule.title);
            }
        } else {
            files[0].why = "there is no such file in the game".into();
        }
        let sources = self.tree.sources().iter();
        Ok(Explanation {
            engine: rule.name.into(),
            title: rule.title.into(),
            source: rule.source.into(),
            unsure: rule.unsure.iter().map(|text| (*text).to_owned()).collect(),
            places: sources.map(|source| source.path().display().to_string()).collect(),
            files,
        })
    }

    /// Adds a step; the first file that is found is taken if none was before.
    fn try_name(&self, trail: &mut Trail, name: &str, why: &str) -> Option<Location> {
        let found = self.files.lookup(&self.tree, name);
        let is_first = trail.taken.is_none();
        let winner = found.first().cloned();
        let loses = |file: &Location| match (&winner, is_first) {
            (_, false) => "a name that is tried earlier is there".to_owned(),
            (Some(winner), true) if winner != file => self.why_lost(winner, file),
            _ => String::new(),
        };
        let told = found.iter().map(|file| {
            let why = loses(file);
            FoundFile { file: file.to_string(), is_taken: why.is_empty(), why }
        });
        let step = Step { name: name.into(), why: why.into(), found: told.collect() };
        trail.steps.push(step);
        let taken = winner.filter(|_| is_first)?;
        (trail.taken, trail.why) = (Some(taken.to_string()), why.into());
        Some(taken)
    }

    fn why_lost(&self, winner: &Location, loser: &Location) -> String {
        let folder = |file: &Location| self.folders.iter().position(|f| file.path().starts_with(f));
        // An archive, or the folder that stands for one.
        let archive = |file: &Location| match file.member() {
            Some(_) => Some(file.path().to_path_buf()),
            None => {
                let above = file.path().ancestors().skip(1);
                let below_game = above.take_while(|path| !self.folders.iter().any(|f| f == path));
                below_game
                    .filter(|path| is_archive_name(path.as_os_str()))
                    .last()
                    .map(Path::to_path_buf)
            }
        };
        let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
        match (folder(winner), folder(loser)) {
            (Some(a), Some(b)) if a != b => {
                let [first, second] = [a, b].map(|folder| name(&self.folders[folder]));
                format!("'{first}' comes before '{second}'")
            }
            _ => match (archive(winner), archive(loser)) {
                (Some(a), Some(b)) if a == b => "the name is there in another spelling".into(),
                (Some(a), Some(b)) => {
                    let kind = |path: &Path| {
                        let kind =
                            path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
                        kind.trim_end_matches("dir").to_owned()
                    };
                    if kind(&a) == kind(&b) {
                        format!("of archives {}", self.rule.archives_by)
                    } else {
                        format!("'{}' comes before '{}'", name(&a), name(&b))
                    }
                }
                (Some(_), None) => "archives come before loose files".into(),
                (None, Some(_)) => "loose files come before archives".into(),
                (None, None) => "the name is there in another spelling".into(),
            },
        }
    }

    fn pictures(&self, model: &Model, name: &str) -> Vec<Trail> {
        match self.rule.textures {
            _ if model.format() == Format::Mdl => self.inside(model, name),
            Textures::Inside => Vec::new(),
            Textures::Replaced { extensions } => {
                let named = self.skins(model, name, extensions);
                if named.is_empty() { self.surfaces(model, name, None, extensions) } else { named }
            }
            Textures::Named { extensions } => self.skins(model, name, extensions),
            Textures::Script { language, extensions } => {
                let scripts = Scripts::read(&self.files, &self.tree, language);
                self.surfaces(model, name, Some(&scripts), extensions)
            }
        }
    }

    /// Skins in the file, and what replaces them.
    fn inside(&self, model: &Model, name: &str) -> Vec<Trail> {
        let skin = |skin: usize| {
            let mut trail = Trail { what: format!("skin {skin}"), ..Trail::default() };
            if let Textures::Replaced { extensions } = self.rule.textures {
                for extension in extensions {
                    let file = format!("{name}_{skin}.{extension}");
                    self.try_name(&mut trail, &file, "it replaces the skin in the model");
                }
            }
            if trail.taken.is_none() {
                trail.why = "it lies in the model".into();
            }
            trail
        };
        (0..model.skins().len()).map(skin).collect()
    }

    /// Skins that an MD2 names.
    fn skins(&self, model: &Model, name: &str, extensions: &[&str]) -> Vec<Trail> {
        if model.format() != Format::Md2 {
            return Vec::new();
        }
        let mut trails = Vec::new();
        for (number, skin) in model.skins().iter().enumerate() {
            let named = skin.name().replace('\\', "/");
            let what = format!("skin {number}");
            let mut trail = Trail { what, name: named.clone(), ..Trail::default() };
            self.try_name(&mut trail, &named, "the model names it");
            for extension in extensions {
                let other = format!("{}.{extension}", stem(&named));
                if other != named {
                    self.try_name(&mut trail, &other, "the same name with another extension");
                }
            }
            if trail.taken.is_none() {
                trail.why = "nothing is found: it is drawn without its skin".into();
            }
            trails.push(trail);
        }
        if trails.is_empty() {
            let why = if name.starts_with("players/") {
                "the model names no skin: the game says which one a player wears, such as grunt.pcx beside it"
            } else {
                "the model names no skin: the game has to say one"
            };
            trails.push(Trail { what: "skin".into(), why: why.into(), ..Trail::default() });
        }
        trails
    }

    /// Textures of surfaces: by a player's `.skin` file or as the model names them, through scripts.
    fn surfaces(
        &self,
        model: &Model,
        name: &str,
        scripts: Option<&Scripts>,
        extensions: &[&str],
    ) -> Vec<Trail> {
        let skin = format!("{}_default.skin", stem(name));
        let is_part = ["lower", "upper", "head"].iter().any(|part| {
            Path::new(name).file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case(part))
        });
        let skin = is_part.then(|| self.files.lookup(&self.tree, &skin).into_iter().next());
        let skin = skin.flatten().filter(|_| model.format() == Format::Md3);
        let dressed = skin.as_ref().and_then(|file| {
            Some(skin_file_textures(&self.files.read(file, Limit::SKIN_FILE).ok()?, model))
        });
        let mut trails = Vec::new();
        for (number, surface) in model.surfaces().iter().enumerate() {
            let what = match surface.name() {
                "" => format!("surface {number}"),
                name => format!("surface '{name}'"),
            };
            let from_skin = dressed.as_ref().and_then(|dressed| dressed[number].clone());
            let by = if from_skin.is_some() { "the player's .skin file" } else { "the model" };
            let named = from_skin.or_else(|| surface.shaders().first().cloned());
            let mut trail = Trail { what, ..Trail::default() };
            match named.filter(|named| !named.is_empty()) {
                Some(named) => {
                    trail.name = named.replace('\\', "/");
                    self.texture(trail, by, scripts, extensions, &mut trails);
                }
                None => {
                    trail.why = "no texture is named: it is drawn without one".into();
                    trails.push(trail);
                }
            }
        }
        trails
    }

    /// A texture, and if a script defines it every picture that the script names.
    fn texture(
        &self,
        mut trail: Trail,
        by: &str,
        scripts: Option<&Scripts>,
        extensions: &[&str],
        trails: &mut Vec<Trail>,
    ) {
        let name = trail.name.clone();
        let Some(script) = scripts.and_then(|scripts| scripts.find(&name)) else {
            self.picture(&mut trail, &name, by, extensions);
            trails.push(trail);
            return;
        };
        trail.taken = Some(script.place.clone());
        trail.why = "a script defines the name, so no picture of that name is asked for".into();
        let others = script.others.iter().map(|place| FoundFile {
            file: place.clone(),
            is_taken: false,
            why: "defined before".into(),
        });
        let first = FoundFile { file: script.place.clone(), is_taken: true, why: String::new() };
        trail.steps.push(Step {
            name: stem(&name).to_owned(),
            why: format!("{by} names it, and scripts come first"),
            found: std::iter::once(first).chain(others).collect(),
        });
        let what = trail.what.clone();
        trails.push(trail);
        for picture in &script.pictures {
            let mut trail = Trail {
                what: format!("{what}, in the script"),
                name: picture.replace('\\', "/"),
                ..Trail::default()
            };
            let name = trail.name.clone();
            self.picture(&mut trail, &name, "the script", extensions);
            trails.push(trail);
        }
    }

    /// A picture: with the extension that is named, else the first; then with the others.
    fn picture(&self, trail: &mut Trail, name: &str, by: &str, extensions: &[&str]) {
        let own = Path::new(name).extension().map(|extension| extension.to_string_lossy());
        let own = own.filter(|own| own.len() <= 4);
        let first = own.as_deref().or(extensions.first().copied()).unwrap_or("tga").to_lowercase();
        self.try_name(trail, &format!("{}.{first}", stem(name)), &format!("{by} names it"));
        for extension in extensions.iter().filter(|extension| **extension != first) {
            let other = format!("{}.{extension}", stem(name));
            self.try_name(trail, &other, "the same name with another extension");
        }
        if trail.taken.is_none() {
            trail.why = "nothing is found: the engine's default picture is drawn".into();
        }
    }
}

/// A path without its extension.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => stem,
        _ => name,
    }
}

/// What polyset did.
fn by_polyset(opened: &Opened) -> Explanation {
    let of_member = |(part, member): (&str, &Opened)| {
        let mut trails = trails_of(member);
        trails.iter_mut().for_each(|trail| trail.belongs_to(part));
        trails
    };
    Explanation {
        engine: POLYSET.into(),
        title: "what this command draws".into(),
        source: "docs/files.md and docs/textures.md".into(),
        unsure: Vec::new(),
        places: opened.sources.iter().map(|path| path.display().to_string()).collect(),
        files: opened.members().flat_map(of_member).collect(),
    }
}

/// What polyset took for one model.
fn trails_of(opened: &Opened) -> Vec<Trail> {
    let name = opened.file.as_ref().map_or_else(|| opened.name(), ToString::to_string);
    let lost = |file: &Location| FoundFile {
        file: file.to_string(),
        is_taken: false,
        why: "its place comes later".into(),
    };
    let found = |file: &Location, shadowed: &[Location]| {
        let taken = FoundFile { file: file.to_string(), is_taken: true, why: String::new() };
        std::iter::once(taken).chain(shadowed.iter().map(lost)).collect()
    };
    let step = opened.file.as_ref().map(|file| Step {
        name: name.clone(),
        why: "it was asked for".into(),
        found: found(file, &opened.shadowed),
    });
    let model = Trail {
        what: "model".into(),
        name,
        taken: opened.file.as_ref().map(ToString::to_string),
        why: "it was asked for".into(),
        steps: step.into_iter().collect(),
    };
    let texture = |entry: &TextureEntry| {
        let what = match entry.name.as_str() {
            "" => format!("surface {}", entry.surface),
            name => format!("surface '{name}'"),
        };
        let why = match entry.origin {
            Some(origin) => match origin.name() {
                "embedded" => "it lies in the model",
                "given" => "it was given",
                "named" => "the model or its .skin file names it",
                _ if entry.refused.is_empty() => {
                    "nothing of the name is there; it is likely to belong to the model"
                }
                _ => "what has the name cannot be taken; it is likely to belong to the model",
            },
            None if entry.refused.is_empty() => "nothing is found: it is drawn in grey",
            None => "what is found cannot be taken: it is drawn in grey",
        };
        let hit = entry.found.as_ref().map(|file| Step {
            name: file.to_string(),
            why: why.into(),
            found: found(file, &entry.shadowed),
        });
        // The last place that was looked at is where it was.
        let tried = entry.looked.len().saturating_sub(usize::from(hit.is_some()));
        let looked = entry.looked[..tried].iter().map(|place| Step {
            name: place.clone(),
            why: "looked at".into(),
            found: Vec::new(),
        });
        Trail {
            what,
            name: entry.wanted.first().cloned().unwrap_or_default(),
            taken: entry.found.as_ref().map(ToString::to_string),
            why: why.into(),
            steps: looked.chain(hit).collect(),
        }
    };
    let textures = opened.textures.textures.iter().map(texture);
    std::iter::once(model).chain(textures).collect()
}
