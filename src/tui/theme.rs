//! What the colours mean. Views name a role; only here does a role become a colour.
//!
//! Pure: what the terminal can show comes in as a value.

mod color;
mod marks;
mod parse;

use ratatui::style::{Color, Modifier, Style};

pub use color::{Depth, Rgb, contrast};
pub use marks::{Mark, Marks};
pub use parse::ThemeError;

macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident = $name:literal,)*) => {
        /// What a piece of the screen is for. Closed: a theme gives a colour to each of these and
        /// to nothing else.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role { $($(#[$doc])* $role,)* }

        impl Role {
            pub const ALL: &[Role] = &[$(Role::$role,)*];

            /// Its name in a theme file.
            pub fn name(self) -> &'static str {
                match self { $(Role::$role => $name,)* }
            }
        }
    };
}

roles! {
    Text = "text",
    /// Titles, the row of keys, what is typed.
    Bright = "bright",
    /// Times, labels, line numbers, hints.
    Quiet = "quiet",
    /// The one accent: what needs the person. Nothing else may wear it.
    Need = "need",
    Work = "work",
    Held = "held",
    Good = "good",
    Warn = "warn",
    Bad = "bad",
    Change = "change",
    Add = "add",
    Remove = "remove",
    CodeKeyword = "code.keyword",
    CodeString = "code.string",
    CodeNumber = "code.number",
    CodeComment = "code.comment",
    CodeName = "code.name",
    CodeType = "code.type",
    Select = "select",
    /// A search hit.
    Match = "match",
    /// The code of a hidden character.
    Escape = "escape",
    Rule = "rule",
    /// The screen behind everything.
    Ground = "ground",
    /// Behind a question or a pop-up.
    Raised = "raised",
}

/// What a theme file says of one role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Paint {
    pub(crate) fg: Option<Rgb>,
    pub(crate) bg: Option<Rgb>,
    pub(crate) modifier: Modifier,
}

/// A colour for every role, as far as the terminal can show them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    name: String,
    depth: Depth,
    paints: Vec<Paint>,
}

impl Theme {
    /// The built-in themes: name and file.
    pub const BUILT_IN: [(&str, &str); 12] = [
        ("footplate-dark", include_str!("../../themes/footplate-dark.toml")),
        ("footplate-light", include_str!("../../themes/footplate-light.toml")),
        ("high-contrast-dark", include_str!("../../themes/high-contrast-dark.toml")),
        ("high-contrast-light", include_str!("../../themes/high-contrast-light.toml")),
        ("gruvbox-dark", include_str!("../../themes/gruvbox-dark.toml")),
        ("gruvbox-light", include_str!("../../themes/gruvbox-light.toml")),
        ("solarized-dark", include_str!("../../themes/solarized-dark.toml")),
        ("solarized-light", include_str!("../../themes/solarized-light.toml")),
        ("catppuccin-mocha", include_str!("../../themes/catppuccin-mocha.toml")),
        ("catppuccin-latte", include_str!("../../themes/catppuccin-latte.toml")),
        ("nord", include_str!("../../themes/nord.toml")),
        ("dracula", include_str!("../../themes/dracula.toml")),
    ];

    /// The theme for a dark terminal, which is also the default.
    pub fn dark(depth: Depth) -> Self {
        Self::embedded(0, depth)
    }

    /// The theme for a light terminal.
    pub fn light(depth: Depth) -> Self {
        Self::embedded(1, depth)
    }

    /// The built-in theme of that name.
    pub fn built_in(name: &str, depth: Depth) -> Option<Self> {
        let at = Self::BUILT_IN.iter().position(|(known, _)| *known == name)?;
        Some(Self::embedded(at, depth))
    }

    /// Reads a theme; `file` is only named in errors.
    pub fn parse(file: &str, source: &str, depth: Depth) -> Result<Self, ThemeError> {
        let (name, paints) = parse::parse(file, source)?;
        Ok(Self { name, depth, paints })
    }

    fn embedded(at: usize, depth: Depth) -> Self {
        let (name, source) = Self::BUILT_IN[at];
        Self::parse(name, source, depth).expect("a test holds that the built-in themes parse")
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn depth(&self) -> Depth {
        self.depth
    }

    /// The same theme on a terminal that can show this many colours.
    pub fn at_depth(self, depth: Depth) -> Self {
        Self { depth, ..self }
    }

    /// How this role is drawn. Grounds only have a background, most others only a foreground, so
    /// styles lie on each other.
    pub fn style(&self, role: Role) -> Style {
        let paint = self.paint(role);
        match self.depth {
            Depth::None => Style::new().add_modifier(paint.modifier | plain_modifier(role)),
            Depth::Sixteen => self.sixteen(role).add_modifier(paint.modifier),
            Depth::Many | Depth::True => {
                let color = |rgb: Rgb| match self.depth {
                    Depth::True => Color::Rgb(rgb.0, rgb.1, rgb.2),
                    Depth::None | Depth::Sixteen | Depth::Many => Color::Indexed(rgb.indexed()),
                };
                let mut style = Style::new().add_modifier(paint.modifier);
                style.fg = paint.fg.map(color);
                style.bg = paint.bg.map(color);
                style
            }
        }
    }

    /// With sixteen colours the terminal's own palette rules: its ground and text are kept, for only
    /// they are sure to be readable on each other, and of its colours those that are readable in all
    /// palettes that terminals come with. A role that has none of its own is told by its mark and word.
    /// Nothing is dimmed: on a console that is too dark to read.
    fn sixteen(&self, role: Role) -> Style {
        let (dark, light) = match role {
            Role::Need => (Some(Color::LightYellow), Some(Color::Red)),
            Role::Good | Role::Add | Role::CodeString => (Some(Color::LightGreen), None),
            Role::Bad | Role::Remove => (Some(Color::LightRed), None),
            // The blues of dark terminals are too dark to read.
            Role::Work | Role::CodeName | Role::Change | Role::CodeNumber | Role::CodeType => {
                (Some(Color::LightCyan), Some(Color::Blue))
            }
            Role::Quiet | Role::CodeComment | Role::Rule => (Some(Color::Gray), None),
            // One magenta or the other is too dark, or on a light ground too light.
            Role::Held
            | Role::Warn
            | Role::CodeKeyword
            | Role::Select
            | Role::Text
            | Role::Bright
            | Role::Match
            | Role::Escape
            | Role::Ground
            | Role::Raised => (None, None),
        };
        let mut style = Style::new().add_modifier(plain_modifier(role));
        style.fg = if self.is_light() { light } else { dark };
        style
    }

    /// Whether it is made for a light terminal.
    pub fn is_light(&self) -> bool {
        self.paint(Role::Ground).bg.is_some_and(|ground| ground.lightness() > 50.0)
    }

    fn paint(&self, role: Role) -> Paint {
        self.paints[role as usize]
    }
}

impl Default for Theme {
    fn default() -> Self {
        Self::dark(Depth::True)
    }
}

/// Where colours do not tell these apart, other signs have to: what is selected, what was found and
/// the code of a hidden character are all reversed.
fn plain_modifier(role: Role) -> Modifier {
    const SIGNS: [(Role, Modifier); 3] = [
        (Role::Select, Modifier::REVERSED.union(Modifier::BOLD)),
        (Role::Escape, Modifier::UNDERLINED),
        (Role::Warn, Modifier::BOLD),
    ];
    let own = SIGNS.iter().find(|(of, _)| *of == role);
    own.map_or(Modifier::empty(), |(_, modifier)| *modifier)
}

#[cfg(test)]
mod tests;
