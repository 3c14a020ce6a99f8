"""Jobs and schedules: their lists, what can be done with them, and how they show results and errors."""

import random

from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.administrators import add, enter_as
from Tests.browser.checks.pages import enter
from Tests.browser.server import TOKEN
from Tests.browser.suite import check

FOCUSED = "return document.activeElement.textContent.trim()"


def posts(server, count, scope=""):
    for start in range(0, count, 200):
        operations = [{"operationType": "create", "record": {
            "recordType": "Post", "recordName": f"p{number}",
            "fields": {"title": f"t{number % 7}", "likes": number, "good": number % 5}}}
            for number in range(start, min(start + 200, count))]
        status, response = server.call("POST", f"/records{scope}", {"operations": operations})
        assert status == 200 and "serverErrorCode" not in str(response), response
        # A large type is indexed in the background, and its bulk changes wait for that.
        if start == 0 and count > 1000:
            assert server.call("POST", f"/schema/types/Post/indexes{scope}", {"fields": ["likes"]})[0] == 201


def start_job(server, method, where, body=None):
    """Starts a bulk change as a job."""
    extra = ("Prefer: respond-async",)
    response = server.client(TOKEN).call(method, f"/query/Post?where={where}", body, (202,), extra)
    return response.json()["id"]


def paused_job(server, method="PATCH", where="likes+%3E%3D+0"):
    """A job that was paused before its end. Two run at a time, so one of several is still in the queue."""
    body = {"fields": {"good": 9}} if method == "PATCH" else None
    for _ in range(20):
        id_ = start_job(server, method, where, body)
        if server.call("POST", f"/jobs/{id_}/pause")[0] == 200:
            return id_
    raise AssertionError("each job ended before it could be paused")


def row(page, text):
    """The row of the table with this text, once it is there."""
    return page.until(lambda: page.run("""
        return [...document.querySelectorAll("main tbody tr")]
            .find((each) => each.textContent.includes(arguments[0])) ?? null""", text), f"a row with {text}")


def state(page, id_):
    return page.run("""
        const row = [...document.querySelectorAll("main tbody tr")]
            .find((each) => each.querySelector("th").title === arguments[0]);
        return row?.querySelector(".state")?.textContent ?? null""", id_)


def box(page, label):
    """The input with this label."""
    return page.until(lambda: page.run("""
        const labels = [...document.querySelectorAll("main label")].filter((each) => each.checkVisibility());
        return labels.find((each) => each.textContent === arguments[0]
            || each.textContent.startsWith(arguments[0] + " "))?.control ?? null""", label), f"the box “{label}”")


def write(page, label, text):
    element = box(page, label)
    element.clear()
    element.send_keys(text)


def choose(page, label, value):
    page.run("""
        arguments[0].value = arguments[1];
        arguments[0].dispatchEvent(new Event("change", { bubbles: true }))""", box(page, label), value)


def dialog(page, title, first):
    """Waits for a question, whose focus is on the safe choice."""
    page.until(lambda: page.run("return document.querySelector('dialog[open] h2')?.textContent") == title, title)
    assert page.run(FOCUSED) == first, page.run(FOCUSED)


