"""The tarball: unpacked, the program runs in its directory; its contents can also be copied to /usr/local."""
import io
import tarfile
from pathlib import Path

from tree import Build, File, compress


def pack(files: dict[str, File], top: str, seconds: int) -> bytes:
    """A tar archive with directories, sorted names, and without owners."""
    output = io.BytesIO()
    names = {f"{top}/{path}": file for path, file in files.items()}
    directories = {str(parent) for name in names for parent in Path(name).parents if str(parent) != "."}
    with tarfile.open(fileobj=output, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in sorted(directories | set(names)):
            entry = tarfile.TarInfo(name)
            entry.mtime = seconds
            if name in names:
                entry.size, entry.mode = len(names[name].data), names[name].mode
                archive.addfile(entry, io.BytesIO(names[name].data))
            else:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(entry)
    return output.getvalue()


def make(build: Build, output: Path) -> Path:
    top = f"fogbase-{build.version}-linux-{build.debian_architecture}"
    file = output / f"{top}.tar.gz"
    file.write_bytes(compress(pack(build.files(), top, build.time)))
    return file
