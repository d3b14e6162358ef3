//! Which frame and skin: numbers out of range are 0, groups go with the time.

use super::number::int;
use crate::model::MdlFrameEntry;

/// The entry of that number, the first if there is none; `None` only of an empty table.
pub(super) fn entry<T>(table: &[T], number: i32) -> Option<&T> {
    entry_number(table.len(), number).map(|n| &table[n])
}

/// [`entry`] as a number.
pub(super) fn entry_number(count: usize, number: i32) -> Option<usize> {
    let wanted = usize::try_from(number).ok().filter(|&n| n < count);
    wanted.or((count > 0).then_some(0))
}

/// The member of a group at a time. `end_times` are cumulative; the last is the period.
pub(super) fn group_member(end_times: &[f32], time: f64, sync: f32) -> usize {
    let Some((&period, earlier)) = end_times.split_last() else {
        return 0;
    };
    let now = (time + f64::from(sync)) as f32;
    let now = now - int(now / period) as f32 * period;
    earlier.iter().position(|&end| end > now).unwrap_or(earlier.len())
}

/// File offset of the pose that the entry shows.
pub(super) fn pose_offset(entry: &MdlFrameEntry, time: f64, sync: f32) -> Option<usize> {
    let member = group_member(&entry.end_times, time, sync);
    entry.poses.get(member).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_times_are_cumulative_and_the_last_is_the_period() {
        let even = [0.1, 0.2, 0.3];
        let uneven = [0.05, 0.15, 0.3];
        let cases: [(&[f32], f64, usize); 11] = [
            (&even, 0.0, 0),
            (&even, 0.05, 0),
            (&even, 0.15, 1),
            (&even, 0.29, 2),
            (&even, 0.31, 0),
            (&even, 0.75, 1),
            (&[0.1, 0.1], 0.05, 0),
            (&[0.1, 0.1], 0.17, 0),
            (&uneven, 0.1, 1),
            (&uneven, 0.2, 2),
            (&uneven, 0.34, 0),
        ];
        for (end_times, time, expected) in cases {
            assert_eq!(group_member(end_times, time, 0.0), expected, "{end_times:?} at {time}");
        }
        assert_eq!(group_member(&even, 0.05, 0.1), 1, "sync adds to the time");
        assert_eq!(group_member(&[], 3.0, 0.0), 0);
        assert_eq!(group_member(&[0.0, 0.0], 3.0, 0.0), 1, "a period of 0 does no harm");
    }

    #[test]
    fn numbers_out_of_range_are_the_first() {
        let table = [7, 8, 9];
        for (number, expected) in [(0, 7), (2, 9), (3, 7), (-1, 7), (i32::MIN, 7)] {
            assert_eq!(entry(&table, number), Some(&expected));
        }
        assert_eq!(entry::<u8>(&[], 0), None);
    }
}
