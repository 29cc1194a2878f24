mod sixteen;

use pretty_assertions::assert_eq;

use super::*;
use crate::tui::clean;

fn built_in() -> impl Iterator<Item = Theme> {
    Theme::BUILT_IN.iter().map(|(name, _)| Theme::built_in(name, Depth::True).expect("a theme"))
}

/// What the nearest of 256 colours looks like.
fn nearest(rgb: Rgb) -> Rgb {
    of_index(rgb.indexed())
}

/// What a colour is shown as.
type Shown = fn(Rgb) -> Rgb;

/// With all colours, and as they are mapped to 256.
const SHOWN: [(&str, Shown); 2] = [("all", |rgb| rgb), ("256", nearest)];

#[test]
fn each_built_in_theme_bears_the_name_it_is_chosen_by() {
    for (theme, (name, source)) in built_in().zip(Theme::BUILT_IN) {
        assert_eq!(theme.name(), name);
        assert!(source.starts_with("# "), "{name} says whose colours it has");
    }
    let light = built_in().filter(Theme::is_light).map(|theme| theme.name().to_owned());
    let expected = [
        "footplate-light",
        "high-contrast-light",
        "gruvbox-light",
        "solarized-light",
        "catppuccin-latte",
    ];
    assert_eq!(light.collect::<Vec<_>>(), expected);
}

/// Roles drawn as text on the screen and on a question.
fn text_roles() -> impl Iterator<Item = Role> {
    let other = [Role::Add, Role::Remove, Role::Select, Role::Match, Role::Escape];
    let grounds = [Role::Ground, Role::Raised, Role::Rule];
    Role::ALL.iter().copied().filter(move |role| !other.contains(role) && !grounds.contains(role))
}

#[test]
fn the_built_in_themes_hold_the_contrast_figures_with_all_colours_and_with_256() {
    for (theme, (colours, shown)) in built_in().flat_map(|theme| SHOWN.map(|s| (theme.clone(), s)))
    {
        let fg = |role| shown(theme.paint(role).fg.expect("a foreground"));
        let bg = |role| shown(theme.paint(role).bg.expect("a background"));
        let hold = |what: &str, least: f64, one: Rgb, other: Rgb| {
            let found = contrast(one, other);
            let name = theme.name();
            assert!(found >= least, "{name}, {colours} colours, {what}: {found:.2}, not {least}");
        };
        let high = theme.name().starts_with("high-contrast");
        for ground in [bg(Role::Ground), bg(Role::Raised)] {
            for role in text_roles() {
                let body = high || matches!(role, Role::Text | Role::Bright);
                hold(role.name(), if body { 7.0 } else { 4.5 }, fg(role), ground);
            }
            hold("rule", 3.0, fg(Role::Rule), ground);
        }
        hold("add", 4.5, fg(Role::Add), bg(Role::Add));
        hold("remove", 4.5, fg(Role::Remove), bg(Role::Remove));
        hold("select", 4.5, fg(Role::Select), bg(Role::Select));
        hold("text on select", 4.5, fg(Role::Text), bg(Role::Select));
        hold("match", 4.5, fg(Role::Match), bg(Role::Match));
        hold("escape", 7.0, fg(Role::Escape), bg(Role::Escape));
        // Code in a diff.
        for ground in [Role::Add, Role::Remove] {
            let code = |role: &Role| *role == Role::Text || role.name().starts_with("code.");
            for role in text_roles().filter(code) {
                hold(role.name(), 4.5, fg(role), bg(ground));
            }
        }
    }
}

#[test]
fn the_accent_is_unlike_every_other_role_in_lightness() {
    // The steps of 256 colours are coarse: there it is at least no colour of another role.
    for (theme, ((colours, shown), least)) in built_in()
        .flat_map(|theme| SHOWN.into_iter().zip([5.0, 2.0]).map(move |s| (theme.clone(), s)))
    {
        let lightness = |role: Role| theme.paint(role).fg.map(|rgb| shown(rgb).lightness());
        let need = lightness(Role::Need).expect("an accent");
        for role in Role::ALL.iter().filter(|role| **role != Role::Need) {
            let Some(other) = lightness(*role) else { continue };
            let apart = (need - other).abs();
            let name = theme.name();
            assert!(apart >= least, "{name}, {colours} colours, {}: {apart:.1}", role.name());
        }
    }
}

fn of_index(index: u8) -> Rgb {
    if index >= 232 {
        let level = 8 + 10 * (index - 232);
        return Rgb(level, level, level);
    }
    let step = |n: u8| [0, 95, 135, 175, 215, 255][usize::from(n % 6)];
    let n = index - 16;
    Rgb(step(n / 36), step(n / 6), step(n))
}

