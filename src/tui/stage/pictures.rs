//! Pictures that are attached, and what is behind them.

use crate::{
    kernel::picture::{Enclosed, Format, Picture, PictureId},
    tui::attach::Attached,
};

/// A small picture of that name, as it is read from `/tmp`.
pub(crate) fn attached(name: &str) -> Attached {
    let bytes = name.as_bytes();
    let picture = Picture {
        id: PictureId::of(bytes),
        format: Format::Png,
        width: 2,
        height: 1,
        bytes: bytes.len() as u64,
        name: name.to_owned(),
    };
    Attached {
        enclosed: Enclosed { picture, bytes: bytes.into() },
        written: format!("@/tmp/{name}"),
    }
}
