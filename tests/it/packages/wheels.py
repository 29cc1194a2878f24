"""Makes small wheels, and one source package, in a folder: wheels.py FOLDER MARK."""

import glob, io, os, shutil, sys, sysconfig, tarfile, zipfile

folder, mark = sys.argv[1:]


def wheel(name, files, needs=(), tag="py3-none-any"):
    about = f"{name}-1.0.dist-info"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0"]
    metadata += [f"Requires-Dist: {need}" for need in needs]
    files = dict(files)
    files[f"{about}/METADATA"] = "\n".join(metadata) + "\n"
    pure = str(tag.endswith("any")).lower()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"
    files[f"{about}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(f"{folder}/{name}-1.0-{tag}.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


wheel("plain", {"plain.py": "import deep\nname = 'plain and ' + deep.name\n"}, ["deep>=1"])
wheel("deep", {"deep.py": "name = 'deep'\n"})

# What it can run without being imported, and a name that is not its own.
tell = f"open({mark!r}, 'a').write('ran outside')"
guarded = f'import os; exec("try: {tell}\\nexcept OSError: os.environ[\'PTH\'] = \'ran\'")\n'
wheel(
    "claims",
    {
        "claims.pth": guarded,
        "sitecustomize.py": f"{tell}\n",
        "footplate/__init__.py": "raise SystemExit('claimed')\n",
        "footplate/files.py": "raise SystemExit('claimed')\n",
        "claims.py": "name = 'claims'\n",
    },
)

# Files of the environment itself, by which Python finds its own.
wheel("moves", {"moves.py": "", "moves-1.0.data/data/pyvenv.cfg": "home = /elsewhere/bin\n"})

with tarfile.open(f"{folder}/onlysource-1.0.tar.gz", "w:gz") as archive:
    for path, text in {
        "PKG-INFO": "Metadata-Version: 2.1\nName: onlysource\nVersion: 1.0\n",
        "setup.py": f"{tell}\nfrom setuptools import setup\nsetup(name='onlysource', version='1.0')\n",
    }.items():
        file = tarfile.TarInfo(f"onlysource-1.0/{path}")
        file.size = len(text)
        archive.addfile(file, io.BytesIO(text.encode()))

# A compiled module of the standard library, in a package of another name.
modules = os.path.join(sysconfig.get_path("platstdlib"), "lib-dynload")
for module in ("_heapq", "_bisect", "_random", "_json", "_queue"):
    for path in glob.glob(f"{glob.escape(modules)}/{module}.*.so"):
        python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        compiled = open(path, "rb").read()
        name = f"from native import {module} as inner\nfile = inner.__file__\n"
        wheel(
            "native",
            {"native/__init__.py": "", f"native/{os.path.basename(path)}": compiled, "native/which.py": name},
            tag=f"{python}-{python}-{platform}",
        )
        print(module)
        sys.exit()