@check
def jobs_appear_pause_resume_and_end(page, server):
    enter(page, "#/jobs")
    page.heading("Jobs")
    page.see("No jobs here.")
    posts(server, 4000)
    one = paused_job(server)
    # Without a reload, because the list asks again.
    page.until(lambda: state(page, one) == "paused", "the paused job")
    page.see("Change records", "likes >= 0", "Resume")
    page.shot("jobs")
    page.press("Resume", "main")
    page.until(lambda: state(page, one) == "done", "its end")
    two = paused_job(server, where="likes+%3E+1")
    page.until(lambda: state(page, two) == "paused", "the second job")
    page.press("End", "main")
    dialog(page, "End this job?", "Let it go on")
    page.press("Let it go on", "dialog")
    assert server.call("GET", f"/jobs/{two}")[1]["state"] == "paused"
    page.press("End", "main")
    page.press("End the job", "dialog")
    page.until(lambda: state(page, two) == "cancelled", "the end of the second job")
    page.press("Cancelled", ".tabs")
    page.until(lambda: "state=cancelled" in page.browser.current_url and state(page, two) == "cancelled", "the filter")
    assert state(page, one) is None
    page.press("Failed", ".tabs")
    page.see("No jobs here.")
    page.press("Unfinished", ".tabs")
    page.see("No jobs here.")
    # A page of 50 leads to older jobs.
    for number in range(60):
        start_job(server, "DELETE", f"likes+%3C+-{number + 1}")
        page.until(lambda: not server.call("GET", "/jobs?unfinished=true")[1]["jobs"], "the end of the job")
    page.press("All", ".tabs")
    page.until(lambda: len(page.all("main tbody tr")) == 50, "fifty jobs")
    page.press("Older →")
    page.until(lambda: 0 < len(page.all("main tbody tr")) < 50 and state(page, one) == "done", "the older jobs")
    page.press("Newest")
    page.until(lambda: len(page.all("main tbody tr")) == 50, "the newest jobs")


@check
def a_job_shows_its_task_progress_result_and_errors(page, server):
    posts(server, 4000)
    id_ = paused_job(server)
    enter(page, f"#/jobs/{id_}")
    page.heading("Change records")
    page.see("paused", "likes >= 0", '"good"', "_administrator")
    assert page.run("return document.querySelector('#rooms [aria-current]').textContent") == "Jobs"
    page.shot("job")
    page.press("Resume", "main")
    page.see("4,000 records changed.")
    page.until(lambda: "Resume" not in page.text() and "Took" in page.text(), "the end")
    page.press("Post", "main .facts")
    page.heading("Post")
    assert "where=likes+%3E%3D+0" in page.browser.current_url
    # A schedule whose job fails: the page of the job says why.
    task = {"kind": "deleteRecords", "recordType": "Post", "where": "likes > 10", "maxAffected": 5}
    assert server.call("PUT", "/schedules/careful", {"cron": "@daily", "task": task})[0] == 201
    job = server.call("POST", "/schedules/careful/run")[1]["id"]
    page.go(f"#/jobs/{job}")
    page.see("failed", "More records match than maxAffected allows", "Schedule careful", "At most")
    page.press("Schedule careful", "main")
    page.heading("careful")
    page.go("#/jobs/unknown")
    page.see("There is no such job", "Try again", "Home")


