//! By what means the terminal shows pictures: what it says of itself, what stands in the environment,
//! and what the person set. Nothing is drawn by a means that was not made sure of.

use crate::{config::Pictures, tui::theme::Depth};

/// How pictures get on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Means {
    /// The protocol of kitty, placed by characters; `tmux` stands between.
    Kitty { tmux: bool },
    /// That of iTerm2.
    Iterm2,
    /// Sixels.
    Sixel,
    /// Half a cell for a pixel, in its colours.
    Blocks,
    /// Not at all: a line tells of them.
    #[default]
    Words,
}

impl Means {
    /// In words, for a list of what the terminal can do.
    pub fn words(self) -> &'static str {
        match self {
            Self::Kitty { tmux: false } => "pictures by kitty's protocol",
            Self::Kitty { tmux: true } => "pictures by kitty's protocol, through tmux",
            Self::Iterm2 => "pictures by iTerm2's protocol",
            Self::Sixel => "pictures by sixel",
            Self::Blocks => "pictures in half-blocks",
            Self::Words => "no pictures",
        }
    }

    /// Whether it puts characters and colours in cells, so that it can be cut anywhere.
    pub fn is_of_cells(self) -> bool {
        match self {
            Self::Kitty { .. } | Self::Blocks => true,
            Self::Iterm2 | Self::Sixel | Self::Words => false,
        }
    }
}

/// A terminal program that shows pictures in a way of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    /// One that knows the protocol of iTerm2 best.
    OfIterm2,
    /// One that has sixels and nothing better.
    OfSixel,
    /// One that says more than it can.
    OfNone,
}

impl Program {
    /// As its name and version say, whatever the case.
    fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let begins = |known: &[&str]| known.iter().any(|known| name.starts_with(known));
        if begins(&["iterm", "wezterm", "mintty"]) {
            Some(Self::OfIterm2)
        } else if begins(&["foot", "contour", "mlterm"]) {
            Some(Self::OfSixel)
        } else if begins(&["konsole"]) {
            Some(Self::OfNone)
        } else {
            None
        }
    }
}

/// What a terminal answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// That it shows pictures as kitty does, or that it does not.
    Kitty(bool),
    /// Its name and version.
    Version(String),
}

impl Told {
    /// All that is told in what a terminal answered.
    pub fn heard(bytes: &[u8]) -> Vec<Self> {
        let text = String::from_utf8_lossy(bytes);
        let within = |begin: &str| {
            let (_, rest) = text.split_once(begin)?;
            Some(rest.split(['\u{1b}', '\u{7}']).next().unwrap_or_default().to_owned())
        };
        let version = within("\u{1b}P>|").map(Self::Version);
        let kitty = within("\u{1b}_Gi=31;").map(|said| Self::Kitty(said == "OK"));
        version.into_iter().chain(kitty).collect()
    }
}

/// Finds the means.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    wanted: Pictures,
    /// Whether half-blocks can be drawn.
    blocks: bool,
    /// Whether there is any use in asking.
    asks: bool,
    tmux: bool,
    program: Option<Program>,
    kitty: bool,
}

impl Finder {
    /// From the setting, what the terminal can draw, and the environment.
    pub fn of(
        wanted: Pictures,
        (depth, unicode): (Depth, bool),
        env: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
        let term = env("TERM").unwrap_or_default();
        let blocks = depth >= Depth::Many && unicode;
        let names = [env("TERM_PROGRAM"), env("LC_TERMINAL"), Some(term.clone())];
        let named = names.iter().flatten().find_map(|name| Program::of(name));
        let program = match (set("WEZTERM_EXECUTABLE"), set("KONSOLE_VERSION")) {
            (true, _) => Some(Program::OfIterm2),
            (_, true) => Some(Program::OfNone),
            (false, false) => named,
        };
        // These print what they do not know, or take it for a title; a multiplexer whose name alone
        // came over a connection cannot be asked to let it through.
        let far = ["tmux", "screen"].iter().any(|name| term.starts_with(name)) && !set("TMUX");
        let prints = far
            || term.starts_with("linux")
            || env("TERM_PROGRAM").is_some_and(|name| name == "Apple_Terminal")
            || (set("STY") && !set("TMUX"))
            || set("ZELLIJ");
        Self {
            wanted,
            blocks,
            asks: wanted == Pictures::Auto && blocks && !prints,
            tmux: set("TMUX"),
            program,
            kitty: false,
        }
    }

