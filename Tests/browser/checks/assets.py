"""Files: uploading by the button and by dropping, pictures, lists, errors, cancelling."""

import json
import shutil
import urllib.request

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.pages import enter
from Tests.browser.files import arrived, choose, drop, file, picture, refuse_uploads, save, shown, slow, sound
from Tests.browser.suite import check


@check
def a_picture_is_uploaded_by_the_button_and_stays(page, server):
    bytes_ = picture(400, 300)
    enter(page, "#/types/Photo/new")
    page.fill("recordName", "one")
    page.add_field("image", "ASSET")
    page.see("Choose a file")
    choose(page, "image", file("sea ü.png", bytes_))
    page.see("sea ü.png", "image/png", "400 × 300 pixels", "Choose another file", "Not saved yet")
    shown(page)
    page.press("Create")
    page.see("Created.")
    page.heading("one")
    shown(page)
    value = server.fields("Photo", "one")["image"]
    assert (value["size"], value["width"], value["filename"]) == (len(bytes_), 400, "sea ü.png"), value
    assert "receipt" not in value
    page.browser.refresh()
    page.heading("one")
    shown(page)
    assert page.find("img.thumbnail").get_attribute("alt").startswith("sea ü.png, ")
    # The server makes the small picture if it has vipsthumbnail; otherwise the whole one is used.
    wide = page.run("return document.querySelector('img.thumbnail').naturalWidth")
    assert wide == (160 if shutil.which("vipsthumbnail") else 400), f"the preview is {wide} px wide"
    link = page.run("return [...document.querySelectorAll('a')].find((each) => each.textContent === 'Download').href")
    assert "download=true" in link, link
    with urllib.request.urlopen(link, timeout=30) as response:
        assert response.read() == bytes_
    # An untouched field is no change, though its address is signed again.
    page.press("Save")
    page.see("Nothing has changed.")
    page.press("Photo", ".crumbs")
    page.heading("Photo")
    shown(page, "td .thumbnail")
    assert page.find("td img").get_attribute("loading") == "lazy"
    assert page.find("td img").get_attribute("alt").startswith("sea ü.png, ")


@check
def a_file_is_dropped_replaced_and_removed(page, server):
    server.create("Note", "a", title="sea")
    enter(page, "#/types/Note/record/a")
    page.add_field("text", "ASSET")
    drop(page, "text", ["first.txt", "text/plain", "one"], ["second.txt", "text/plain", "two"])
    page.see("This field takes one file; these are several.")
    drop(page, "text", ["first.txt", "text/plain", "one"])
    page.see("first.txt", "3 bytes")
    arrived(page)
    assert "This field takes" not in page.text()
    save(page)
    first = server.fields("Note", "a")["text"]
    assert (first["filename"], first["size"]) == ("first.txt", 3)
    page.fill("title", "fog")
    save(page)
    fields = server.fields("Note", "a")
    assert (fields["title"], fields["text"]["fileChecksum"]) == ("fog", first["fileChecksum"])
    drop(page, "text", ["third.txt", "text/plain", "three"])
    page.see("third.txt")
    arrived(page)
    save(page)
    assert server.fields("Note", "a")["text"]["filename"] == "third.txt"
    page.press("Remove")
    page.see("Choose a file", "not set")
    save(page)
    assert "text" not in server.fields("Note", "a")
    # A file that misses the zone does not open in place of the page.
    assert page.run("""
        const transfer = new DataTransfer();
        transfer.items.add(new File(["x"], "x.txt"));
        return !document.body.dispatchEvent(
            new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }))""")


@check
def a_list_takes_several_files_at_once(page, server):
    enter(page, "#/types/Album/new")
    page.fill("recordName", "two")
    page.add_field("images", "ASSET_LIST")
    choose(page, "images", *[file(f"{name}.png", picture(40 + size, 40)) for size, name in enumerate("abcde")])
    arrived(page)
    shown(page, count=5)
    drop(page, "images", ["f.txt", "text/plain", "six"])
    page.see("f.txt")
    arrived(page)
    page.click(page.find("[aria-label='Remove item 6']"))
    page.click(page.find("[aria-label='Move item 2 up']"))
    page.press("Create")
    page.see("Created.")
    page.heading("two")
    names = [each["filename"] for each in server.fields("Album", "two")["images"]]
    assert names == ["b.png", "a.png", "c.png", "d.png", "e.png"], names
    page.press("Album", ".crumbs")
    page.heading("Album")
    shown(page, "td .thumbnail", 4)
    page.see("… (5)")
    page.press("two")
    page.heading("two")
    for _ in range(3):
        page.click(page.find("[aria-label='Remove item 1']"))
    save(page)
    names = [each["filename"] for each in server.fields("Album", "two")["images"]]
    assert names == ["d.png", "e.png"], names


