"""The console and the forum below a path, behind a proxy that strips it and one that passes it on."""

from files import file, picture
from forum_words import choose, publish, sign_up, write
from proxy import free_port, nginx, program
from runner import PROGRAM, PUBLIC
from server import TOKEN, Server

CHECKS = []


def below_a_path(slash):
    def body(page, _):
        if program() is None:
            print("nginx is missing (Debian: apt-get install nginx)")
            return
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        with (Server(PROGRAM, PUBLIC, "--public-url", address + "/fog/") as server,
              nginx(port, server.address + slash)):
            server.create("Post", "a", title="sea")
            page.address, page.root = address, "/fog/_/"
            page.open()
            page.sign_in(TOKEN)
            page.press("Post", "nav")
            page.see("sea")
            (cookie,) = page.browser.get_cookies()
            assert cookie["path"] == "/fog/", cookie
            page.open()
            page.see("Sign out")
            page.press("Sign out")
            page.see("You are signed out.")
            page.root = "/fog/_/examples/forum/"
            sign_up(page, "ada")
            publish(page, "sea", "Waves")
            write(page, "sea", "Foam", "White.")
            choose(page, file("sea.png", picture(64, 48)))
            page.see("Remove the picture")
            page.press("Post it")
            page.heading("Foam")
            page.until(lambda: page.run("return document.querySelector('figure img').naturalWidth") > 0, "the picture")
    return body


for name, slash in [("without", "/"), ("with", "")]:
    check = below_a_path(slash)
    check.__name__ = f"a_proxy_that_passes_paths_on_{name}_their_prefix"
    CHECKS.append(check)
