//! Sixteen colours, whose values are the terminal's: what is held is the worst of those that terminals
//! come with. Some that always say that they show more are left out.

use pretty_assertions::assert_eq;

use super::*;

/// A palette with the ground it is shown on.
struct Palette {
    name: &'static str,
    ground: Rgb,
    text: Rgb,
    /// Red, blue, and grey, which is the seventh.
    plain: [Rgb; 3],
    /// Light red, green, yellow and cyan.
    light: [Rgb; 4],
}

const fn rgb(value: u32) -> Rgb {
    let [_, r, g, b] = value.to_be_bytes();
    Rgb(r, g, b)
}

const fn palette(
    name: &'static str,
    [ground, text]: [u32; 2],
    [red, blue, grey]: [u32; 3],
    [light_red, green, yellow, cyan]: [u32; 4],
) -> Palette {
    Palette {
        name,
        ground: rgb(ground),
        text: rgb(text),
        plain: [rgb(red), rgb(blue), rgb(grey)],
        light: [rgb(light_red), rgb(green), rgb(yellow), rgb(cyan)],
    }
}

const XTERM: ([u32; 3], [u32; 4]) =
    ([0xcd_0000, 0x00_00ee, 0xe5_e5e5], [0xff_0000, 0x00_ff00, 0xff_ff00, 0x00_ffff]);
const VGA: ([u32; 3], [u32; 4]) =
    ([0xaa_0000, 0x00_00aa, 0xaa_aaaa], [0xff_5555, 0x55_ff55, 0xff_ff55, 0x55_ffff]);
const PUTTY: ([u32; 3], [u32; 4]) =
    ([0xbb_0000, 0x00_00bb, 0xbb_bbbb], [0xff_5555, 0x55_ff55, 0xff_ff55, 0x55_ffff]);
const CAMPBELL: ([u32; 3], [u32; 4]) =
    ([0xc5_0f1f, 0x00_37da, 0xcc_cccc], [0xe7_4856, 0x16_c60c, 0xf9_f1a5, 0x61_d6d6]);
const MACOS: ([u32; 3], [u32; 4]) =
    ([0xc2_3621, 0x49_2ee1, 0xcb_cccd], [0xfc_391f, 0x31_e722, 0xea_ec23, 0x14_f0f0]);
const CODE: ([u32; 3], [u32; 4]) =
    ([0xcd_3131, 0x24_72c8, 0xe5_e5e5], [0xf1_4c4c, 0x23_d18b, 0xf5_f543, 0x29_b8db]);

const DARK: [Palette; 6] = [
    palette("xterm", [0x00_0000, 0xe5_e5e5], XTERM.0, XTERM.1),
    palette("the Linux console", [0x00_0000, 0xaa_aaaa], VGA.0, VGA.1),
    palette("PuTTY", [0x00_0000, 0xbb_bbbb], PUTTY.0, PUTTY.1),
    palette("Windows Terminal", [0x0c_0c0c, 0xcc_cccc], CAMPBELL.0, CAMPBELL.1),
    palette("Terminal of macOS", [0x00_0000, 0xcb_cccd], MACOS.0, MACOS.1),
    palette("Visual Studio Code", [0x1e_1e1e, 0xcc_cccc], CODE.0, CODE.1),
];

const LIGHT: [Palette; 4] = [
    palette("xterm", [0xff_ffff, 0x00_0000], XTERM.0, XTERM.1),
    palette("a white VGA", [0xff_ffff, 0x00_0000], VGA.0, VGA.1),
    palette("Terminal of macOS", [0xff_ffff, 0x00_0000], MACOS.0, MACOS.1),
    palette("a white Windows Terminal", [0xff_ffff, 0x0c_0c0c], CAMPBELL.0, CAMPBELL.1),
];

impl Palette {
    /// What a colour of ours is shown as.
    fn shown(&self, color: Option<Color>) -> Rgb {
        let [red, blue, grey] = self.plain;
        let [light_red, green, yellow, cyan] = self.light;
        let known = [
            (Color::Red, red),
            (Color::Blue, blue),
            (Color::Gray, grey),
            (Color::LightRed, light_red),
            (Color::LightGreen, green),
            (Color::LightYellow, yellow),
            (Color::LightCyan, cyan),
        ];
        let Some(color) = color else { return self.text };
        known.iter().find(|(of, _)| *of == color).expect("a colour whose value is known").1
    }
}

fn themes() -> impl Iterator<Item = (Theme, &'static Palette)> {
    built_in().map(|theme| theme.at_depth(Depth::Sixteen)).flat_map(|theme| {
        let palettes: &[Palette] = if theme.is_light() { &LIGHT } else { &DARK };
        palettes.iter().map(move |palette| (theme.clone(), palette))
    })
}

#[test]
fn every_theme_holds_the_contrast_figures_in_the_palettes_that_terminals_come_with() {
    for (theme, palette) in themes() {
        for role in Role::ALL {
            let style = theme.style(*role);
            assert_eq!(style.bg, None, "a ground of ours could lie below any text");
            assert!(!style.add_modifier.contains(Modifier::DIM), "nobody knows how dark that is");
            let found = contrast(palette.shown(style.fg), palette.ground);
            let body = matches!(role, Role::Text | Role::Bright | Role::Escape);
            let least = if body { 7.0 } else { 4.5 };
            let (name, of) = (theme.name(), palette.name);
            assert!(found >= least, "{name}, {of}, {}: {found:.2}, not {least}", role.name());
        }
    }
}

#[test]
fn nothing_else_wears_the_accent_and_states_are_told_apart() {
    const STATES: [Role; 7] =
        [Role::Need, Role::Work, Role::Held, Role::Good, Role::Warn, Role::Bad, Role::Change];
    for theme in built_in().map(|theme| theme.at_depth(Depth::Sixteen)) {
        let need = theme.style(Role::Need).fg;
        let wearers = Role::ALL.iter().filter(|role| theme.style(**role).fg == need);
        assert_eq!(wearers.count(), 1, "{}", theme.name());
        for (at, one) in STATES.iter().enumerate() {
            for other in &STATES[at + 1..] {
                let same = theme.style(*one) == theme.style(*other);
                assert!(!same || signs_differ(*one, *other), "{one:?} and {other:?}");
            }
        }
    }
}

/// Whether no sign of one role, with its word, stands for another.
fn signs_differ(one: Role, other: Role) -> bool {
    let signs = |role: Role, marks: Marks| {
        let of = Mark::ALL.iter().filter(move |mark| mark.role() == role);
        of.map(move |mark| (marks.get(*mark), mark.word())).collect::<Vec<_>>()
    };
    [Marks::unicode(), Marks::ascii()].into_iter().all(|marks| {
        let (one, other) = (signs(one, marks), signs(other, marks));
        !one.is_empty() && !other.is_empty() && one.iter().all(|sign| !other.contains(sign))
    })
}

#[test]
fn what_is_reversed_is_told_apart_without_colours() {
    for depth in [Depth::None, Depth::Sixteen] {
        for theme in built_in().map(|theme| theme.at_depth(depth)) {
            let reversed = [Role::Select, Role::Match, Role::Escape].map(|role| theme.style(role));
            for (at, one) in reversed.iter().enumerate() {
                assert!(one.add_modifier.contains(Modifier::REVERSED), "{}", theme.name());
                assert!(!reversed[at + 1..].contains(one), "{} at {depth:?}", theme.name());
            }
        }
    }
}