@check
def progress_is_shown_and_an_upload_can_be_cancelled(page, server):
    server.create("Note", "a", title="sea")
    enter(page, "#/types/Note/record/a")
    page.add_field("big", "ASSET")
    path = file("big.bin", bytes(3_000_000))
    slow(page, 400_000)
    choose(page, "big", path)
    bar = page.find("[role=progressbar]")
    assert bar.get_attribute("aria-label") == "Uploading big.bin"
    page.until(lambda: float(bar.get_attribute("value")) >= 10, "a tenth of it")
    page.see(" of 2.9 MiB")
    page.shot("progress")
    page.press("Save")
    page.see("“big.bin” is still being uploaded")
    assert server.fields("Note", "a") == {"title": "sea"}
    page.press("Cancel", ".upload")
    page.until(lambda: not page.all(".upload"), "the end of the upload")
    page.see("Choose a file", "not set")
    page.until(lambda: "drop-zone" in page.run("return document.activeElement.className"), "the focus on the zone")
    # The keyboard does it too: the line itself has the focus after “Save”, and the next stop is “Cancel”.
    choose(page, "big", path)
    page.find("[aria-label='Cancel big.bin']").send_keys(Keys.ENTER)
    page.until(lambda: not page.all(".upload"), "the end of the second upload")
    slow(page, -1)
    choose(page, "big", path)
    page.see("application/octet-stream", "2.9 MiB")
    arrived(page)
    save(page)
    assert server.fields("Note", "a")["big"]["size"] == 3_000_000


@check
def leaving_the_page_ends_its_uploads(page, server):
    server.create("Note", "a", title="sea")
    enter(page, "#/types/Note/record/a")
    page.add_field("files", "ASSET_LIST")
    page.run("""
        window.aborted = 0;
        const open = XMLHttpRequest.prototype.open;
        XMLHttpRequest.prototype.open = function (...rest) {
            this.addEventListener("abort", () => { window.aborted += 1; });
            open.apply(this, rest);
        }""")
    slow(page, 200_000)
    choose(page, "files", *[file(f"big{number}.bin", bytes(2_000_000)) for number in range(5)])
    page.until(lambda: len(page.all(".upload")) == 5, "five uploads")
    page.click(page.find("[aria-label='Remove item 1']"))
    page.until(lambda: page.run("return window.aborted") == 1, "the first upload's end")
    page.press("Note", ".crumbs")
    page.press("Leave", "dialog")
    page.heading("Note")
    page.until(lambda: page.run("return window.aborted") == 4, "the end of the others that had begun")


@check
def a_value_can_be_pasted_as_json(page, server):
    enter(page, "#/types/Note/new")
    page.fill("recordName", "a")
    page.add_field("file", "ASSET")
    choose(page, "file", file("small.txt", b"small"))
    arrived(page)
    page.see("5 bytes")
    page.press("JSON", "main .sides")
    text = page.find("textarea.code").get_attribute("value")
    assert json.loads(text)["fields"]["file"]["value"]["receipt"], text
    page.set(page.find("textarea.code"), text.replace('"small.txt"', '"other.txt"'))
    page.press("Create")
    page.heading("a")
    page.press("Fields", "main .sides")
    page.see("other.txt", "5 bytes")
    assert server.fields("Note", "a")["file"]["filename"] == "other.txt"


@check
def a_file_that_nobody_changed_is_no_conflict(page, server):
    enter(page, "#/types/Photo/new")
    page.fill("recordName", "one")
    page.add_field("image", "ASSET")
    choose(page, "image", file("sea.png", picture(40, 30)))
    shown(page)
    page.press("Create")
    page.heading("one")
    page.add_field("title", "STRING")
    page.fill("title", "mine")
    assert server.call("PATCH", "/records/Photo/one", {"fields": {"title": "theirs"}})[0] == 200
    page.press("Save")
    page.see("Two versions of one record", "title")
    rows = page.run("""
        return [...document.querySelectorAll(".conflict tbody th")].map((each) => each.firstChild.textContent)""")
    assert rows == ["title"], rows
    page.click(page.find("input[aria-label='title: yours']"))
    page.press("Save my choice")
    page.see("Saved.")
    shown(page)
    fields = server.fields("Photo", "one")
    assert (fields["title"], fields["image"]["filename"]) == ("mine", "sea.png"), fields