@check
def a_schedule_is_made_run_paused_changed_and_deleted(page, server):
    posts(server, 30)
    enter(page, "#/schedules")
    page.heading("Schedules")
    page.see("No schedules yet.")
    page.press("New schedule")
    page.heading("New schedule")
    page.press("Create the schedule")
    page.see("A name has 1 to 64 letters")
    write(page, "Name", "nightly")
    page.press("Create the schedule")
    page.see("Write a condition, or choose all records.")
    write(page, "Condition", "likes > ")
    page.press("Count the matches now")
    page.see("The condition is not well formed")
    write(page, "Condition", "likes >= 20")
    page.press("Count the matches now")
    page.see("10 records match now.")
    write(page, "Cron expression", "0 3 * *")
    page.see("Write five fields")
    page.press("Create the schedule")
    assert box(page, "Cron expression") == page.browser.switch_to.active_element
    page.press("Every night at three")
    write(page, "Time zone", "Europe/Nowhere")
    page.see("Write a time zone such as Europe/Berlin")
    write(page, "Time zone", "Europe/Berlin")
    page.until(lambda: len(page.all(".runs li")) == 5, "the next runs")
    page.see("3:00 AM")
    page.shot("schedule-form")
    page.press("Create the schedule")
    page.heading("nightly")
    page.see("Saved. Next run:", "It has not run yet.", "active")
    saved = server.call("GET", "/schedules/nightly")[1]
    assert saved["task"] == {"kind": "deleteRecords", "recordType": "Post", "where": "likes >= 20"}, saved
    assert saved["timeZone"] == "Europe/Berlin" and saved["cron"] == "0 3 * * *"
    # Run now asks first, and shows the run without a reload.
    page.press("Run now")
    dialog(page, "Delete these records now?", "Cancel")
    page.press("Cancel", "dialog")
    assert server.call("GET", "/schedules/nightly")[1]["runs"] == []
    page.press("Run now")
    page.press("Run now", "dialog")
    row(page, "done")
    assert server.call("GET", "/records/Post?limit=100")[1]["records"][-1]["recordName"] == "p19"
    page.press("Pause")
    page.see("paused")
    page.until(lambda: server.call("GET", "/schedules/nightly")[1]["paused"], "the pause")
    page.press("Resume")
    page.until(lambda: not server.call("GET", "/schedules/nightly")[1]["paused"], "the resumption")
    # Editing keeps what the form shows; a change of records has a field and a value. The resumption has drawn the form
    # again.
    page.settled()
    page.press("Change records", "main form")
    choose(page, "Field", "good")
    write(page, "Value", "8")
    write(page, "At most (optional)", "50")
    page.press("Mondays at three")
    page.press("Save")
    page.see("Saved. Next run:")
    saved = server.call("GET", "/schedules/nightly")[1]
    assert saved["task"]["kind"] == "updateRecords" and saved["task"]["fields"]["good"]["value"] == 8, saved
    assert saved["task"]["maxAffected"] == 50 and saved["cron"] == "0 3 * * mon", saved
    assert box(page, "Value").get_attribute("value") == "8"
    # What is not saved is not lost by a click.
    write(page, "Condition", "likes > 1")
    page.press("Schedules", "main .crumbs")
    dialog(page, "Leave without saving?", "Keep editing")
    page.press("Leave", "dialog")
    page.heading("Schedules")
    page.see("nightly", "Change records", "likes >= 20")
    page.shot("schedules")
    page.press("Run now", "main")
    dialog(page, "Change these records now?", "Cancel")
    page.press("Run now", "dialog")
    page.until(lambda: len(server.call("GET", "/schedules/nightly")[1]["runs"]) == 2, "the second run")
    page.press("nightly", "main")
    page.heading("nightly")
    page.press("Delete", "main")
    dialog(page, "Delete this schedule?", "Keep it")
    page.press("Delete the schedule", "dialog")
    page.heading("Schedules")
    page.see("No schedules yet.")
    # A name that exists is not replaced by the form of a new one.
    task = {"kind": "deleteRecords", "recordType": "Post", "all": True}
    assert server.call("PUT", "/schedules/all", {"cron": "@daily", "task": task})[0] == 201
    page.press("New schedule")
    write(page, "Name", "all")
    page.press("All records of the type")
    page.press("Create the schedule")
    page.see("A schedule with the name all exists already.")
    assert page.find(".problem-box") == page.browser.switch_to.active_element


