use std::sync::Arc;

use pretty_assertions::assert_eq;
use ratatui::{layout::Rect, text::Line};

use super::*;
use crate::tui::terminal::{
    Terminal,
    tests::{Fake, enter},
};

fn here(bytes: &str) -> Arc<Drawing> {
    Arc::new(Drawing::Here(bytes.to_owned()))
}

fn once(id: u32) -> Arc<Drawing> {
    Arc::new(Drawing::Once { id, bytes: format!("<send {id}>"), away: format!("<away {id}>") })
}

fn plate(picture: &Arc<Drawing>, x: u16, y: u16) -> Plate {
    Plate { area: Rect { x, y, width: 4, height: 1 }, picture: picture.clone() }
}

/// What the terminal is sent for a frame with these pictures, and this text in its first row.
async fn frame(fake: &Fake, terminal: &mut Terminal, text: &str, plates: &[Plate]) -> String {
    terminal.wait_ready().await;
    let before = fake.text().len();
    let text = Line::from(text.to_owned());
    let view = |frame: &mut ratatui::Frame<'_>| {
        frame.render_widget(text, frame.area());
        plates.to_vec()
    };
    assert!(terminal.draw_with(view).unwrap());
    terminal.wait_ready().await;
    fake.text()[before..].to_owned()
}

#[tokio::test]
async fn what_lies_over_cells_is_sent_once_and_again_when_something_was_written_there() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    let picture = here("<picture>");
    let plates = [plate(&picture, 2, 1)];
    let sent = frame(&fake, &mut terminal, "one", &plates).await;
    let whole = sent.strip_suffix("\x1b7\x1b[2;3H<picture>\x1b8\x1b[?2026l");
    assert!(whole.is_some_and(|text| text.contains("one")), "{sent:?}");
    assert_eq!(frame(&fake, &mut terminal, "one", &plates).await, "");
    let other = frame(&fake, &mut terminal, "two", &plates).await;
    assert!(other.contains("two") && !other.contains("<picture>"), "{other:?}");
    // Its own row is written, as by a selection that ended.
    let plates = [plate(&picture, 0, 0)];
    frame(&fake, &mut terminal, "two", &plates).await;
    let over = frame(&fake, &mut terminal, "six", &plates).await;
    assert!(over.contains("<picture>"), "{over:?}");
    terminal.resize(ratatui::layout::Size::new(21, 3));
    let again = frame(&fake, &mut terminal, "six", &plates).await;
    assert!(again.contains("<picture>"), "{again:?}");
}

#[tokio::test]
async fn where_it_is_no_longer_the_cells_are_written_again() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    let picture = here("<picture>");
    frame(&fake, &mut terminal, "one", &[plate(&picture, 2, 1)]).await;
    let moved = frame(&fake, &mut terminal, "one", &[plate(&picture, 2, 2)]).await;
    // The row is emptied first, then the picture drawn in its new one.
    let (cleared, drawn) = (moved.find("\x1b[2;1H\x1b[K"), moved.find("\x1b[3;3H<picture>"));
    assert!(cleared.is_some() && cleared < drawn, "{moved:?}");
    let gone = frame(&fake, &mut terminal, "one", &[]).await;
    assert!(gone.contains("\x1b[3;1H\x1b[K") && !gone.contains("<picture>"), "{gone:?}");
    assert_eq!(frame(&fake, &mut terminal, "one", &[]).await, "");
}

#[tokio::test]
async fn what_the_terminal_keeps_is_sent_before_its_first_place_and_removed_at_the_end() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    let picture = once(7);
    let sent = frame(&fake, &mut terminal, "one", &[plate(&picture, 0, 1)]).await;
    assert!(sent.find("<send 7>") < sent.find("one"), "{sent:?}");
    for plates in [vec![], vec![plate(&picture, 0, 2)]] {
        let sent = frame(&fake, &mut terminal, "two", &plates).await;
        assert!(!sent.contains("<send"), "{sent:?}");
    }
    // The same name for another picture.
    let sent = frame(&fake, &mut terminal, "two", &[plate(&once(7), 0, 1)]).await;
    assert!(sent.contains("<send 7>"), "{sent:?}");
    terminal.leave().unwrap();
    assert_eq!(fake.text().matches("<away 7>").count(), 1);
    terminal.take_again().unwrap();
    terminal.wait_ready().await;
    let sent = frame(&fake, &mut terminal, "two", &[plate(&picture, 0, 1)]).await;
    assert!(sent.contains("<send 7>"), "{sent:?}");
}

#[tokio::test]
async fn the_terminal_keeps_no_more_than_a_few_that_are_out_of_sight() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    for id in 0..20 {
        frame(&fake, &mut terminal, "one", &[plate(&once(id), 0, 1)]).await;
    }
    let text = fake.text();
    let removed: Vec<u32> = (0..20).filter(|id| text.contains(&format!("<away {id}>"))).collect();
    assert_eq!(removed, (0..8).collect::<Vec<_>>());
}
