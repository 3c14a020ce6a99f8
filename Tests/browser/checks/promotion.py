"""The promotion of the schema to production, and the way back."""

from Tests.browser.checks.pages import enter
from Tests.browser.checks.schema import change_rows, labelled, no_dialog, types
from Tests.browser.suite import check

PRODUCTION = "?environment=production"


def promoted(server):
    """Both environments have Post, with other grants in production."""
    server.create("Post", "a", title="sea", likes=1)
    assert server.call("POST", f"/schema/promotion{PRODUCTION}")[0] == 200
    grants = {"grants": {"_creator": ["READ", "WRITE"]}}
    assert server.call("PUT", f"/grants/Post{PRODUCTION}", grants)[0] == 200
    server.create("Post", "b", PRODUCTION, title="fog", likes=2)
    # Development goes on.
    server.create("Log", "l", level="error")
    assert server.call("POST", "/schema/types/Post/indexes", {"fields": ["-likes"]})[0] == 201
    schema = server.call("GET", "/schema")[1]
    schema["types"]["Post"]["fields"]["title"]["indexes"] = ["QUERYABLE"]
    schema["types"]["Post"]["fields"]["tags"] = {"type": "STRING_LIST"}
    assert server.call("PUT", "/schema", schema)[0] == 200


def grants(server):
    return types(server, "production")["Post"]["grants"]


@check
def a_schema_comes_to_production_with_its_rights(page, server):
    promoted(server)
    enter(page, "#/schema?view=promotion")
    page.heading("Promotion")
    page.see("What would change in production", "New indexes are built from existing records: Post (1).")
    rows = change_rows(page)
    for row in ["added type Log Log", "added field Log level", "added field Post tags", "added marks Post title",
                "added index Post -likes", "added grant Post _world", "changed grant Post _creator"]:
        assert row in rows, f"{row} is not in {rows}"
    before = types(server, "production")
    page.press("Promote to production…")
    page.see("Change the schema of production?", "This is production.", "Changed rights: Post.")
    # The differences are on the page, so the question has only their number and what is dangerous.
    assert not page.all("dialog table"), "the table is not in the dialog"
    assert " added, " in page.find("dialog").text, page.find("dialog").text
    page.shot("promotion-question")
    assert page.run("return document.activeElement.textContent") == "Keep the schema"
    page.press("Keep the schema", "dialog")
    no_dialog(page)
    assert types(server, "production") == before, "nothing was confirmed"
    page.press("Promote to production…")
    page.press("Promote", "dialog")
    page.see("Promoted", "The schema before this change is number 2 of the earlier schemas below.",
             "production has the schema of development.")
    now = types(server, "production")
    assert now["Post"]["grants"]["_world"] == ["READ"] and now["Post"]["indexes"] == [{"fields": ["-likes"]}], now
    assert "Promote to production…" not in page.text()
    page.press("Schema of production")
    page.heading("Schema")
    page.see("production", "Post", "Log")


@check
def production_keeps_its_rights_if_asked(page, server):
    promoted(server)
    kept = grants(server)
    enter(page, "#/schema?view=promotion", PRODUCTION)
    page.heading("Promotion")
    page.see("What would change in production")
    page.press("keep those of production", ".rights-choice")
    page.until(lambda: not any(" grant Post" in row for row in change_rows(page)), "the changes without rights of Post")
    assert "added grant Log _world" in change_rows(page), change_rows(page)
    page.press("Promote to production…")
    page.press("Promote", "dialog")
    page.see("Promoted", "Apart from the rights, production has the schema of development.")
    assert grants(server) == kept and "Log" in types(server, "production")
    # The sidebar of production has the new type.
    page.press("Log", "nav")
    page.heading("Log")


@check
def what_changes_meanwhile_is_shown_before_it_is_promoted(page, server):
    promoted(server)
    enter(page, "#/schema?view=promotion")
    page.see("Promote to production…")
    for path in [f"/schema/types/Post/indexes{PRODUCTION}", "/schema/types/Log/indexes"]:
        field = "title" if "Post" in path else "level"
        page.press("Promote to production…")
        page.see("Change the schema of production?")
        assert server.call("POST", path, {"fields": [field]})[0] == 201
        page.press("Promote", "dialog")
        page.see("Somebody has changed the schema meanwhile.")
        assert "tags" not in types(server, "production")["Post"]["fields"]
    page.until(lambda: "added index Log level" in change_rows(page), "the schemas of now")