@check
def the_preview_has_the_times_of_the_server(page, server):
    posts(server, 1)
    chance = random.Random(20260301)
    task = {"kind": "deleteRecords", "recordType": "Post", "where": "likes > 9"}
    enter(page)
    page.heading("Home")

    def part(low, high):
        first = chance.randint(low, high)
        return chance.choice(["*", str(first), f"*/{chance.randint(1, 20)}", f"{low}-{first}", f"{first},{high}"])
    for number in range(80):
        cron = " ".join([part(0, 59), part(0, 23), part(1, 28), part(1, 12), part(0, 6)])
        zone = chance.choice(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"])
        name = f"s{number}"
        status, saved = server.call("PUT", f"/schedules/{name}", {"cron": cron, "timeZone": zone, "task": task})
        assert status == 201, saved
        shown = page.browser.execute_async_script("""
            const [cron, zone, moment, done] = arguments;
            import(new URL("cron.js", location.href))
                .then(({ next, parse }) => done(next(parse(cron), zone, moment, 1)[0]))""",
            cron, zone, saved["modified"])
        assert shown == saved["next"], (cron, zone, shown, saved["next"])


@check
def the_rooms_follow_the_callers_rights(page, server):
    posts(server, 4000)
    add(server, "vera", "viewer")
    add(server, "dora", "developer")
    task = {"kind": "deleteRecords", "recordType": "Post", "where": "likes > 9999"}
    assert server.call("PUT", "/schedules/theirs", {"cron": "@daily", "task": task})[0] == 201
    id_ = paused_job(server)
    enter_as(page, "vera", "#/jobs")
    page.heading("Jobs")
    row(page, "paused")
    assert not page.all("main tbody button"), "a viewer cannot control the jobs of others"
    assert "Schedules" not in page.find("#rooms").text and "Performance" in page.find("#rooms").text
    page.go("#/schedules")
    page.see("does not cover this room")
    page.sign_out()
    page.see("You are signed out.")
    page.until(lambda: not page.browser.get_cookies(), "the cookie to go")
    enter_as(page, "dora", "#/schedules/theirs")
    page.heading("theirs")
    page.press("Pause", "main")
    dialog(page, "Run as you from now on?", "Cancel")
    page.press("Change it", "dialog")
    page.until(lambda: server.call("GET", "/schedules/theirs")[1]["by"]["name"] == "dora", "another caller")
    page.go("#/jobs")
    page.press("Resume", "main tbody")
    page.until(lambda: state(page, id_) == "done", "the end")


@check
def the_lists_work_by_keyboard_and_without_a_connection(page, server):
    posts(server, 4000)
    id_ = paused_job(server)
    enter(page, "#/jobs")
    page.heading("Jobs")
    page.until(lambda: state(page, id_) == "paused", "the job")
    button = page.find("main tbody button")
    page.run("arguments[0].focus()", button)
    button.send_keys(Keys.ENTER)
    page.until(lambda: state(page, id_) == "done", "the end")
    page.until(lambda: page.run(FOCUSED) == "Change records", "the focus in the row")
    # A lost connection leaves the page as it is, and the next try goes on.
    server.stop()
    page.settled()
    assert state(page, id_) == "done" and not page.all(".problem-box")
    # The session of the cookie ends with the server.
    server.start()
    page.see("Your session has ended, or the server was restarted.")
    page.press("Not now")


@check
def a_schedule_of_a_private_zone_tells_where_it_works(page, server):
    created = server.call("POST", "/users", {"name": "ada", "password": "correct horse"})[1]
    ada, token = created["user"]["userRecordName"], created["token"]
    assert server.call("PUT", "/zones/diary?database=private", token=token)[0] == 201
    place = f"?database=private&owner={ada}&zone=diary"
    server.create("Post", "p1", place, likes=1)
    status, made = server.call("PUT", f"/schedules/nightly{place}", {"cron": "0 3 * * *", "timeZone": "UTC", "task": {
        "kind": "deleteRecords", "recordType": "Post", "where": "likes < 3"}})
    assert status == 201 and (made["owner"], made["zone"]) == (ada, "diary"), made
    enter(page, "#/schedules/nightly")
    page.heading("nightly")
    page.see("private database of ada · zone diary", "It works in another database or zone.")
    page.press("Pause")
    page.until(lambda: server.call("GET", "/schedules/nightly")[1]["paused"], "the pause")
    now = server.call("GET", "/schedules/nightly")[1]
    assert (now["owner"], now["zone"], now["task"]) == (ada, "diary", made["task"]), now
    page.press("Show that database")
    page.heading("nightly")
    page.until(lambda: page.find("form.schedule button[type=submit]").text == "Save", "the form")
