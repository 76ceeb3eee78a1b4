//! How much memory the process may take: what kills it beyond that is its control group.

use std::fs;
use std::path::Path;

/// The limit in bytes, where the system has control groups of version 2 and one is set.
pub(super) fn find() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    limit(Path::new("/sys/fs/cgroup"), &groups)
}

/// The least limit of a group and of those that it lies in.
fn limit(root: &Path, groups: &str) -> Option<u64> {
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let own = root.join(own);
    let all = own.ancestors().take_while(|group| group.starts_with(root));
    // A group without a limit says "max"; the root has no such file.
    all.filter_map(|group| fs::read_to_string(group.join("memory.max")).ok()?.trim().parse().ok())
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_limit_of_all_groups_above_counts() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("system.slice/gateway.service");
        fs::create_dir_all(&inner).unwrap();
        let find = |groups| limit(root.path(), groups);
        let groups = "12:cpu:/elsewhere\n0::/system.slice/gateway.service\n";
        assert_eq!(find(groups), None);
        fs::write(inner.join("memory.max"), "max\n").unwrap();
        assert_eq!(find(groups), None);
        fs::write(root.path().join("system.slice/memory.max"), "2147483648\n").unwrap();
        assert_eq!(find(groups), Some(2_147_483_648));
        fs::write(inner.join("memory.max"), "1073741824\n").unwrap();
        assert_eq!(find(groups), Some(1_073_741_824));
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_root() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("memory.max"), "536870912\n").unwrap();
        assert_eq!(limit(root.path(), "0::/\n"), Some(536_870_912));
        assert_eq!(limit(root.path(), "1:memory:/docker/abc\n"), None, "version 1 is not read");
    }
}
