//! What something outside our sight runs or obeys without being told to.

use std::ffi::OsStr;

/// Names of such folders and files, wherever they stand: version control and its hooks,
/// environments, shells, editors, build tools, agents and what they are told, and footplate itself.
/// A file of tasks, such as a `Makefile`, is none: somebody has to name it.
pub const OBEYED: [&str; 82] = [
    // Version control, its hooks and its servers.
    ".git",
    ".gitattributes",
    ".gitconfig",
    ".gitmodules",
    ".githooks",
    ".hg",
    ".hgrc",
    ".jj",
    ".husky",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    ".github",
    ".gitlab-ci.yml",
    ".circleci",
    // Footplate, and other agents.
    ".footplate",
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".mcp.json",
    // What agents take as instructions: they do what stands there.
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "QWEN.md",
    ".cursorrules",
    ".windsurfrules",
    ".windsurf",
    ".clinerules",
    ".roo",
    ".aider.conf.yml",
    ".opencode",
    // Environments of Python and of folders.
    ".venv",
    "venv",
    "sitecustomize.py",
    "usercustomize.py",
    ".envrc",
    ".direnv",
    ".mise.toml",
    "mise.toml",
    ".tool-versions",
    // Shells, sessions and remote ones.
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".logout",
    ".inputrc",
    ".pam_environment",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".ssh",
    ".netrc",
    ".tmux.conf",
    ".screenrc",
    // Editors.
    ".vscode",
    ".idea",
    ".zed",
    ".helix",
    ".vim",
    ".vimrc",
    ".nvimrc",
    ".nvim.lua",
    ".exrc",
    ".emacs.d",
    ".dir-locals.el",
    // Build tools and containers.
    ".cargo",
    ".npmrc",
    ".yarnrc.yml",
    ".devcontainer",
];

/// Whether a file or folder of this name is one of them.
pub fn is_obeyed(name: &OsStr) -> bool {
    OBEYED.iter().any(|obeyed| name.eq_ignore_ascii_case(obeyed))
}
