"""A page as a user sees it: a headless Chromium, and functions for actions in it."""

import json
import os
import pathlib
import re
import shutil

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 15  # seconds
# A rejection in the browser's console: the path and the status.
REJECTION = re.compile(r"https?://[^/]+(/[^?\s]*)\S* - Failed to load resource: .* status of (\d{3})")
PROVOKED = (501, 503, 507)
SHOTS = os.environ.get("SHOTS")


def open_browser():
    options = Options()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    for argument in ["headless=new", "disable-gpu", "disable-dev-shm-usage", "window-size=1200,900", "lang=en"]:
        options.add_argument("--" + argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium refuses to start as root with it
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


class Page:
    def __init__(self, browser, address, root="/_/"):
        self.browser, self.address, self.root = browser, address, root

    def open(self, place="", query=""):
        """Goes to a page below the root, loading it again."""
        self.browser.get("about:blank")
        self.browser.get(f"{self.address}{self.root}{query}{place}")

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def until(self, condition, what):
        # An element that the page has replaced meanwhile is looked for again.
        wait = WebDriverWait(self.browser, PATIENCE, 0.05, ignored_exceptions=[StaleElementReferenceException])
        return wait.until(lambda _: condition(), f"waited for {what}")

    def text(self):
        return self.run("return document.body.innerText")

    def see(self, *sentences):
        for sentence in sentences:
            self.until(lambda: sentence in self.text(), f"“{sentence}” in:\n{self.text()}")

    def find(self, selector):
        return self.until(lambda: next(iter(self.browser.find_elements(By.CSS_SELECTOR, selector)), None), selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def press(self, title, within="body"):
        """Clicks the button or link with this title, once it is not busy with an earlier click."""
        def candidate():
            return self.run("""
                return [...document.querySelector(arguments[1])?.querySelectorAll("button, a, summary, label") ?? []]
                    .find((each) => each.textContent.trim() === arguments[0] && each.checkVisibility()
                        && each.getAttribute("aria-busy") !== "true")""",
                title, within)
        button = self.until(candidate, f"a button “{title}” in:\n{self.text()}")
        self.click(button)

    def click(self, element):
        """Clicks in the middle of the window: at its edge the bar with “Save” may cover the element."""
        self.run("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", element)
        element.click()

    def heading(self, text):
        self.until(lambda: self.run("return document.querySelector('h1')?.textContent") == text, f"the page “{text}”")

    def sign_in(self, token):
        box = self.find("#token")
        box.clear()
        box.send_keys(token)
        self.press("Sign in")

    def signed_in(self):
        return self.find("header .account-menu .name")

    def sign_out(self):
        self.find("header .account-menu summary").click()
        self.press("Sign out", "header")

    def more(self, title):
        """Chooses a command of the last menu above the records."""
        self.click(self.find(".toolbar .more summary"))
        self.press(title, ".toolbar .more")

    def size(self, width, height, scheme="light"):
        """Gives the window this size; below 500 px it is a phone's."""
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def control(self, field, selector="input, textarea, select", index=0):
        """One of the inputs of a field's row."""
        def candidate():
            return self.run("""
                const row = [...document.querySelectorAll(".field")]
                    .find((each) => each.querySelector(".name").textContent === arguments[0]);
                return row?.querySelectorAll(".editor :is(" + arguments[1] + ")")[arguments[2]]""",
                field, selector, index)
        return self.until(candidate, f"the input of {field}")

    def fill(self, field, text, index=0):
        element = self.control(field, index=index)
        element.clear()
        element.send_keys(text)

    def set(self, element, value):
        """For inputs that a keyboard fills in the way of its country."""
        self.run("""arguments[0].value = arguments[1];
                    arguments[0].dispatchEvent(new Event("input", { bubbles: true }))""", element, value)

    def add_field(self, name, type_name):
        self.find(".add-field input").send_keys(name)
        self.run("document.querySelector('.add-field select').value = arguments[0]", type_name)
        self.press("Add the field")

    def answer(self, status, body="", headers=None):
        """Lets the next call meet this response instead of the server's."""
        self.run("""
            const [status, body, headers] = arguments, real = window.fetch;
            window.fetch = async () => { window.fetch = real; return new Response(body, { status, headers }); }""",
            status, body, headers or {})

    def go(self, place):
        """Goes to another page below `#`, as a link does."""
        self.run("location.hash = arguments[0]", place)

    def latency(self, milliseconds):
        """Lets each request take so much longer."""
        self.browser.execute_cdp_cmd("Network.enable", {})
        self.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": False, "latency": milliseconds, "downloadThroughput": -1, "uploadThroughput": -1})

    def delay(self, route, milliseconds, method=""):
        """From the next load on, delays the calls whose path begins with `route` before they are sent. They get a
        response even if the page no longer waits for it."""
        self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            {
                const [route, milliseconds, method] = %s, real = window.fetch;
                window.fetch = async (address, options) => {
                    const path = new URL(address, location.href).pathname;
                    if (path.startsWith(route) && (method === "" || options.method === method)) {
                        await new Promise((resolve) => setTimeout(resolve, milliseconds));
                        return real(address, { ...options, signal: undefined });
                    }
                    return real(address, options);
                };
            }""" % json.dumps([route, milliseconds, method])})

    def settled(self):
        """Waits until nothing has been fetched for longer than the console waits before it says that it does."""
        self.until(lambda: self.run("""
            const ends = performance.getEntriesByType("resource").map((each) => each.responseEnd);
            return performance.now() - Math.max(0, ...ends) > 400"""), "the end of all requests")

    def mistakes(self):
        """The errors in the browser's console. Rejections that a check provokes are not errors: of calls, with a status
        for the caller's faults or for later, or of a server that the check has stopped."""
        return [entry["message"] for entry in self.browser.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING") and not self.is_provoked(entry["message"])]

    def is_provoked(self, message):
        if "Failed to load resource" not in message:
            return False
        if not (found := REJECTION.match(message)):
            return "net::" in message
        path, status = found[1], int(found[2])
        is_file = path.startswith(self.root) and path.rpartition(".")[2] in ("js", "css", "svg", "json", "html")
        return not is_file and (status < 500 or status in PROVOKED)

    def shot(self, name):
        if SHOTS:
            pathlib.Path(SHOTS).mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(f"{SHOTS}/{name}.png")
