use super::*;

#[test]
fn nothing_in_words_ends_the_mark_they_stand_in() {
    assert_eq!(code("a`b``c"), "``` a`b``c ```");
    assert_eq!(code("plain"), "`plain`");
    assert_eq!(inline("a *b* [c](d) \u{1b}[2Je\nf"), "a \\*b\\* \\[c\\](d) ⟨U+001B⟩\\[2Je f");
}

fn page<'a>(zone: &'a TimeZone, out: &'a mut dyn Write) -> Page<'a> {
    Page { zone, out, said: 0, asked: Vec::new(), answer: None, thought: String::new() }
}

#[test]
fn what_was_thought_is_marked_and_stands_apart_from_what_was_said() {
    let mut out = Vec::new();
    let zone = TimeZone::UTC;
    let mut page = page(&zone, &mut out);
    let text = |text: &str| text.to_owned();
    for event in [
        Event::TextStreamed { text: text("So: ") },
        Event::ThinkingStreamed { text: text("Is it\nthe ") },
        Event::ThinkingStreamed { text: text("valve? \u{1b}[2J") },
        Event::TextStreamed { text: text("It is.") },
        Event::ThinkingStreamed { text: text(" \n") },
    ] {
        let session = 1.into();
        let at = Timestamp::UNIX_EPOCH;
        page.event(&Envelope { v: 1, seq: 0, at, session, event }).unwrap();
    }
    page.end().unwrap();
    let expected = "\n**Model**\n\nSo: \n\n*Thought by the model, 2 lines:*\n\n```\nIs it\nthe valve? \
                    ⟨U+001B⟩[2J\n```\n\n**Model**\n\nIt is.\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn a_block_has_a_longer_fence_than_any_in_it() {
    let mut out = Vec::new();
    let zone = TimeZone::UTC;
    let mut page = page(&zone, &mut out);
    page.block("```\nrm -rf\n````\nmore", "python", 3).unwrap();
    let expected = "`````python\n```\nrm -rf\n````\n… 1 line more\n`````\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}
