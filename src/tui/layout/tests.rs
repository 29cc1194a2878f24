//! Sizes, what is there, and where it is then.

use pretty_assertions::assert_eq;

use super::*;

fn there() -> There {
    There { session: true, composer: 3, ..There::default() }
}

fn laid(width: u16, height: u16, there: &There) -> Layout {
    let (size, sizes) = (Size { width, height }, Remembered::default());
    let alone = there.alone.is_some();
    Layout::of(&Columns::of(size, &sizes, alone), &sizes, there)
}

fn places(layout: &Layout) -> Vec<(Focus, (u16, u16, u16, u16))> {
    let place = |area: &Rect| (area.x, area.y, area.width, area.height);
    layout.panes.iter().map(|(pane, area)| (*pane, place(area))).collect()
}

#[test]
fn each_class_of_sizes_has_its_panes_at_their_places_in_the_order_of_tab() {
    use Focus::{Changes, Composer, Output, Plan, Question, Sessions, Transcript, Waiting};
    let (one, two): (CallId, CallId) = (1.into(), 2.into());
    let asks = There { question: 8, ..there() };
    let outputs = There { outputs: vec![one, two], ..there() };
    let full = There { plan: 6, changes: 2, outputs: vec![one, two], ..there() };
    let table = [
        (80, 24, there(), vec![(Composer, (0, 19, 80, 3)), (Transcript, (0, 0, 80, 19))]),
        (
            80,
            24,
            asks.clone(),
            vec![
                (Composer, (0, 19, 80, 3)),
                (Question, (0, 11, 80, 8)),
                (Transcript, (0, 0, 80, 11)),
            ],
        ),
        (40, 12, asks.clone(), vec![(Question, (0, 0, 40, 10))]),
        (39, 12, asks, vec![]),
        (
            120,
            40,
            outputs,
            vec![
                (Composer, (29, 36, 91, 3)),
                (Output(one), (29, 21, 91, 8)),
                (Output(two), (29, 29, 91, 7)),
                (Transcript, (29, 0, 91, 21)),
                (Sessions, (0, 0, 28, 22)),
                (Waiting, (0, 22, 28, 17)),
            ],
        ),
        (
            200,
            60,
            full,
            vec![
                (Composer, (39, 56, 97, 3)),
                (Transcript, (39, 0, 97, 56)),
                (Sessions, (0, 0, 38, 41)),
                (Waiting, (0, 41, 38, 18)),
                (Output(one), (137, 0, 63, 32)),
                (Output(two), (137, 32, 63, 15)),
                (Plan, (137, 47, 63, 8)),
                (Changes, (137, 55, 63, 4)),
            ],
        ),
    ];
    for (width, height, there, expected) in table {
        assert_eq!(places(&laid(width, height, &there)), expected, "{width}x{height}");
    }
}

#[test]
fn a_pane_that_is_alone_has_all_rows_but_the_last() {
    for (width, height) in [(60, 15), (80, 24), (120, 40), (200, 60)] {
        let there = There { alone: Some(Focus::Plan), ..there() };
        let layout = laid(width, height, &there);
        assert_eq!(places(&layout), [(Focus::Plan, (0, 0, width, height - 1))]);
        assert_eq!((layout.seams, layout.status.y), (vec![], height - 1));
    }
}

#[test]
fn at_every_size_panes_lie_on_the_screen_and_no_two_on_the_same_cell() {
    let calls: Vec<CallId> = (1..9_u128).map(Into::into).collect();
    for width in (1..210).step_by(7).chain([40, 59, 60, 99, 100, 159, 160]) {
        for height in (1..70).step_by(3).chain([10, 14, 15, 29, 30, 44, 45]) {
            for (question, outputs) in [(0, 0), (0, 3), (12, 2), (200, 8)] {
                let there = There {
                    question,
                    outputs: calls[..outputs].to_vec(),
                    plan: 30,
                    changes: 30,
                    away: 30,
                    ..there()
                };
                let layout = laid(width, height, &there);
                for (at, (pane, area)) in layout.panes.iter().enumerate() {
                    let on = area.right() <= width && area.bottom() <= height;
                    assert!(on, "{pane:?} {width}x{height}");
                    let over = layout.panes[at + 1..].iter().find(|(_, other)| {
                        let both = area.intersection(*other);
                        both.width > 0 && both.height > 0
                    });
                    assert_eq!(over, None, "{pane:?} {width}x{height}");
                }
                let main = layout.at(Focus::Transcript).width;
                let columns = layout.room.has_columns();
                assert!(!columns || main >= 50, "{main} at {width}x{height}");
            }
        }
    }
}

#[test]
fn an_edge_goes_where_it_is_dragged_as_far_as_the_rest_keeps_room() {
    let size = Size { width: 200, height: 60 };
    let mut sizes = Remembered::default();
    for (edge, to, left, right) in [
        (Edge::Left, 30, 30, 63),
        (Edge::Left, 2, 16, 63),
        (Edge::Right, 150, 16, 49),
        (Edge::Right, 10, 16, 132),
        (Edge::Right, 199, 16, 24),
        (Edge::Left, 190, 124, 24),
    ] {
        sizes.drag(edge, size, 50, (to, 0));
        assert_eq!((sizes.full.left, sizes.full.right), (left, right), "{edge:?} to {to}");
        let columns = Columns::of(size, &sizes, false);
        assert!(columns.main.width >= 50, "{edge:?} to {to}");
    }
    let mut sizes = Remembered::default();
    let wide = Size { width: 120, height: 40 };
    assert!(sizes.drag(Edge::Below, wide, 36, (0, 20)));
    assert_eq!(sizes.wide.below, 16);
    assert!(!sizes.drag(Edge::Below, wide, 36, (0, 20)), "it is there already");
    assert!(sizes.drag(Edge::Upper, wide, 36, (0, 10)));
    let columns = Columns::of(wide, &sizes, false);
    assert_eq!(Layout::of(&columns, &sizes, &there()).at(Focus::Waiting).y, 10);
    assert_eq!(sizes.full, Remembered::default().full, "each class has its own");
}

#[test]
fn sizes_are_read_back_as_they_were_written_and_what_is_no_such_file_is_nothing() {
    let mut sizes = Remembered::default();
    sizes.drag(Edge::Left, Size { width: 120, height: 40 }, 36, (40, 0));
    assert_eq!(Remembered::read(&sizes.text()), sizes);
    assert_eq!(Remembered::read("[wide]\nleft = \"x\""), Remembered::default());
    assert_eq!(Remembered::read("[wide]\nleft = 33\n").wide.left, 33);
}
