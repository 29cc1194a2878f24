//! Sealed programs at a terminal of their own, in each form.

use std::fs;

use footplate::{
    executor::seal::Level,
    kernel::{
        event::ExitStatus,
        port::{Manner, Program, Pty},
    },
};
use portable_pty::{PtySize, native_pty_system};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{PYTHON, runs::Bench};

#[tokio::test]
async fn a_terminal_is_the_program_s_own_and_to_hang_up_ends_it() {
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let another = native_pty_system().openpty(size).unwrap();
    let other = another.master.tty_name().unwrap().to_str().unwrap().to_owned();
    for (form, mut bench) in Bench::each() {
        for level in [Level::Sealed, Level::Workspace] {
            bench.printed.bytes.lock().unwrap().clear();
            bench.cancel = CancellationToken::new();
            fs::write(bench.at("work/at.py"), include_str!("terminal.py")).unwrap();
            let (keys, typed) = mpsc::channel(4);
            keys.send(b"ann\r".to_vec()).await.unwrap();
            let manner = Manner::Terminal(Pty { rows: 20, cols: 70, typed });
            let argv = [PYTHON, "at.py", &other].map(str::to_owned).to_vec();
            let cancel = async {
                bench.printed.says("hello ann").await;
                keys.send(b"\x03".to_vec()).await.unwrap();
                bench.printed.says("interrupted").await;
                bench.cancel.cancel();
            };
            let run = bench.begin_kept(level, Program::Argv(argv), manner);
            let (ended, ()) = tokio::join!(run, cancel);
            let ended = ended.unwrap();
            let row = format!("{form:?} {level:?}: {}", ended.stdout);
            assert_eq!(ended.status, ExitStatus::Cancelled, "{row}");
            for line in ["at True True", "own True True True"] {
                assert!(ended.stdout.contains(line), "{row}");
            }
            assert_eq!(ended.stdout.matches(" refused").count(), 6, "{row}");
            assert!(!ended.stdout.contains("DONE"), "{row}");
        }
    }
}
