//! Archives in memory.

/// A PAK of these members.
pub(crate) fn pak(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut data, mut directory) = (Vec::new(), Vec::new());
    for (member, bytes) in members {
        let mut entry = [0; 64];
        entry[..member.len()].copy_from_slice(member.as_bytes());
        entry[56..60].copy_from_slice(&(12 + data.len() as u32).to_le_bytes());
        entry[60..].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        directory.extend(entry);
        data.extend_from_slice(bytes);
    }
    let place = (12 + data.len() as u32).to_le_bytes();
    let length = (directory.len() as u32).to_le_bytes();
    [b"PACK", &place[..], &length, &data, &directory].concat()
}
