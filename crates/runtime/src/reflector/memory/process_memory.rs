//! How much memory the process may use.
//!
//! Out: the limit of its container, or else the memory of the machine; nothing where neither is known. Read once, from files that Linux has.

use std::fs::read_to_string;

/// The limit in bytes.
pub(super) fn process_memory() -> Option<usize> {
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limits = limits.iter().filter_map(|file| limit(&read_to_string(file).ok()?));
    let machine = read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    limits.chain(machine).min()
}

/// Of a control group; `max`, or a number that no machine has, is none.
fn limit(text: &str) -> Option<usize> {
    text.trim().parse().ok()
}

/// Of the machine.
fn total(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_linux_writes_them() {
        assert_eq!(limit("268435456\n"), Some(256 << 20));
        assert_eq!(limit("max\n"), None);
        assert_eq!(total("MemTotal:       24574192 kB\nMemFree:  1 kB\n"), Some(24_574_192 << 10));
        assert_eq!(total("nothing"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_a_limit() {
        assert!(process_memory().is_some_and(|bytes| bytes > 16 << 20));
    }
}
