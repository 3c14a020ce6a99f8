"""Takes the screenshots of the README, into the manual's resources.

    python3 -m Tests.browser.screenshots        # FOGBASE names the program, as for Tests.browser.console
"""
import colorsys
import struct
import sys
import zlib

from Tests.browser.runner import PROGRAM, PUBLIC, missing
from Tests.harness.arguments import ROOT

RESOURCES = ROOT / "Sources/fogbase/fogbase.docc/Resources"
GOODS = ["Oak shelf", "Sea chart, Skagerrak", "Brass lantern", "Rain coat", "Field notebook", "Tin kettle",
         "Wool blanket", "Compass", "Rope, 20 m", "Fog horn", "Glass float", "Barometer", "Deck shoes", "Tea, 250 g",
         "Candle", "Signal flag", "Driftwood lamp", "Harbor print", "Linen towel", "Oil skin hat", "Tide clock",
         "Knife", "Star map", "Bollard, small"]
KINDS = ["furniture", "maps", "light", "clothing", "paper", "kitchen"]


def picture(number, size=96):
    """A PNG with a soft gradient of its own color."""
    rows = b""
    for y in range(size):
        rows += b"\0"
        for x in range(size):
            shade = 0.55 + 0.4 * (x + y) / (2 * size)
            red, green, blue = colorsys.hsv_to_rgb(number * 0.137 % 1, 0.35, shade)
            rows += bytes([int(red * 255), int(green * 255), int(blue * 255)])

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def fill(server, token):
    operations = []
    for number, name in enumerate(GOODS):
        asset = server.client(token).call("POST", f"/assets?filename={number}.png", picture(number), (201,),
                                          ("Content-Type: image/png",)).json()["asset"]
        operations.append({"operationType": "create", "record": {
            "recordType": "Product", "recordName": f"p{1001 + number}", "fields": {
                "name": name, "price": 12 + number * 37 % 120, "category": KINDS[number % len(KINDS)],
                "rating": 4 + number * 7 % 10 / 10, "added": {"value": 1768037400000 + number * 2678400000 // 3,
                                                              "type": "TIMESTAMP"},
                "picture": {"value": asset, "type": "ASSETID"}}}})
    assert server.call("POST", "/records", {"operations": operations})[0] == 200
    for name in ["ada", "grace", "linus"]:
        user = server.call("POST", "/users", {"name": name, "password": "correct horse"}, token=None)[1]
        for number in range(8):
            server.call("POST", "/records/Order", {"fields": {"product": {"recordName": f"p{1001 + number}"},
                                                              "count": number + 1}}, token=user["token"])
        server.call("PUT", "/records/Product/p1001", {"fields": {"price": 1}}, token=user["token"])


def main():
    complaints = list(missing())
    if complaints:
        sys.exit("\n".join(complaints))
    from Tests.browser.page import Page, open_browser
    from Tests.browser.server import TOKEN, Server
    with Server(PROGRAM, PUBLIC) as server:
        fill(server, TOKEN)
        browser = open_browser()
        try:
            browser.set_window_size(1440, 1000)
            page = Page(browser, server.address)
            page.open()
            page.sign_in(TOKEN)
            page.signed_in()
            for name, place, heading in [("console", "#/types/Product", "Product"),
                                         ("console-security", "#/security/types/Order", "Security of Order")]:
                page.go(place)
                page.heading(heading)
                page.settled()
                browser.save_screenshot(str(RESOURCES / f"{name}.png"))
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
