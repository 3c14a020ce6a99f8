import Pictures
import Testing

@Suite struct PictureTests {
    @Test func `a format names its media type`() {
        #expect(Picture.Format.heic.mediaType == "image/heic")
    }
}
