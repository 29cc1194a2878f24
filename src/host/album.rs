//! The pictures of one session in the store.

use std::sync::Arc;

use crate::kernel::{
    id::SessionId,
    picture::PictureId,
    port::{Kept, Pictures, Store, StoreError},
};

/// Those of one session.
pub(super) struct Album {
    pub(super) store: Arc<dyn Store>,
    pub(super) session: SessionId,
}

impl Pictures for Album {
    fn keep(&self, bytes: &[u8]) -> Result<Kept, StoreError> {
        self.store.keep_picture(self.session, bytes)
    }

    fn bytes(&self, picture: PictureId) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.picture(self.session, picture)
    }
}
