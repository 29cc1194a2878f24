//! What git prints for programs, as values. Lines that are not understood are passed over: of a long
//! list the middle is missing, and other versions say more.

use serde_json::{Map, Value, json};

use crate::modules::files::name;

/// How a commit is printed: no field can hold the end of a line.
pub(super) const COMMIT: &str = "commit %H%nauthor %aN <%aE>%ndate %aI%nsubject %s";

/// How a branch is printed: only the last field can hold a tab.
pub(super) const BRANCH: &str = "%(HEAD)%09%(refname)%09%(objectname)%09%(upstream:short)%09\
                                 %(committerdate:iso-strict)%09%(contents:subject)";

pub(super) fn status(out: &str) -> Value {
    let mut about = Map::new();
    for key in ["branch", "head", "upstream", "ahead", "behind"] {
        about.insert(key.to_owned(), Value::Null);
    }
    let mut changes = Vec::new();
    for line in out.lines() {
        if let Some(header) = line.strip_prefix("# ") {
            let (key, rest) = header.split_once(' ').unwrap_or((header, ""));
            match key {
                "branch.head" if rest != "(detached)" => {
                    drop(about.insert("branch".into(), json!(rest)))
                }
                "branch.oid" if rest != "(initial)" => {
                    drop(about.insert("head".into(), json!(rest)))
                }
                "branch.upstream" => drop(about.insert("upstream".into(), json!(rest))),
                "branch.ab" => {
                    let mut counts =
                        rest.split(' ').map(|count| count.get(1..)?.parse::<u64>().ok());
                    about.insert("ahead".into(), json!(counts.next().flatten()));
                    about.insert("behind".into(), json!(counts.next().flatten()));
                }
                _ => {}
            }
        } else {
            changes.extend(change(line));
        }
    }
    about.insert("changes".to_owned(), Value::Array(changes));
    Value::Object(about)
}

fn change(line: &str) -> Option<Value> {
    let (kind, rest) = line.split_once(' ')?;
    // The fields before the path, the two letters first.
    let fields = match kind {
        "?" => return Some(json!({ "path": unquoted(rest), "unstaged": "untracked" })),
        "1" => 7,
        "2" => 8,
        "u" => 9,
        _ => return None,
    };
    let path = rest.splitn(fields + 1, ' ').nth(fields)?;
    let mut letters = rest.chars();
    let (staged, unstaged) = (letters.next()?, letters.next()?);
    if kind == "u" {
        return Some(json!({ "path": unquoted(path), "unstaged": "conflict" }));
    }
    let (path, from) = match path.split_once('\t') {
        Some((path, from)) if kind == "2" => (path, Some(from)),
        Some(_) | None => (path, None),
    };
    let mut change = json!({ "path": unquoted(path) });
    for (key, letter) in [("staged", staged), ("unstaged", unstaged)] {
        if let Some(word) = word(letter) {
            change[key] = json!(word);
        }
    }
    if let Some(from) = from {
        change["from"] = json!(unquoted(from));
    }
    Some(change)
}

fn word(letter: char) -> Option<&'static str> {
    Some(match letter {
        'M' => "modified",
        'A' => "added",
        'D' => "deleted",
        'R' => "renamed",
        'C' => "copied",
        'T' => "retyped",
        _ => return None,
    })
}

/// A path that git may have put in quotation marks.
fn unquoted(path: &str) -> String {
    let inner = path.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let Some(inner) = inner else { return path.to_owned() };
    let (mut bytes, mut rest) = (Vec::new(), inner.bytes());
    while let Some(byte) = rest.next() {
        let escaped = match (byte, rest.clone().next()) {
            (b'\\', Some(escaped)) => escaped,
            _ => {
                bytes.push(byte);
                continue;
            }
        };
        rest.next();
        bytes.push(match escaped {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b'0'..=b'3' => {
                let digit = |byte: Option<u8>| byte.map_or(0, |byte| byte.wrapping_sub(b'0') & 7);
                let (second, third) = (digit(rest.next()), digit(rest.next()));
                ((escaped - b'0') << 6) | (second << 3) | third
            }
            other => other,
        });
    }
    name(&bytes).0
}

pub(super) fn log(out: &str) -> Value {
    let mut commits: Vec<Value> = Vec::new();
    for line in out.lines() {
        let Some((key, value)) = line.split_once(' ') else { continue };
        match (key, commits.last_mut()) {
            ("commit", _) => commits.push(json!({ "commit": value })),
            ("author" | "date" | "subject", Some(last)) if last.get(key).is_none() => {
                last[key] = json!(value);
            }
            _ => {}
        }
    }
    json!({ "commits": commits })
}

