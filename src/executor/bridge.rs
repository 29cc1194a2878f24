//! The host end of a run's channel. Each thread and process of the run hands over one end of a
//! socket pair of its own; what comes on it is calls. Nothing that arrives here can hurt the host:
//! what is no call closes its own connection, with a plain word, and no other.

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
use tokio::{
    io::Interest,
    net::UnixDatagram,
    sync::{Semaphore, mpsc},
    task::JoinSet,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::stream::Stream;
use super::frame;
use crate::kernel::port::HostCalls;

/// Connections of one run at a time. A further one is closed at once.
const MOST_CONNECTIONS: usize = 256;
/// Calls of one connection that wait at a time.
const MOST_CALLS: usize = 64;
/// Bytes of half frames and waiting calls that one run may have here.
const MOST_BYTES: usize = 64 << 20;
/// Bytes of answers that one run may leave here without taking them.
const MOST_UNTAKEN: usize = 128 << 20;

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
        calls: TaskTracker::new(),
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
    calls: TaskTracker,
}

enum Packet {
    Connection(Option<OwnedFd>),
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
                            is_deaf: CancellationToken::new(),
                            seats: Arc::new(Semaphore::new(MOST_CALLS)),
                            tracker: self.calls.clone(),
                        };
                        self.connections.spawn(connection.serve(stream));
                    }
                }
                Packet::Connection(Some(end)) => refuse(end),
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
        self.calls.close();
        self.calls.wait().await;
    }

    /// What Python said of itself, in what was served and in what still waits on the channel.
    pub(super) fn seen(&mut self) -> Seen {
        for _ in 0..1024 {
            match receive(self.channel.as_fd()) {
                Ok(Packet::Up) => self.seen.up = true,
                Ok(Packet::Leaving) => self.seen.leaving = true,
                Ok(Packet::Connection(_) | Packet::Other) => {}
                Ok(Packet::End) | Err(_) => break,
            }
        }
        self.seen
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
    let mut word = [0; 16];
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

struct Connection {
    calls: Arc<dyn HostCalls>,
    /// Bytes of the half frames and of the waiting calls of all connections of the run.
    bytes: Weights,
    /// Bytes of the answers of all connections of the run that are not taken yet.
    untaken: Weights,
    /// Cancelled once an answer came that was too much.
    is_deaf: CancellationToken,
    seats: Arc<Semaphore>,
    tracker: TaskTracker,
}

impl Connection {
    /// Serves one connection until it closes or sends what is no call; its calls end with it.
    async fn serve(self, stream: Stream) {
        let (replies, outgoing) = mpsc::channel(MOST_CALLS);
        let mut writing = std::pin::pin!(write(&stream, outgoing));
        let mut running = JoinSet::new();
        let fault = tokio::select! {
            fault = self.read(&stream, &replies, &mut running) => fault,
            () = self.is_deaf.cancelled() => Some(UNTAKEN.to_owned()),
            // The other end takes no replies any more: nobody waits for them.
            () = &mut writing => return,
        };
        running.shutdown().await;
        if let Some(fault) = fault {
            // Full only if nobody reads; then nobody reads this either.
            let _ = replies.try_send(Answer::unweighed(frame::fault(&fault)));
        }
        drop(replies);
        // What was answered already still goes out, as long as somebody takes it.
        tokio::select! {
            () = writing => {}
            () = tokio::time::sleep_until(tokio::time::Instant::now() + LAST_WORDS) => {}
        }
    }

    /// Reads calls and starts them. Gives the reason to close, or `None` at the end of the stream.
    async fn read(
        &self,
        reader: &Stream,
        replies: &mpsc::Sender<Answer>,
        running: &mut JoinSet<()>,
    ) -> Option<String> {
        let mut half = Vec::new();
        let mut weight = self.bytes.weight();
        let mut searched = 0;
        loop {
            while let Some(end) = half[searched..].iter().position(|&byte| byte == b'\n') {
                let rest = half.split_off(searched + end + 1);
                let line = std::mem::replace(&mut half, rest);
                searched = 0;
                // One read may bring the rest of a line that is too long.
                if line.len() > frame::LONGEST {
                    return Some(TOO_MUCH.to_owned());
                }
                if let Err(fault) = self.start(&line[..line.len() - 1], replies, running) {
                    return Some(fault);
                }
            }
            searched = half.len();
            if half.len() > frame::LONGEST || !weight.set(half.len(), MOST_BYTES) {
                return Some(TOO_MUCH.to_owned());
            }
            while running.try_join_next().is_some() {}
            half.reserve(READ);
            match reader.read(&mut half).await {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    fn start(
        &self,
        line: &[u8],
        replies: &mpsc::Sender<Answer>,
        running: &mut JoinSet<()>,
    ) -> Result<(), String> {
        let request = frame::request(line)?;
        let seat = self.seats.clone().try_acquire_owned().map_err(|_| {
            format!("more than {MOST_CALLS} calls at once on one connection: wait for some first.")
        })?;
        let mut weight = self.bytes.weight();
        if !weight.set(line.len(), MOST_BYTES) {
            return Err(TOO_MUCH.to_owned());
        }
        let call = self.calls.call(request.name, request.input.0, request.line);
        let (replies, is_deaf) = (replies.clone(), self.is_deaf.clone());
        let mut untaken = self.untaken.weight();
        running.spawn(self.tracker.track_future(async move {
            let result = call.await;
            // Free before the reply is seen, so that the next call finds the seat.
            drop((seat, weight));
            let bytes = frame::reply(request.id, &result);
            if !untaken.set(bytes.len(), MOST_UNTAKEN) {
                is_deaf.cancel();
                return;
            }
            // An error means that the connection is gone, and with it whoever asked.
            let _ = replies.send(Answer { bytes, _weight: Some(untaken) }).await;
        }));
        Ok(())
    }
}

/// How much room a read gets.
const READ: usize = 16 << 10;
/// How long a closed connection may take its last replies.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_millis(500);

async fn write(writer: &Stream, mut outgoing: mpsc::Receiver<Answer>) {
    while let Some(answer) = outgoing.recv().await {
        if writer.write_all(&answer.bytes).await.is_err() {
            return;
        }
    }
}

/// What the run is told that sends more than fits.
const TOO_MUCH: &str =
    "more than 16 MiB in one call, or 64 MiB in all that wait: send less at once.";

/// The same, of one that takes none of what it asked for.
const UNTAKEN: &str = "more than 128 MiB of answers were not taken: read them as they come.";

/// What goes to the other end, and counts until it is there.
struct Answer {
    bytes: Vec<u8>,
    _weight: Option<Weight>,
}

impl Answer {
    fn unweighed(bytes: Vec<u8>) -> Self {
        Self { bytes, _weight: None }
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
