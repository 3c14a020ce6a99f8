#!/usr/bin/env python3
"""Makes the sample pictures beside this file, and samples.txt, which says of each: format, width, height, orientation.

    pip install pillow pillow-heif    # 13.0.0 and 1.8.1: libjpeg-turbo, libpng, libwebp, libheif 1.23 with x265
    apt-get install libheif-examples libavif-bin  # 1.15: heif-enc; 0.11.1 with libaom: avifenc
    python3 make.py

What is expected comes from what was asked of the encoders and from Pillow's decoders, not from the module under test.
"""

import io
import struct
import subprocess
import tempfile
from pathlib import Path

import pillow_heif
from PIL import Image, ImageDraw

HERE = Path(__file__).parent
pillow_heif.register_heif_opener()
samples = []


def exif(orientation, order, after=b""):
    """EXIF metadata with one entry in the 0th directory; `after` is the 1st directory and its data."""
    head = b"II*\0" if order == "<" else b"MM\0*"
    following = 26 if after else 0
    return b"Exif\0\0" + head + struct.pack(
        order + "IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, following) + after


def note(name, orientation=1):
    """Lists a sample with the size that its decoder gives, before it is turned."""
    with Image.open(HERE / name) as image:
        image.load()
        width, height = image.size
        kind = image.format.lower()
    if kind == "heif":
        # libheif applies the orientation when it decodes.
        kind = "heic"
        if orientation >= 5:
            width, height = height, width
    samples.append(f"{name} {kind} {width} {height} {orientation}")


def save(image, name, orientation=1, **options):
    image.save(HERE / name, **options)
    note(name, orientation)


small = Image.new("RGB", (24, 16), "teal")
ImageDraw.Draw(small).rectangle((0, 0, 8, 8), fill="red")
large = Image.new("RGB", (96, 64), "teal")
ImageDraw.Draw(large).rectangle((0, 0, 32, 20), fill="red")
odd = large.crop((0, 0, 75, 51))

for orientation in range(1, 9):
    order = "<" if orientation % 2 else ">"
    save(small, f"jpeg-orientation-{orientation}.jpg", orientation, exif=exif(orientation, order), quality=30)
save(small, "jpeg-progressive.jpg", progressive=True, quality=30)
save(small.convert("L"), "jpeg-grey-icc-comment.jpg", quality=30, comment=b"a comment", icc_profile=b"\0" * 100)
thumbnail = io.BytesIO()
small.resize((6, 4)).save(thumbnail, "JPEG", quality=20)
thumbnail = thumbnail.getvalue()
directory = struct.pack(">HHHIIHHIII", 2, 0x201, 4, 1, 56, 0x202, 4, 1, len(thumbnail), 0)
save(small, "jpeg-thumbnail.jpg", 6, exif=exif(6, ">", directory + thumbnail), quality=30)

palette = small.convert("P", palette=Image.Palette.ADAPTIVE, colors=4)
for mode in ["1", "L", "RGB", "RGBA", "LA"]:
    save(small.convert(mode), f"png-{mode.lower()}.png", optimize=True)
save(palette, "png-p.png", optimize=True)
save(small, "png-orientation-6.png", 6, exif=exif(6, ">")[6:], optimize=True)
save(small, "png-orientation-3-density.png", 3, exif=exif(3, "<")[6:], dpi=(300, 300))

save(palette, "gif-still.gif")
save(palette, "gif-animated.gif", save_all=True, append_images=[palette.rotate(180)], duration=100, loop=0)

alpha = small.convert("RGBA")
alpha.putalpha(Image.linear_gradient("L").resize((24, 16)))
save(small, "webp-lossy.webp", quality=30)
save(small, "webp-lossless.webp", lossless=True)
save(alpha, "webp-lossy-alpha.webp", quality=30)
save(alpha, "webp-lossless-alpha.webp", lossless=True)
save(small, "webp-lossy-orientation-8.webp", 8, exif=exif(8, "<")[6:], quality=30)
save(small, "webp-lossless-orientation-5.webp", 5, exif=exif(5, ">"), lossless=True)
save(small, "webp-animated.webp", save_all=True, append_images=[small.rotate(180)], quality=30)

for orientation in range(1, 9):
    # libheif makes irot and imir of the orientation.
    pillow_heif.from_pillow(large).save(
        HERE / f"heic-orientation-{orientation}.heic", quality=20, exif=exif(orientation, ">"))
    note(f"heic-orientation-{orientation}.heic", orientation)
for orientation in [1, 6]:
    name = f"heic-grid-orientation-{orientation}.heic"
    grid = pillow_heif.from_pillow(Image.new("RGB", (300, 200), "teal"))
    grid.save(HERE / name, quality=10, tile_size=128, exif=exif(orientation, "<"))
    note(name, orientation)
pillow_heif.from_pillow(odd).save(HERE / "heic-odd.heic", quality=20)
note("heic-odd.heic")
pillow_heif.from_pillow(large).save(HERE / "heic-thumbnail.heic", quality=20, thumbnails=[32])
note("heic-thumbnail.heic")
with tempfile.TemporaryDirectory() as directory:
    for name, image in [("heic-enc.heic", large), ("heic-enc-odd.heic", odd)]:
        image.save(f"{directory}/image.png")
        subprocess.run(["heif-enc", "-q", "20", "-o", str(HERE / name), f"{directory}/image.png"], check=True)
        note(name)



def avif(image, name, *options, size=None, orientation=1):
    """Pillow neither turns nor crops, so the expected result is the input of avifenc."""
    with tempfile.TemporaryDirectory() as directory:
        image.save(f"{directory}/image.png")
        command = ["avifenc", "-s", "6", "--min", "40", "--max", "50", *options, f"{directory}/image.png"]
        subprocess.run([*command, str(HERE / name)], check=True)
    width, height = size or image.size
    samples.append(f"{name} avif {width} {height} {orientation}")


with_alpha = large.copy()
with_alpha.putalpha(128)
avif(large, "avif.avif")
avif(odd, "avif-odd.avif")
avif(with_alpha, "avif-alpha.avif")
for angle, orientation in [(1, 8), (2, 3), (3, 6)]:
    avif(large, f"avif-irot-{angle}.avif", "--irot", str(angle), orientation=orientation)
for mode, alone, turned in [(0, 4, 5), (1, 2, 7)]:
    avif(large, f"avif-imir-{mode}.avif", "--imir", str(mode), orientation=alone)
    avif(large, f"avif-irot-1-imir-{mode}.avif", "--irot", "1", "--imir", str(mode), orientation=turned)
avif(Image.new("RGB", (128, 64)), "avif-grid.avif", "--grid", "2x1")
avif(large, "avif-crop.avif", "--crop", "8,8,80,48", size=(80, 48))

(HERE / "samples.txt").write_text("\n".join(sorted(samples)) + "\n")
