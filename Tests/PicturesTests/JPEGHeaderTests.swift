import Pictures
import Testing

@Suite struct JPEGHeaderTests {
    private func read(_ segments: [UInt8]...) -> Picture? {
        PictureHeader.read(JPEG.start + segments.flatMap { $0 } + JPEG.scan)
    }

    private let upright = Picture(format: .jpeg, width: 640, height: 480)

    @Test("Every kind of frame header is read", arguments: 0xC0...0xCF as ClosedRange<UInt8>)
    func frames(_ marker: UInt8) {
        // 0xC4 is DHT, 0xCC is DAC, and 0xC8 is reserved (T.81 Table B.1).
        let isFrame = ![0xC4, 0xC8, 0xCC].contains(marker)
        #expect(read(JPEG.frame(640, 480, marker: marker)) == (isFrame ? upright : nil))
    }

    @Test func `tables before the frame header are stepped over`() {
        for marker in [0xC4, 0xCC, 0xDB, 0xDD, 0xE0, 0xE1, 0xE2, 0xEF, 0xFE] as [UInt8] {
            // The payload looks like a frame header of another size.
            #expect(read(JPEG.segment(marker, JPEG.frame(7, 7)), JPEG.frame(640, 480)) == upright, "\(marker)")
        }
    }

    @Test func `a hierarchical picture is as large as DHP says`() {
        #expect(read(JPEG.frame(640, 480, marker: 0xDE), JPEG.frame(320, 240, marker: 0xC1)) == upright)
    }

    @Test func `a thumbnail inside of EXIF metadata is not the picture`() {
        let thumbnail = JPEG.file(JPEG.exif(TIFF.orientation(3)), JPEG.frame(160, 120))
        let picture = read(JPEG.exif(TIFF.orientation(8) + thumbnail), JPEG.frame(640, 480))
        #expect(picture == Picture(format: .jpeg, width: 640, height: 480, orientation: 8))
    }

    @Test("EXIF of either byte order turns the picture", arguments: TIFF.Order.allCases, 1...8)
    func orientation(_ order: TIFF.Order, _ value: Int) {
        let picture = read(JPEG.jfif, JPEG.exif(TIFF.orientation(value, order)), JPEG.frame(640, 480))
        #expect(picture == Picture(format: .jpeg, width: 640, height: 480, orientation: value))
    }

    @Test func `the first EXIF metadata is used, and XMP is not mistaken for it`() {
        let xmp = JPEG.segment(0xE1, ascii("http://ns.adobe.com/xap/1.0/\0<x/>"))
        let picture = read(
            xmp, JPEG.exif(TIFF.orientation(6)), JPEG.exif(TIFF.orientation(3)), JPEG.frame(640, 480))
        #expect(picture?.orientation == 6)
        // Metadata after the frame header is ignored.
        #expect(read(JPEG.frame(640, 480), JPEG.exif(TIFF.orientation(3))) == upright)
        // Not sound, and still the first.
        #expect(read(JPEG.exif([]), JPEG.exif(TIFF.orientation(3)), JPEG.frame(640, 480)) == upright)
    }

    @Test func `fill bytes, markers without a length and stray bytes are stepped over`() {
        let fill = [UInt8](repeating: 0xFF, count: 5000)
        #expect(read(fill, JPEG.jfif, fill, JPEG.frame(640, 480)) == upright)
        for marker in [0x01] + Array(0xD0...0xD7) as [UInt8] {
            #expect(read([0xFF, marker], JPEG.frame(640, 480)) == upright, "\(marker)")
        }
        #expect(read(JPEG.jfif, [0, 0x12, 0xFF, 0x00, 0xC0, 0], JPEG.frame(640, 480)) == upright)
    }

    @Test func `a picture without a frame header before its first scan is rejected`() {
        for marker in [0x02, 0xBF, 0xC8, 0xD8, 0xD9, 0xDA, 0xDC, 0xDF, 0xF0, 0xF7, 0xFD] as [UInt8] {
            #expect(read(JPEG.segment(marker, [1, 2, 3]), JPEG.frame(640, 480)) == nil, "\(marker)")
        }
        #expect(read() == nil)
    }

    @Test func `a frame header that contradicts itself is rejected`() {
        #expect(read(JPEG.frame(0, 480)) == nil)
        #expect(read(JPEG.frame(640, 0)) == nil)
        #expect(read(JPEG.frame(65_535, 65_535)) == Picture(format: .jpeg, width: 65_535, height: 65_535))
        #expect(read(JPEG.frame(640, 480, components: 0)) == nil)
        #expect(read(JPEG.frame(640, 480, components: 1)) == upright)
        #expect(read(JPEG.frame(640, 480, components: 255)) == upright)
        #expect(read(JPEG.frame(640, 480, precision: 1)) == nil)
        #expect(read(JPEG.frame(640, 480, precision: 16)) == upright)
        #expect(read(JPEG.frame(640, 480, precision: 17)) == nil)
        for length in [0, 1, 2, 7, 8, 16, 18, 0xFFFF] {
            #expect(read(JPEG.frame(640, 480, length: length)) == nil, "\(length)")
        }
    }

    @Test("The length of a segment counts itself", arguments: [0, 1, 0xFFFF])
    func lengths(_ length: Int) {
        #expect(read(JPEG.segment(0xE0, [], length: length), JPEG.frame(640, 480)) == nil)
        #expect(read(JPEG.segment(0xE0, [], length: 2), JPEG.frame(640, 480)) == upright)
    }
}
