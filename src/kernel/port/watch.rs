//! What happens, for those who watch: first what has happened so far, read as fast as it is taken and
//! no faster, then what comes. What is read of sessions that run elsewhere comes likewise, as fast as
//! it is taken.

use std::{collections::HashMap, sync::Arc};

use tokio::sync::mpsc::{Receiver, UnboundedReceiver, error::TryRecvError};
use tokio_util::sync::CancellationToken;

use crate::kernel::{event::Envelope, id::SessionId};

/// The events of sessions. One that was read back and published as well comes once.
#[derive(Debug)]
pub struct Watch {
    /// What has happened so far, until that is over.
    past: Option<Receiver<Arc<Envelope>>>,
    live: UnboundedReceiver<Arc<Envelope>>,
    /// What is read of sessions that run elsewhere.
    read: Option<Receiver<Read>>,
    /// One that is live and waits for what was read before it came.
    held: Option<Arc<Envelope>>,
    /// The last number of each session that came from the past.
    seen: HashMap<SessionId, u64>,
}

/// What was read of a session that runs elsewhere.
#[derive(Clone, Debug)]
pub struct Read {
    /// What happened there.
    pub envelope: Arc<Envelope>,
    /// Nobody looks at that session any more: it comes to nobody from here on.
    pub left: CancellationToken,
}

impl Watch {
    /// What `past` gives until its sender is gone, then what is `live` and was not among that. What
    /// is read back was published, if at all, after `live` began.
    pub fn new(past: Receiver<Arc<Envelope>>, live: UnboundedReceiver<Arc<Envelope>>) -> Self {
        Self { past: Some(past), ..live.into() }
    }

    /// Gives also what comes from there. What is sent there before something is published comes before
    /// it.
    pub fn and_read(self, read: Receiver<Read>) -> Self {
        Self { read: Some(read), ..self }
    }

    /// The next event; nothing once nothing can happen any more. Losing the future loses no event.
    pub async fn recv(&mut self) -> Option<Arc<Envelope>> {
        if let Some(past) = &mut self.past {
            if let Some(envelope) = past.recv().await {
                self.seen.insert(envelope.session, envelope.seq);
                return Some(envelope);
            }
            self.past = None;
        }
        loop {
            if let Some(envelope) = self.read_now().or_else(|| self.held.take()) {
                return Some(envelope);
            }
            let live = match &mut self.read {
                None => self.live.recv().await?,
                Some(read) => tokio::select! {
                    biased;
                    Some(read) = read.recv() => match read.left.is_cancelled() {
                        true => continue,
                        false => return Some(read.envelope),
                    },
                    live = self.live.recv() => live?,
                },
            };
            self.held = Some(live).filter(|envelope| self.is_new(envelope));
        }
    }

    /// The next event, if it is there.
    pub fn try_recv(&mut self) -> Result<Arc<Envelope>, TryRecvError> {
        if let Some(past) = &mut self.past {
            match past.try_recv() {
                Ok(envelope) => {
                    self.seen.insert(envelope.session, envelope.seq);
                    return Ok(envelope);
                }
                Err(TryRecvError::Empty) => return Err(TryRecvError::Empty),
                Err(TryRecvError::Disconnected) => self.past = None,
            }
        }
        loop {
            if let Some(envelope) = self.read_now().or_else(|| self.held.take()) {
                return Ok(envelope);
            }
            let live = self.live.try_recv()?;
            self.held = Some(live).filter(|envelope| self.is_new(envelope));
        }
    }

    fn read_now(&mut self) -> Option<Arc<Envelope>> {
        let read = self.read.as_mut()?;
        let next = std::iter::from_fn(|| read.try_recv().ok());
        next.filter(|read| !read.left.is_cancelled()).map(|read| read.envelope).next()
    }

    fn is_new(&mut self, envelope: &Envelope) -> bool {
        let seen = self.seen.get(&envelope.session);
        let is_new = seen.is_none_or(|seen| envelope.seq > *seen);
        if is_new {
            // From here on all of them are live.
            self.seen.remove(&envelope.session);
        }
        is_new
    }
}

impl From<UnboundedReceiver<Arc<Envelope>>> for Watch {
    /// Nothing has happened so far.
    fn from(live: UnboundedReceiver<Arc<Envelope>>) -> Self {
        Self { past: None, live, read: None, held: None, seen: HashMap::new() }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::{channel, unbounded_channel};

    use super::*;
    use crate::kernel::event::{Event, VERSION};

    fn event(session: u128, seq: u64) -> Arc<Envelope> {
        let event = Event::said("");
        let at = jiff::Timestamp::UNIX_EPOCH;
        Arc::new(Envelope { v: VERSION, seq, at, session: session.into(), event })
    }

    #[tokio::test]
    async fn what_is_read_back_comes_first_and_what_was_published_meanwhile_once() {
        let (reads, past) = channel(4);
        let (publishes, live) = unbounded_channel();
        let mut watch = Watch::new(past, live);
        for seq in 2..5 {
            publishes.send(event(1, seq)).unwrap();
        }
        publishes.send(event(2, 0)).unwrap();
        assert_eq!(watch.try_recv().unwrap_err(), TryRecvError::Empty, "the past is not over");
        for seq in 0..4 {
            reads.send(event(1, seq)).await.unwrap();
        }
        drop(reads);
        let mut came = vec![watch.try_recv().unwrap(), watch.recv().await.unwrap()];
        drop(publishes);
        while let Some(envelope) = watch.recv().await {
            came.push(envelope);
        }
        let numbers: Vec<_> = came.iter().map(|it| (it.session, it.seq)).collect();
        let one = |seq| (SessionId::from(1), seq);
        assert_eq!(numbers, [one(0), one(1), one(2), one(3), one(4), (2.into(), 0)]);
    }

    #[tokio::test]
    async fn what_is_read_of_elsewhere_comes_before_what_is_published_after_it() {
        let (publishes, live) = unbounded_channel();
        let (reads, read) = channel(4);
        let mut watch = Watch::from(live).and_read(read);
        let left = CancellationToken::new();
        let read_event = |seq| Read { envelope: event(1, seq), left: left.clone() };
        reads.send(read_event(0)).await.unwrap();
        publishes.send(event(1, 2)).unwrap();
        assert_eq!(watch.recv().await.unwrap().seq, 0);
        // It was taken over while the one that is live was on its way.
        watch.held = watch.live.try_recv().ok();
        reads.send(read_event(1)).await.unwrap();
        assert_eq!(watch.try_recv().unwrap().seq, 1);
        assert_eq!(watch.try_recv().unwrap().seq, 2);
        // It is left while more of it is on its way.
        for seq in 3..5 {
            reads.send(read_event(seq)).await.unwrap();
        }
        assert_eq!(watch.recv().await.unwrap().seq, 3);
        left.cancel();
        assert_eq!(watch.try_recv().unwrap_err(), TryRecvError::Empty);
        reads.send(read_event(5)).await.unwrap();
        drop((reads, publishes));
        assert!(watch.recv().await.is_none());
    }
}