    /// What to ask the terminal: its name, then whether it shows a picture of one pixel as kitty would,
    /// without showing it. One that does not know a question says nothing.
    pub fn question(&self) -> Option<Vec<u8>> {
        // Three bytes of one pixel, deflated: what is sent later is as well.
        const PIXEL: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24,o=z;eJxjYGAAAAADAAE=\x1b\\";
        const NAME: &str = "\x1b[>0q";
        self.asks.then(|| match self.tmux {
            false => format!("{NAME}{PIXEL}").into_bytes(),
            true => {
                // For the terminal around it, if tmux lets it through.
                let within = format!("{NAME}{PIXEL}").replace('\x1b', "\x1b\x1b");
                format!("\x1bPtmux;{within}\x1b\\").into_bytes()
            }
        })
    }

    /// Whether tmux stands between.
    pub fn is_within_tmux(&self) -> bool {
        self.tmux
    }

    /// It answered.
    pub fn told(&mut self, told: &Told) {
        match told {
            Told::Kitty(shows) => self.kitty = *shows,
            Told::Version(name) => self.program = Program::of(name).or(self.program),
        }
    }

    /// How pictures are shown, where a cell has so many pixels or it is not known how many.
    pub fn means(&self, cell: Option<(u16, u16)>) -> Means {
        let blocks = if self.blocks { Means::Blocks } else { Means::Words };
        let best = match self.wanted {
            Pictures::Off => Means::Words,
            Pictures::Blocks => blocks,
            Pictures::Kitty => Means::Kitty { tmux: self.tmux },
            Pictures::Iterm2 => Means::Iterm2,
            Pictures::Sixel => Means::Sixel,
            Pictures::Auto if !self.blocks => Means::Words,
            Pictures::Auto => match self.program {
                // What tmux shows is drawn by it, and it keeps cells only.
                Some(Program::OfIterm2) if !self.tmux => Means::Iterm2,
                Some(Program::OfSixel) if !self.tmux => Means::Sixel,
                None if self.kitty => Means::Kitty { tmux: self.tmux },
                Some(Program::OfIterm2 | Program::OfSixel | Program::OfNone) | None => blocks,
            },
        };
        // What is sent in pixels has to fit in cells.
        let of_pixels = matches!(best, Means::Kitty { .. } | Means::Iterm2 | Means::Sixel);
        if of_pixels && cell.is_none() { blocks } else { best }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    const CELL: Option<(u16, u16)> = Some((8, 16));

    fn finder(wanted: Pictures, depth: Depth, env: &[(&str, &str)]) -> Finder {
        let env = |name: &str| {
            env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Finder::of(wanted, (depth, true), env)
    }

    #[test]
    fn the_terminal_is_believed_and_the_environment_where_it_says_nothing() {
        let kitty = || Told::Kitty(true);
        let named = |name: &str| Told::Version(name.to_owned());
        type Case<'a> = (&'a [(&'a str, &'a str)], Vec<Told>, Means);
        let cases: Vec<Case<'_>> = vec![
            (&[("TERM", "xterm-256color")], vec![], Means::Blocks),
            (
                &[("TERM", "xterm-kitty")],
                vec![named("kitty(0.35)"), kitty()],
                Means::Kitty { tmux: false },
            ),
            (&[("TERM", "xterm-kitty")], vec![Told::Kitty(false)], Means::Blocks),
            (&[("TMUX", "/tmp/x,1,0")], vec![kitty()], Means::Kitty { tmux: true }),
            (&[("TMUX", "/tmp/x,1,0")], vec![], Means::Blocks),
            (&[("TMUX", "/tmp/x,1,0"), ("LC_TERMINAL", "iTerm2")], vec![], Means::Blocks),
            (&[("LC_TERMINAL", "iTerm2")], vec![], Means::Iterm2),
            (&[("TERM_PROGRAM", "WezTerm")], vec![kitty()], Means::Iterm2),
            (&[], vec![named("WezTerm 20240203"), kitty()], Means::Iterm2),
            (&[("TERM", "foot")], vec![], Means::Sixel),
            (&[], vec![named("foot(1.16.2)")], Means::Sixel),
            (&[("KONSOLE_VERSION", "230804")], vec![kitty()], Means::Blocks),
        ];
        for (env, told, means) in cases {
            let mut finder = finder(Pictures::Auto, Depth::True, env);
            told.iter().for_each(|told| finder.told(told));
            assert_eq!(finder.means(CELL), means, "{env:?} {told:?}");
        }
    }

