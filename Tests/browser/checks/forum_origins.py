"""Where the forum's pages come from: the server's directory, or another origin."""

import contextlib
import functools
import http.server
import pathlib
import shutil
import threading

from Tests.browser.files import file, picture
from Tests.browser.forum_words import choose, fill, sees_likes, sign_up, write
from Tests.browser.runner import PROGRAM, PUBLIC
from Tests.browser.server import Server
from Tests.browser.suite import check


@contextlib.contextmanager
def directory_of_another_origin():
    """The forum's directory on another port, as a reader copies it: `index.html` has the server's address."""
    directory = pathlib.Path(PUBLIC) / "examples/forum"
    served = {"server": ""}

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            if self.path != "/":
                return super().do_GET()
            text = (directory / "index.html").read_text(encoding="utf-8")
            name = 'name="fogbase" content="'
            assert name + '"' in text
            content = text.replace(name, name + served["server"]).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def translate_path(self, path):
            return str(pathlib.Path(PUBLIC) / "live.js") if path == "/live.js" else super().translate_path(path)

        def log_message(self, *_):
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(directory)))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{site.server_address[1]}", served
    finally:
        site.shutdown()
        site.server_close()


@check
def another_origin_serves_the_page_if_the_server_lets_it(page, server):
    with (directory_of_another_origin() as (origin, served),
          Server(PROGRAM, PUBLIC, "--cors-origins", origin) as open_server):
        served["server"] = open_server.address
        page.address, page.root = origin, "/"
        sign_up(page, "ada")
        write(page, "sea", "Waves", "High today.")
        choose(page, file("sea.png", picture(800, 600)))
        page.see("Remove the picture")
        page.press("Post it")
        page.heading("Waves")
        page.press("Like")
        sees_likes(page, "Waves", "1 like")
        # Not the placeholder of 96 pixels for a picture that fails to load.
        wide = 640 if shutil.which("vipsthumbnail") else 96
        page.until(lambda: page.run("return document.querySelector('figure img').naturalWidth") == wide, "a thumbnail")
        page.click(page.find("figure button"))
        page.until(lambda: page.run("return document.querySelector('figure img').naturalWidth") == 800, "the picture")
        page.press("Edit")
        page.heading("Edit “Waves”")
        fill(page, "text", "Lower by now.")
        page.press("Save")
        page.heading("Waves")
        page.press("Delete")
        page.press("Delete", "dialog")
        page.heading("Newest in “sea”")
        page.press("Sign out")
        page.see("You are signed out.")
        # Another server has not named this origin.
        served["server"] = server.address
        page.open()
        page.see("The server does not answer.")
        page.browser.get_log("browser")


@check
def the_directory_is_found_without_its_slash(page, server):
    page.root = "/_/examples/forum"
    page.open()
    page.heading("Newest")
    assert page.browser.current_url == f"{server.address}/_/examples/forum/#/newest"
    page.shot("forum-empty")