@check
def what_production_cannot_take_is_said_and_not_offered(page, server):
    server.create("Post", "a", title="sea", likes=1)
    assert server.call("POST", f"/schema/promotion{PRODUCTION}")[0] == 200
    schema = server.call("GET", f"/schema{PRODUCTION}")[1]
    schema["types"]["Old"] = {"fields": {"a": {"type": "STRING"}}}
    schema["types"]["Post"]["fields"]["old"] = {"type": "STRING"}
    assert server.call("PUT", f"/schema{PRODUCTION}", schema)[0] == 200
    enter(page, "#/schema?view=promotion")
    page.see("Production cannot take this schema:", "Production has the type Old, and a promotion removes no types.",
             "Nothing can be promoted until this is resolved.")
    assert "removed type Old Old" in change_rows(page) and "Promote to production…" not in page.text()


@check
def an_earlier_schema_comes_back(page, server):
    promoted(server)
    before = types(server, "production")
    enter(page, "#/schema?view=promotion")
    page.press("Promote to production…")
    page.press("Promote", "dialog")
    page.see("Promoted")
    page.until(lambda: len(page.all("[aria-label^='Roll back to']")) == 2, "two snapshots")
    page.click(page.find("[aria-label='Roll back to 2']"))
    page.see("Bring the schema 2 of production back?")
    assert "removed type Log Log" in change_rows(page, "dialog")
    page.press("Roll back", "dialog")
    page.see("Rolled back", "The schema before this change is number 3 of the earlier schemas below.")
    after = types(server, "production")
    assert after.keys() == before.keys() and after["Post"]["grants"] == before["Post"]["grants"], after
    # A type with records stays, and the reason is said.
    page.until(lambda: len(page.all("[aria-label^='Roll back to']")) == 3, "three snapshots")
    page.click(page.find("[aria-label='Roll back to 1']"))
    page.see("Rolling back to 1 would change nothing",
             "Stays as it is: The type Post has records and cannot be left out.")
    page.click(page.find("[aria-label='Roll back to 2']"))
    page.see("Rolling back to 2 would change nothing", "Stays as it is: The type Post has records, so its field tags")


@check
def a_key_does_not_compare_the_environments(page, server):
    server.create("Post", "a", title="sea")
    status, key = server.call("POST", "/keys", {"name": "tool", "scope": {"rights": ["readSchema", "changeSchema"]}})
    assert status == 201, key
    page.open("#/schema?view=promotion")
    page.sign_in(key["token"])
    page.see("A key belongs to one environment. Only administrators can compare the two.")
    page.press("Types", "main .tabs")
    page.heading("Schema")
    page.see("Post")


@check
def an_index_that_only_production_has_is_kept_if_asked(page, server):
    promoted(server)
    schema = server.call("GET", f"/schema{PRODUCTION}")[1]
    schema["types"]["Post"]["fields"]["likes"]["indexes"] = ["SORTABLE"]
    schema["types"]["Post"]["indexes"] = [{"fields": ["title", "-likes"]}, {"fields": ["title"], "unique": True}]
    assert server.call("PUT", f"/schema{PRODUCTION}", schema)[0] == 200
    enter(page, "#/schema?view=promotion")
    page.see("3 indexes are only in production. The promotion would remove them:", "Post (likes: SORTABLE)")
    page.press("Promote to production…")
    page.see("Removed indexes: Post (likes: SORTABLE), Post (title, -likes), Post (title).")
    page.press("Keep the schema", "dialog")
    no_dialog(page)
    page.shot("promotion-lost-indexes")
    for name, left in [("Post (title, -likes)", 2), ("Post (title)", 1), ("Post (likes: SORTABLE)", 0)]:
        page.click(page.find(f".lost-indexes button[aria-label='Keep {name}: add it to development']"))
        page.until(lambda: len(page.all(".lost-indexes li")) == left, f"{left} left")
        page.until(lambda: page.run("return document.activeElement.closest('.lost-indexes, h1') !== null"), "the focus")
    now = types(server, "development")["Post"]
    assert {"fields": ["title", "-likes"]} in now["indexes"] and {"fields": ["title"], "unique": True} in now["indexes"]
    assert now["fields"]["likes"]["indexes"] == ["SORTABLE"], now
    assert not any(row.startswith(("removed index", "removed marks")) for row in change_rows(page)), change_rows(page)


@check
def new_roles_say_what_to_do_and_the_way_back_is_shown(page, server):
    server.create("Post", "a", title="sea")
    assert server.call("PUT", "/roles/clerks", {"members": []})[0] in (200, 201)
    assert server.call("PUT", "/grants/Post", {"grants": {"clerks": ["READ"]}})[0] == 200
    enter(page, "#/schema?view=promotion")
    page.see("New roles: clerks. They begin without members")
    page.press("Promote to production…")
    page.press("Promote", "dialog")
    page.see("These roles are new in production: clerks. They have no members there yet")
    page.press("Show it", ".schema-outcome")
    assert page.run("return document.activeElement.ariaLabel") == "Roll back to 1"
    page.press("clerks", ".schema-outcome")
    page.heading("Role clerks")
    assert "environment=production" in page.browser.current_url, page.browser.current_url
