"""The console and the forum below a path, with an nginx that strips the path and one that passes it on."""

from pathlib import Path

from Tests.browser.files import file, picture
from Tests.browser.forum_words import choose, publish, sign_up, write
from Tests.browser.runner import PROGRAM, PUBLIC
from Tests.browser.server import TOKEN, Server
from Tests.browser.suite import check
from Tests.harness.nginx import Nginx
from Tests.harness.server import free_port


def use_below_a_path(page, slash):
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with (Server(PROGRAM, PUBLIC, "--public-url", address + "/fog/") as server,
          Nginx(Path(server.directory.name) / "nginx", port,
                f"location /fog/ {{ proxy_pass {server.address + slash}; }}")):
        server.create("Post", "a", title="sea")
        page.address, page.root = address, "/fog/_/"
        page.open()
        page.sign_in(TOKEN)
        page.press("Post", "nav")
        page.see("sea")
        (cookie,) = page.browser.get_cookies()
        assert cookie["path"] == "/fog/", cookie
        page.open()
        page.signed_in()
        page.sign_out()
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


@check
def a_proxy_that_passes_paths_on_without_their_prefix(page, server):
    use_below_a_path(page, "/")


@check
def a_proxy_that_passes_paths_on_with_their_prefix(page, server):
    use_below_a_path(page, "")
