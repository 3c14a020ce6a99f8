import Pictures
import Testing

@Suite struct GIFHeaderTests {
    @Test(
        "Both versions are read, and no others",
        arguments: [("87a", true), ("89a", true), ("88a", false), ("89b", false), ("90a", false)])
    func versions(_ version: String, isKnown: Bool) {
        let expected = Picture(format: .gif, width: 300, height: 7)
        #expect(PictureHeader.read(GIF.file(300, 7, version: version)) == (isKnown ? expected : nil))
    }

    @Test("Sides are 1 to 65,535", arguments: [(0, 1), (1, 0), (1, 1), (65_535, 65_535)])
    func sides(_ width: Int, _ height: Int) {
        let expected = Picture(format: .gif, width: width, height: height)
        #expect(PictureHeader.read(GIF.file(width, height)) == (width * height > 0 ? expected : nil))
    }

    @Test func `the logical screen is read to its end`() {
        let file = GIF.file(640, 480)
        #expect(PictureHeader.read(Array(file.prefix(12))) == nil)
        #expect(PictureHeader.read(Array(file.prefix(13))) == Picture(format: .gif, width: 640, height: 480))
    }
}
