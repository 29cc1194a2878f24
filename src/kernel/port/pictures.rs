//! The pictures of one session.

use super::{Kept, StoreError};
use crate::kernel::picture::PictureId;

/// Keeps the pictures of one session: [`super::Store::keep_picture`] and [`super::Store::picture`]
/// without the rest of the store. Blocks for a file of up to [`crate::kernel::picture::MOST_BYTES`].
pub trait Pictures: Send + Sync {
    /// Keeps one, under what its bytes are known by.
    fn keep(&self, bytes: &[u8]) -> Result<Kept, StoreError>;

    /// The bytes of one, if they are there and still the ones that were kept.
    fn bytes(&self, picture: PictureId) -> Result<Option<Vec<u8>>, StoreError>;
}

/// A session that keeps no picture.
pub struct NoPictures;

impl Pictures for NoPictures {
    fn keep(&self, _: &[u8]) -> Result<Kept, StoreError> {
        Ok(Kept::Nowhere)
    }

    fn bytes(&self, _: PictureId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }
}
