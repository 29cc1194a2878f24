//! `git.commit`: named paths, as they are now, on the branch that is checked out. What else is staged
//! stays staged, and is not in it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    Repository, category, paths,
    run::{Said, Work, git, look},
    subject,
};
use crate::{
    kernel::{
        capability::{Body, Capability, Category, Content, Preview, Reach},
        context::Context,
        error::CallError,
        gate::{Permit, subject::Subject},
        port::{Bounds, Level},
        schema,
    },
    modules::{bounds::fits, run::executor},
};

/// The longest message.
const MESSAGE_BYTES: usize = 16 << 10;

/// Keeps new objects in the scratch folder. `$1` is the place of the others, as a list has it.
const ASIDE: &str = r#"
mkdir "$TMPDIR/objects"
export GIT_OBJECT_DIRECTORY="$TMPDIR/objects" GIT_ALTERNATE_OBJECT_DIRECTORIES="$1"
shift
"#;

/// Makes the tree of the commit in an index of its own: what the branch has, and the paths as they are.
const TREE: &str = r#"
for going in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply; do
    if [ -e "$GIT_DIR/$going" ]; then
        echo "a merge, rebase or the like is going on, which a commit of some paths would break; use process.run" >&2
        exit 70
    fi
done
set -e
export GIT_INDEX_FILE="$TMPDIR/index"
head=$(git rev-parse -q --verify 'HEAD^{commit}' || true)
if [ -n "$head" ]; then
    base=$(git rev-parse "$head^{tree}")
    git read-tree "$head"
else
    base=$(git hash-object -t tree --stdin < /dev/null)
    git read-tree --empty
fi
git add --all -- "$@"
if git diff-index --cached --name-only "$base" |
    git check-attr --stdin filter |
    grep -v -e ': filter: unspecified$' -e ': filter: unset$' >&2; then
    echo "these pass through a filter, which is a program of the repository and is not run here; use process.run" >&2
    exit 71
fi
tree=$(git write-tree)
if [ "$tree" = "$base" ]; then
    echo "nothing has changed in these paths since the last commit" >&2
    exit 72
fi
"#;

/// Shows it.
const SHOW: &str = r#"
author=$(git var GIT_AUTHOR_IDENT)
git var GIT_COMMITTER_IDENT > /dev/null
echo "on $(git symbolic-ref -q --short HEAD || echo 'no branch')"
echo "tree $tree"
echo "parent ${head:-none}"
echo "author ${author%> *}>"
git diff-index --cached --no-ext-diff --no-textconv --no-color --submodule=short -M \
    --stat=100 --summary --patch "$base"
"#;

/// Makes it, if it is the one that was shown. `$message`, `$want` and `$parent` say which.
const MAKE: &str = r#"
if [ "$tree" != "$want" ] || [ "${head:-none}" != "$parent" ]; then
    echo "not committed: the files or the branch are no longer those that were shown; look again" >&2
    exit 73
fi
made=$(printf '%s\n' "$message" | git commit-tree "$tree" ${head:+-p} ${head:+"$head"} -F -)
git update-ref -m "commit: $(printf '%s\n' "$message" | head -n 1)" HEAD "$made" "$head"
unset GIT_INDEX_FILE
echo "$made"
# What stands in the index of everybody is now what the branch has. Where another holds it, the commit
# is made all the same.
git reset -q -- "$@" > /dev/null || echo "the index could not be brought up to date"
"#;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Commit {
    /// The files and folders to commit as they are now, untracked and deleted ones as well.
    #[schemars(length(min = 1))]
    paths: Vec<String>,
    /// The message: a line, and if need be an empty one and more.
    message: String,
}

pub(super) fn commit() -> Capability {
    Capability::define::<Commit>(
        "git.commit",
        "Commits these paths as they are now, whatever else is staged, and gives {commit}. No hook and \
         no filter runs, and nothing is signed; use process.run where one of them must.",
        Category::Write,
    )
    .category_of(|cx, _| match category(cx) {
        Category::Read => Category::Write,
        Category::Write | Category::Execute | Category::External => Category::Execute,
    })
    .status(|commit| format!("commit {}", commit.paths.join(", ")))
    .subject(|cx, _| subject(cx))
    .preview(|cx, commit| async move { Ok(commit.planned(&cx).await?.preview) })
    .handler(make)
}

/// A commit that could be made now.
struct Planned {
    preview: Preview,
    repository: Repository,
    tree: String,
    parent: String,
    paths: Vec<String>,
    message: String,
}

