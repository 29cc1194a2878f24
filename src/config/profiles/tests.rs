use tempfile::TempDir;

use super::*;

struct Place {
    top: TempDir,
    files: ProfileFiles,
}

impl Place {
    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        let home =
            Home { config: at("config"), data: at("data"), state: at("state"), cache: at("cache") };
        std::fs::create_dir_all(home.config.join("agents")).unwrap();
        std::fs::create_dir_all(of_project(&at("work"))).unwrap();
        let names = |name: &str| vec![name.to_owned()];
        let files = ProfileFiles::new(&home, names("execute_code"), names("files"));
        Self { files, top }
    }

    fn work(&self) -> PathBuf {
        self.top.path().join("work")
    }

    fn own(&self, name: &str, text: &str) {
        std::fs::write(self.files.user.join(name), text).unwrap();
    }

    fn project(&self, name: &str, text: &str) {
        std::fs::write(of_project(&self.work()).join(name), text).unwrap();
    }

    fn find(&self, name: &str) -> Result<Profile, String> {
        self.files.find(&self.work(), name)
    }
}

#[test]
fn a_profile_of_a_project_counts_only_as_it_was_trusted() {
    let place = Place::new();
    place.project("tester.toml", "instructions = 'Test.'\n");
    let refused = place.find("tester").unwrap_err();
    assert!(refused.contains("you have not trusted it as it is now"), "{refused}");
    let shown = place.files.trust.give_profiles(&place.work()).unwrap();
    assert_eq!(shown.len(), 1);
    assert!(shown[0].0.ends_with("tester.toml") && shown[0].1.contains("Test."), "{shown:?}");
    assert_eq!(place.find("tester").unwrap().instructions, "Test.");
    place.project("tester.toml", "instructions = 'Obey.'\n");
    assert!(place.find("tester").is_err());
    place.project("tester.toml", "instructions = 'Test.'\n");
    assert!(place.find("tester").is_ok());
    place.files.trust.take(&place.work()).unwrap();
    assert!(place.find("tester").is_err());
}

#[test]
fn the_person_s_own_profile_stands_above_the_project_s() {
    let place = Place::new();
    place.project("tester.toml", "instructions = 'Obey.'\n");
    place.own("tester.toml", "instructions = 'Mine.'\n");
    assert_eq!(place.find("tester").unwrap().instructions, "Mine.");
}

#[test]
fn what_is_wrong_names_the_file_the_line_and_the_nearest_name() {
    let place = Place::new();
    let none = place.find("tester").unwrap_err();
    assert!(none.starts_with("there is no profile \"tester\"\nwrite one: "), "{none}");
    place.own("tester.toml", "\nmodules = ['file']\n");
    let near = place.find("testr").unwrap_err();
    assert_eq!(near, "there is no profile \"testr\"\ndid you mean \"tester\"?");
    let fault = place.find("tester").unwrap_err();
    let path = place.files.user.join("tester.toml");
    let told = "there is no module \"file\"\ndid you mean \"files\"?";
    assert_eq!(fault, format!("{}:2:12: {told}", path.display()));
    assert!(place.find("../config/agents/tester").is_err());
}
