"""How a browser treats files of untrusted uploaders: it shows them, and none of their scripts runs."""

from Tests.browser.checks.pages import enter
from Tests.browser.files import picture, sound
from Tests.browser.suite import check

# If it runs, it notifies a parent, marks itself and requests the console's session.
SCRIPT = """
    document.documentElement.setAttribute("data-ran", "yes");
    parent.postMessage("ran with " + document.cookie, "*");
    fetch(location.origin + "/_/session").then((answer) => answer.text())
        .then((text) => parent.postMessage(text, "*"));"""
SVG, XHTML = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"
DRAWING = f"""<svg xmlns="{SVG}" width="200" height="100" onload="parent.postMessage('onload', '*')">
    <style>rect {{ fill: rgb(0, 128, 0) }}</style><rect width="200" height="100"/><script>{SCRIPT}</script></svg>"""
# With a page in it, which browsers draw on no canvas that is to be read.
EMBEDDED = f"""<iframe xmlns="{XHTML}" src="javascript:parent.parent.postMessage('frame', '*')"/>"""
WITH_PAGE = DRAWING.replace("<script>", f"<foreignObject>{EMBEDDED}</foreignObject><script>")


def document(text):
    """A PDF of one page."""
    content = b"BT /F 60 Tf 20 150 Td (" + text + b") Tj ET"
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
               b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R>>",
               b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)]
    body = b"%PDF-1.4\n"
    for number, each in enumerate(objects, 1):
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    return body + b"trailer<</Size 5/Root 1 0 R>>\n%%EOF"


def stand_on_a_plain_page(page, server):
    """A page of the server's origin that has no policy of its own, and receives the messages of frames."""
    page.browser.get(server.address + "/health/live")
    page.run("""
        window.heard = [];
        addEventListener("message", (message) => heard.push(message.data));""")


def frame(page, address):
    """Opens an address in a frame, and returns the messages received until it was loaded."""
    page.run("""
        window.loaded = false;
        const frame = document.createElement("iframe");
        frame.addEventListener("load", () => { window.loaded = true; });
        frame.src = arguments[0];
        document.body.append(frame);""", address)
    page.until(lambda: page.run("return window.loaded"), "the frame")
    return page.run("return window.heard")


def refused_scripts(page):
    """Takes the browser's complaints, which must be about scripts that it did not run."""
    complaints = page.mistakes()
    for each in complaints:
        assert "Blocked script execution" in each or "Content Security Policy" in each, each
    return complaints


@check
def a_drawing_is_shown_and_its_script_does_not_run_in_this_origin(page, server):
    enter(page)
    page.signed_in()
    address = server.upload(WITH_PAGE.encode(), "image/svg+xml", "page.svg")
    # Alone, in a browser that is signed in.
    page.browser.get(address)
    assert page.run("return document.contentType") == "image/svg+xml"
    assert page.run("return document.documentElement.getAttribute('data-ran')") is None
    assert page.run("return window.origin") == "null"
    assert page.run("return getComputedStyle(document.querySelector('rect')).fill") == "rgb(0, 128, 0)"
    assert refused_scripts(page), "nothing tried to run"
    # In a frame of a page that could be read from it.
    stand_on_a_plain_page(page, server)
    assert frame(page, address) == []
    assert page.run("return document.querySelector('iframe').contentDocument") is None
    page.browser.switch_to.frame(page.find("iframe"))
    assert page.run("return document.contentType") == "image/svg+xml", "the frame is empty"
    assert page.run("return document.documentElement.getAttribute('data-ran')") is None
    assert page.run("return window.origin") == "null"
    page.browser.switch_to.default_content()
    refused_scripts(page)
    # As a picture, where it is drawn and runs nothing in any browser.
    color = page.run("""
        const image = new Image();
        image.src = arguments[0];
        return image.decode().then(() => {
            const context = document.createElement("canvas").getContext("2d");
            context.drawImage(image, 0, 0);
            return [image.naturalWidth, ...context.getImageData(10, 10, 1, 1).data];
        })""", server.upload(DRAWING.encode(), "image/svg+xml", "drawing.svg"))
    assert color == [200, 0, 128, 0, 255], color
    assert page.run("return window.heard") == []
    # The same drawing without the server's policy does run: the check would have seen it.
    blob = page.run("return URL.createObjectURL(new Blob([arguments[0]], { type: 'image/svg+xml' }))", WITH_PAGE)
    frame(page, blob)
    page.until(lambda: any("ran with" in each for each in page.run("return window.heard")), "the script of the blob")


@check
def text_pictures_sound_and_pdf_are_shown_in_place(page, server):
    text = server.upload("fog ü <script>document.title = 'ran'</script>".encode(), "text/plain", "a.txt")
    page.browser.get(text)
    assert "fog ü <script>" in page.text() and page.run("return document.title") != "ran"
    page.browser.get(server.upload(picture(30, 20), "image/png", "a.png"))
    page.until(lambda: page.run("return document.images[0]?.naturalWidth") == 30, "the picture")
    page.browser.get(server.upload(sound(), "audio/wav", "a.wav"))
    page.until(lambda: page.run("return document.querySelector('video, audio')?.duration") == 0.2, "the sound")
    paper = server.upload(document(b"fog"), "application/pdf", "a.pdf")
    page.browser.get(paper)
    assert page.run("return document.contentType") == "application/pdf"
    assert page.browser.current_url == paper
    stand_on_a_plain_page(page, server)
    frame(page, paper)
    page.mistakes()


@check
def a_page_that_was_uploaded_is_no_page(page, server):
    address = server.upload(b"<script>document.title = 'ran'</script>", "text/html", "a.html")
    stand_on_a_plain_page(page, server)
    kind = page.run("""
        return fetch(arguments[0]).then((answer) => [
            answer.headers.get("content-type"), answer.headers.get("content-disposition").split(";")[0]])""", address)
    assert kind == ["application/octet-stream", "attachment"], kind
