use std::os::unix::fs::symlink;

use super::*;

#[test]
fn a_list_has_the_scripts_with_their_first_words_and_names_what_is_none() {
    let top = tempfile::tempdir().unwrap();
    assert_eq!(saved(top.path()), Saved::default());
    let folder = top.path().join(FOLDER);
    fs::create_dir_all(folder.join("folder.py")).unwrap();
    let put = |name: &[u8], text: &str| {
        use std::os::unix::ffi::OsStrExt as _;
        fs::write(folder.join(std::ffi::OsStr::from_bytes(name)), text).unwrap();
    };
    put(b"plain.py", "print(1)\n");
    put(
        b"said.py",
        "#!/usr/bin/env python\n# /// script\n# dependencies = []\n# ///\n\n# Says \x1b[31mwhat.\n",
    );
    put(b"doc.py", "\"\"\"Counts the lines.\"\"\"\n");
    put(b"bad name.py", "");
    put(b"\xff.py", "");
    put(b"notes.md", "");
    put(b"\x1b]0;x.py", "");
    symlink("/etc/passwd", folder.join("link.py")).unwrap();
    let found = saved(top.path());
    let scripts: Vec<_> =
        found.workflows.iter().map(|script| (&*script.name, &*script.about)).collect();
    let expected = [("doc", "Counts the lines."), ("plain", ""), ("said", "Says what.")];
    assert_eq!(scripts, expected);
    let left_out =
        ["\u{fffd}]0;x.py", "bad name.py", "folder.py", "link.py", "notes.md", "\\xff.py"];
    assert_eq!(found.left_out, left_out);
}

#[test]
fn a_folder_that_is_a_link_is_not_looked_into() {
    let top = tempfile::tempdir().unwrap();
    let elsewhere = top.path().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(elsewhere.join("a.py"), "").unwrap();
    let work = top.path().join("work");
    fs::create_dir_all(work.join(".footplate")).unwrap();
    symlink(&elsewhere, work.join(FOLDER)).unwrap();
    assert_eq!(saved(&work), Saved::default());
}
