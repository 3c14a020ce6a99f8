"""The map and the groups of a search, and the zones of a private database."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from Tests.browser.checks.pages import enter
from Tests.browser.checks.queries import box, rows, write
from Tests.browser.suite import check

DOTS = "return document.querySelectorAll('.dots a[visibility=visible]').length"
ROWS = """
    return [...document.querySelectorAll(".groups tbody tr")]
        .map((each) => each.innerText.trim().split(/\\s*[\\t\\n]\\s*/))"""
CITIES = [("oslo", 59.91, 10.75), ("bergen", 60.39, 5.32), ("tokyo", 35.68, 139.77), ("suva", -18.14, 178.44)]


def place(latitude, longitude):
    return {"latitude": latitude, "longitude": longitude}


def stations(server):
    for number, (name, latitude, longitude) in enumerate(CITIES):
        server.create("Station", name, place=place(latitude, longitude), mood="calm" if number < 3 else "it's windy",
                      seen={"value": 1767225600000 + number * 20 * 86_400_000, "type": "TIMESTAMP"})
    server.create("Station", "nowhere", mood="calm")


def dots(page, count):
    page.until(lambda: page.run(DOTS) == count, f"{count} places on the map, not {page.run(DOTS)}")


def where(page):
    return box(page, "Where").get_attribute("value")


def drag(page, start, end):
    """Drags on the map between two points, as parts of its width and height from its middle."""
    world = page.find(".world")
    page.run("arguments[0].scrollIntoView({ block: 'center' })", world)
    width, height = world.size["width"], world.size["height"]
    points = [(round(x * width), round(y * height)) for x, y in (start, end)]
    (x, y), (to_x, to_y) = points
    middle = (to_x - x) // 2, (to_y - y) // 2
    ActionChains(page.browser).move_to_element_with_offset(world, x, y).click_and_hold().move_by_offset(*middle) \
        .move_by_offset(to_x - x - middle[0], to_y - y - middle[1]).release().perform()


@check
def places_are_links_on_a_map(page, server):
    stations(server)
    enter(page, "#/types/Station")
    rows(page, "oslo", "bergen", "tokyo", "suva", "nowhere")
    page.press("Map", ".views")
    dots(page, 4)
    page.see("4 places from 5 of 5 records. 1 of these has no value in place.", "4 of 4 places in view.")
    page.shot("map")
    page.press("Places in view", ".map")
    page.until(lambda: len(page.all(".map tbody tr")) == 4, "the list of places")
    page.find(".dots a:nth-of-type(3)").click()
    page.heading("tokyo")
    page.press("Back")
    dots(page, 4)
    page.press("Table", ".views")
    rows(page, "oslo", "bergen", "tokyo", "suva", "nowhere")
    server.create("Note", "a", text="no place")
    page.open("#/types/Note?view=map")
    rows(page, "a")
    assert "Map" not in page.find(".views").text


@check
def the_map_moves_by_mouse_and_keyboard(page, server):
    stations(server)
    enter(page, "#/types/Station?view=map&by=place&where=place+IN+box(50,0,70,20)")
    dots(page, 2)
    world = page.find(".world")
    page.run("arguments[0].focus()", world)
    move = lambda *keys: ActionChains(page.browser).send_keys(*keys).perform()
    move("+", Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    dots(page, 1)
    page.see("1 of 2 places in view.")
    move("0")
    dots(page, 2)
    page.press("World")
    scale = "return document.querySelector('.scale text').textContent"
    page.until(lambda: page.run(scale) == "5000 km", "the scale of the whole world")
    position = "return document.querySelector('.dots a').getAttribute('transform')"
    before = page.run(position)
    drag(page, (0, 0), (0.2, 0.1))
    page.until(lambda: page.run(position) != before, "a move")
    assert page.run("return location.hash").startswith("#/types/Station?"), "a drag follows no link"
    page.press("+", ".map")
    page.until(lambda: page.run(scale) != "5000 km", "a smaller scale")


@check
def a_circle_or_box_on_the_map_becomes_a_condition(page, server):
    stations(server)
    enter(page, "#/types/Station?view=map")
    dots(page, 4)
    write(page, "Where", "mood == 'calm'")
    page.press("World")
    page.press("Draw a box")
    # From the Atlantic to the Urals, where two of the stations are.
    drag(page, (-0.1, -0.45), (0.1, -0.1))
    dots(page, 2)
    assert page.run("return document.querySelector('.results').scrollTop") > 0, "the map is no longer where it was"
    text = where(page)
    assert text.startswith("mood == 'calm' AND place IN box("), text
    page.browser.back()
    page.until(lambda: where(page) == "", "the search before")
    dots(page, 4)
    # The keyboard alone: a circle in the middle of the view, and a second one instead of it.
    tool = page.run("return document.querySelector('.map input[value=circle]')")
    page.run("arguments[0].focus()", tool)
    ActionChains(page.browser).send_keys(Keys.SPACE).perform()
    page.until(lambda: page.all(".world.drawing"), "the tool")
    page.see("Find in this circle")
    page.run("document.querySelector('.world').focus()")
    ActionChains(page.browser).send_keys(Keys.ENTER).perform()
    page.until(lambda: where(page).startswith("distance(place, loc("), "a condition on the distance")
    first = where(page)
    page.until(lambda: page.all(".world"), "the map of what is found")
    page.press("Draw a circle")
    page.press("+", ".map")
    page.press("Find in this circle")
    page.until(lambda: where(page) not in ("", first), "another circle")
    assert where(page).count("distance(") == 1, where(page)
    assert not page.all(".problem-box"), page.text()


@check
def hundreds_of_places_have_pages(page, server):
    for start in range(0, 600, 200):
        spots = [{"recordType": "Spot", "recordName": f"s{number}",
                  "fields": {"place": place(number % 60, number % 170)}} for number in range(start, start + 200)]
        operations = [{"operationType": "create", "record": spot} for spot in spots]
        assert server.call("POST", "/records", {"operations": operations})[0] == 200
    enter(page, "#/types/Spot?view=map")
    dots(page, 500)
    page.see("500 places from 500 of 600 records.")
    page.press("Next →")
    dots(page, 100)
    page.see("100 places from 100 of 600 records.")


@check
def groups_are_counted_and_lead_to_their_records(page, server):
    stations(server)
    enter(page, "#/types/Station")
    page.press("Groups", ".views")
    page.set(box(page, "Group by"), "mood")
    page.press("Group", ".grouping")
    page.until(lambda: page.run(ROWS) == [["calm", "4"], ["it's windy", "1"]], "the groups")
    page.see("2 groups with 5 records.")
    page.shot("groups")
    widths = [bar.size["width"] for bar in page.all(".bar-line rect")]
    assert abs(widths[0] - 4 * widths[1]) < 1, widths
    page.press("it's windy")
    rows(page, "suva")
    assert where(page) == "mood == 'it\\'s windy'", where(page)
    # Times have periods, and the groups are those of the condition.
    write(page, "Where", "mood == 'calm'")
    page.press("Find")
    rows(page, "oslo", "bergen", "tokyo", "nowhere")
    page.press("Groups", ".views")
    page.find(".grouping select")
    page.run("""
        const select = [...document.querySelectorAll(".grouping select")][0];
        select.value = "seen";
        select.dispatchEvent(new Event("change", { bubbles: true }));""")
    assert box(page, "Period").get_attribute("value") == "month"
    page.press("Group", ".grouping")
    months = [["not set", "1"], ["January 2026", "2"], ["February 2026", "1"]]
    page.until(lambda: page.run(ROWS) == months, "the months")
    page.see("3 groups with 4 records. Each month begins in the time zone")
    page.press("January 2026")
    rows(page, "oslo", "bergen")
    page.browser.back()
    page.press("not set")
    rows(page, "nowhere")
    # A group that has a wrong condition explains it, and the form stays.
    page.open("#/types/Station?view=groups&by=mood&where=god+%3D%3D+1")
    page.see("UNKNOWN_NAME", "Group by")


@check
def the_zones_of_a_private_database_are_listed(page, server):
    ada = server.call("POST", "/users", {"name": "ada", "password": "correct horse"})[1]
    user, token = ada["user"]["userRecordName"], ada["token"]
    for number in range(120):
        assert server.call("PUT", f"/zones/Book%20{number:03}?database=private", token=token)[0] == 201
    server.create("Page", "p1", scope=f"?database=private&owner={user}&zone=Book%20001", text="in a book")
    server.create("Page", "p1", scope=f"?database=private&owner={user}", text="outside")
    enter(page, "#/types/Page", f"?database=private&owner={user}")
    page.see("outside", "Default zone", "Book 001")
    current = "return document.querySelector('.zones [aria-current]')?.textContent"
    assert page.run(current) == "Default zone"
    page.shot("zones")
    page.press("Book 001", ".zones")
    page.see("in a book")
    page.until(lambda: page.run(current) == "Book 001", "the current zone")
    assert "zone=Book+001" in page.browser.current_url and page.browser.current_url.endswith("#/types/Page")
    # Queries and groups are those of the zone.
    page.open("#/types/Page?view=groups&by=text", f"?database=private&owner={user}&zone=Book%20001")
    page.see("in a book")
    assert "outside" not in page.text()
    # Further zones come page by page, and the current one is listed before that.
    page.open("#/types/Page", f"?database=private&owner={user}&zone=Book%20119")
    page.see("Book 098")
    assert page.run(current) == "Book 119" and "Book 100" not in page.find(".zones").text
    page.press("More zones")
    page.see("Book 100")
    page.until(lambda: not page.find(".zones button").is_displayed(), "the end of the list")
    assert page.run("return document.querySelectorAll('.zones li').length") == 121
    page.press("Default zone", ".zones")
    page.see("outside")
    # A public database has no other zones.
    page.open("#/")
    page.heading("Home")
    page.settled()
    assert not page.all(".zones")


@check
def map_and_groups_fit_a_narrow_window(page, server):
    stations(server)
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                 {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True})
    enter(page, "#/types/Station?view=map")
    for place_, sight in [(None, ".world"), ("#/types/Station?view=groups&by=seen&period=day", ".groups")]:
        if place_ is not None:
            page.open(place_)
        page.find(sight)
        page.settled()
        page.shot(f"narrow{sight}")
        width = page.run("return document.documentElement.scrollWidth")
        assert width <= 390, f"{sight} is {width} px wide"
