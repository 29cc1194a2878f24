//! What each capability does to the world, checked in: a change here is a change of what asks.

use footplate::{kernel::capability::Capability, modules::registry};

#[test]
fn each_capability_is_of_its_category() {
    let line = |capability: &std::sync::Arc<Capability>| {
        format!("{:<16} {}", capability.name(), capability.category().name())
    };
    let table: Vec<String> = registry().all().iter().map(line).collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn each_schema_is_closed_and_explains_its_fields() {
    for capability in registry().all() {
        let (name, schema) = (capability.name(), capability.schema());
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
        // One that takes nothing has none.
        for (field, about) in schema["properties"].as_object().into_iter().flatten() {
            assert!(about["description"].is_string(), "{name}.{field} explains nothing");
        }
        assert!(!capability.description().is_empty(), "{name} explains nothing");
    }
}

#[test]
fn each_capability_of_a_module_carries_its_name() {
    for module in footplate::modules::MODULES {
        for capability in (module.load)() {
            assert_eq!(capability.module(), Some(module.name), "{}", capability.name());
        }
    }
}
