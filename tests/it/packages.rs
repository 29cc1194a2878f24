//! Packages of a script, from wheels made here and no index: asked for once, installed outside the
//! seal without running a line of them, and used inside it.

use std::{
    fs,
    io::Read as _,
    net::TcpListener,
    path::PathBuf,
    process::{Command, Stdio},
};

use footplate::executor::seal::{self, Form};
use serde_json::{Value, json};

use crate::{
    support::{Place, Ran, of_type},
    terminal::App,
};

/// A place with wheels to install from.
pub struct Shop {
    pub place: Place,
    /// The compiled module in the package `native`, if this Python has one to make it from.
    pub native: Option<String>,
}

impl Shop {
    pub fn new() -> Self {
        let place = Place::new();
        let links = place.home().with_file_name("links");
        fs::create_dir(&links).unwrap();
        let links = links.to_str().unwrap().to_owned();
        // As a person's own uv may be set up: no test asks anybody.
        let settings = place.home().with_file_name("user").join(".config/uv");
        fs::create_dir_all(&settings).unwrap();
        fs::write(settings.join("uv.toml"), "no-index = true\n").unwrap();
        let place = place.with(&[("UV_FIND_LINKS", &links)]);
        let mut shop = Self { place, native: None };
        // Made by the Python that they are for.
        let python = shop.call("auto", "import sys\nprint(sys._base_executable)");
        let made = Command::new(python["content"].as_str().unwrap().trim())
            .args(["-I", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/packages/wheels.py")])
            .arg(links)
            .arg(shop.mark())
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let native = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        shop.native = Some(native).filter(|native| !native.is_empty());
        shop
    }

    /// What code of a package writes if it ever runs where it can.
    pub fn mark(&self) -> PathBuf {
        self.place.work().join("mark")
    }

    fn run(&self, mode: &str, code: &str) -> Ran {
        let input = json!({ "code": code, "seal": "sealed" }).to_string();
        self.place.run(&["--mode", mode, "--tool", "execute_code", "--tool-input", &input])
    }

    pub fn call(&self, mode: &str, code: &str) -> Value {
        let ran = self.run(mode, code);
        serde_json::from_str(&ran.stdout()).unwrap_or_else(|_| panic!("{}", ran.stderr()))
    }

    /// What lies where environments are made.
    fn made(&self) -> Vec<String> {
        let entries = fs::read_dir(self.place.home().join("data/packages"));
        let names = entries.into_iter().flatten().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).collect()
    }
}

pub fn wants(packages: &[&str], code: &str) -> String {
    let names: String = packages.iter().map(|name| format!("#   {name:?},\n")).collect();
    format!("# /// script\n# dependencies = [\n{names}# ]\n# ///\n{code}")
}

/// Whether runs can be sealed here.
fn seals() -> bool {
    seal::available(env!("CARGO_BIN_EXE_footplate").as_ref()) != Form::None
}

#[test]
fn packages_are_installed_once_and_then_used_in_plan_mode_too() {
    let shop = Shop::new();
    let code = wants(&["plain>=1"], "import plain\nprint(plain.name)");
    for _ in 0..2 {
        let result = shop.call("auto", &code);
        assert_eq!(result["content"], "plain and deep\n", "{result}");
    }
    if seals() {
        assert_eq!(shop.call("plan", &code)["content"], "plain and deep\n");
        let other = wants(&["deep"], "import deep");
        assert_eq!(shop.call("plan", &other)["content"]["error"], "blocked_in_plan_mode");
    }
    let journals = shop.place.journals().concat();
    let installs: Vec<_> = of_type(&journals, "call_finished")
        .into_iter()
        .filter(|line| line["result"]["name"] == "install_packages")
        .collect();
    let came = installs[0]["result"]["content"]["installed"].as_array().unwrap();
    let told: Vec<_> = came.iter().map(|one| (&one["name"], &one["version"])).collect();
    assert_eq!(told, [(&json!("deep"), &json!("1.0")), (&json!("plain"), &json!("1.0"))]);
    assert!(came.iter().all(|one| one["hashes"][0].as_str().unwrap().starts_with("sha256:")));
    assert_eq!(installs.iter().filter(|line| line["result"]["ok"] == true).count(), 1);
}

#[test]
fn with_nobody_to_ask_no_package_comes() {
    let shop = Shop::new();
    let ran = shop.run("default", &wants(&["plain"], "import plain"));
    assert_eq!(ran.code(), 3, "{}{}", ran.stdout(), ran.stderr());
    assert!(shop.made().is_empty(), "{:?}", shop.made());
}

#[test]
fn a_package_without_a_wheel_is_refused_by_its_name_and_nothing_of_it_runs() {
    let shop = Shop::new();
    for (package, expected, advice) in [
        ("onlysource", "no usable wheels", "Only wheels are installed"),
        ("nothing", "not found", "See that the names are right"),
    ] {
        let result = shop.call("auto", &wants(&[package], "print('ran')"));
        let message = result["content"]["message"].as_str().unwrap();
        assert!(message.contains(package) && message.contains(expected), "{message}");
        assert!(message.contains(advice), "{message}");
    }
    assert!(!shop.mark().exists());
    assert!(shop.made().is_empty(), "{:?}", shop.made());
}

#[test]
fn a_faulty_block_is_refused_by_its_line_before_anything_runs() {
    let shop = Shop::new();
    for (code, line) in [
        (wants(&["plain", "-r x"], ""), "Line 4, "),
        (wants(&["plain @ file:///x.whl"], ""), "Line 3, "),
        ("# /// script\n# dependencies = 3\n# ///\n".to_owned(), "Line 2, "),
        (format!("{0}\n{0}", wants(&["plain"], "")), "Line 7, "),
        (
            "# /// script\n# [tool.uv]\n# index-url = 'https://a.example'\n# ///".to_owned(),
            "Line 2, ",
        ),
    ] {
        let result = shop.call("auto", &code);
        assert_eq!(result["content"]["error"], "invalid_input", "{code}");
        let message = result["content"]["message"].as_str().unwrap();
        assert!(message.starts_with(line), "{message}");
    }
    assert!(shop.made().is_empty());
}

#[test]
fn code_of_a_package_runs_in_the_seal_alone_and_takes_no_name_of_ours() {
    if !seals() {
        return;
    }
    let shop = Shop::new();
    let code = "import os, claims, footplate
from footplate import files
print(claims.name, os.environ.get('PTH'), callable(files.read))
folder = os.path.dirname(claims.__file__)
for path in (claims.__file__, os.path.join(folder, 'new')):
    try:
        open(path, 'a')
    except OSError as error:
        print(type(error).__name__)";
    for _ in 0..2 {
        let result = shop.call("auto", &wants(&["claims"], code));
        let said = result["content"].as_str().unwrap_or_default();
        assert!(said.starts_with("claims ran True\n"), "{result}");
        assert_eq!(said.lines().count(), 3, "{result}");
    }
    assert!(!shop.mark().exists(), "code of a package ran outside");
}

#[test]
fn a_package_that_leads_the_interpreter_elsewhere_is_refused_and_leaves_nothing() {
    let shop = Shop::new();
    let result = shop.call("auto", &wants(&["moves"], "print('ran')"));
    let message = result["content"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("pyvenv.cfg"), "{result}");
    assert!(shop.made().is_empty(), "{:?}", shop.made());
}

#[test]
fn another_python_than_there_is_is_an_error_that_says_so() {
    let shop = Shop::new();
    let block = |versions: &str| {
        format!("# /// script\n# requires-python = \"{versions}\"\n# ///\nprint('ran')")
    };
    // Nothing has to be fetched for it, so nobody is asked.
    let mode = if seals() { "plan" } else { "auto" };
    assert_eq!(shop.call(mode, &block(">=3.9"))["content"], "ran\n");
    let result = shop.call(mode, &block(">=9"));
    let message = result["content"]["message"].as_str().unwrap();
    assert!(message.starts_with("There is no Python >=9 here"), "{message}");
}

#[test]
fn an_install_that_is_stopped_ends_uv_and_leaves_nothing() {
    let shop = Shop::new();
    let index = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/simple", index.local_addr().unwrap());
    let input = json!({ "code": wants(&["plain"], ""), "seal": "sealed" }).to_string();
    let mut host = shop
        .place
        .footplate()
        .args(["--mode", "auto", "--tool", "execute_code", "--tool-input", &input])
        .env("UV_NO_CONFIG", "1")
        .env("UV_DEFAULT_INDEX", address)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (mut asking, _) = index.accept().unwrap();
    assert!(!shop.made().is_empty());
    let pid = rustix::process::Pid::from_raw(host.id().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    host.wait().unwrap();
    // Whoever asked is gone: the connection ends, and others are not begun.
    let _ = asking.read_to_end(&mut Vec::new());
    assert!(shop.made().is_empty(), "{:?}", shop.made());
}

#[test]
fn a_person_sees_what_would_be_fetched_from_where_and_answers_by_a_key() {
    if !seals() {
        return;
    }
    let shop = Shop::new();
    let code = wants(&["plain>=1"], "import plain\nprint(plain.name)");
    let arguments = json!({ "code": code, "seal": "sealed", "filename": "report.py" });
    let run = json!({ "calls": [{ "name": "execute_code", "arguments": arguments }] });
    let script = json!({ "turns": [run.clone(), run, { "text": "That was all." }] });
    let model = shop.place.script(&script);
    let mut app = App::start(&shop.place, (40, 120), &["--model", &model, "go"]);
    let screen = app.asks("EXTERNAL  install packages");
    for words in [
        "clock not started 0:0",
        "EXTERNAL  install packages",
        "leaves this computer",
        "   from    /",
        "/links",
        "plain>=1",
        "wheels only: no build code runs",
        "sealed, no network",
        "report.py, before it runs",
        "# /// script",
    ] {
        assert!(screen.contains(words), "{words}:\n{screen}");
    }
    assert!(!screen.contains("PyPI"), "{screen}");
    app.press("y");
    app.wait_for("That was all.");
    let journal = shop.place.journals().pop().unwrap();
    assert_eq!(of_type(&journal, "approval_requested").len(), 1, "the second is not asked");
    let ran = of_type(&journal, "execution_finished");
    assert_eq!(ran.len(), 2);
    let results = of_type(&journal, "call_finished");
    assert_eq!(results.last().unwrap()["result"]["content"], "plain and deep\n");
}
