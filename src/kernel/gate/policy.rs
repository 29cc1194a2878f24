//! The table: what a mode says to a category. A plain function, and nothing else decides first.

use super::rule::Effect;
use crate::kernel::{
    capability::{Category, Reach},
    spec::Mode,
};

/// What the table says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It runs.
    Allow,
    /// A person decides.
    Ask,
    /// It is refused without a question.
    Block,
}

/// When code runs unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Runs {
    /// Where its seal makes it a read, or its mode lets it.
    #[default]
    BySeal,
    /// Never: for people who want to read all code first. No mode takes that back. What leaves this
    /// machine, as a program may, asks as well.
    Asked,
}

impl Runs {
    /// The mildest verdict on a capability that does as much as `most`.
    pub fn least(self, most: Category) -> Verdict {
        match (self, most) {
            (Self::Asked, Category::Execute | Category::External) => Verdict::Ask,
            (Self::Asked, Category::Read | Category::Write) | (Self::BySeal, _) => Verdict::Allow,
        }
    }
}

/// The verdict of one mode. Guarded asks as accept-edits does until a run's changes can be taken
/// back.
pub fn verdict(mode: Mode, category: Category, reach: Reach) -> Verdict {
    match (mode, category) {
        (_, Category::Read) => Verdict::Allow,
        (Mode::Plan, Category::Write | Category::Execute | Category::External) => Verdict::Block,
        (Mode::Auto, Category::Write | Category::Execute | Category::External) => Verdict::Allow,
        (Mode::AcceptEdits | Mode::Guarded, Category::Write) => match reach {
            Reach::Workspace => Verdict::Allow,
            Reach::Outside => Verdict::Ask,
        },
        (Mode::AcceptEdits | Mode::Guarded, Category::Execute | Category::External)
        | (Mode::Default, Category::Write | Category::Execute | Category::External) => Verdict::Ask,
    }
}

/// The verdict of several modes at once, a session's own and those of its parents: the strictest,
/// with the mode that said it.
pub fn strictest(
    modes: impl IntoIterator<Item = Mode>,
    category: Category,
    reach: Reach,
) -> (Verdict, Mode) {
    modes
        .into_iter()
        .map(|mode| (verdict(mode, category, reach), mode))
        .reduce(|worst, next| if next.0 > worst.0 { next } else { worst })
        .unwrap_or((Verdict::Block, Mode::Plan))
}

/// The verdict on a call of which the modes say `mode`, a setting says at the least `least`, and the
/// rules say `rule`: what a mode or a rule forbids nothing allows, and no rule takes a setting back.
pub fn ruled(mode: Verdict, least: Verdict, rule: Option<Effect>) -> Verdict {
    match (rule, mode) {
        (_, Verdict::Block) | (Some(Effect::Deny), _) => Verdict::Block,
        (Some(Effect::Ask), Verdict::Allow | Verdict::Ask) => Verdict::Ask,
        (Some(Effect::Allow), Verdict::Allow | Verdict::Ask) => least,
        (None, Verdict::Allow | Verdict::Ask) => mode.max(least),
    }
}

#[cfg(test)]
mod tests {
    use super::{Category::*, Reach::*, Verdict::*, *};

    #[test]
    fn the_table_of_modes_is_the_one_in_the_contract() {
        let rows = [
            (Mode::Plan, [Allow, Block, Block, Block, Block]),
            (Mode::Default, [Allow, Ask, Ask, Ask, Ask]),
            (Mode::AcceptEdits, [Allow, Allow, Ask, Ask, Ask]),
            (Mode::Guarded, [Allow, Allow, Ask, Ask, Ask]),
            (Mode::Auto, [Allow, Allow, Allow, Allow, Allow]),
        ];
        for (mode, expected) in rows {
            let seen = [
                verdict(mode, Read, Outside),
                verdict(mode, Write, Workspace),
                verdict(mode, Write, Outside),
                verdict(mode, Execute, Workspace),
                verdict(mode, External, Outside),
            ];
            assert_eq!(seen, expected, "{mode:?}");
        }
    }

    #[test]
    fn a_child_is_never_allowed_more_than_its_parent() {
        for parent in Mode::ALL {
            for child in Mode::ALL {
                for category in Category::ALL {
                    for reach in [Workspace, Outside] {
                        let (both, _) = strictest([parent, child], category, reach);
                        assert!(both >= verdict(parent, category, reach));
                        assert!(both >= verdict(child, category, reach));
                    }
                }
            }
        }
    }

    #[test]
    fn no_verdict_widens_when_a_mode_narrows() {
        // From the narrowest on; the two in the middle say the same.
        let modes = [Mode::Plan, Mode::Default, Mode::AcceptEdits, Mode::Guarded, Mode::Auto];
        let rules = [None, Some(Effect::Allow), Some(Effect::Ask), Some(Effect::Deny)];
        for (at, wide) in modes.into_iter().enumerate() {
            for narrow in &modes[..at] {
                for category in Category::ALL {
                    for reach in [Workspace, Outside] {
                        for rule in rules {
                            for runs in [Runs::BySeal, Runs::Asked] {
                                let of = |mode| {
                                    let by_mode = verdict(mode, category, reach);
                                    ruled(by_mode, runs.least(category), rule)
                                };
                                let case = (category, reach, rule, runs);
                                assert!(of(*narrow) >= of(wide), "{narrow:?} {wide:?} {case:?}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn nobody_s_mode_blocks() {
        assert_eq!(strictest([], Write, Workspace).0, Block);
    }
}
