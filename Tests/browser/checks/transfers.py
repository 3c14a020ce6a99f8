"""Imports with a preview, exports of what a list shows, and the pages of their jobs."""

import glob
import json
import os
import tempfile

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from Tests.browser.checks.administrators import add, enter_as
from Tests.browser.checks.looks import CUT, ENGLISH, NAMED, TEXTS
from Tests.browser.checks.pages import enter
from Tests.browser.files import file, slow
from Tests.browser.lists import box, ends, fits, press_key
from Tests.browser.server import TOKEN
from Tests.browser.suite import check

# As Excel writes it in Germany: semicolons, a decimal comma, UTF-16. One price is no number.
GOODS = "Nr;Titel;Preis;Notiz\r\n007;Tee;2,50;grün\r\n008;Kaffee;viel;\r\n009;Kakao;3;a\r\n"
ROWS = """
    return [...document.querySelectorAll(".preview-rows tbody tr:not(.because)")].map((row) =>
        [...row.cells].map((cell) => cell.classList.contains("absent") ? null : cell.textContent))"""


def choose_file(page, path):
    page.find(".import-file input[type=file]").send_keys(path)


def rows(page, *expected):
    page.until(lambda: page.run(ROWS) == [list(each) for each in expected], f"{expected}, not {page.run(ROWS)}")


def columns_are(page, *expected):
    titles = "return [...document.querySelectorAll('.preview-rows thead th')].map((each) => each.textContent)"
    page.until(lambda: page.run(titles) == list(expected), f"{expected}, not {page.run(titles)}")


def cell(page, label):
    """The control in the table of columns with this name."""
    return page.find(f".mapping [aria-label='{label}']")


def choose(page, control, text):
    page.run("arguments[0].scrollIntoView({ block: 'center' })", control)
    Select(control).select_by_visible_text(text)


def write(page, control, text):
    control.clear()
    control.send_keys(text, "\t")


def end(page, state="done"):
    page.until(lambda: page.run("return document.querySelector('.job-state')?.textContent") == state, state)


def downloads(page):
    """A directory for the browser's downloads."""
    directory = tempfile.mkdtemp(prefix="fogbase-downloads-")
    page.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": directory})
    return directory


def download(page, directory, name):
    page.press("Download", "main")
    path = os.path.join(directory, name)
    page.until(lambda: os.path.exists(path) and not glob.glob(f"{directory}/*.crdownload"), f"the file {name}")
    with open(path, "rb") as content:
        return content.read()