#[test]
fn the_depth_follows_the_terminal() {
    for (no_color, colorterm, term, expected) in [
        (None, Some("truecolor"), Some("xterm-256color"), Depth::True),
        (None, Some("24bit"), None, Depth::True),
        (None, None, Some("xterm-256color"), Depth::Many),
        (None, None, Some("xterm-kitty"), Depth::True),
        (None, None, Some("xterm"), Depth::Sixteen),
        (None, None, Some("linux"), Depth::Sixteen),
        (None, None, Some("dumb"), Depth::None),
        (None, None, None, Depth::Sixteen),
        (Some("1"), Some("truecolor"), Some("xterm-256color"), Depth::None),
        (Some(""), None, Some("xterm-256color"), Depth::Many),
    ] {
        assert_eq!(Depth::detect(no_color, colorterm, term), expected, "{colorterm:?} {term:?}");
    }
}

#[test]
fn fewer_colours_keep_what_is_not_colour() {
    for role in Role::ALL {
        let style = Theme::dark(Depth::None).style(*role);
        assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
        let style = Theme::dark(Depth::Many).style(*role);
        assert!(!matches!(style.fg, Some(Color::Rgb(..))), "{role:?}");
    }
    for depth in [Depth::None, Depth::Sixteen, Depth::Many, Depth::True] {
        let theme = Theme::light(depth);
        assert!(theme.style(Role::Need).add_modifier.contains(Modifier::BOLD));
        assert!(theme.style(Role::Match).add_modifier.contains(Modifier::REVERSED));
        assert!(theme.style(Role::Escape).add_modifier.contains(Modifier::REVERSED));
    }
    let sixteen = Theme::dark(Depth::Sixteen);
    let accent = sixteen.style(Role::Need).fg;
    let wearers = Role::ALL.iter().filter(|role| sixteen.style(**role).fg == accent);
    assert_eq!(wearers.count(), 1, "nothing else wears the accent");
    assert!(sixteen.style(Role::Select).add_modifier.contains(Modifier::REVERSED));
}

#[test]
fn a_faulty_theme_says_where_and_what_to_do() {
    let good = Theme::BUILT_IN[0].1;
    for (from, to, expected) in [
        ("name = \"footplate-dark\"", "", "my.toml:1: missing name"),
        ("name =", "nam =", "my.toml:4: unknown key nam"),
        ("held =", "held = 1\nheld =", "my.toml:19: `held` stands here a second time"),
        ("[roles]", "[rolls]", "my.toml:6: unknown key rolls"),
        ("held =", "hold =", "my.toml:18: unknown role hold"),
        ("held = \"#", "held = \"", "my.toml:18: held has no colour in \"bf9de3\""),
        ("held = \"#bf9de3\"", "held = 7", "my.toml:18: held is integer, not a colour"),
        ("held = \"#bf9de3\"", "", "my.toml:37: missing held"),
        ("bold = true", "bald = true", "my.toml:12: unknown key bald in bright"),
        ("bold = true", "bold = 1", "my.toml:12: bold in bright is no yes or no"),
        ("ground = { bg", "ground = { fg", "my.toml:7: unknown key fg in ground"),
        ("need = { fg = \"#ffb158\", bold", "need = { bold", "my.toml:15: need has no colour"),
    ] {
        assert!(good.contains(from), "{from}");
        let error = Theme::parse("my.toml", &good.replacen(from, to, 1), Depth::True)
            .expect_err("a faulty theme");
        assert_eq!(error.to_string(), expected);
        assert!(!error.hint.is_empty());
    }
    let error = Theme::parse("my.toml", "name = \"x\"\n[roles\n", Depth::True).expect_err("broken");
    assert_eq!(error.line, 2);
    let twice = format!("{good}\n[roles.code]\nname = \"#000000\"\n");
    assert!(Theme::parse("my.toml", &twice, Depth::True).is_err());
}

#[test]
fn every_mark_is_one_cell_in_both_forms() {
    for mark in Mark::ALL {
        assert_eq!(clean::width(Marks::unicode().get(*mark)), 1, "{mark:?}");
        let ascii = Marks::ascii().get(*mark);
        assert!(ascii.len() == 1 && ascii.is_ascii(), "{mark:?}");
    }
    let need = Mark::ALL.iter().filter(|mark| mark.role() == Role::Need).count();
    assert_eq!(need, 1, "nothing else wears the accent");
}
