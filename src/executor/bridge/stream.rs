//! Our side of one connection. The run may keep the very end that it handed over, and with it the
//! say over whether reads and writes wait; so each of ours says for itself that it does not.

use std::{io, os::fd::OwnedFd};

use rustix::{
    buffer::spare_capacity,
    net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, send, sockopt},
};
use tokio::{io::Interest, net::UnixStream};

pub(super) struct Stream(UnixStream);

impl Stream {
    /// The descriptor as a stream, if it is one end of a local stream socket.
    pub(super) fn of(end: OwnedFd) -> Option<Self> {
        let is_stream = sockopt::socket_type(&end).is_ok_and(|kind| kind == SocketType::STREAM);
        let is_local = rustix::net::getsockname(&end)
            .is_ok_and(|address| address.address_family() == AddressFamily::UNIX);
        if !is_stream || !is_local {
            return None;
        }
        let stream = std::os::unix::net::UnixStream::from(end);
        // Not kept to by anybody, but wanted by the runtime.
        stream.set_nonblocking(true).ok()?;
        UnixStream::from_std(stream).ok().map(Self)
    }

    /// Appends what has come to `bytes`, as far as there is room in them already; 0 at the end.
    /// Losing this future loses nothing.
    pub(super) async fn read(&self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let mut read = || Ok(recv(&self.0, spare_capacity(bytes), RecvFlags::DONTWAIT)?.0);
        self.0.async_io(Interest::READABLE, &mut read).await
    }

    /// Writes what the other end can take, which is not nothing; waits until it can.
    pub(super) async fn write_some(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.async_io(Interest::WRITABLE, || self.write(bytes)).await
    }

    /// Writes what the other end can take at once.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(send(&self.0, bytes, SendFlags::DONTWAIT)?)
    }
}
