import FuzzTargets
import Pictures
import Testing

@Suite struct PictureTests {
    @Test func `a format names its media type`() {
        #expect(Picture.Format.heic.mediaType == "image/heic")
    }

    @Test("A file built byte by byte is read", arguments: BuiltPicture.all)
    func built(_ built: BuiltPicture) {
        let source = MeteredSource(built.bytes)
        #expect(source.header() == built.picture)
        #expect(source.offences.isEmpty)
        #expect(source.reads <= 2)
        #expect(PictureHeader.read(built.bytes) == built.picture)
    }

    @Test(
        "What is no picture is not taken for one",
        arguments: [
            "", "G", "GIF", "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>", "%PDF-1.7\n1 0 obj\n",
            "BM______________________________", "RIFF____WAVEfmt ________________", "II*\0\u{8}\0\0\0\0\0\0\0\0\0\0\0",
            "<!DOCTYPE html><title>GIF89a</title>", "\0\0\0\u{14}ftypisom\0\0\0\0isom",
        ])
    func other(_ text: String) {
        #expect(PictureHeader.read(ascii(text)) == nil)
    }
}
