//! The pictures that runs make.

use std::{fs, io::Cursor, time::SystemTime};

use super::*;

/// A picture that no other shade has the bytes of.
fn png(shade: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let pixels = image::RgbImage::from_pixel(4, 2, image::Rgb([shade, 0, 0]));
    pixels.write_to(&mut Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
    bytes
}

/// The same in Python.
fn literal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("bytes.fromhex('{digits}')")
}

fn names(ran: &Ran) -> Vec<String> {
    ran.ended.pictures.iter().map(|picture| picture.picture.to_string()).collect()
}

#[tokio::test]
async fn what_a_script_writes_is_handed_over_wherever_it_lies() {
    let trial = Trial::new();
    let old = trial.folder.path().join("old.png");
    fs::write(&old, png(9)).unwrap();
    fs::File::options()
        .write(true)
        .open(&old)
        .unwrap()
        .set_modified(SystemTime::UNIX_EPOCH)
        .unwrap();
    let code = format!(
        "import os, pathlib, shutil, subprocess
os.makedirs('out/deep')
pathlib.Path('out/deep/plot.png').write_bytes({})
open('half', 'wb').write({})
os.replace('half', 'out/whole.PNG')
shutil.copy('out/deep/plot.png', 'the-same.png')
open('old.png', 'rb').read()
here = os.environ['TMPDIR']
subprocess.run(['mkdir', here + '/sub'], check=True)
open(here + '/sub/third', 'wb').write({})
subprocess.run(['mv', here + '/sub/third', here + '/sub/third.png'], check=True)
os.chdir('out')",
        literal(&png(1)),
        literal(&png(2)),
        literal(&png(3)),
    );
    let ran = trial.python(&code).await;
    ran.prints("");
    assert_eq!(names(&ran), ["plot.png 4x2", "whole.PNG 4x2", "third.png 4x2"]);
    assert_eq!(&*ran.ended.pictures[1].bytes, png(2));
}

#[tokio::test]
async fn a_program_is_looked_at_by_the_names_it_was_given() {
    for (to, found) in [("out/deep/x.png", true), ("top.png", true), ("out/deep/x.txt", false)] {
        // A place of its own for each: what another made a moment ago would count as its own.
        let trial = Trial::new();
        fs::write(trial.folder.path().join("one"), png(1)).unwrap();
        fs::create_dir_all(trial.folder.path().join("out/deep")).unwrap();
        let argv = ["cp", "one", to].map(str::to_owned).to_vec();
        let ran = trial.run(Program::Argv(argv)).await;
        assert_eq!(names(&ran).len(), usize::from(found), "{to}");
    }
}

#[tokio::test]
async fn what_is_no_picture_is_not_shown_whatever_a_run_says() {
    let trial = Trial::new();
    let code = format!(
        "import os, socket
here = os.environ['TMPDIR'] + '/'
open(here + 'real', 'wb').write({})
os.symlink(here + 'real', here + 'link.png')
os.symlink('/etc/passwd', here + 'secret.png')
os.mkfifo(here + 'pipe.png')
open(here + 'text.png', 'w').write('no picture')
with open(here + 'large.png', 'wb') as large:
    large.truncate(1 << 33)
number = int(os.environ['FOOTPLATE_FD'].split(':')[0])
host = socket.socket(fileno=os.dup(number))
host.sendall(b'picture none.png')
for path, flags in [('/', 0), ('/dev/zero', 0), (here + 'pipe.png', os.O_RDWR), ('/etc/passwd', 0),
                    (here + 'large.png', 0), (here + 'real', os.O_WRONLY | os.O_APPEND)]:
    file = os.open(path, os.O_RDONLY | flags)
    socket.send_fds(host, [b'picture ' + b'\\x1b]0;x\\x07' * 30], [file])
",
        literal(&png(1)),
    );
    let ran = trial.python(&code).await;
    ran.prints("");
    assert_eq!(names(&ran), [""; 0]);
}

#[tokio::test]
async fn a_few_pictures_of_a_run_are_shown_and_no_more() {
    let mut code = "import os\nhere = os.environ['TMPDIR'] + '/'\n".to_owned();
    for shade in 0..12 {
        code += &format!("open(here + '{shade:02}.png', 'wb').write({})\n", literal(&png(shade)));
    }
    let ran = python(&code).await;
    assert_eq!(names(&ran).len(), 8);
    assert_eq!(names(&ran)[0], "00.png 4x2");
}

/// As much of matplotlib as a figure needs that is shown.
const PLOTS: [(&str, &str); 5] = [
    ("__init__.py", ""),
    (
        "_pylab_helpers.py",
        "import atexit
class Gcf:
    figs = {}
    @classmethod
    def get_all_fig_managers(cls): return list(cls.figs.values())
    @classmethod
    def destroy_all(cls): cls.figs.clear()
atexit.register(Gcf.destroy_all)
",
    ),
    (
        "backend_bases.py",
        "import sys
class _Backend:
    @staticmethod
    def export(cls):
        for name in ('FigureCanvas', 'show'):
            setattr(sys.modules[cls.__module__], name, getattr(cls, name))
        return cls
",
    ),
    (
        "backends/backend_agg.py",
        "from matplotlib.backend_bases import _Backend
class FigureCanvasAgg:
    def __init__(self, figure): self.figure = figure
    def print_figure(self, path, format=None):
        with open(path, 'wb') as file: file.write(self.figure.bytes)
@_Backend.export
class _BackendAgg(_Backend):
    FigureCanvas = FigureCanvasAgg
    def show(): pass
",
    ),
    (
        "pyplot.py",
        "import importlib, os
from matplotlib._pylab_helpers import Gcf
backend = importlib.import_module(os.environ['MPLBACKEND'][len('module://'):])
class Figure:
    def savefig(self, path, format=None): self.canvas.print_figure(path, format=format)
class Manager:
    def __init__(self, canvas): self.canvas = canvas
def figure(data):
    made = Figure()
    made.bytes = data
    made.canvas = backend.FigureCanvas(made)
    Gcf.figs[len(Gcf.figs)] = Manager(made.canvas)
    return made
def show(): backend.show()
",
    ),
];

#[tokio::test]
async fn figures_that_are_shown_or_left_open_are_pictures() {
    let trial = Trial::new();
    for (name, text) in PLOTS {
        let path = trial.folder.path().join("matplotlib").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let code = format!(
        "import os, sys
sys.path.insert(0, os.getcwd())
import matplotlib.pyplot as plt
plt.figure({})
plt.show()
plt.figure({}).savefig('mine.png')
plt.figure({})
raise SystemExit(0)",
        literal(&png(1)),
        literal(&png(2)),
        literal(&png(3)),
    );
    let ran = trial.python(&code).await;
    ran.prints("");
    assert_eq!(names(&ran), ["figure-1.png 4x2", "mine.png 4x2", "figure-2.png 4x2"]);
}