impl Commit {
    async fn planned(&self, cx: &Context) -> Result<Planned, CallError> {
        let message = message(&self.message)?;
        if self.paths.is_empty() {
            return Err(schema::invalid("git.commit.paths", "it names no path"));
        }
        let paths = paths(cx, "git.commit.paths", &self.paths)?;
        fits(cx, &Bounds { writes: vec![cx.env.root().to_owned()], ..Level::Sealed.into() })?;
        let repository = Repository::of(cx)?;
        let script = format!("{ASIDE}{TREE}{SHOW}");
        let mut words = vec![objects(&repository)];
        words.extend_from_slice(&paths);
        let work = Work { title: "git commit", script: &script, words, writes: Vec::new() };
        let Said { out, cut } = look(cx, &repository, work).await?;
        let unlike = || CallError::failed("git did not say what it would commit. Use process.run.");
        let (mut lines, mut rest) = (Vec::new(), &*out);
        for key in ["on ", "tree ", "parent ", "author "] {
            let (line, after) = rest.split_once('\n').ok_or_else(unlike)?;
            lines.push(line.strip_prefix(key).ok_or_else(unlike)?);
            rest = after;
        }
        let [branch, tree, parent, author] = lines[..] else { return Err(unlike()) };
        let mut facts = vec![
            format!("as {author}"),
            "no hook runs".to_owned(),
            match repository.outside().is_empty() {
                true => "in the workspace".to_owned(),
                false => format!("in the repository {}", repository.common.display()),
            },
        ];
        if cut {
            facts.push("the middle of its diff is too long to be shown".to_owned());
        }
        let text = format!(
            "commit on {branch}\nafter {parent}\ntree {tree}\n\n{message}\n\n{}",
            rest.trim_end()
        );
        let preview = Preview {
            object: format!("commit on {branch}"),
            facts,
            wider: Vec::new(),
            // What is below .git is obeyed by others.
            reach: Reach::Outside,
            body: Body::Text { text },
            subject: Subject::path(&repository.common),
        };
        let (tree, parent) = (tree.to_owned(), parent.to_owned());
        Ok(Planned { preview, repository, tree, parent, paths, message })
    }
}

async fn make(permit: Permit, cx: Context, commit: Commit) -> Result<Content, CallError> {
    let planned = commit.planned(&cx).await?;
    let same = permit.preview().is_some_and(|approved| {
        (&approved.object, &approved.body) == (&planned.preview.object, &planned.preview.body)
    });
    if !same {
        return Err(CallError::failed(
            "Not committed: the files or the branch are no longer those you saw. Look at git.status and \
             commit anew.",
        ));
    }
    let Planned { repository, tree, parent, paths, message, .. } = planned;
    // It runs nothing but git, and writes nothing but the repository.
    let mut writes = vec![repository.common.clone(), repository.folder.clone()];
    writes.dedup();
    let executor = executor(&cx)?;
    let bounds = Bounds { writes: writes.clone(), ..Level::Sealed.into() };
    executor.check_bounds(&bounds, &repository.root)?;
    let script = format!("want=\"$1\" parent=\"$2\" message=\"$3\"\nshift 3\n{TREE}{MAKE}");
    let mut all = vec![tree, parent, message];
    all.extend(paths);
    let work = Work { title: "git commit", script: &script, words: all, writes };
    let Said { out, .. } = git(&cx, permit.call(), &repository, work).await?;
    let mut lines = out.lines();
    let mut value = json!({ "commit": lines.next().unwrap_or_default() });
    if let Some(note) = lines.next() {
        value["note"] = json!(note);
    }
    Ok(value.into())
}

/// Where the objects are, as git reads a list of such places: in quotation marks, a colon is a colon.
fn objects(repository: &Repository) -> String {
    let objects = repository.common.join("objects").display().to_string();
    format!("\"{}\"", objects.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The message without what stands around it.
fn message(said: &str) -> Result<String, CallError> {
    let fault = |fault: &str| Err(schema::invalid("git.commit.message", fault));
    let message = said.trim();
    if message.is_empty() {
        return fault("it is empty; say what the commit does");
    }
    if message.len() > MESSAGE_BYTES {
        return fault("it is too long; say it shorter");
    }
    if message.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) {
        return fault("it holds control characters; write it as plain text");
    }
    Ok(message.to_owned())
}
