//! A list divided over machines: every model belongs to one shard, whatever else the list holds.

use std::str::FromStr;

use md5::{Digest, Md5};

use crate::error::RequestError;

/// Part `number` (from 1) of `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: u32,
    count: u32,
}

impl Default for Shard {
    /// Everything.
    fn default() -> Self {
        Self { number: 1, count: 1 }
    }
}

impl FromStr for Shard {
    type Err = RequestError;

    /// Reads `2/4`.
    fn from_str(text: &str) -> Result<Self, RequestError> {
        let numbers = text.split_once('/').and_then(|(number, count)| {
            Some((number.trim().parse().ok()?, count.trim().parse().ok()?))
        });
        let (number, count) = numbers.unwrap_or_default();
        Self::new(number, count)
    }
}

impl Shard {
    fn new(number: u32, count: u32) -> Result<Self, RequestError> {
        if number == 0 || number > count {
            return Err(RequestError::new("expected K/N with K from 1 to N, or auto"));
        }
        Ok(Self { number, count })
    }

    /// Reads `2/4`, or finds out which part the scheduler wants: `auto`, or `auto/4` where it does not
    /// tell how many there are. `variable` gives environment variables.
    ///
    /// Slurm's job arrays (`SLURM_ARRAY_TASK_ID`, `_MIN`, `_MAX`, `_STEP`) come first, then its tasks
    /// (`SLURM_PROCID`, `SLURM_NTASKS`), then indexed Jobs of Kubernetes (`JOB_COMPLETION_INDEX`), whose
    /// `completions` the Job has to pass on as `JOB_COMPLETIONS`.
    ///
    /// # Errors
    /// If the text is none of these, or the variables are not there.
    pub fn of(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, RequestError> {
        let said = match text.strip_prefix("auto") {
            Some("") => None,
            Some(count) => {
                let count = count.strip_prefix('/').and_then(|count| count.trim().parse().ok());
                let wrong = || RequestError::new("expected auto, auto/N or K/N");
                Some(count.filter(|count| *count > 0).ok_or_else(wrong)?)
            }
            None => return text.parse(),
        };
        let number = |name: &str| variable(name)?.trim().parse::<u32>().ok();
        let [first, last] = ["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"].map(number);
        let step = number("SLURM_ARRAY_TASK_STEP").filter(|step| *step > 0).unwrap_or(1);
        let first = first.unwrap_or(0);
        let arrayed = number("SLURM_ARRAY_TASK_ID").and_then(|id| {
            let count = last.and_then(|last| (last.checked_sub(first)? / step).checked_add(1));
            Some((id.checked_sub(first)? / step, count))
        });
        let task = number("SLURM_PROCID").map(|id| (id, number("SLURM_NTASKS")));
        let task = task.filter(|(_, count)| *count != Some(1));
        let indexed = number("JOB_COMPLETION_INDEX").map(|id| (id, number("JOB_COMPLETIONS")));
        let Some((index, count)) = arrayed.or(task).or(indexed) else {
            return Err(RequestError::new(
                "auto finds neither SLURM_ARRAY_TASK_ID nor SLURM_PROCID nor JOB_COMPLETION_INDEX; \
                 give K/N",
            ));
        };
        let count = said.or(count).ok_or_else(|| {
            RequestError::new("auto does not find how many parts there are; give auto/N")
        })?;
        if index >= count {
            let number = u64::from(index) + 1;
            return Err(RequestError::new(format!("this is part {number} of {count}")));
        }
        Self::new(index + 1, count)
    }

    /// Whether a model is of this part; by its name, so that others in the list do not matter.
    pub(crate) fn has(self, name: &str) -> bool {
        // Names differ in a few letters: every one has to count for all bits.
        let hash = u128::from_le_bytes(Md5::digest(name).into());
        hash % u128::from(self.count) == u128::from(self.number - 1)
    }

    /// `-2-of-4`; nothing for the whole.
    pub(crate) fn suffix(self) -> String {
        match self.count {
            1 => String::new(),
            count => format!("-{}-of-{count}", self.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and values.
    type Variables<'a> = &'a [(&'a str, &'a str)];
    /// A text, variables, and which part that is or why it is none.
    type Case<'a> = (&'a str, Variables<'a>, Result<(u32, u32), &'a str>);

    /// Names that differ in a letter or two, at their ends and before.
    const NAMES: [fn(u32) -> String; 4] = [
        |n| format!("models/weapons{}/gun_{n}.md3", n % 9),
        |n| format!("m{n}.mdl"),
        |n| format!("{n:04}.md2"),
        |n| format!("models/weapons/gun{n:04}/tris.md2"),
    ];

    #[test]
    fn every_name_is_in_one_part_and_parts_are_alike() {
        for count in [1, 2, 3, 4, 7, 16, 64] {
            let shards: Vec<Shard> =
                (1..=count).map(|number| format!("{number}/{count}").parse().unwrap()).collect();
            for name_of in NAMES {
                let mut sizes = vec![0; shards.len()];
                let names = 6400;
                for name in (0..names).map(name_of) {
                    let of: Vec<usize> =
                        (0..shards.len()).filter(|&shard| shards[shard].has(&name)).collect();
                    assert_eq!(of.len(), 1, "{name} {count}");
                    sizes[of[0]] += 1;
                }
                let mean = names / count;
                let even = sizes.iter().all(|size| (mean / 2..=mean * 3 / 2).contains(size));
                assert!(even, "{count}, {}: {sizes:?}", name_of(0));
            }
        }
    }

    #[test]
    fn schedulers_say_which_part_it_is() {
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "7"),
            ("SLURM_ARRAY_TASK_MIN", "1"),
            ("SLURM_ARRAY_TASK_MAX", "9"),
            ("SLURM_ARRAY_TASK_STEP", "2"),
            ("SLURM_PROCID", "0"),
            ("SLURM_NTASKS", "1"),
        ];
        let tasks = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "3")];
        let kubernetes = [("JOB_COMPLETION_INDEX", "2")];
        let full = [("JOB_COMPLETION_INDEX", "2"), ("JOB_COMPLETIONS", "5")];
        let last = [("SLURM_ARRAY_TASK_ID", "0"), ("SLURM_ARRAY_TASK_MAX", "4294967295")];
        let none = [];
        let cases: [Case<'_>; 13] = [
            ("auto", &last, Err("give auto/N")),
            ("auto", &slurm, Ok((4, 5))),
            ("auto", &tasks, Ok((1, 3))),
            ("auto", &full, Ok((3, 5))),
            ("auto/8", &kubernetes, Ok((3, 8))),
            ("auto/2", &kubernetes, Err("this is part 3 of 2")),
            ("auto", &kubernetes, Err("give auto/N")),
            ("auto", &none, Err("give K/N")),
            ("2/4", &slurm, Ok((2, 4))),
            ("0/4", &none, Err("expected K/N")),
            ("5/4", &none, Err("expected K/N")),
            ("auto/0", &none, Err("expected auto, auto/N or K/N")),
            ("some", &none, Err("expected K/N")),
        ];
        for (text, variables, expected) in cases {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            match (Shard::of(text, variable), expected) {
                (Ok(shard), Ok((number, count))) => {
                    assert_eq!(shard, Shard { number, count }, "{text} {variables:?}");
                }
                (Err(error), Err(why)) => assert!(error.to_string().contains(why), "{error}"),
                (found, expected) => panic!("{text}: {found:?}, expected {expected:?}"),
            }
        }
    }
}
