"""Files to upload, and a user's actions on them in the console."""

import pathlib
import struct
import tempfile
import zlib

FILES = tempfile.TemporaryDirectory(prefix="fogbase-browser-files-")


def picture(width, height, shade=90):
    """A PNG of one grey."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = (b"\0" + bytes([shade]) * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def sound(milliseconds=200):
    """A WAV file of silence."""
    samples = bytes([128]) * (8 * milliseconds)
    form = struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
    return (b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt " + form + b"data"
            + struct.pack("<I", len(samples)) + samples)


def file(name, content):
    path = pathlib.Path(FILES.name) / name
    path.write_bytes(content)
    return str(path)


def choose(page, field, *paths):
    page.control(field, "input[type=file]").send_keys("\n".join(paths))


def arrived(page):
    """Waits until no upload is running."""
    page.until(lambda: not page.all(".upload"), f"the end of the uploads in:\n{page.text()}")


def save(page):
    """Saves the changes, and waits until the page shows the server's response."""
    page.see("Not saved yet")
    page.press("Save")
    page.until(lambda: "Not saved yet" not in page.text(), f"the record saved in:\n{page.text()}")


def drop(page, field, *files):
    """Drops files, as `(name, type, text)`, the way a hand would: over the zone first."""
    page.run("""
        const [zone, files] = arguments, transfer = new DataTransfer();
        for (const [name, type, text] of files) transfer.items.add(new File([text], name, { type }));
        for (const kind of ["dragenter", "dragover", "drop"]) {
            zone.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }""", page.control(field, ".drop-zone"), files)


def shown(page, selector=".thumbnail", count=1):
    """Waits until pictures are there, with pixels in them."""
    page.until(lambda: page.run("""
        const images = [...document.querySelectorAll(arguments[0])];
        images.forEach((each) => each.scrollIntoView({ block: "center" }));
        return images.filter((each) => each.complete && each.naturalWidth > 0).length === arguments[1]""",
        selector, count), f"{count} pictures")


def slow(page, bytes_per_second):
    page.browser.execute_cdp_cmd("Network.enable", {})
    page.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": bytes_per_second})


def refuse_uploads(page, status, body):
    """Lets the next upload meet this response instead of the server's."""
    page.run("""
        const [status, body] = arguments, Real = window.XMLHttpRequest;
        window.XMLHttpRequest = class extends Real {
            send() {
                window.XMLHttpRequest = Real;
                for (const [key, value] of [["status", status], ["responseText", body]]) {
                    Object.defineProperty(this, key, { value });
                }
                setTimeout(() => this.dispatchEvent(new Event("load")));
            }
        };""", status, body)
