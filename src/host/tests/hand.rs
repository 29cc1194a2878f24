use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::event::Origin;

#[tokio::test]
async fn a_person_s_python_takes_the_road_of_the_model_s_and_the_model_is_told() {
    let mut rig = Rig::new(json!([{ "text": "one" }, { "text": "two" }]), json!({}));
    let root = rig.go(Mode::Default);
    rig.rests(root).await;
    rig.host.send_command(Command::Run { session: root, code: "print(1)".into() });
    let (origin, name) = rig
        .until(|envelope| match &envelope.event {
            Event::CallFinished { origin, result, .. } => Some((*origin, result.name.clone())),
            _ => None,
        })
        .await;
    assert_eq!((origin, &*name), (Origin::Person, "execute_code"));
    rig.host.send(root, "and now?".to_owned());
    rig.has_rested(root, 2).await;
    let session = Session::replay(&rig.store.read(root).unwrap().events).unwrap();
    let note = |message: &Message| matches!(message, Message::User { text, .. } if text.contains("print(1)"));
    assert!(session.messages().iter().any(note), "{:?}", session.messages());
    let gone = Command::Run { session: 9.into(), code: String::new() };
    assert!(crate::kernel::port::Desk::send(&rig.host, gone).is_err());
}
