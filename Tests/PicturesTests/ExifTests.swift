import Pictures
import Testing

@Suite struct ExifTests {
    /// The orientation of a JPEG with this metadata. The picture is read in any case.
    private func orientation(_ metadata: [UInt8]) -> Int? {
        PictureHeader.read(JPEG.file(JPEG.exif(metadata), JPEG.frame(640, 480)))?.orientation
    }

    @Test("The value is 1 to 8, and anything else is upright", arguments: [0, 9, 255, 256, 65_535])
    func values(_ value: Int) {
        for order in TIFF.Order.allCases { #expect(orientation(TIFF.orientation(value, order)) == 1) }
    }

    @Test("The directory may stand anywhere", arguments: [8, 9, 64])
    func offsets(_ offset: Int) {
        for order in TIFF.Order.allCases {
            #expect(orientation(TIFF.metadata([.init(value: 5)], order, offset: offset)) == 5)
        }
    }

    @Test("A directory beyond the end is none", arguments: [65, 1000, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func offsetsBeyond(_ offset: Int) {
        // The directory is built at 64 at most.
        #expect(orientation(TIFF.metadata([.init(value: 5)], offset: offset)) == 1)
    }

    @Test func `the value is one short number`() {
        #expect(orientation(TIFF.metadata([.init(value: 5)])) == 5)
        for type in [0, 1, 2, 4, 9, 255] {
            #expect(orientation(TIFF.metadata([.init(type: type, value: 5)])) == 1)
        }
        for count in [0, 2, 0xFFFF_FFFF] {
            #expect(orientation(TIFF.metadata([.init(count: count, value: 5)])) == 1)
        }
    }

    @Test func `metadata of another kind is ignored`() {
        let sound = TIFF.orientation(5)
        #expect(orientation(TIFF.metadata([.init(value: 5)], magic: 43)) == 1)
        #expect(orientation(ascii("MI") + sound.dropFirst(2)) == 1)
        #expect(orientation(ascii("II") + sound.dropFirst(2)) == 1)
        #expect(orientation([]) == 1)
        for count in 0..<sound.count {
            let cut = orientation(Array(sound.prefix(count)))
            #expect(cut == 1 || cut == 5, "\(count)")
        }
    }

    @Test("Entries up to the 256th are looked at", arguments: [0, 255, 256, 3000])
    func entries(_ before: Int) {
        let others = Array(repeating: TIFF.Entry(tag: 0x0110, value: 3), count: before)
        #expect(orientation(TIFF.metadata(others + [.init(value: 5)])) == (before < 256 ? 5 : 1))
    }

    @Test("A number of entries that is not true does no harm", arguments: [0, 1, 2, 3, 65_535])
    func counts(_ count: Int) {
        let metadata = TIFF.metadata([.init(tag: 0x010F, value: 0), .init(value: 5)], count: count)
        #expect(orientation(metadata) == (count > 1 ? 5 : 1))
    }
}
