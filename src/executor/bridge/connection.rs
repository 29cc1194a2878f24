//! One connection of a run, as one task: it reads calls, makes them, and writes the answers. A call
//! that is answered at once is answered before anything else is woken: another thread would take
//! longer to wake than a small read takes.

use std::{collections::VecDeque, io, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::time::Instant;

use super::{Weight, Weights, stream::Stream};
use crate::{
    executor::frame,
    kernel::{BoxFuture, port::HostCalls},
};

/// Calls of one connection that wait at a time.
const MOST_CALLS: usize = 64;
/// Bytes of half frames and waiting calls that one run may have here.
const MOST_BYTES: usize = 64 << 20;
/// Bytes of answers that one run may leave here without taking them.
const MOST_UNTAKEN: usize = 128 << 20;
/// How much room a read gets, and what is kept of it for the next.
const READ: usize = 16 << 10;
/// How long a closed connection may take its last replies.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What the run is told that sends more than fits.
const TOO_MUCH: &str =
    "more than 16 MiB in one call, or 64 MiB in all that wait: send less at once.";

/// The same, of one that takes none of what it asked for.
const UNTAKEN: &str = "more than 128 MiB of answers were not taken: read them as they come.";

pub(super) struct Connection {
    pub(super) calls: Arc<dyn HostCalls>,
    /// Bytes of the half frames and of the waiting calls of all connections of the run.
    pub(super) bytes: Weights,
    /// Bytes of the answers of all connections of the run that are not taken yet.
    pub(super) untaken: Weights,
}

/// What becomes of each call that has no answer yet: the bytes of one.
type Running = FuturesUnordered<BoxFuture<'static, Vec<u8>>>;

impl Connection {
    /// Serves one connection until it closes or sends what is no call; its calls end with it.
    pub(super) async fn serve(self, stream: Stream) {
        let mut outgoing = Outgoing { answers: VecDeque::new(), written: 0 };
        if let Some(fault) = self.answer(&stream, &mut outgoing).await {
            outgoing.push(frame::fault(&fault), self.untaken.weight());
        }
        // What was answered already still goes out, as long as somebody takes it.
        let until = Instant::now() + LAST_WORDS;
        while !outgoing.is_empty() {
            match tokio::time::timeout_at(until, outgoing.write(&stream)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }

    /// Reads calls and answers them. Gives the reason to close, or `None` at the end of the stream;
    /// calls that have no answer by then are dropped.
    async fn answer(&self, stream: &Stream, outgoing: &mut Outgoing) -> Option<String> {
        let mut incoming = Incoming { half: Vec::new(), searched: 0, weight: self.bytes.weight() };
        let mut running = Running::new();
        loop {
            // Losing an arm loses nothing: each takes or gives only what it ends with.
            tokio::select! {
                biased;
                Some(answer) = running.next() => {
                    let mut weight = self.untaken.weight();
                    if !weight.set(answer.len(), MOST_UNTAKEN) {
                        return Some(UNTAKEN.to_owned());
                    }
                    outgoing.push(answer, weight);
                }
                written = outgoing.write(stream), if !outgoing.is_empty() => written.ok()?,
                read = incoming.read(stream), if outgoing.answers.len() < MOST_CALLS => {
                    read?;
                    if let Err(fault) = incoming.take(|line| self.start(line, &running)) {
                        return Some(fault);
                    }
                }
            }
        }
    }

    fn start(&self, line: &[u8], running: &Running) -> Result<(), String> {
        let request = frame::request(line)?;
        if running.len() >= MOST_CALLS {
            return Err(format!(
                "more than {MOST_CALLS} calls at once on one connection: wait for some first."
            ));
        }
        let mut weight = self.bytes.weight();
        if !weight.set(line.len(), MOST_BYTES) {
            return Err(TOO_MUCH.to_owned());
        }
        let call = self.calls.call(request.name, request.input.0, request.line);
        running.push(Box::pin(async move {
            let _weight = weight;
            frame::reply(request.id, &call.await)
        }));
        Ok(())
    }
}

/// What came and is no whole call yet.
struct Incoming {
    half: Vec<u8>,
    /// Bytes of it in which there is no end of a line.
    searched: usize,
    weight: Weight,
}

impl Incoming {
    /// Reads what there is; `None` at the end of the stream.
    async fn read(&mut self, stream: &Stream) -> Option<()> {
        self.half.reserve(READ);
        stream.read(&mut self.half).await.ok().filter(|length| *length > 0).map(drop)
    }

    /// Gives the lines that are whole, without their ends, up to the first that is at fault. Then
    /// what is left must be within the bounds.
    fn take(&mut self, mut each: impl FnMut(&[u8]) -> Result<(), String>) -> Result<(), String> {
        let mut taken = 0;
        while let Some(more) = self.half[self.searched..].iter().position(|&byte| byte == b'\n') {
            let end = self.searched + more;
            // One read may bring the rest of a line that is too long.
            if end - taken >= frame::LONGEST {
                return Err(TOO_MUCH.to_owned());
            }
            each(&self.half[taken..end])?;
            taken = end + 1;
            self.searched = taken;
        }
        self.half.drain(..taken);
        self.searched = self.half.len();
        if self.half.is_empty() && self.half.capacity() > 2 * READ {
            // A long call leaves no room behind that nobody counts.
            self.half = Vec::new();
        }
        let fits =
            self.half.len() <= frame::LONGEST && self.weight.set(self.half.len(), MOST_BYTES);
        if fits { Ok(()) } else { Err(TOO_MUCH.to_owned()) }
    }
}

/// Answers that the other end has not taken.
struct Outgoing {
    answers: VecDeque<(Vec<u8>, Weight)>,
    /// Bytes of the first that are written.
    written: usize,
}

impl Outgoing {
    fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    fn push(&mut self, answer: Vec<u8>, weight: Weight) {
        self.answers.push_back((answer, weight));
    }

    /// Writes as much of the first answer as the other end takes at once, and waits only if that is
    /// nothing.
    async fn write(&mut self, stream: &Stream) -> io::Result<()> {
        let Some((first, _)) = self.answers.front() else { return Ok(()) };
        self.written += stream.write_some(&first[self.written..]).await?;
        if self.written == first.len() {
            self.written = 0;
            self.answers.pop_front();
        }
        Ok(())
    }
}
