//! System calls that a sealed program is refused: those that reach the network, other processes or
//! the machine itself, and those for which there are no rules over files.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, sock_filter,
};

use super::{Form, Level, Plan, diagnosis::step, launcher::Fault};

/// Refused in every form, whatever the arguments.
const REFUSED: [c_long; 52] = [
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_unshare,
    libc::SYS_setns,
    // Ways around the checks of the kernel, or into more of it than a program needs.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_personality,
    libc::SYS_syslog,
    // Keys of the person.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // The machine.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// Sockets of any family; pairs of them stay, but lead nowhere else.
const SOCKETS: [c_long; 3] = [libc::SYS_socket, libc::SYS_connect, libc::SYS_bind];

/// The families of sockets that lead to the network: its own two, and the one by which a program
/// asks the kernel which addresses it has. A socket by a path or a name of this machine, behind
/// which an agent with keys or a daemon with more rights may listen, is of another family, and
/// where none can be made there is none to connect.
const NETWORK: [libc::c_int; 2] = [libc::AF_INET, libc::AF_INET6];
const ADDRESSES: libc::c_int = libc::AF_NETLINK;

/// Kinds of socket beside those of TCP and UDP, such as those that shape or read whole packets.
const OTHER_KINDS: [libc::c_int; 5] = [libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET, 6, 10];

/// The protocols of such a socket: whatever its kind takes, TCP in two forms, UDP, and echoes. Others
/// are seldom used, and so is their part of the kernel.
const PROTOCOLS: [libc::c_int; 6] = [
    0,
    libc::IPPROTO_TCP,
    libc::IPPROTO_MPTCP,
    libc::IPPROTO_UDP,
    libc::IPPROTO_ICMP,
    libc::IPPROTO_ICMPV6,
];

/// What a namespace would keep apart: memory and queues that all processes of a person share.
const SHARED: [c_long; 12] = [
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// What changes a file beside its bytes: no rule over files knows of it.
const ATTRIBUTES: [c_long; 12] = [
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// The same under older names, and others that newer machines never had.
#[cfg(target_arch = "x86_64")]
const OLD_ATTRIBUTES: [c_long; 6] = [
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_ATTRIBUTES: [c_long; 0] = [];

/// Calls whose first argument names a process that need not be one's own.
const OF_A_PROCESS: [c_long; 5] = [
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
];

/// The same, where it is the second.
const TO_A_PROCESS: [c_long; 2] = [libc::SYS_setpriority, libc::SYS_ioprio_set];

/// What the first argument of those is where the second is a process.
const ONE_PROCESS: [(c_long, u64); 2] = [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)];

/// Flags of `clone` that make a namespace.
const NAMESPACES: [libc::c_int; 8] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    0x80, // a clock of its own
];

/// Kinds of socket that can send to any address, even one of a pair.
const UNCONNECTED: [libc::c_int; 2] = [libc::SOCK_DGRAM, libc::SOCK_RAW];

/// Writing into a terminal as if it were typed.
const TYPED: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

/// Refuses those calls to this process and all it starts, for ever.
pub(super) fn apply(plan: &Plan) -> Result<(), Fault> {
    for program in programs(plan).map_err(Fault::at(step::FILTER))? {
        seccompiler::apply_filter(&program).map_err(Fault::at(step::FILTERING))?;
    }
    Ok(())
}

fn programs(plan: &Plan) -> Result<Vec<BpfProgram>, BackendError> {
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    for flag in NAMESPACES {
        let flag = u64::from(flag.cast_unsigned());
        when(&mut refused, libc::SYS_clone, 0, SeccompCmpOp::MaskedEq(flag), flag)?;
    }
    if plan.network {
        other_sockets(&mut refused)?;
    } else {
        refused.extend(SOCKETS.iter().map(|&call| (call, Vec::new())));
    }
    for kind in UNCONNECTED {
        let kind = u64::from(kind.cast_unsigned());
        when(&mut refused, libc::SYS_socketpair, 1, SeccompCmpOp::MaskedEq(0xf), kind)?;
    }
    for request in TYPED {
        when(&mut refused, libc::SYS_ioctl, 1, SeccompCmpOp::Eq, request)?;
    }
    match plan.form {
        // The keeper is the first there, and would see nothing with a limit of no open files. What
        // else could be done to it the system refuses, since it has rights that the run has not.
        Form::Full => when(&mut refused, libc::SYS_prlimit64, 0, SeccompCmpOp::Eq, 1)?,
        Form::WithoutNamespaces | Form::Profile | Form::None => {
            refused.extend(SHARED.iter().map(|&call| (call, Vec::new())));
            for call in OF_A_PROCESS {
                when(&mut refused, call, 0, SeccompCmpOp::Ne, 0)?;
            }
            for call in TO_A_PROCESS {
                when(&mut refused, call, 1, SeccompCmpOp::Ne, 0)?;
            }
            // Of a kind that is no single process, nobody's number is that of all of this user.
            for (call, process) in ONE_PROCESS {
                when(&mut refused, call, 0, SeccompCmpOp::Ne, process)?;
            }
            // Programs that build something cannot do without, and are asked about.
            if plan.level == Level::Sealed {
                let attributes = ATTRIBUTES.iter().chain(&OLD_ATTRIBUTES);
                refused.extend(attributes.map(|&call| (call, Vec::new())));
            }
        }
    }
    // A libc without it falls back to `clone`, whose flags can be read.
    let absent = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    Ok(vec![foreign_numbers(), filter(absent, libc::ENOSYS)?, filter(refused, libc::EPERM)?])
}

/// Refuses every socket that does not lead to the network.
fn other_sockets(refused: &mut BTreeMap<i64, Vec<SeccompRule>>) -> Result<(), BackendError> {
    let is = |argument, operator, value: libc::c_int| {
        let value = u64::from(value.cast_unsigned());
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
    };
    let others: Result<Vec<_>, _> = NETWORK
        .into_iter()
        .chain([ADDRESSES])
        .map(|family| is(0, SeccompCmpOp::Ne, family))
        .collect();
    let rules = refused.entry(libc::SYS_socket).or_default();
    rules.push(SeccompRule::new(others?)?);
    for family in NETWORK {
        for kind in OTHER_KINDS {
            let kind = is(1, SeccompCmpOp::MaskedEq(0xf), kind)?;
            rules.push(SeccompRule::new(vec![is(0, SeccompCmpOp::Eq, family)?, kind])?);
        }
        let mut other: Vec<_> = vec![is(0, SeccompCmpOp::Eq, family)?];
        for protocol in PROTOCOLS {
            other.push(is(2, SeccompCmpOp::Ne, protocol)?);
        }
        rules.push(SeccompRule::new(other)?);
    }
    let is_addresses = is(0, SeccompCmpOp::Eq, ADDRESSES)?;
    let is_another_protocol = is(2, SeccompCmpOp::Ne, libc::NETLINK_ROUTE)?;
    rules.push(SeccompRule::new(vec![is_addresses, is_another_protocol])?);
    Ok(())
}

fn when(
    refused: &mut BTreeMap<i64, Vec<SeccompRule>>,
    call: c_long,
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<(), BackendError> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
    refused.entry(call).or_default().push(SeccompRule::new(vec![condition])?);
    Ok(())
}

fn filter(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    errno: libc::c_int,
) -> Result<BpfProgram, BackendError> {
    let refuse = SeccompAction::Errno(errno.cast_unsigned());
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine)?.try_into()
}

/// Refuses every number with the bit of another set of calls, in which each call is there again
/// under a name that the other filters do not know. No machine has that many calls of its own.
fn foreign_numbers() -> BpfProgram {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_IF_SET: u16 = 0x45;
    const RETURN: u16 = 0x06;
    const REFUSE: u32 = 0x0005_0000 | libc::ENOSYS.cast_unsigned();
    const ALLOW: u32 = 0x7fff_0000;
    vec![
        sock_filter { code: LOAD_NUMBER, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_SET, jt: 0, jf: 1, k: 0x4000_0000 },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: REFUSE },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: ALLOW },
    ]
}
