//! Programs that run whatever their arguments say. Of those a rule can only allow exact calls.

/// Shells, interpreters, wrappers and runners: with a wildcard behind them a rule allows anything.
const ANYTHING: [&str; 118] = [
    "sh",
    "bash",
    "dash",
    "ash",
    "zsh",
    "ksh",
    "mksh",
    "fish",
    "csh",
    "tcsh",
    "nu",
    "xonsh",
    "busybox",
    "toybox",
    "python",
    "pypy",
    "ipython",
    "perl",
    "ruby",
    "irb",
    "node",
    "nodejs",
    "deno",
    "bun",
    "lua",
    "luajit",
    "php",
    "rscript",
    "r",
    "julia",
    "tclsh",
    "wish",
    "osascript",
    "pwsh",
    "powershell",
    "cmd",
    "ghci",
    "runghc",
    "groovy",
    "scala",
    "java",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "sed",
    "ed",
    "ex",
    "vi",
    "vim",
    "nvim",
    "emacs",
    "env",
    "xargs",
    "sudo",
    "doas",
    "su",
    "run0",
    "pkexec",
    "nohup",
    "timeout",
    "gtimeout",
    "nice",
    "ionice",
    "chrt",
    "taskset",
    "setsid",
    "stdbuf",
    "unbuffer",
    "time",
    "watch",
    "strace",
    "ltrace",
    "gdb",
    "lldb",
    "valgrind",
    "parallel",
    "find",
    "fd",
    "fdfind",
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "docker",
    "podman",
    "kubectl",
    "nerdctl",
    "make",
    "gmake",
    "just",
    "task",
    "ninja",
    "cmake",
    "npx",
    "bunx",
    "uvx",
    "pipx",
    "flock",
    "script",
    "expect",
    "entr",
    "chroot",
    "unshare",
    "nsenter",
    "bwrap",
    "systemd-run",
    "at",
    "batch",
    "crontab",
    "socat",
    "nc",
    "ncat",
    "tmux",
    "screen",
    "exec",
    "eval",
    "command",
];

/// Programs of which the next word says what they do: that word must stand in the rule.
const BY_COMMAND: [&str; 19] = [
    "git",
    "hg",
    "jj",
    "svn",
    "cargo",
    "rustup",
    "go",
    "npm",
    "pnpm",
    "yarn",
    "pip",
    "uv",
    "poetry",
    "gh",
    "glab",
    "apt",
    "brew",
    "systemctl",
    "terraform",
];

/// Commands of those that run what comes behind them.
const RUNNERS: [&str; 14] = [
    "run",
    "exec",
    "x",
    "dlx",
    "tool",
    "bisect",
    "submodule",
    "rebase",
    "filter-branch",
    "difftool",
    "mergetool",
    "alias",
    "config",
    "run-script",
];

/// Why no wildcard may follow these literal arguments; nothing if one may.
pub(super) fn why_exact_only(fixed: &[&str]) -> Option<String> {
    let program = fixed.first()?;
    let name = plain(program);
    if ANYTHING.contains(&&*name) {
        return Some(format!("{name} runs whatever its arguments say"));
    }
    if !BY_COMMAND.contains(&&*name) {
        return None;
    }
    match fixed.get(1) {
        None => Some(format!("{name} does what its next word says, so that must stand here")),
        Some(word) if word.starts_with(['-', '+']) => {
            Some(format!("{name} can be told anything by {word}"))
        }
        Some(word) if RUNNERS.contains(word) => {
            Some(format!("{name} {word} runs whatever comes behind it"))
        }
        Some(_) => None,
    }
}

/// The last part of a program's path.
pub(super) fn file_name(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

/// A program's own name: without folder, version and ending, in small letters.
fn plain(program: &str) -> String {
    let name = file_name(program).to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    if bare.is_empty() { name.to_owned() } else { bare.to_owned() }
}
