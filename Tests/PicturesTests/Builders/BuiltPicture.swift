import Pictures
import Testing

/// A file built byte by byte, and the contents of its header.
struct BuiltPicture: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let picture: Picture

    init(_ name: String, _ bytes: [UInt8], _ format: Picture.Format, orientation: Int = 1) {
        testDescription = name
        self.bytes = bytes
        picture = Picture(format: format, width: 640, height: 480, orientation: orientation)
    }

    /// Files with as many of a format's features as there are, each of 640 × 480 pixels.
    static let all: [BuiltPicture] = [
        BuiltPicture("a plain JPEG", JPEG.file(JPEG.jfif, JPEG.frame(640, 480)), .jpeg),
        BuiltPicture(
            "a JPEG with EXIF, a thumbnail, fill bytes and a restart marker",
            JPEG.file(
                JPEG.exif(TIFF.orientation(6, .little) + JPEG.file(JPEG.frame(160, 120))), [0xFF, 0xFF, 0xFF],
                JPEG.segment(0xFE, ascii("a comment")), [0xFF, 0xD3], JPEG.segment(0xDD, [0, 4]),
                JPEG.frame(640, 480, marker: 0xC2)), .jpeg, orientation: 6),
        BuiltPicture("a plain PNG", PNG.file(PNG.header(640, 480)), .png),
        BuiltPicture(
            "a PNG with EXIF",
            PNG.file(
                PNG.header(640, 480), PNG.chunk("gAMA", big(45455, 4)), PNG.chunk("eXIf", TIFF.orientation(3)),
                PNG.chunk("tEXt", ascii("Title\0x"))), .png, orientation: 3),
        BuiltPicture("a GIF 87a", GIF.file(640, 480, version: "87a"), .gif),
        BuiltPicture("a GIF 89a", GIF.file(640, 480), .gif),
        BuiltPicture("a lossy WebP", WebP.file(WebP.lossy(640, 480, scale: 2)), .webp),
        BuiltPicture("a lossless WebP", WebP.file(WebP.lossless(640, 480)), .webp),
        BuiltPicture(
            "an extended WebP with EXIF at its end",
            WebP.file(
                WebP.extended(640, 480, flags: 0x18), WebP.chunk("ALPH", [1, 2, 3]), WebP.lossy(640, 480),
                WebP.chunk("EXIF", TIFF.orientation(8, .little))), .webp, orientation: 8),
        BuiltPicture("a plain HEIC", HEIF(properties: [HEIF.box("hvcC", []), HEIF.size(640, 480)]).file, .heic),
        BuiltPicture(
            "a HEIC of a grid, turned, with its metadata at the end", turnedGrid.file, .heic, orientation: 7),
        BuiltPicture("a cropped HEIC with wide numbers", croppedWide.file, .heic),
        BuiltPicture(
            "a plain AVIF", HEIF.avif(properties: [HEIF.box("av1C", [0x81]), HEIF.size(640, 480)]).file, .avif),
        BuiltPicture("an AVIF of a grid, turned", turnedAVIF.file, .avif, orientation: 7),
    ]

    static let turnedGrid = HEIF(
        major: "mif1",
        properties: [
            HEIF.box("hvcC", [1]), HEIF.size(512, 512), HEIF.size(640, 480), HEIF.turn(3), HEIF.mirror(0),
        ],
        associations: [3, 4, 5], itemType: "grid", hasMetaLast: true, endsOpen: true)

    static let turnedAVIF = HEIF(
        major: "mif1", brands: ["mif1", "avif"],
        properties: [HEIF.box("av1C", [1]), HEIF.size(640, 480), HEIF.turn(3), HEIF.mirror(0)],
        associations: [2, 3, 4], itemType: "grid", hasMetaLast: true)

    static let croppedWide = HEIF(
        properties: [HEIF.box("hvcC", [1]), HEIF.size(648, 480), HEIF.crop((640, 1), (1439, 3))],
        associations: [1, 2, 3], primary: 70_000, isWide: true, hasWideIndices: true)
}
