//! A real process that writes a file again and again and is killed at many moments of it.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::*;

const PLACE: &str = "FOOTPLATE_TEST_PLACE";
const KILLS: usize = 100;

/// So many bytes are looked at between two moments.
const MOMENT: usize = 150_000;

/// The texts that are written in turn: long enough for a kill to come amid them, and not of one
/// length.
fn texts() -> [Vec<u8>; 2] {
    [b"steam\n".repeat(300_000), b"water\n".repeat(120_000)]
}

fn write(path: &Path, bytes: &[u8]) {
    let standing = write::look(path).unwrap();
    let over = match &standing {
        Standing::Nothing => Over::Nothing { mode: None },
        Standing::File(seen) => Over::File(&seen.mark),
    };
    write::write(path, over, bytes).unwrap();
}

/// The process that is killed: this test binary, running only this.
#[test]
#[ignore = "run by the test below, as a process of its own"]
fn writes_until_it_is_killed() {
    let Some(place) = std::env::var_os(PLACE).map(PathBuf::from) else { return };
    for text in texts().iter().cycle() {
        write(&place.join("a.txt"), text);
        // Also a file that is made and not only changed.
        let _ = std::fs::remove_file(place.join("new.txt"));
        write(&place.join("new.txt"), text);
        println!("\nwritten");
    }
}

#[test]
fn a_killed_writer_leaves_one_text_or_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let (file, texts) = (folder.join("a.txt"), texts());
    write(&file, &texts[0]);
    for kill in 0..KILLS {
        let name = "executor::local::workspace::crash::writes_until_it_is_killed";
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--ignored", "--nocapture"])
            .env(PLACE, &folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(process.stdout.take().unwrap()).lines();
        let written = told.by_ref().map_while(Result::ok).filter(|line| line == "written");
        assert_eq!(written.take(1).count(), 1);
        // Another moment each time: a writer that looks twice at a file takes about so long.
        for _ in 0..kill {
            assert_eq!(Mark::of(&texts[0][..MOMENT]).bytes, MOMENT as u64);
        }
        process.kill().unwrap();
        process.wait().unwrap();
        assert!(texts.contains(&std::fs::read(&file).unwrap()), "half a file");
        if let Ok(new) = std::fs::read(folder.join("new.txt")) {
            assert!(texts.contains(&new), "half a new file");
        }
    }
    write(&file, b"whole");
    let names = std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.file_name());
    let mut names: Vec<_> = names.filter(|name| name != "new.txt").collect();
    names.sort();
    assert_eq!(names, ["a.txt"]);
}
