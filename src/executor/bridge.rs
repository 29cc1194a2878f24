//! The host end of a run's channel. Each thread and process of the run hands over one end of a
//! socket pair of its own; what comes on it is calls. Nothing that arrives here can hurt the host:
//! what is no call closes its own connection, with a plain word, and no other.

mod connection;
mod stream;

use std::{
    io::{self, IoSliceMut},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::net::UnixDatagram as StdDatagram,
    },
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
    recvmsg, socketpair,
};
use tokio::{io::Interest, net::UnixDatagram, task::JoinSet};

use self::{connection::Connection, stream::Stream};
use super::frame;
use crate::kernel::port::HostCalls;

/// Connections of one run at a time. A further one is closed at once.
const MOST_CONNECTIONS: usize = 256;

/// Pictures of one run that are looked at.
pub(super) const MOST_PICTURES: usize = 8;

/// Two ends that keep the borders of what is sent; a program that is started inherits neither.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    #[cfg(target_os = "linux")]
    return Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?);
    // Where packets are not to be had, datagrams keep their borders as well.
    #[cfg(not(target_os = "linux"))]
    {
        let none = SocketFlags::empty();
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::DGRAM, none, None)?;
        for end in [&ours, &theirs] {
            // A program that another thread starts before this inherits them.
            rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
        }
        Ok((ours, theirs))
    }
}

/// The two ends of a new channel: ours, and the one that the run inherits.
pub(super) fn channel() -> io::Result<(Bridge, OwnedFd)> {
    let (ours, theirs) = pair()?;
    let ours = StdDatagram::from(ours);
    ours.set_nonblocking(true)?;
    let bridge = Bridge {
        channel: UnixDatagram::from_std(ours)?,
        seen: Seen::default(),
        connections: JoinSet::new(),
        pictures: Vec::new(),
    };
    Ok((bridge, theirs))
}

/// What Python said of itself on the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// It started.
    pub(super) up: bool,
    /// Its interpreter ended by itself, not by a signal.
    pub(super) leaving: bool,
}

/// Our end of one run's channel.
pub(super) struct Bridge {
    /// Packets, whatever their kind: only their borders matter here.
    channel: UnixDatagram,
    seen: Seen,
    connections: JoinSet<()>,
    /// Files that are said to be pictures, with their names.
    pictures: Vec<(String, OwnedFd)>,
}

enum Packet {
    Connection(Option<OwnedFd>),
    Picture(String, OwnedFd),
    Up,
    Leaving,
    Other,
    End,
}

impl Bridge {
    /// Serves the run until this future is dropped; the calls made so far go on until
    /// [`Bridge::close`] or the drop of the bridge. Ends by itself only when no process of the run
    /// holds the channel any more.
    pub(super) async fn serve(&mut self, calls: Arc<dyn HostCalls>) {
        let (bytes, untaken) = (Weights::default(), Weights::default());
        loop {
            let packet = tokio::select! {
                biased;
                // Losing this arm leaves the packet where it is.
                packet = packet(&self.channel) => packet,
                // Losing this arm leaves the ended task in the set.
                Some(_) = self.connections.join_next() => continue,
            };
            match packet {
                Packet::Connection(Some(end)) if self.connections.len() < MOST_CONNECTIONS => {
                    if let Some(stream) = Stream::of(end) {
                        let connection = Connection {
                            calls: calls.clone(),
                            bytes: bytes.clone(),
                            untaken: untaken.clone(),
                        };
                        self.connections.spawn(connection.serve(stream));
                    }
                }
                Packet::Connection(Some(end)) => refuse(end),
                Packet::Picture(name, file) => self.note(name, file),
                Packet::Up => self.seen.up = true,
                Packet::Leaving => self.seen.leaving = true,
                Packet::Connection(None) | Packet::Other => {}
                Packet::End => break,
            }
        }
        while self.connections.join_next().await.is_some() {}
    }

    /// Drops every call, and waits until that is done.
    pub(super) async fn close(&mut self) {
        self.connections.shutdown().await;
    }

