//! The pictures that sealed runs make, in each form of the seal.

use std::io::Cursor;

use footplate::executor::seal::Level;

use super::runs::Bench;

fn png(shade: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let pixels = image::RgbImage::from_pixel(4, 2, image::Rgb([shade, 0, 0]));
    pixels.write_to(&mut Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
    bytes
}

#[tokio::test]
async fn a_sealed_run_shows_what_it_wrote_in_its_own_folder() {
    for (form, bench) in Bench::each() {
        std::fs::write(bench.work().join("there.png"), png(1)).unwrap();
        std::fs::write(bench.work().join("one"), png(2)).unwrap();
        let code = "import os, subprocess
here = os.environ['TMPDIR']
os.mkdir(here + '/out')
subprocess.run(['cp', 'one', here + '/out/plot.png'], check=True)
os.symlink(os.path.abspath('there.png'), here + '/link.png')
try:
    open('here.png', 'wb').write(open('one', 'rb').read())
except OSError:
    print('read-only')";
        let ended = bench.python(Level::Sealed, code).await;
        assert_eq!((&*ended.stdout, &*ended.stderr), ("read-only\n", ""), "{form:?}");
        let names: Vec<_> = ended.pictures.iter().map(|made| made.picture.to_string()).collect();
        assert_eq!(names, ["plot.png 4x2"], "{form:?}");
    }
}

#[tokio::test]
async fn a_run_that_writes_the_folder_hands_over_what_it_wrote_there() {
    for (form, bench) in Bench::each() {
        std::fs::write(bench.work().join("one"), png(2)).unwrap();
        let code = "open('src/plot.png', 'wb').write(open('one', 'rb').read())";
        let ended = bench.python(Level::Workspace, code).await;
        assert_eq!((&*ended.stdout, &*ended.stderr), ("", ""), "{form:?}");
        let names: Vec<_> = ended.pictures.iter().map(|made| made.picture.to_string()).collect();
        assert_eq!(names, ["plot.png 4x2"], "{form:?}");
    }
}
