import Testing
import Thumbnails

@Suite struct ThumbnailFormTests {
    @Test func `a format names its media type`() {
        #expect(ThumbnailForm.Format.webp.mediaType == "image/webp")
    }
}
