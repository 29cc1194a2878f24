use super::*;

const NO_NAMESPACES: &str = "cannot make namespaces: Operation not permitted (os error 1)";
const NO_RULES: &str = "cannot rule over files: this kernel has no Landlock";

fn usual() -> Facts {
    Facts {
        system: "linux".into(),
        machine: "x86_64".into(),
        kernel: "6.8.0-45-generic".into(),
        program: "/usr/bin/footplate".into(),
        max_user_namespaces: Some(63_000),
        security_modules: Some("lockdown,capability,landlock,yama,apparmor".into()),
        landlock: Some(4),
        ..Facts::default()
    }
}

fn check(form: Form, fault: &str, facts: Facts, why: &str, how: &str) {
    let cause = Cause::of(&Refused { form, fault: fault.to_owned() }, &facts);
    assert!(cause.why.contains(why), "{fault} {facts:?}: {cause:?}");
    assert!(cause.how.contains(how), "{fault} {facts:?}: {cause:?}");
    assert!(!cause.why.contains('\n') && !cause.how.contains('\n'), "{cause:?}");
}

#[test]
fn what_refuses_namespaces_is_named_with_what_would_help() {
    let full = |fault: &str, facts: Facts, why: &str, how: &str| {
        check(Form::Full, fault, facts, why, how);
    };
    let none_at_all = Facts { max_user_namespaces: Some(0), is_root: true, ..usual() };
    full(NO_NAMESPACES, none_at_all, "max_user_namespaces is 0", "sysctl user.max_user");
    let debian = Facts { unprivileged_userns_clone: Some(0), ..usual() };
    full(NO_NAMESPACES, debian.clone(), "only root", "sysctl kernel.unprivileged_userns_clone=1");
    let ubuntu = Facts { apparmor_restrict_unprivileged_userns: Some(1), ..usual() };
    full(NO_NAMESPACES, ubuntu.clone(), "AppArmor", "profile footplate \"/usr/bin/footplate\"");
    // It may as well let them be made and then refuse all that is done in them.
    let later = "cannot part the mounts: Permission denied (os error 13)";
    full(later, ubuntu.clone(), "AppArmor", "/etc/apparmor.d");
    let docker = Facts { is_filtered: true, container: Some("docker".into()), ..usual() };
    full(NO_NAMESPACES, docker.clone(), "docker refuses", "seccomp=unconfined");
    let filtered = Facts { is_filtered: true, ..usual() };
    full(NO_NAMESPACES, filtered, "a container refuses", "seccomp=unconfined");
    let covered = "cannot show its own processes: Operation not permitted (os error 1)";
    full(covered, docker, "covers parts of /proc", "systempaths=unconfined");
    let used_up = "cannot make namespaces: No space left on device (os error 28)";
    full(used_up, usual(), "used up", "end other sandboxes");
    let unknown = "cannot make namespaces: Invalid argument (os error 22)";
    full(unknown, usual(), "without user namespaces", "CONFIG_USER_NS");
    let old = Facts { kernel: "5.4.0".into(), ..usual() };
    let read_only = "cannot make the root read-only: Function not implemented (os error 38)";
    full(read_only, old, "kernel 5.4.0", "6.12");
    // Root is bound by neither of the two, so something else it is.
    for facts in [debian, ubuntu] {
        full(NO_NAMESPACES, Facts { is_root: true, ..facts }, "nothing that is known", "above");
    }
}

#[test]
fn what_refuses_every_form_is_named_with_what_would_help() {
    for form in [Form::Full, Form::WithoutNamespaces] {
        let check = |fault: &str, facts: Facts, why: &str, how: &str| {
            check(form, fault, facts, why, how);
        };
        let none = Facts { landlock: None, ..usual() };
        let old = Facts { kernel: "5.10.0-9-amd64".into(), ..none.clone() };
        check(NO_RULES, old, "kernel 5.10.0-9-amd64 has no Landlock", "6.12");
        let off = Facts { security_modules: Some("capability,yama".into()), ..none.clone() };
        check(NO_RULES, off, "not switched on", "lsm=landlock,capability,yama");
        // A name that only begins so is another.
        let other = Facts { security_modules: Some("landlocked".into()), ..none.clone() };
        check(NO_RULES, other, "not switched on", "lsm=landlock,landlocked");
        let filtered = Facts { is_filtered: true, ..none.clone() };
        check(NO_RULES, filtered, "container refuses Landlock", "seccomp=unconfined");
        check(NO_RULES, none, "built without", "CONFIG_SECURITY_LANDLOCK");
        check(NO_RULES, usual(), "version 4; without namespaces 6", "6.12 or newer, or the full");
        let rare = Facts { machine: "s390x".into(), ..usual() };
        check("cannot make a filter: invalid target", rare, "s390x", "every run asks");
        let refused = "cannot filter system calls: Invalid argument (os error 22)";
        check(refused, usual(), "no filter", "CONFIG_SECCOMP_FILTER");
        let rest = "cannot run in /tmp/x: No such file or directory (os error 2)";
        check(rest, usual(), "nothing that is known", "above");
    }
    for (fault, why) in [
        ("sandbox-exec: sandbox_apply: Operation not permitted", "in a sandbox cannot"),
        ("cannot start /usr/bin/sandbox-exec: No such file (os error 2)", "no sandbox-exec"),
        ("sandbox-exec: <string>:9:1: unbound variable: file-odd", "does not fit"),
        ("the launcher ended with signal: 6 (SIGABRT)", "does not fit"),
    ] {
        check(Form::Profile, fault, Facts { system: "macos".into(), ..Facts::default() }, why, "");
    }
    let elsewhere = Facts { system: "freebsd".into(), ..Facts::default() };
    let none = Cause::of_no_form(&elsewhere);
    assert!(none.why.contains("freebsd") && none.how.contains("asks first"), "{none:?}");
}

#[test]
fn facts_are_read_where_they_stand_and_absent_where_they_do_not() {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n"),
        ("proc/sys/kernel/osrelease", "6.8.0\n"),
        ("proc/sys/user/max_user_namespaces", "0\n"),
        ("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n"),
        ("proc/sys/kernel/unprivileged_userns_clone", "no number\n"),
        ("sys/kernel/security/lsm", "capability,landlock\n"),
        (".dockerenv", ""),
    ] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let here = Facts { system: String::new(), machine: String::new(), ..Facts::below(root.path()) };
    assert_eq!(
        here,
        Facts {
            kernel: "6.8.0".into(),
            is_filtered: true,
            container: Some("docker".into()),
            max_user_namespaces: Some(0),
            apparmor_restrict_unprivileged_userns: Some(1),
            security_modules: Some("capability,landlock".into()),
            ..Facts::default()
        }
    );
    let nothing = tempfile::tempdir().unwrap();
    let nothing = Facts::below(nothing.path());
    assert_eq!((nothing.max_user_namespaces, nothing.is_filtered), (None, false));
}
