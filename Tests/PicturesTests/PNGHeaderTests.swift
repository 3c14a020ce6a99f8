import Pictures
import Testing

@Suite struct PNGHeaderTests {
    private let upright = Picture(format: .png, width: 640, height: 480)

    @Test func `the bit depths and colour types of the specification are read, and no others`() {
        let allowed = [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]]
        for colour in 0...7 {
            for depth in 0...17 {
                let isAllowed = allowed[colour]?.contains(depth) ?? false
                let file = PNG.file(PNG.header(640, 480, depth: depth, colour: colour))
                #expect(PictureHeader.read(file) == (isAllowed ? upright : nil), "\(depth), \(colour)")
            }
        }
        #expect(PictureHeader.read(PNG.file(PNG.header(640, 480, methods: [0, 0, 1]))) == upright)
        for methods in [[1, 0, 0], [0, 1, 0], [0, 0, 2]] as [[UInt8]] {
            #expect(PictureHeader.read(PNG.file(PNG.header(640, 480, methods: methods))) == nil)
        }
    }

    @Test func `sides are 1 to 1,048,576`() {
        for (width, height) in [(1, 1), (1 << 20, 1), (1, 1 << 20)] {
            let picture = PictureHeader.read(PNG.file(PNG.header(width, height)))
            #expect(picture == Picture(format: .png, width: width, height: height))
        }
        for (width, height) in [(0, 1), (1, 0), ((1 << 20) + 1, 1), (1, 0x7FFF_FFFF), (1, 0xFFFF_FFFF)] {
            #expect(PictureHeader.read(PNG.file(PNG.header(width, height))) == nil)
        }
    }

    @Test func `a header with a wrong checksum is rejected`() {
        let sound = PNG.file(PNG.header(640, 480))
        // From the type of IHDR to its checksum.
        for index in 12..<33 {
            var file = sound
            file[index] ^= 0x01
            #expect(PictureHeader.read(file) == nil, "\(index)")
        }
    }

    @Test("The length of IHDR is 13", arguments: [0, 1, 12, 14, 0xFFFF_FFFF])
    func headerLength(_ length: Int) {
        #expect(PictureHeader.read(PNG.file(PNG.header(640, 480, length: length))) == nil)
    }

    @Test func `IHDR comes first and once, and there are pixels`() {
        let header = PNG.header(640, 480)
        #expect(PictureHeader.read(PNG.file(PNG.chunk("gAMA", big(45455, 4)), header)) == nil)
        #expect(PictureHeader.read(PNG.file(header, header)) == nil)
        #expect(PictureHeader.read(PNG.file(header, PNG.end)) == nil)
        #expect(PictureHeader.read(PNG.signature + header) == nil)
        #expect(PictureHeader.read(PNG.file(header, PNG.chunk("ab1d", []))) == nil)
    }

    @Test("EXIF of either byte order turns the picture", arguments: TIFF.Order.allCases, 1...8)
    func orientation(_ order: TIFF.Order, _ value: Int) {
        let header = PNG.header(640, 480)
        let turned = Picture(format: .png, width: 640, height: 480, orientation: value)
        let metadata = TIFF.orientation(value, order)
        #expect(PictureHeader.read(PNG.file(header, PNG.chunk("eXIf", metadata))) == turned)
        #expect(PictureHeader.read(PNG.file(header, PNG.chunk("eXIf", ascii("Exif\0\0") + metadata))) == turned)
        let second = PNG.chunk("eXIf", TIFF.orientation(5))
        #expect(PictureHeader.read(PNG.file(header, PNG.chunk("eXIf", metadata), second)) == turned)
    }

    @Test func `EXIF after the pixels is ignored`() {
        let file = PNG.signature + PNG.header(640, 480) + PNG.pixels + PNG.chunk("eXIf", TIFF.orientation(3)) + PNG.end
        #expect(PictureHeader.read(file) == upright)
    }

    @Test("A chunk that does not fit is refused", arguments: [1, 100, 1 << 31, 0xFFFF_FFFF])
    func chunkLength(_ length: Int) {
        #expect(PictureHeader.read(PNG.file(PNG.header(640, 480), PNG.chunk("tEXt", [], length: length))) == nil)
    }
}
