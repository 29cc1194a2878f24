use std::path::Path;

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::{
    money::{Money, Price},
    provider::{Api, Sees, Think},
};

fn nothing(_: &str) -> Option<OsString> {
    None
}

fn read(text: &str) -> Result<Config, ConfigError> {
    Config::from_text(Path::new("config.toml"), text, &nothing, Flags::default())
}

fn provider(config: &Config, name: &str) -> crate::kernel::provider::Provider {
    config.providers.iter().find(|known| known.name == name).unwrap().clone()
}

#[test]
fn an_empty_file_is_the_defaults() {
    let config = read("").unwrap();
    assert_eq!(config.mode, Mode::Default);
    assert_eq!((config.timeout_ms, config.ceiling_ms), (60_000, 600_000));
    assert_eq!(config.expires_s, None);
    assert_eq!(config.model, None);
    assert_eq!(config.runs, Runs::BySeal);
    assert_eq!(read("[execution]\nask_always = true\n").unwrap().runs, Runs::Asked);
    assert_eq!(config.providers, built_in());
}

#[test]
fn a_monitor_is_set_by_the_file_alone_and_waited_for_some_seconds() {
    assert_eq!(read("").unwrap().monitor, None);
    let monitor = |model: &str, timeout_s| Some(Monitor { model: model.to_owned(), timeout_s });
    let text = "[approval.monitor]\nmodel = 'a/b'\n";
    assert_eq!(read(text).unwrap().monitor, monitor("a/b", 10));
    let more = format!("{text}timeout_s = 3\n");
    // Whatever else says which model to use.
    let env = |name: &str| (name != "FOOTPLATE_SCREEN").then(|| "auto".into());
    let flags = Flags { model: Some("a/flag".to_owned()), ..Flags::default() };
    let config = Config::from_text(Path::new("c"), &more, &env, flags).unwrap();
    assert_eq!(config.monitor, monitor("a/b", 3));
    for (wrong, place) in [
        ("[approval.monitor]\n", "config.toml:1:1: "),
        ("[approval]\nmonitor = 'a/b'\n", "config.toml:2:11: "),
        (
            "[approval.monitor]\nmodel = 'none'\n",
            "config.toml:2:9: approval.monitor.model names no",
        ),
        ("[approval.monitor]\nmodel = ''\n", "config.toml:2:9: approval.monitor.model names no"),
        (
            "[approval.monitor]\nmodel = 'a/b'\ntimeout_s = 0\n",
            "config.toml:3:13: approval.monitor.timeout_s is 0\nset it to at least 1 and at most 120",
        ),
        ("[approval.monitor]\nmodel = 'a/b'\ntimeout_s = 121\n", "config.toml:3:13: "),
        (
            "[approval.monitor]\nmodl = 'a/b'\n",
            "config.toml:2:1: `modl` is no setting\ndid you mean `model`?",
        ),
    ] {
        let error = read(wrong).unwrap_err().to_string();
        assert!(error.starts_with(place), "{wrong}: {error}");
    }
}

#[test]
fn each_layer_lies_over_the_one_before() {
    let text = "model = 'a/file'\nmode = 'plan'\ntheme = 'file'\n";
    let env = |name: &str| match name {
        "FOOTPLATE_MODEL" => Some("a/env".into()),
        "FOOTPLATE_MODE" => Some("auto".into()),
        _ => None,
    };
    let flags = Flags { model: Some("a/flag".to_owned()), ..Flags::default() };
    let config = Config::from_text(Path::new("c"), text, &env, flags).unwrap();
    assert_eq!(config.model.as_deref(), Some("a/flag"));
    assert_eq!(config.mode, Mode::Auto);
    assert_eq!(config.theme.as_deref(), Some("file"));
}

#[test]
fn how_much_of_the_terminal_is_the_screen_is_one_of_three_words() {
    let config = |text: &str, variable: Option<&'static str>| {
        let env = move |name: &str| variable.filter(|_| name == "FOOTPLATE_SCREEN").map(Into::into);
        Config::from_text(Path::new("config.toml"), text, &env, Flags::default())
    };
    let shown = |text: &str, variable| config(text, variable).unwrap().screen.surface;
    assert_eq!(shown("", None), Surface::Whole);
    assert_eq!(shown("[screen]\nkind = 'lines'\n", None), Surface::Lines);
    assert_eq!(shown("[screen]\nkind = 'lines'\n", Some("inline")), Surface::Inline);
    let fault = |text, variable| config(text, variable).unwrap_err().to_string();
    assert_eq!(
        fault("[screen]\nkind = 'line'\n", None),
        "config.toml:2:8: `line` is no value\ndid you mean `lines`?"
    );
    assert_eq!(
        fault("", Some("line")),
        "FOOTPLATE_SCREEN is \"line\", which is no screen\nset it to one of: full, inline, lines"
    );
}

