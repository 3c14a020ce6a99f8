import Pictures
import Testing

@Suite struct WebPHeaderTests {
    private let upright = Picture(format: .webp, width: 640, height: 480)

    @Test("A lossy picture's scale is not its size", arguments: 0...3)
    func scale(_ scale: Int) {
        #expect(PictureHeader.read(WebP.file(WebP.lossy(640, 480, scale: scale))) == upright)
        #expect(PictureHeader.read(WebP.file(WebP.lossy(16_383, 1, scale: scale)))?.width == 16_383)
        #expect(PictureHeader.read(WebP.file(WebP.lossy(0, 480, scale: scale))) == nil)
        #expect(PictureHeader.read(WebP.file(WebP.lossy(640, 0, scale: scale))) == nil)
    }

    @Test func `a lossy picture is a key frame that is shown, of a known version, with its first partition`() {
        let sound = 4 << 5 | 1 << 4
        for tag in [sound, sound | 3 << 1, 0 | 1 << 4] {
            #expect(PictureHeader.read(WebP.file(WebP.lossy(640, 480, tag: tag))) == upright)
        }
        let tooLarge = 0x7FFFF << 5 | 1 << 4
        for tag in [sound | 1, sound ^ 1 << 4, sound | 4 << 1, tooLarge] {
            #expect(PictureHeader.read(WebP.file(WebP.lossy(640, 480, tag: tag))) == nil)
        }
    }

    @Test func `a lossless picture has a signature, version 0 and sides up to 16,384`() {
        #expect(PictureHeader.read(WebP.file(WebP.lossless(1, 1))) == Picture(format: .webp, width: 1, height: 1))
        let largest = Picture(format: .webp, width: 16_384, height: 16_384)
        #expect(PictureHeader.read(WebP.file(WebP.lossless(16_384, 16_384))) == largest)
        #expect(PictureHeader.read(WebP.file(WebP.lossless(640, 480, signature: 0x2E))) == nil)
        #expect(PictureHeader.read(WebP.file(WebP.lossless(640, 480, version: 1))) == nil)
    }

    @Test func `an extended picture is as large as its canvas`() {
        let frame = WebP.lossy(100, 100)
        #expect(PictureHeader.read(WebP.file(WebP.extended(640, 480), frame)) == upright)
        #expect(PictureHeader.read(WebP.file(WebP.extended(1 << 20, 1), frame))?.width == 1 << 20)
        #expect(PictureHeader.read(WebP.file(WebP.extended(1 << 24, 1), frame)) == nil)
    }

    @Test("EXIF of either byte order turns the picture", arguments: TIFF.Order.allCases, 1...8)
    func orientation(_ order: TIFF.Order, _ value: Int) {
        let turned = Picture(format: .webp, width: 640, height: 480, orientation: value)
        let header = WebP.extended(640, 480, flags: 0x08)
        let frame = WebP.chunk("VP8L", [0x2F, 1, 2])  // Of an odd size, so with padding.
        for metadata in [TIFF.orientation(value, order), ascii("Exif\0\0") + TIFF.orientation(value, order)] {
            let chunk = WebP.chunk("EXIF", metadata)
            #expect(PictureHeader.read(WebP.file(header, frame, chunk)) == turned)
            #expect(PictureHeader.read(WebP.file(header, chunk, frame)) == turned)
        }
    }

    @Test func `EXIF is looked for only where the flag says so`() {
        let metadata = WebP.chunk("EXIF", TIFF.orientation(3))
        let frame = WebP.lossy(640, 480)
        #expect(PictureHeader.read(WebP.file(WebP.extended(640, 480), frame, metadata)) == upright)
        // A flag without metadata is no harm.
        #expect(PictureHeader.read(WebP.file(WebP.extended(640, 480, flags: 0x08), frame)) == upright)
        #expect(PictureHeader.read(WebP.file(frame, metadata)) == upright)
    }

    @Test func `bytes after the RIFF chunk are ignored`() {
        let header = WebP.extended(640, 480, flags: 0x08)
        let file = WebP.file(header, WebP.lossy(640, 480)) + WebP.chunk("EXIF", TIFF.orientation(3))
        #expect(PictureHeader.read(file) == upright)
    }

    @Test("A RIFF chunk that does not fit is refused", arguments: [0, 1, 4, 100, 0xFFFF_FFFF])
    func riffSize(_ size: Int) {
        #expect(PictureHeader.read(WebP.file(WebP.lossy(640, 480), size: size)) == nil)
    }

    @Test("A chunk that does not fit is refused", arguments: [0, 1, 9, 11, 1000, 0xFFFF_FFFF])
    func chunkSize(_ size: Int) {
        let frame = WebP.lossy(640, 480)
        #expect(PictureHeader.read(WebP.file(WebP.extended(640, 480, size: size), frame)) == nil)
        // Before EXIF metadata that are promised, no chunk may be broken.
        let broken = WebP.chunk("ICCP", [], size: size)
        let header = WebP.extended(640, 480, flags: 0x08)
        let picture = PictureHeader.read(WebP.file(header, broken, WebP.chunk("EXIF", TIFF.orientation(6))))
        #expect(picture == nil || size == 0)
    }

    @Test func `a first chunk of another type is rejected`() {
        #expect(PictureHeader.read(WebP.file(WebP.chunk("ANIM", [0, 0, 0, 0, 0, 0]), WebP.lossy(640, 480))) == nil)
        #expect(PictureHeader.read(WebP.file()) == nil)
    }
}
