use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::provider::Sees;

fn provider(name: &str, key: Option<&str>, model: Option<&str>) -> Provider {
    Provider {
        name: name.to_owned(),
        api: Api::OpenaiChat,
        base_url: "http://localhost:1/v1".to_owned(),
        api_key_env: key.map(str::to_owned),
        max_tokens: None,
        context_tokens: None,
        sees: Sees::Pictures,
        think: crate::kernel::provider::Think::AsProvided,
        model: model.map(str::to_owned),
    }
}

fn models(set: &'static [&'static str]) -> Models {
    let providers = vec![
        provider("first", Some("FIRST_KEY"), Some("one")),
        provider("second", Some("SECOND_KEY"), Some("two")),
        provider("local", None, None),
    ];
    let env = |name: &str| set.contains(&name).then(|| "sk-secret".to_owned());
    Models::new(providers, env, Pace::Instant)
}

#[test]
fn a_price_is_what_a_person_set_and_a_script_takes_nothing() {
    let set = Price { input: 2.0.try_into().unwrap(), ..Price::NOTHING };
    let prices = [("first/one", set), ("scripted:dear", set)];
    let prices = prices.map(|(name, price)| (name.to_owned(), price)).into();
    let models = models(&[]).with_prices(prices);
    for (name, expected) in [
        ("first/one", Some(set)),
        ("first", Some(set)),
        ("second", None),
        ("scripted:tour", Some(Price::NOTHING)),
        ("scripted:dear", Some(set)),
    ] {
        assert_eq!(models.price(name), expected, "{name}");
    }
}

#[test]
fn what_is_missing_is_told_with_what_to_do() {
    #[track_caller]
    fn check(name: &str, expected: &str) {
        let Err(error) = models(&[]).resolve(name) else { panic!("{name} was found") };
        assert_eq!(error.to_string(), expected);
    }
    check(
        "first/m",
        "no key for first: FIRST_KEY is not set\n\
         set it and start again, for example: export FIRST_KEY=…",
    );
    check(
        "third/m",
        "there is no provider \"third\"; known are first, second, local\n\
         add [providers.third] with api and base_url to config.toml, or name another",
    );
    for name in ["", "/m", "local/"] {
        check(
            name,
            &format!(
                "{name:?} names no model\nwrite PROVIDER/MODEL, scripted:FILE or scripted:tour"
            ),
        );
    }
    check(
        "local",
        "\"local\" is a provider; which of its models is meant is not set\nwrite local/MODEL",
    );
}

#[test]
fn a_model_is_found_by_its_name() {
    let models = models(&["FIRST_KEY"]);
    for name in ["first/m", "first/with/a/slash", "first", "local/m", TOUR_NAME] {
        assert!(models.resolve(name).is_ok(), "{name}");
    }
}

#[test]
fn the_chosen_model_goes_before_the_first_provider_with_a_key() {
    let chosen = |set, name| models(set).choose(name);
    assert_eq!(chosen(&["SECOND_KEY"], Some("a/b")).as_deref(), Some("a/b"));
    assert_eq!(chosen(&["SECOND_KEY"], None).as_deref(), Some("second/two"));
    assert_eq!(chosen(&["FIRST_KEY", "SECOND_KEY"], None).as_deref(), Some("first/one"));
    assert_eq!(chosen(&[], None), None);
}

#[test]
fn the_first_screen_learns_who_has_a_key() {
    let keys: Vec<_> =
        models(&["FIRST_KEY"]).available().into_iter().map(|known| known.key).collect();
    assert_eq!(
        keys,
        [Key::Present("FIRST_KEY".into()), Key::Missing("SECOND_KEY".into()), Key::NotNeeded]
    );
}

#[tokio::test]
async fn where_no_model_is_connected_every_request_says_what_to_do() {
    let model = models(&[]).resolve(NONE).unwrap();
    let told = loopback::told(model.respond(ModelRequest::default())).await;
    assert_eq!(told, " ! No model is connected.");
}