    /// What Python said of itself, in what was served and in what still waits on the channel.
    pub(super) fn seen(&mut self) -> Seen {
        for _ in 0..1024 {
            match receive(self.channel.as_fd()) {
                Ok(Packet::Picture(name, file)) => self.note(name, file),
                Ok(Packet::Up) => self.seen.up = true,
                Ok(Packet::Leaving) => self.seen.leaving = true,
                Ok(Packet::Connection(_) | Packet::Other) => {}
                Ok(Packet::End) | Err(_) => break,
            }
        }
        self.seen
    }

    /// The files that the run says are pictures of its, as open as it had them: whatever they are, it
    /// could read them itself. At most [`MOST_PICTURES`].
    pub(super) fn pictures(&mut self) -> Vec<(String, OwnedFd)> {
        std::mem::take(&mut self.pictures)
    }

    fn note(&mut self, name: String, file: OwnedFd) {
        if self.pictures.len() < MOST_PICTURES {
            self.pictures.push((name, file));
        }
    }
}

async fn packet(channel: &UnixDatagram) -> Packet {
    channel.async_io(Interest::READABLE, || receive(channel.as_fd())).await.unwrap_or(Packet::End)
}

/// Whether nobody has the other end any more.
fn is_at_its_end(channel: BorrowedFd<'_>) -> bool {
    let mut watched = [PollFd::from_borrowed_fd(channel, PollFlags::empty())];
    let looked = poll(&mut watched, Some(&rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 }));
    looked.is_err() || watched[0].revents().contains(PollFlags::HUP)
}

/// Takes one packet, if there is one; every descriptor in it but the first is closed.
fn receive(channel: BorrowedFd<'_>) -> io::Result<Packet> {
    let mut word = [0; 256];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(&mut word)];
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::empty();
    let length = match recvmsg(channel, &mut parts, &mut control, flags) {
        Ok(message) => message.bytes,
        Err(rustix::io::Errno::INTR) => return Ok(Packet::Other),
        Err(error) => return Err(error.into()),
    };
    let mut end = None;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            for descriptor in descriptors {
                end.get_or_insert(descriptor);
            }
        }
    }
    Ok(match &word[..length.min(word.len())] {
        b"connect" => Packet::Connection(end),
        b"up" => Packet::Up,
        b"leaving" => Packet::Leaving,
        [b'p', b'i', b'c', b't', b'u', b'r', b'e', b' ', name @ ..] => match end {
            Some(file) => Packet::Picture(String::from_utf8_lossy(name).into_owned(), file),
            None => Packet::Other,
        },
        // Nothing came: at the end, and for an empty packet.
        b"" if is_at_its_end(channel) => Packet::End,
        _ => Packet::Other,
    })
}

/// Says why a connection is closed, if the other end can take it at once.
fn refuse(end: OwnedFd) {
    if let Some(stream) = Stream::of(end) {
        let word =
            format!("more than {MOST_CONNECTIONS} connections at once: end some threads first.");
        // Who does not listen is closed all the same.
        let _ = stream.write(&frame::fault(&word));
    }
}

/// All bytes of a kind that one run has here.
#[derive(Clone, Default)]
struct Weights(Arc<AtomicUsize>);

impl Weights {
    fn weight(&self) -> Weight {
        Weight { held: 0, all: self.clone() }
    }
}

/// Bytes that count against a bound of the run while this lives.
struct Weight {
    held: usize,
    all: Weights,
}

impl Weight {
    /// Whether that many are still within the bound.
    fn set(&mut self, held: usize, most: usize) -> bool {
        let all = &self.all.0;
        all.fetch_sub(self.held, Ordering::Relaxed);
        self.held = held;
        all.fetch_add(held, Ordering::Relaxed) + held <= most
    }
}

impl Drop for Weight {
    fn drop(&mut self) {
        self.all.0.fetch_sub(self.held, Ordering::Relaxed);
    }
}
