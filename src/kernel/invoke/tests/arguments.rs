//! Arguments that are no object, or mean two things, or are not what the capability takes.

use super::*;

#[tokio::test]
async fn what_is_wrong_with_a_call_is_said_before_anything_is_asked() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let text = |text: &str| Input::Text(text.to_owned());
    let cases = [
        (
            "gone",
            text("{}"),
            "unknown_tool",
            "There is no tool \"gone\" here. There is: look, change, start, send.",
        ),
        ("look", text("[]"), "invalid_input", "Invalid input for look: expected object"),
        ("look", text("[\"here\"]"), "invalid_input", "Invalid input for look: expected object"),
        ("look", text("\"{}\""), "invalid_input", "Invalid input for look: expected object"),
        ("look", text("null"), "invalid_input", "Invalid input for look: expected object"),
        (
            "change",
            text("{\"word\":\"a\",\"word\":\"b\"}"),
            "invalid_input",
            "Invalid input for change: the key \"word\" is there twice at line 1 column 18",
        ),
        (
            "look",
            text(""),
            "invalid_input",
            "Invalid input for look: missing required property \"word\"",
        ),
        (
            "look",
            text("{\"word\":1}"),
            "invalid_input",
            "Invalid input for look.word: expected string",
        ),
        (
            "look",
            text("{\"word\":\"a\",\"more\":1}"),
            "invalid_input",
            "Invalid input for look: unknown property \"more\"",
        ),
        ("change", text("{\"word\":\"bad\"}"), "failed", "not that word"),
    ];
    for (name, input, code, message) in cases {
        let result = fixture.call(name, input).await;
        assert!(!result.ok);
        assert_eq!(result.content["error"], code);
        assert_eq!(result.content["message"], message);
    }
    let broken = fixture.call("look", text("{\"word\": ")).await;
    let message = broken.content["message"].as_str().unwrap();
    assert!(
        message.starts_with("Invalid input for look: expected a JSON object; this is not JSON:")
    );
    let two = fixture.call("look", text("{\"word\":\"a\"} {}")).await;
    assert!(two.text().contains("this is not JSON: trailing characters"), "{two:?}");
    assert_eq!(fixture.types(), vec!["call_finished"; 12]);
}

#[tokio::test]
async fn what_means_two_things_at_any_depth_or_is_not_one_object_is_never_asked_about() {
    let fixture = fixture(Mode::Auto, Attended::Yes);
    let deep = format!("{{\"word\":{}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let cases = [
        (r#"{"word":{"a":[{"b":1,"b":2}]}}"#, "the key \"b\" is there twice"),
        (r#"{"word":"a","more":[[{"x":{},"x":{}}]]}"#, "the key \"x\" is there twice"),
        (r#"{"word":"a","w\u006frd":"b"}"#, "the key \"word\" is there twice"),
        (r#"[{"word":"a"}]"#, "expected object"),
        (r#"{"word":"a"},{"word":"b"}"#, "this is not JSON"),
        ("{\"word\":\"a\"}\n{\"word\":\"b\"}", "this is not JSON"),
        ("\u{feff}{\"word\":\"a\"}", "this is not JSON"),
        ("true", "expected object"),
        ("1e999", "this is not JSON"),
        (&deep, "this is not JSON"),
    ];
    for (text, fault) in cases {
        let result = fixture.call("change", Input::Text(text.to_owned())).await;
        assert_eq!(result.error_code(), Some(ErrorCode::InvalidInput), "{text:.60}");
        let message = result.content["message"].as_str().unwrap();
        assert!(message.contains(fault), "{text:.60}: {message}");
    }
    for value in [json!(null), json!([]), json!("{}"), json!(1)] {
        let result = fixture.call("change", Input::Value(value.clone())).await;
        assert_eq!(result.error_code(), Some(ErrorCode::InvalidInput), "{value}");
    }
    assert!(fixture.ran().is_empty());
    assert!(fixture.types().iter().all(|name| name == "call_finished"));
}

#[tokio::test]
async fn a_name_that_hides_something_is_told_in_one_form() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let result = fixture.call("wri\u{1b}[31mte\u{202e}", Input::Value(json!({}))).await;
    let said = result.content["message"].as_str().unwrap();
    assert!(said.starts_with("There is no tool \"wri⟨U+001B⟩[31mte⟨U+202E⟩\" here."), "{said}");
    let input = Input::Value(json!({ "word": "a", "x\u{200b}": 1 }));
    let said = fixture.call("change", input).await.content["message"].to_string();
    assert!(said.contains("unknown property \\\"x⟨U+200B⟩\\\""), "{said}");
}