#[test]
fn a_mistake_is_told_with_its_place_and_what_to_do() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(read(text).unwrap_err().to_string(), expected);
    }
    check("# mine\nmodle = 'x'\n", "config.toml:2:1: `modle` is no setting\ndid you mean `model`?");
    check(
        "[execution]\ntimeout = 5\n",
        "config.toml:2:1: `timeout` is no setting\ndid you mean `timeout_ms`?",
    );
    check(
        "[approval]\nexpires_s = 0\n",
        "config.toml:2:13: approval.expires_s is 0, so no question could be answered\n\
         set it to at least 1, or take it out and questions wait for ever",
    );
    check(
        "mode = 'plan'\n# again\nmode = 'auto'\n",
        "config.toml:3:1: `mode` stands here a second time\n\
         keep one of the two, and take the other out",
    );
    check(
        "[screen]\nascii = true\n[screen]\n",
        "config.toml:3:2: `screen` stands here a second time\n\
         keep one of the two, and take the other out",
    );
    check("mode = 'defualt'\n", "config.toml:1:8: `defualt` is no value\ndid you mean `default`?");
    check(
        "[screen]\nzzz = true\n",
        "config.toml:2:1: `zzz` is no setting\nwhat can stand here: kind, ascii, mouse, motion, notice, pictures",
    );
    check(
        "[execution]\ntimeout_ms = 900000\n",
        "config.toml:2:14: execution.timeout_ms is 900000, and ceiling_ms is 600000\n\
         set timeout_ms to at least 1 and at most ceiling_ms",
    );
    check(
        "[providers.mine]\nbase_url = 'http://x'\n",
        "config.toml:1:1: the provider \"mine\" needs both `api` and `base_url`\n\
         add them; only anthropic, openai, gemini, ollama are known without",
    );
    check(
        "[providers.openai]\napi = 'openai-responses'\n",
        "config.toml:2:7: the api \"openai-responses\" is not spoken by this version; most \
         servers that have it speak \"openai-chat\" as well\ncorrect this line, or take it out",
    );
    check(
        "[providers.openai]\napi = 'open-chat'\n",
        "config.toml:2:7: `open-chat` is no value\ndid you mean `openai-chat`?",
    );
}

#[test]
fn text_that_is_no_toml_is_told_with_its_line() {
    for text in ["model = \n", "a b c", "[", "mode = 5", "\u{feff}x=\0", "theme = \"é"] {
        let error = read(text).unwrap_err();
        assert!(matches!(error, ConfigError::Wrong { line: 1, .. }), "{text:?}: {error}");
    }
}

#[test]
fn a_mode_in_the_environment_that_is_none_is_refused_by_name() {
    let env = |name: &str| (name == "FOOTPLATE_MODE").then(|| "yolo".into());
    let error = Config::from_text(Path::new("c"), "", &env, Flags::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "FOOTPLATE_MODE is \"yolo\", which is no mode\n\
         set it to one of: plan, default, accept-edits, guarded, auto"
    );
}

#[test]
fn a_provider_can_be_added_and_a_built_in_one_changed() {
    let config = read(
        "[providers.openai]\nmax_tokens = 9\n[providers.ollama]\npictures = false\n\
         [providers.rack]\napi = 'openai-chat'\nbase_url = 'http://rack:8000/v1'\n",
    )
    .unwrap();
    let openai = provider(&config, "openai");
    assert_eq!(
        (openai.max_tokens, openai.base_url.as_str()),
        (Some(9), "https://api.openai.com/v1")
    );
    let rack = provider(&config, "rack");
    assert_eq!((rack.api, rack.api_key_env), (Api::OpenaiChat, None));
    assert_eq!((rack.sees, provider(&config, "ollama").sees), (Sees::Pictures, Sees::Text));
}

#[test]
fn thinking_is_off_or_a_number_of_tokens_and_nothing_is_asked_for_where_it_is_not_set() {
    let think = |value: &str| {
        let config = read(&format!("[providers.anthropic]\nthinking = {value}\n"))?;
        Ok::<_, ConfigError>(provider(&config, "anthropic").think)
    };
    assert_eq!(think("\"off\"").unwrap(), Think::Off);
    assert_eq!(think("8000").unwrap(), Think::Within(8000));
    assert_eq!(provider(&read("").unwrap(), "anthropic").think, Think::AsProvided);
    for (value, said) in [
        ("1023", "thinking is 1023, and takes \"off\" or from 1024 to 1048576 tokens"),
        ("\"much\"", "thinking takes \"off\" or a number of tokens, for example 8000"),
        ("true", "thinking takes \"off\" or a number of tokens, for example 8000"),
    ] {
        let error = think(value).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
        assert!(error.contains(":2:"), "{error}");
    }
}