@check
def a_table_is_previewed_corrected_imported_and_exported(page, server):
    enter(page, "#/types")
    page.heading("Types")
    page.press("Import…", "main")
    page.heading("Import")
    choose_file(page, file("goods.csv", GOODS.encode("utf-16")))
    page.see("This type is new. The import creates it.", "goods.csv", "3 rows are shown.")
    assert box(page, "Type", "main").get_property("value") == "Goods"
    assert box(page, "Separator", "main").get_property("value") == ";"
    assert box(page, "Encoding", "main").get_property("value") == "utf-16le"
    columns_are(page, "Row", "Nr", "Titel", "Preis", "Notiz")
    rows(page, ["1", "007", "Tee", "2,50", "grün"], ["2", "008", "Kaffee", "viel", None],
         ["3", "009", "Kakao", "3", "a"])
    # The mapping is corrected: a name, another field and type, a column that is left out.
    choose(page, cell(page, "Becomes: Nr"), "Record name")
    columns_are(page, "Row", "Record name", "Titel", "Preis", "Notiz")
    write(page, cell(page, "Field: Titel"), "title")
    columns_are(page, "Row", "Record name", "title", "Preis", "Notiz")
    write(page, cell(page, "Field: Preis"), "9 price")
    page.see("A field name is a letter of any script")
    write(page, cell(page, "Field: Preis"), "price")
    page.until(lambda: "A field name is" not in page.text(), "the end of the problem")
    choose(page, cell(page, "Type: Preis"), "DOUBLE")
    page.see("2 of the 3 rows shown would be rejected.")
    page.click(cell(page, "Options: Preis"))
    page.see("How Preis is read")
    Select(box(page, "Before the fraction")).select_by_visible_text("comma")
    page.press("Apply", "dialog")
    page.see("decimal: ,", "1 of the 3 rows shown would be rejected.",
             "Column 'Preis' in line 3 has 'viel'. Expected is a number, such as 12,5")
    choose(page, cell(page, "Becomes: Notiz"), "Leave out")
    columns_are(page, "Row", "Record name", "title", "price")
    rows(page, ["1", "007", "Tee", "2.5"], ["2", "008", "Kaffee", "viel"], ["3", "009", "Kakao", "3"])
    assert page.find(".preview-rows td.wrong").text == "viel"
    page.shot("import")
    # A dry run leads back to the import.
    page.press("Only check each row", "main")
    page.heading("Check an import (dry run)")
    end(page)
    page.see("2 rows can be imported. Nothing was written.", "1 row not: rejected or skipped.",
             "yes: nothing is written")
    assert server.call("GET", "/schema")[1]["types"] == {}
    page.press("Go on with this import", "main")
    page.heading("Import")
    rows(page, ["1", "007", "Tee", "2.5"], ["2", "008", "Kaffee", "viel"], ["3", "009", "Kakao", "3"])
    page.press("Import", ".bar")
    page.heading("Import records")
    end(page)
    page.see("2 records imported.", "1 row not: rejected or skipped.", "goods.csv", "utf-16le")
    page.until(lambda: page.run("""
        return [...document.querySelectorAll(".rejections tbody tr")].map((row) =>
            [...row.cells].map((each) => each.textContent))""") == [[
                "3", "Column 'Preis' in line 3 has 'viel'. Expected is a number, such as 12,5", "TYPE_MISMATCH"]],
        "the rejected row")
    page.shot("import-job")
    assert server.fields("Goods", "007") == {"title": "Tee", "price": 2.5}
    page.until(lambda: "Goods" in page.find("#rooms").text, "the new type in the sidebar")
    # What exists is rejected, unless told otherwise.
    page.press("Goods", "main .facts")
    page.heading("Goods")
    page.more("Import…")
    page.heading("Import")
    choose_file(page, file("more.jsonl", b"""{"recordName":"007","fields":{"title":"Tea"}}

no JSON
{"fields":{"price":1}}
"""))
    page.see("1 of the 3 rows shown would be rejected.", "Line 3: The JSON is not well formed")
    rows(page, ["1", "007", "Tea", None], ["2", None, None, None], ["3", None, None, "1"])
    page.press("Update the record", "main")
    page.press("Import", ".bar")
    page.heading("Import records")
    end(page)
    assert server.fields("Goods", "007") == {"title": "Tea", "price": 2.5}
    # The export of what the list shows.
    directory = downloads(page)
    page.go("#/types/Goods?where=price+%3E+1&sort=-price")
    page.until(lambda: len(page.all(".grid tbody tr")) == 2, "two records")
    page.more("Export…")
    page.see("Export Goods", "price > 1", "In the order -price.")
    Select(box(page, "Separator")).select_by_visible_text("semicolon")
    page.press("For Excel", "dialog")
    page.press("The fields that the list shows", "dialog")
    page.shot("export")
    page.press("Export", "dialog .actions")
    page.heading("Export records")
    end(page)
    page.see("2 records exported.")
    content = download(page, directory, "Goods.csv")
    assert content.decode("utf-8-sig") == "recordName;title;price\n009;Kakao;3.0\n007;Tea;2.5\n", content
    assert content.startswith(b"\xef\xbb\xbf")
    page.shot("export-job")


