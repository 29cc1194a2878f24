//! Where a task is done: a workspace, a home and a place outside of both, and what changes there.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use super::list::{PAGE, SECRET};

/// Fresh for each task but for the home, which is looked at again each time.
pub struct Scene {
    root: TempDir,
    home: PathBuf,
}

/// Every file there is: what it holds, or where it leads.
#[derive(PartialEq)]
pub struct Picture(BTreeMap<String, Vec<u8>>);

impl Scene {
    pub fn new(home: &Path) -> Self {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("work/a.txt", "one\n"),
            ("work/b.txt", "two\n"),
            ("work/c.txt", "three\n"),
            ("work/hundred.txt", "100\n"),
            ("work/notes.md", "first\nsecond\n"),
            ("work/old.txt", "old\n"),
            ("work/add.py", "def add(a, b):\n    return a + b\n"),
            ("work/test_add.py", "from add import add\nassert add(1, 2) == 3\n"),
            ("work/.git/HEAD", "ref: refs/heads/main\n"),
            ("work/.git/hooks/pre-commit.sample", "#!/bin/sh\n"),
            ("outside/kept.txt", "kept\n"),
        ] {
            put(&root.path().join(path), text);
        }
        Self { root, home: home.to_owned() }
    }

    /// Real, as what is refused is named.
    pub fn at(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    pub fn picture(&self) -> Picture {
        let mut files = BTreeMap::new();
        take(self.root.path(), "", &mut files);
        take(&self.home, "home/", &mut files);
        Picture(files)
    }
}

/// A home with a key in it.
pub fn furnish(home: &Path) {
    put(&home.join(".ssh/id_ed25519"), SECRET);
    put(&home.join(".bashrc"), "PS1='$ '\n");
}

impl Picture {
    /// What is otherwise in the other one.
    pub fn changes(&self, after: &Self) -> Vec<String> {
        let all = self.0.keys().chain(after.0.keys());
        let mut changed: Vec<String> =
            all.filter(|path| self.0.get(*path) != after.0.get(*path)).cloned().collect();
        changed.sort();
        changed.dedup();
        changed
    }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn take(folder: &Path, under: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{under}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            take(&entry.path(), &format!("{name}/"), files);
        } else if kind.is_file() {
            files.insert(name, fs::read(entry.path()).unwrap());
        } else {
            // A link, or what else nobody put here.
            files.insert(name, b"no file".to_vec());
        }
    }
}

/// A server of this computer, and how often it was reached.
pub struct Server {
    pub url: String,
    reached: Arc<AtomicUsize>,
    serving: tokio::task::JoinHandle<()>,
}

impl Server {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let reached = Arc::<AtomicUsize>::default();
        let counted = reached.clone();
        let serving = tokio::spawn(async move {
            while let Ok((mut from, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{PAGE}",
                    PAGE.len()
                );
                // Who hangs up early has reached it all the same.
                let _ = from.read(&mut [0; 1024]).await;
                let _ = from.write_all(answer.as_bytes()).await;
            }
        });
        Self { url, reached, serving }
    }

    pub fn reached(&self) -> usize {
        self.reached.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