#[test]
fn the_usual_variables_for_addresses_are_honoured_and_the_file_is_stronger() {
    let env = |name: &str| (name == "OPENAI_BASE_URL").then(|| "http://env/v1".into());
    let url = |text: &str| {
        let config = Config::from_text(Path::new("c"), text, &env, Flags::default()).unwrap();
        provider(&config, "openai").base_url
    };
    assert_eq!(url(""), "http://env/v1");
    assert_eq!(url("[providers.openai]\nbase_url = 'http://file/v1'"), "http://file/v1");
}

#[test]
fn a_variable_that_is_no_text_is_refused_by_name_and_never_passed_over() {
    use std::os::unix::ffi::OsStringExt as _;
    let odd = || OsString::from_vec(b"plan\xff".to_vec());
    let text = "mode = 'auto'\nmodel = 'a/file'\ntheme = 'a'\n";
    let flags = || Flags { mode: Some(Mode::Auto), ..Flags::default() };
    for name in [
        "FOOTPLATE_MODE",
        "FOOTPLATE_MODEL",
        "FOOTPLATE_THEME",
        "ANTHROPIC_BASE_URL",
        "OPENAI_BASE_URL",
    ] {
        let env = |asked: &str| (asked == name).then(odd);
        for flags in [Flags::default(), flags()] {
            let error = Config::from_text(Path::new("c"), text, &env, flags).unwrap_err();
            let said =
                format!("{name} is \"plan\\xFF\", which is not UTF-8\nset it to text that is");
            assert!(error.to_string().starts_with(&said), "{error}");
        }
    }
    let error = Home::find(&|asked: &str| (asked == "FOOTPLATE_HOME").then(odd)).unwrap_err();
    assert!(error.to_string().starts_with("FOOTPLATE_HOME is \"plan\\xFF\""), "{error}");
}

#[test]
fn one_variable_puts_everything_under_one_folder() {
    let env = |name: &str| (name == "FOOTPLATE_HOME").then(|| "/here".into());
    let home = Home::find(&env).unwrap();
    assert_eq!(home, Home::under(Path::new("/here")));
    assert_eq!(home.config_file(), Path::new("/here/config/config.toml"));
}

#[test]
fn a_missing_file_is_no_error_and_an_unreadable_one_is() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::under(folder.path());
    assert!(Config::load(&home, &nothing, Flags::default()).is_ok());
    std::fs::create_dir_all(home.config_file()).unwrap();
    let error = Config::load(&home, &nothing, Flags::default()).unwrap_err();
    assert!(error.to_string().starts_with("cannot read "), "{error}");
}

#[test]
fn limits_and_prices_are_a_person_s_own_and_flags_stand_above_them() {
    let money = |amount: f64| Money::try_from(amount).unwrap();
    let config = read("").unwrap();
    assert_eq!((config.limits, config.prices.len()), (Limits::default(), 0), "no price is guessed");
    let text = "[limits]\ntokens = 9\ncost = 2\nminutes = 5\nturns = 7\nagents_at_once = 2\n\
                depth = 0\n[models.'a/b']\ninput_per_mtok = 3\noutput_per_mtok = 1.5\n";
    let config = read(text).unwrap();
    let ceiling = Ceiling { tokens: Some(9), cost: Some(money(2.0)), minutes: Some(5) };
    let limits = Limits { turns: 7, agents_at_once: 2, depth: 0, ceiling, ..Limits::default() };
    assert_eq!(config.limits, limits);
    assert_eq!(config.prices["a/b"], Price { input: money(3.0), output: money(1.5) });
    let flags =
        Flags { ceiling: Ceiling { tokens: Some(1), ..Ceiling::default() }, ..Flags::default() };
    let config = Config::from_text(Path::new("c"), text, &nothing, flags).unwrap();
    assert_eq!(config.limits.ceiling, Ceiling { tokens: Some(1), ..ceiling });
    for (wrong, fault) in [
        ("[limits]\ntoken = 9\n", "config.toml:2:1: `token` is no setting\ndid you mean `tokens`?"),
        ("[limits]\ntokens = 0\n", "config.toml:2:10: "),
        ("[limits]\ncost = -1\n", "config.toml:2:8: an amount of money is from 0 "),
        (
            "[models.'a/b']\ninput_per_mtok = 1\n",
            "config.toml:1:1: missing field `output_per_mtok`",
        ),
    ] {
        let error = read(wrong).unwrap_err().to_string();
        assert!(error.starts_with(fault), "{error}");
    }
}