@check
def a_stale_preview_does_not_replace_a_newer_one(page, server):
    server.create("Goods", "a", title="old", price=1)
    page.open()
    # The first answer after the file comes last.
    page.delay("/imports/preview", 0)
    enter(page, "#/import?type=Goods")
    page.heading("Import")
    choose_file(page, file("goods.csv", b"id,title,price\na,sea,2\nb,fog,many\n"))
    page.see("1 of the 2 rows shown would be rejected.")
    # The schema's type of a field is not for choice.
    assert cell(page, "Type: price").get_property("disabled")
    page.run("""
        const real = window.fetch;
        let number = 0;
        window.fetch = async (address, options) => {
            const answer = real(address, options);
            number += 1;
            if (number === 1) await new Promise((resolve) => { window.release = resolve; });
            return answer;
        }""")
    choose(page, cell(page, "Becomes: title"), "Leave out")
    page.until(lambda: page.run("return window.release !== undefined"), "the first request")
    choose(page, cell(page, "Becomes: price"), "Leave out")
    columns_are(page, "Row", "Record name")
    page.run("window.release()")
    page.settled()
    columns_are(page, "Row", "Record name")
    assert cell(page, "Becomes: price").get_property("value") == "skip"
    # What the user is typing meanwhile stays.
    page.run("""
        const real = window.fetch;
        window.fetch = async (address, options) => {
            const answer = await real(address, options);
            await new Promise((resolve) => { window.release = resolve; });
            return answer;
        }
        window.release = undefined;""")
    choose(page, cell(page, "Becomes: title"), "Field")
    page.until(lambda: page.run("return window.release !== undefined"), "the next request")
    cell(page, "Field: title").send_keys("s")
    page.run("window.release(); window.release = undefined")
    columns_are(page, "Row", "Record name", "title")
    assert cell(page, "Field: title").get_property("value") == "titles"
    press_key(page, Keys.TAB)
    page.until(lambda: page.run("return window.release !== undefined"), "the request with the new name")
    page.run("window.release()")
    columns_are(page, "Row", "Record name", "titles")


@check
def a_file_that_is_no_table_is_rejected_and_another_takes_its_place(page, server):
    enter(page, "#/import?type=Goods")
    page.heading("Import")
    choose_file(page, file("goods.xlsx", b"PK\x03\x04" + bytes(200)))
    page.see("This file is a workbook or an archive.")
    choose_file(page, file("empty.csv", b""))
    page.see("This file is empty.")
    # An upload can be canceled.
    slow(page, 20_000)
    choose_file(page, file("large.csv", b"id,a\n" + b"1,2\n" * 500_000))
    page.press("Cancel", ".upload")
    page.find(".drop-zone")
    slow(page, -1)
    choose_file(page, file("old.csv", "größe,b\n1,ü\n".encode("latin-1")))
    page.see("as windows-1252, its beginning has no errors", "1 row is shown.")
    choose(page, box(page, "Encoding", "main"), "iso-8859-1")
    page.until(lambda: "its beginning has no errors" not in page.text(), "the encoding")
    write(page, box(page, "Type", "main"), "no type")
    page.see("A record type's name is a letter of any script")
    assert page.run("return document.querySelector('main [aria-invalid]').value") == "no type"
    page.press("Import", ".bar")
    page.settled()
    assert page.run("return location.hash").startswith("#/import"), "an import with an error was sent"
    # Leaving asks, and so does no other file.
    page.press("Goods", ".crumbs")
    page.see("Leave without saving?")
    page.press("Keep editing", "dialog")
    page.press("Another file…", "main")
    page.find(".drop-zone")
    assert not page.all(".import-work")
    page.press("Goods", ".crumbs")
    page.heading("Goods")


