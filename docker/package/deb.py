"""The Debian package, for Debian 12 and Ubuntu 24.04 or later."""
import hashlib
import os
import tempfile
import time
from email.utils import formatdate
from pathlib import Path

from tree import HERE, Build, File, compress, glibc_version, run

# Alternatives: Debian 13 and Ubuntu 24.04 renamed libraries for 64-bit times; the new packages provide the old names.
DEPENDENCIES = [
    "adduser", "ca-certificates", "libc6 (>= {glibc})", "libcrypt1", "libcurl4t64 (>= 7.87) | libcurl4 (>= 7.87)",
    "libgcc-s1", "libsqlite3-0 (>= 3.40)", "libssl3t64 | libssl3", "libstdc++6 (>= 12)", "tzdata", "zlib1g"]
CONTROL = """\
Package: fogbase
Version: {version}
Architecture: {architecture}
Section: database
Priority: optional
Maintainer: {maintainer}
Installed-Size: {kilobytes}
Depends: {dependencies}
Recommends: libvips-tools
Description: record database server with CloudKit's data model
 Fogbase is a backend for apps on your own machine: records, users, roles,
 files and sync over HTTP and JSON, in one program with SQLite inside.
 .
 The package creates the user fogbase and the data directory /var/lib/fogbase,
 and starts the server on 127.0.0.1, port 8080. libvips-tools creates
 thumbnails; everything else works without it.
"""
CHANGES = """\
fogbase ({version}) stable; urgency=medium

  * See /usr/share/doc/fogbase/CHANGELOG.md.gz.

 -- {maintainer}  {date}
"""
MAINTAINER = os.environ.get("DEB_MAINTAINER", "Fogbase maintainers <maintainers@fogbase.invalid>")


def contents(build: Build) -> dict[str, File]:
    """The files of the package by absolute path without the first slash."""
    files = {f"usr/{path}": file for path, file in build.files().items()}
    documents = "usr/share/doc/fogbase"
    changes = CHANGES.format(version=build.version, maintainer=MAINTAINER, date=formatdate(build.time))
    log = files.pop(f"{documents}/CHANGELOG.md")
    del files[f"{documents}/LICENSE"]
    files |= {
        "etc/fogbase.conf": files.pop("usr/share/fogbase/examples/fogbase.conf"),
        f"{documents}/changelog.gz": File(compress(changes.encode())),
        f"{documents}/CHANGELOG.md.gz": File(compress(log.data)),
        f"{documents}/copyright": File((HERE / "debian/copyright").read_bytes()),
    }
    return files


def control(build: Build, files: dict[str, File]) -> dict[str, File]:
    """The files of the directory DEBIAN."""
    fields = CONTROL.format(
        version=build.version, architecture=build.debian_architecture, maintainer=MAINTAINER,
        dependencies=", ".join(DEPENDENCIES).format(glibc=".".join(map(str, glibc_version(build.binary)))),
        kilobytes=sum(len(file.data) + 1_023 >> 10 for file in files.values()))
    sums = "".join(f"{hashlib.md5(file.data).hexdigest()}  {path}\n" for path, file in sorted(files.items())
                   if not path.startswith("etc/"))
    scripts = {name: File((HERE / "debian" / name).read_bytes(), 0o755) for name in ("postinst", "prerm", "postrm")}
    return {"control": File(fields.encode()), "md5sums": File(sums.encode()),
            "conffiles": File(b"/etc/fogbase.conf\n"), **scripts}


def make(build: Build, output: Path) -> Path:
    files = contents(build)
    everything = files | {f"DEBIAN/{name}": file for name, file in control(build, files).items()}
    package = output / f"fogbase_{build.version}_{build.debian_architecture}.deb"
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory) / "package"
        for path, file in everything.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.data)
            target.chmod(file.mode)
            os.utime(target, (build.time, build.time))
        for one in [root, *root.rglob("*")]:
            if one.is_dir():
                one.chmod(0o755)
                os.utime(one, (build.time, build.time))
        os.environ["SOURCE_DATE_EPOCH"] = str(build.time)
        # gzip and xz of Ubuntu are read by every version of dpkg; zstd is not.
        run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, package)
    return package
