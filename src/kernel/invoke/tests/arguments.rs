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