pub(super) fn branches(out: &str) -> Value {
    let branches: Vec<Value> = out.lines().filter_map(branch).collect();
    json!({ "branches": branches })
}

fn branch(line: &str) -> Option<Value> {
    let mut fields = line.splitn(6, '\t');
    let (current, full) = (fields.next()?, fields.next()?);
    let (remote, short) = match full.strip_prefix("refs/heads/") {
        Some(short) => (false, short),
        None => (true, full.strip_prefix("refs/remotes/")?),
    };
    let mut branch = json!({ "name": short, "remote": remote, "current": current == "*" });
    for key in ["commit", "upstream", "date", "subject"] {
        let value = fields.next().unwrap_or_default();
        branch[key] = if value.is_empty() { Value::Null } else { json!(value) };
    }
    Some(branch)
}

pub(super) fn worktrees(out: &str) -> Value {
    let mut worktrees: Vec<Value> = Vec::new();
    for line in out.lines() {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match (key, worktrees.last_mut()) {
            ("worktree", _) => {
                worktrees.push(json!({ "path": value, "head": null, "branch": null }));
            }
            ("HEAD", Some(last)) => last["head"] = json!(value),
            ("branch", Some(last)) => {
                last["branch"] = json!(value.strip_prefix("refs/heads/").unwrap_or(value));
            }
            _ => {}
        }
    }
    json!({ "worktrees": worktrees })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_line_by_line() {
        let out = "# branch.oid 1a2b\n# branch.head topic\n# branch.upstream origin/topic\n\
                   # branch.ab +2 -1\n\
                   1 .M N... 100644 100644 100644 aa bb a b.txt\n\
                   1 A. N... 000000 100644 100644 00 bb \"t\\tab\\303\\251.txt\"\n\
                   2 R. N... 100644 100644 100644 aa aa R100 new.txt\told.txt\n\
                   u UU N... 100644 100644 100644 100644 aa bb cc torn.txt\n\
                   ? \"\\033[2J\"\n[… 10 bytes, 2 lines left out …]\n1 broken\n";
        let expected = json!({
            "branch": "topic", "head": "1a2b", "upstream": "origin/topic", "ahead": 2, "behind": 1,
            "changes": [
                {"path": "a b.txt", "unstaged": "modified"},
                {"path": "t\tab\u{e9}.txt", "staged": "added"},
                {"path": "new.txt", "staged": "renamed", "from": "old.txt"},
                {"path": "torn.txt", "unstaged": "conflict"},
                {"path": "\u{1b}[2J", "unstaged": "untracked"},
            ],
        });
        assert_eq!(status(out), expected);
        let bare = status("# branch.oid (initial)\n# branch.head (detached)\n# branch.ab\n");
        assert_eq!((&bare["branch"], &bare["head"]), (&Value::Null, &Value::Null));
    }

    #[test]
    fn what_somebody_writes_into_a_commit_stays_in_its_field() {
        let out = "commit aa\nauthor commit bb <x>\ndate 2026-01-01T00:00:00Z\n\
                   subject author me <me>\ncommit cc\nauthor A <a>\ndate d\nsubject \n";
        let expected = json!({"commits": [
            {"commit": "aa", "author": "commit bb <x>", "date": "2026-01-01T00:00:00Z",
             "subject": "author me <me>"},
            {"commit": "cc", "author": "A <a>", "date": "d", "subject": ""},
        ]});
        assert_eq!(log(out), expected);
        let out =
            "*\trefs/heads/main\taa\torigin/main\td\ta\tb\n \trefs/remotes/origin/x\tbb\t\td\ts\n";
        let expected = json!({"branches": [
            {"name": "main", "remote": false, "current": true, "commit": "aa",
             "upstream": "origin/main", "date": "d", "subject": "a\tb"},
            {"name": "origin/x", "remote": true, "current": false, "commit": "bb", "upstream": null,
             "date": "d", "subject": "s"},
        ]});
        assert_eq!(branches(out), expected);
        let out =
            "worktree /a b\nHEAD aa\nbranch refs/heads/main\n\nworktree /c\nHEAD bb\ndetached\n";
        let expected = json!({"worktrees": [
            {"path": "/a b", "head": "aa", "branch": "main"},
            {"path": "/c", "head": "bb", "branch": null},
        ]});
        assert_eq!(worktrees(out), expected);
    }

    #[test]
    fn a_name_in_quotation_marks_is_read_whatever_it_says() {
        for (quoted, expected) in [
            ("plain", "plain"),
            (r#""a\"b\\c""#, "a\"b\\c"),
            (r#""\377""#, "\\xff"),
            (r#""\"#, "\"\\"),
            (r#""\3""#, "\\xc0"),
        ] {
            assert_eq!(unquoted(quoted), expected, "{quoted}");
        }
    }
}
