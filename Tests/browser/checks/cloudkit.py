"""A page of another origin that uses CloudKit Web Services as Apple's CloudKit JS does."""

import contextlib
import http.server
import threading

from Tests.browser.suite import check

# As CloudKit JS 2.6.4: the error's redirectURL opens in a window, and a message of this window ends the sign-in. Only
# `ckSession` is its token; a message with neither member is an error.
APP = """<!DOCTYPE html><meta charset="utf-8"><title>App</title>
<button>Sign in with the server</button><p id="state"></p>
<script>
const [address, token] = decodeURIComponent(location.hash.slice(1)).split(" ");
const database = `${address}/database/1/iCloud.fogbase.default/development`;
const state = document.getElementById("state");
let session = "";
async function request(operation) {
    const user = session === "" ? "" : `&ckWebAuthToken=${encodeURIComponent(session)}`;
    const response = await fetch(`${database}/${operation}?ckAPIToken=${token}${user}`);
    session = response.headers.get("X-Apple-CloudKit-Web-Auth-Token") ?? session;
    return response.json();
}
function whenUserSignsIn(redirectURL) {
    const popup = window.open(redirectURL, "", "width=500,height=700");
    return new Promise((resolve, reject) => {
        addEventListener("message", function take(event) {
            if (event.source !== popup || event.origin !== new URL(redirectURL).origin) return;
            removeEventListener("message", take);
            if (event.data.errorMessage) return reject(new Error(`SIGN_IN_FAILED ${event.data.errorMessage}`));
            if (!event.data.ckSession) return reject(new Error("UNKNOWN_ERROR"));
            session = event.data.ckSession;
            resolve();
        });
    });
}
document.querySelector("button").addEventListener("click", async () => {
    state.textContent = "waiting";
    try {
        const { redirectURL } = await request("public/users/caller");
        await whenUserSignsIn(redirectURL);
        state.textContent = (await request("public/users/caller")).userRecordName;
    } catch (error) {
        state.textContent = error.message;
    }
});
</script>"""


@contextlib.contextmanager
def app():
    """The page of the app on another port."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            content = APP.encode()
            self.send_response(200 if self.path == "/" else 204)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            if self.path == "/":
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.path == "/":
                self.wfile.write(content)

        def log_message(self, *_):
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{site.server_address[1]}"
    finally:
        site.shutdown()
        site.server_close()


def open_app(page, server, origin):
    """An API token for the app's origin and an account; opens the page of the app. Returns the account."""
    status, token = server.call("POST", "/cloudkit/tokens", {"name": "Shifts", "origins": [origin]})
    assert status == 201, token
    status, account = server.call("POST", "/users", {"name": "ann", "password": "correct horse"}, token=None)
    assert status == 201, account
    page.browser.get(f"{origin}/#{server.address} {token['token']}")
    return account["user"]


def start_sign_in(page):
    """Opens the sign-in page, and goes to its window."""
    mine = page.browser.current_window_handle
    page.press("Sign in with the server")
    page.until(lambda: len(page.browser.window_handles) == 2, "the sign-in page")
    (other,) = [each for each in page.browser.window_handles if each != mine]
    page.browser.switch_to.window(other)
    page.heading("Sign in to Shifts")
    return mine


def state(page):
    return page.run("return document.getElementById('state').textContent")


@check
def cloudkit_js_signs_in_with_the_session_of_the_message(page, server):
    with app() as origin:
        account = open_app(page, server, origin)
        mine = start_sign_in(page)
        page.find("#name").send_keys("ann")
        page.find("#password").send_keys("correct horse")
        page.press("Sign in")
        page.browser.switch_to.window(mine)
        page.until(lambda: state(page) == account["userRecordName"], f"the user instead of {state(page)}")


@check
def cloudkit_js_learns_that_the_person_gave_up(page, server):
    with app() as origin:
        open_app(page, server, origin)
        gave_up = "SIGN_IN_FAILED The person closed the sign-in page."
        mine = start_sign_in(page)
        page.press("Cancel")
        page.browser.switch_to.window(mine)
        page.until(lambda: state(page) == gave_up, f"the end instead of {state(page)}")
        mine = start_sign_in(page)
        page.browser.close()
        page.browser.switch_to.window(mine)
        page.until(lambda: state(page) == gave_up, f"the end instead of {state(page)}")


@check
def a_page_of_any_origin_reads_a_download(page, server):
    url = server.upload(b"harbor", "text/plain", "a.txt")
    with app() as origin:
        page.browser.get(origin)
        read = """
            const done = arguments[arguments.length - 1];
            fetch(arguments[0], arguments[1]).then(
                async (response) => done(
                    [response.status, await response.text(), response.headers.get("Content-Range")]),
                (error) => done([0, `${error}`, null]))"""
        for options, expected in [
            ({}, [200, "harbor", None]), ({"headers": {"Range": "bytes=1-3"}}, [206, "arb", "bytes 1-3/6"]),
            ({"headers": {"If-None-Match": '"x"'}}, [200, "harbor", None]),
        ]:
            found = page.browser.execute_async_script(read, url, options)
            assert found == expected, (options, found)
        status, text, _ = page.browser.execute_async_script(read, url.replace("/assets/", "/assets/x"), {})
        assert status == 404 and "NOT_FOUND" in text, (status, text)
        # The browser reports the response with an error status.
        page.mistakes()
