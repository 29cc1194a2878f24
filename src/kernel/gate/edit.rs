//! The arguments that a person wrote in the place of a model's.

use serde_json::Value;

use super::{Gate, Passage, blocked, denied, policy::Verdict};
use crate::kernel::{
    capability::{Capability, Preview, Reach},
    context::Context,
    error::{CallError, ErrorCode},
};

impl Gate {
    /// What a call does with these arguments. They are checked as those of any call are, and what a
    /// mode or a rule forbids stays forbidden; that it does more than what was asked is what the person said
    /// yes to.
    pub(super) async fn edited(
        &self,
        cx: Context,
        capability: &Capability,
        input: &Value,
    ) -> Result<Preview, CallError> {
        capability.validate(input)?;
        let category = capability.category_of(&cx, input);
        let refuse = |reach: Reach| match self.rights.verdict(category, reach) {
            (Verdict::Block, mode) => match blocked(mode) {
                Passage::Shut(error, _) => Err(error),
                Passage::Open(..) => Ok(()),
            },
            (Verdict::Allow | Verdict::Ask, _) => Ok(()),
        };
        refuse(Reach::Workspace)?;
        let (name, agent) = (capability.name(), cx.spec.path.clone());
        let keep_from = |subject| {
            let case = self.law.case(name, input.clone(), subject, &agent);
            match self.law.denied(&case).map(denied) {
                Some(Passage::Shut(error, _)) => Err(error),
                Some(Passage::Open(..)) | None => Ok(()),
            }
        };
        keep_from(capability.subject(&cx, input))?;
        let cancel = cx.cancel.clone();
        let preview = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(CallError::new(ErrorCode::Interrupted, "it was stopped")),
            preview = capability.preview(cx, input.clone()) => preview,
        }?;
        refuse(preview.reach)?;
        keep_from(preview.subject.clone())?;
        Ok(preview)
    }
}