@check
def an_upload_that_fails_says_why(page, server):
    enter(page, "#/types/Note/new")
    page.add_field("file", "ASSET")
    path = file("small.txt", b"small")
    refuse_uploads(
        page, 413, '{"serverErrorCode":"QUOTA_EXCEEDED","reason":"The quota of files in no record is used up"}')
    choose(page, "file", path)
    page.see("The quota of files in no record is used up", "Try again")
    page.press("Create")
    page.see("“small.txt” was not uploaded")
    refuse_uploads(page, 502, "<html>")
    page.press("Try again")
    page.see("responded with 502 and no explanation. The server is not ready.")
    page.press("Dismiss")
    page.see("Choose a file", "not set")
    # Larger than any file may be: the browser is asked for its size alone.
    page.run("""
        const part = new Blob([new Uint8Array(64 << 20)]), transfer = new DataTransfer();
        transfer.items.add(new File(Array(96).fill(part), "huge.bin"));
        arguments[0].dispatchEvent(
            new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }))""",
        page.control("file", ".drop-zone"))
    page.see("This file has 6 GiB; the server takes files of up to 4.7 GiB.")
    page.press("Dismiss")
    cookies = page.browser.get_cookies()
    page.browser.delete_all_cookies()
    choose(page, "file", path)
    page.see("What you wrote on the page stays there.")
    page.press("Not now", "dialog")
    page.see("Try again")
    assert "small.txt" in page.find(".upload.failed").text and page.find(".upload .problem").text != ""
    for cookie in cookies:
        page.browser.add_cookie(cookie)
    page.press("Try again")
    page.see("5 bytes", "Choose another file")
    arrived(page)


@check
def sounds_have_a_player_and_odd_files_have_none(page, server):
    enter(page, "#/types/Song/new")
    page.add_field("files", "ASSET_LIST")
    choose(page, "files", file("sea.wav", sound()), file("page.html", b"<script>alert(1)</script>"), file("empty", b""))
    page.see("sea.wav", "page.html", "empty", "0 bytes")
    arrived(page)
    page.until(lambda: len(page.all("audio[controls]")) == 1, "a player")
    page.run("document.querySelector('audio').load(); document.querySelector('audio').preload = 'auto'")
    page.until(lambda: page.run("return document.querySelector('audio').duration > 0.1"), "the length of the sound")
    page.press("Create")
    page.see("Created.")


@check
def where_the_server_makes_no_thumbnails_small_pictures_are_shown_whole(page, server):
    enter(page, "#/types/Photo/new")
    page.add_field("image", "ASSET")
    # The server of this check may well make thumbnails, so their addresses lead nowhere here.
    page.run("""
        window.lost = /[?&]width=/;
        const source = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, "src");
        Object.defineProperty(HTMLImageElement.prototype, "src", { ...source, set(address) {
            source.set.call(this, window.lost.test(address) ? "/assets/none" : address);
        } });""")
    choose(page, "image", file("small.png", picture(33, 44)))
    shown(page)
    assert page.run("return document.querySelector('.thumbnail').naturalWidth") == 33
    page.press("Remove")
    page.run("window.lost = /assets/")
    choose(page, "image", file("lost.png", picture(33, 44)))
    page.see("33 × 44 pixels")
    page.until(lambda: "lost.png" in page.find("span.thumbnail.none").text, "words in place of the picture")


@check
def files_fit_a_narrow_dark_window(page, server):
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                 {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True})
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                 {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    enter(page, "#/types/Photo/new")
    page.fill("recordName", "one")
    for name, kind in [("image", "ASSET"), ("images", "ASSET_LIST")]:
        page.add_field(name, kind)
        choose(page, name, file("a-rather-long-name" * 8 + ".png", picture(300, 200)), *(
            [file(f"{number}.png", picture(200, 300, 200)) for number in range(5)] if kind == "ASSET_LIST" else []))
    shown(page, count=7)

    def fits(name):
        page.shot(name)
        width = page.run("return document.documentElement.scrollWidth")
        assert width <= 390, f"{name} is {width} px wide"
    fits("narrow-files")
    page.press("Create")
    page.see("Created.")
    page.heading("one")
    page.press("Photo", ".crumbs")
    page.heading("Photo")
    shown(page, "td .thumbnail", 5)
    fits("narrow-thumbnails")
    assert page.run("""
        const table = document.querySelector(".results");
        return table.scrollWidth <= table.clientWidth""")
