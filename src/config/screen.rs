//! How the screen looks and behaves.

/// What is set of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// What lines and marks are drawn with.
    pub glyphs: Glyphs,
    /// By what means pictures are shown.
    pub pictures: Pictures,
    /// Who hears the mouse.
    pub mouse: Mouse,
    /// How much of the terminal is the screen.
    pub surface: Surface,
    /// How much on it moves by itself.
    pub motion: Motion,
    /// How somebody is called who looks elsewhere.
    pub notice: Notice,
}

/// What lines and marks are drawn with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// All that a terminal of today can show.
    #[default]
    Unicode,
    /// Nothing beyond ASCII.
    Ascii,
}

/// By what means pictures are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pictures {
    /// The best that the terminal is known to have.
    #[default]
    Auto,
    /// The protocol of kitty.
    Kitty,
    /// That of iTerm2.
    Iterm2,
    /// Sixels.
    Sixel,
    /// Half a cell for a pixel.
    Blocks,
    /// Not at all: a line tells of them.
    Off,
}

/// How somebody is called whose window is not in front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notice {
    /// By the terminal's bell.
    #[default]
    Bell,
    /// By a message of the terminal (OSC 9), where it knows them.
    Osc9,
    /// Not at all.
    Off,
}

/// Who hears the mouse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mouse {
    /// The terminal itself: its own selection and scrolling work.
    Terminal,
    /// This program.
    #[default]
    Footplate,
}

impl Mouse {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Terminal => Self::Footplate,
            Self::Footplate => Self::Terminal,
        }
    }
}

/// How much of the terminal is the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub enum Surface {
    /// All of it, as long as the program runs.
    #[default]
    #[serde(rename = "full")]
    Whole,
    /// A few rows at its end; what is over is in the terminal's own scrollback.
    #[serde(rename = "inline")]
    Inline,
    /// None of it: line after line, nothing ever drawn over, for screen readers and through pipes.
    #[serde(rename = "lines")]
    Lines,
}

impl Surface {
    pub const ALL: [Self; 3] = [Self::Whole, Self::Inline, Self::Lines];

    /// Its name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "full",
            Self::Inline => "inline",
            Self::Lines => "lines",
        }
    }
}

/// How much on the screen moves by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Motion {
    /// Seconds count, and words come as they are said.
    #[default]
    Full,
    /// Seconds come in steps of ten, and words in whole lines.
    Reduced,
}

impl Motion {
    /// Its name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Reduced => "reduced",
        }
    }

    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Full => Self::Reduced,
            Self::Reduced => Self::Full,
        }
    }
}
