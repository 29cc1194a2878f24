//! Colours as numbers: what a terminal can show, and what an eye can read.

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// None at all; bold, reversed and the like remain.
    None,
    Sixteen,
    /// 256.
    Many,
    True,
}

impl Depth {
    /// From the values of `NO_COLOR`, `COLORTERM` and `TERM`.
    pub fn detect(no_color: Option<&str>, colorterm: Option<&str>, term: Option<&str>) -> Self {
        let term = term.unwrap_or_default();
        if no_color.is_some_and(|value| !value.is_empty()) || matches!(term, "dumb" | "vt100") {
            return Self::None;
        }
        let truecolor = matches!(colorterm, Some("truecolor" | "24bit"))
            || ["-direct", "kitty", "ghostty", "alacritty", "wezterm", "foot"]
                .iter()
                .any(|known| term.contains(known));
        match truecolor {
            true => Self::True,
            false if term.contains("256color") => Self::Many,
            false => Self::Sixteen,
        }
    }
}

/// A colour of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Reads `#rrggbb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(digits, 16).ok()?;
        let [_, r, g, b] = value.to_be_bytes();
        Some(Self(r, g, b))
    }

    /// The nearest of the 240 colours whose values are the same on every terminal.
    pub fn indexed(self) -> u8 {
        const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
        let nearest = |value: u8| {
            (0u8..6).min_by_key(|&i| STEPS[usize::from(i)].abs_diff(value)).unwrap_or_default()
        };
        let (r, g, b) = (nearest(self.0), nearest(self.1), nearest(self.2));
        let cube = Self(STEPS[usize::from(r)], STEPS[usize::from(g)], STEPS[usize::from(b)]);
        let mean = (u16::from(self.0) + u16::from(self.1) + u16::from(self.2)) / 3;
        let step = u8::try_from((mean.saturating_sub(3) / 10).min(23)).unwrap_or(23);
        let level = 8 + 10 * step;
        let grey = Self(level, level, level);
        if self.distance(grey) < self.distance(cube) { 232 + step } else { 16 + 36 * r + 6 * g + b }
    }

    /// Relative luminance as WCAG defines it.
    pub fn luminance(self) -> f64 {
        let part = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(self.0) + 0.7152 * part(self.1) + 0.0722 * part(self.2)
    }

    /// Lightness from 0 to 100 as the eye sees it (CIE L*).
    pub fn lightness(self) -> f64 {
        let y = self.luminance();
        if y > 0.008_856 { 116.0 * y.cbrt() - 16.0 } else { 903.3 * y }
    }

    fn distance(self, other: Self) -> u32 {
        let part = |a: u8, b: u8, weight: u32| u32::from(a.abs_diff(b)).pow(2) * weight;
        part(self.0, other.0, 2) + part(self.1, other.1, 4) + part(self.2, other.2, 3)
    }
}

/// The contrast of two colours as WCAG defines it, from 1 to 21.
pub fn contrast(one: Rgb, other: Rgb) -> f64 {
    let (a, b) = (one.luminance(), other.luminance());
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}
