use super::*;

fn packages(requirements: &[&str], requires_python: Option<&str>) -> Packages {
    Packages {
        requirements: requirements.iter().map(|&one| one.to_owned()).collect(),
        requires_python: requires_python.map(str::to_owned),
    }
}

#[test]
fn a_block_names_packages_and_python() {
    let code = "#!/usr/bin/env python3\n\n# /// script\n# requires-python = \">=3.9\"\n\
                # dependencies = [\n#     \"six>=1.16\",  # a word\n#\n#     \"attrs\",\n#     'six>=1.16',\n\
                # ]\n# [tool.ruff]\n# line-length = 3\n# ///\nimport six\n";
    for code in [code.to_owned(), code.replace('\n', "\r\n")] {
        let wanted = wanted(&code).unwrap().unwrap();
        assert_eq!(wanted.line, 3);
        assert_eq!(wanted.packages, packages(&["attrs", "six>=1.16"], Some(">=3.9")));
    }
}

#[test]
fn what_is_no_block_wants_nothing() {
    for code in [
        "",
        "print(1)",
        "# /// script\n# ///\n",
        "# /// script\n# dependencies = [\"six\"]\n",
        "# /// script\n# dependencies = [\"six\"]\nprint(1)\n# ///\n",
        "# /// script\n#dependencies = [\"six\"]\n# ///\n",
        "# /// script \n# dependencies = [\"six\"]\n# ///\n",
        " # /// script\n# dependencies = [\"six\"]\n# ///\n",
        "#/// script\n# dependencies = [\"six\"]\n# ///\n",
        "# /// pyproject\n# dependencies = [\"six\"]\n# ///\n",
        "# /// script\n# dependencies = []\n# ///\n",
        "# /// script\n# requires-python = \"\"\n# ///\n",
        "# /// script\n#\n# ///\n",
    ] {
        assert_eq!(wanted(code).unwrap(), None, "{code:?}");
    }
}

#[test]
fn a_block_goes_to_the_last_end_among_its_comments() {
    let code = "# /// script\n# dependencies = ['''\n# ///\n# six''']\n# ///\n";
    let error = wanted(code).unwrap_err();
    assert!(error.message.contains("cannot be required"), "{}", error.message);
    let two = "# /// other\n# a\n# ///\n# /// script\n# dependencies = ['six']\n# ///\n";
    assert_eq!(wanted(two).unwrap(), None, "it is a part of the other");
}

#[test]
fn a_faulty_block_is_refused_by_its_line() {
    for (block, line, expected) in [
        ("# dependencies = [\n# 'six'\n# nonsense\n", 5, "in the `# /// script` block"),
        ("# dependencies = 'six'\n", 3, "invalid type"),
        ("# dependencies = [1]\n", 3, "invalid type"),
        ("# dependencies = ['a',\n#  {a = 1}]\n", 4, "invalid type"),
        (
            "# dependencies = []\n# dependencies = ['six']\n",
            4,
            "`dependencies` stands here a second time",
        ),
        ("# requires-python = 3\n", 3, "invalid type"),
        ("# requires-python = '3.11'\n", 3, "behind one of =="),
        ("# dependencies = []\n# dependancies = ['six']\n", 4, "unknown field `dependancies`"),
        ("# dependencies = [\n#  'six',\n#  '-r x',\n# ]\n", 5, "cannot be required"),
        ("# dependencies = ['six @ https://a.example/six.whl']\n", 3, "an address is not obeyed"),
        ("# dependencies = [\"six\\u001b[2J\"]\n", 3, "no requirement has"),
        ("# dependencies = []\n# [tool.uv]\n# index-url = 'https://a.example'\n", 4, "[tool.uv]"),
        ("#\n# [[tool.uv.index]]\n# url = 'https://a.example'\n", 4, "[tool.uv]"),
        ("# tool.uv.sources.six = {path = '.'}\n", 3, "[tool.uv]"),
    ] {
        let error = wanted(&format!("\n# /// script\n{block}# ///\n")).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput, "{block}");
        assert_eq!(error.detail["line"], line, "{block}: {}", error.message);
        let message = &error.message;
        assert!(message.starts_with(&format!("Line {line}, ")), "{block}: {message}");
        assert!(message.contains(expected), "{block}: {message}");
        assert!(!message.contains(char::is_control), "{block}: {message:?}");
    }
}

#[test]
fn a_second_block_is_refused() {
    let one = "# /// script\n# dependencies = []\n# ///\n";
    let error = wanted(&format!("{one}\n{one}")).unwrap_err();
    assert!(error.message.starts_with("Line 5, "), "{}", error.message);
    // Also where the first names none and the second is within a text, as in the reference.
    let error = wanted(&format!("{one}text = '''\n{one}'''\n")).unwrap_err();
    assert_eq!(error.detail["line"], 5);
}

#[test]
fn a_block_has_an_end_to_its_size() {
    let all: String = (0..=MOST).map(|n| format!("'p{n}',")).collect();
    let many = format!("# /// script\n# dependencies = [{all}]\n# ///\n");
    assert!(wanted(&many).unwrap_err().message.contains("more than 100"));
    let long = format!("# /// script\n# dependencies = []\n# {}\n# ///\n", "#".repeat(LONGEST));
    assert!(wanted(&long).unwrap_err().message.contains("64 KiB"));
}

#[test]
fn packages_asked_for_by_hand_are_held_to_the_same() {
    let same = checked(&packages(&["six  >=1", "attrs", "attrs"], Some(" >=3.9 "))).unwrap();
    assert_eq!(same, packages(&["attrs", "six >=1"], Some(">=3.9")));
    let error = checked(&packages(&["-e ."], None)).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
}