@check
def the_room_looks_like_the_others(page, server):
    server.create("Goods", "a", title="old", Preis={"value": 1.5, "type": "DOUBLE"})
    page.open()
    page.run("localStorage.setItem('fogbase.language', 'ja')")
    page.open()
    page.find("#token").send_keys(TOKEN)
    page.press("サインイン")
    page.heading("ホーム")
    page.browser.execute_cdp_cmd("Accessibility.enable", {})
    for language, heading in [("ja", "インポート"), ("en", "Import")]:
        if language == "en":
            page.run("localStorage.setItem('fogbase.language', 'en')")
            page.run("window.onbeforeunload = null")
        page.open("#/import?type=Goods")
        page.heading(heading)
        # One price is no number, one row has too many cells, and points can be those of thousands.
        choose_file(page, file("goods.csv", b"""Nr;Titel;Preis;Summe;Datum
1;Tee;2,50;1.000;1.2.2026
2;Kaffee;viel;2.000;
3;x;1;1.500;;;y
"""))
        page.find(".preview-rows tr.because")
        page.find(".import-problems li")
        page.see("The points can be decimal points, or stand between thousands")
        for width, height, scheme in [(1280, 1800, "light"), (1280, 1800, "dark"), (390, 2600, "light")]:
            page.size(width, height, scheme)
            page.settled()
            fits(page, f"the import at {width} in {language}")
            page.shot(f"import-{language}-{width}-{scheme}")
            assert cell(page, f"{'フィールド' if language == 'ja' else 'Field'}: Titel").is_displayed()
            assert not page.run(CUT), page.run(CUT)
            faint = page.run(TEXTS)
            assert not faint, f"{scheme}: {faint}"
        page.size(1280, 900)
        nodes = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        found = [node for node in nodes if not node.get("ignored") and node["role"]["value"] in NAMED]
        nameless = [node["role"]["value"] for node in found if not node.get("name", {}).get("value")]
        assert len(found) > 30 and not nameless, nameless
        page.click(page.find(".mapping button:not([hidden])"))
        page.find("dialog select")
        fits(page, f"the options in {language}")
        page.shot(f"import-options-{language}")
        if language == "ja":
            shown, left = page.browser.execute_async_script(ENGLISH)
            assert shown == "ja" and not left, left
        press_key(page, Keys.ESCAPE)
        ends(page)
        page.press("別のファイル…" if language == "ja" else "Another file…", "main")


@check
def what_is_offered_follows_the_callers_rights(page, server):
    add(server, "vera", "viewer")
    server.create("Goods", "a", title="old", price=1)
    enter_as(page, "vera", "#/types/Goods")
    page.heading("Goods")
    page.click(page.find(".toolbar .more summary"))
    offered = page.find(".toolbar .more").text
    assert "Export…" in offered and "Import…" not in offered, offered
    page.press("Export…", ".toolbar .more")
    page.see("Export Goods", "All records that you can read.")
    page.size(390, 900)
    fits(page, "the export")
    page.shot("export-390")
    page.size(1200, 900)
    page.press("JSON lines", "dialog")
    page.until(lambda: "Separator" not in page.find("dialog").text, "no separator")
    directory = downloads(page)
    page.press("Export", "dialog .actions")
    page.heading("Export records")
    end(page)
    line = json.loads(download(page, directory, "Goods.jsonl"))
    assert line["recordName"] == "a" and line["fields"]["title"]["value"] == "old", line
    page.go("#/types")
    page.heading("Types")
    assert "Import…" not in page.find("main").text
    page.go("#/import")
    page.see("does not cover this room")


@check
def an_import_under_way_shows_its_rejected_rows_and_is_ended(page, server):
    enter(page, "#/import?type=Log")
    page.heading("Import")
    lines = [f"{number},{'x' if number % 100 == 99 else number}\n" for number in range(200_000)]
    choose_file(page, file("log.csv", ("id,number\n" + "".join(lines)).encode()))
    # The guess is a STRING because of the x.
    page.see("20 rows are shown.")
    choose(page, cell(page, "Type: number"), "INT64")
    page.find(".mapping [aria-label='Options: number']:not([hidden])")
    page.settled()
    page.press("Import", ".bar")
    page.heading("Import records")
    page.see("Rejected rows", "Column 'number' in line 101 has 'x'", " of about ")
    page.press("Pause", "main")
    end(page, "paused")
    page.shot("import-paused")
    page.press("End", "main")
    page.press("End the job", "dialog")
    end(page, "cancelled")
    done = server.call("GET", f"/jobs/{page.run('return location.hash').split('/')[-1]}")[1]
    assert 0 < done["done"] < 198_000 and 0 < done["skipped"] < 2_000, done
    page.see(f"{done['done']:,} records imported.")
    # The rows that were rejected after the page has shown the first ones are there too.
    shown = "return document.querySelectorAll('.rejections tbody tr').length"
    page.until(lambda: page.run(shown) == min(50, done["skipped"]), "the rejected rows")
    if done["skipped"] > 50:
        page.press("Show more", ".rejections")
        page.until(lambda: page.run(shown) == min(100, done["skipped"]), "the next page")