    #[test]
    fn what_the_person_set_counts_before_all_else() {
        let env: &[(&str, &str)] = &[("TERM", "xterm-kitty")];
        for (wanted, means) in [
            (Pictures::Off, Means::Words),
            (Pictures::Blocks, Means::Blocks),
            (Pictures::Kitty, Means::Kitty { tmux: false }),
            (Pictures::Iterm2, Means::Iterm2),
            (Pictures::Sixel, Means::Sixel),
        ] {
            let mut finder = finder(wanted, Depth::True, env);
            assert_eq!(finder.question(), None, "{wanted:?}");
            finder.told(&Told::Kitty(true));
            assert_eq!(finder.means(CELL), means, "{wanted:?}");
        }
    }

    #[test]
    fn few_colours_and_plain_signs_have_words() {
        for depth in [Depth::None, Depth::Sixteen] {
            let mut finder = finder(Pictures::Auto, depth, &[("TERM", "xterm-kitty")]);
            finder.told(&Told::Kitty(true));
            assert_eq!((finder.means(CELL), finder.question()), (Means::Words, None), "{depth:?}");
        }
        let ascii = Finder::of(Pictures::Auto, (Depth::True, false), |_| None);
        assert_eq!(ascii.means(CELL), Means::Words);
    }

    #[test]
    fn pixels_need_to_know_how_large_a_cell_is() {
        for wanted in [Pictures::Auto, Pictures::Kitty, Pictures::Iterm2, Pictures::Sixel] {
            let finder = finder(wanted, Depth::True, &[("TERM", "foot")]);
            assert_eq!(finder.means(None), Means::Blocks, "{wanted:?}");
        }
    }

    #[test]
    fn answers_are_found_among_whatever_else_was_heard() {
        let heard = b"x\x1bP>|foot(1.16)\x1b\\\x1b_Gi=31;EBADF\x1b\\\x1b[?62;4c";
        let version = Told::Version("foot(1.16)".to_owned());
        assert_eq!(Told::heard(heard), [version, Told::Kitty(false)]);
        assert_eq!(Told::heard(b"\x1b_Gi=31;OK\x1b\\"), [Told::Kitty(true)]);
        assert_eq!(Told::heard(b"\xff\x1b[?62c"), []);
    }

    #[test]
    fn nothing_is_asked_of_a_terminal_that_would_print_the_question() {
        for env in [
            &[("TERM", "linux")][..],
            &[("TERM_PROGRAM", "Apple_Terminal")],
            &[("STY", "1.pts")],
            &[("ZELLIJ", "0")],
            &[("TERM", "tmux-256color")],
            &[("TERM", "screen-256color")],
        ] {
            assert_eq!(finder(Pictures::Auto, Depth::True, env).question(), None, "{env:?}");
        }
        let within_tmux = finder(Pictures::Auto, Depth::True, &[("TMUX", "/tmp/x,1,0")]);
        let question = String::from_utf8(within_tmux.question().unwrap()).unwrap();
        assert!(question.starts_with("\x1bPtmux;\x1b\x1b[>0q\x1b\x1b_G"), "{question:?}");
        assert!(question.ends_with("\x1b\x1b\\\x1b\\"), "{question:?}");
    }
}
