import Testing

@testable import Thumbnails

extension ThumbnailTests {
    @Suite struct WebPContainerTests {
        private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let size = content.count
            let padding = [UInt8](repeating: 0, count: size % 2)
            return Array(name.utf8) + [UInt8(size & 255), UInt8(size >> 8), 0, 0] + content + padding
        }

        private func file(_ chunks: [UInt8]...) -> [UInt8] {
            chunk("RIFF", Array("WEBP".utf8) + chunks.flatMap { $0 })
        }

        private let size: [UInt8] = [0, 0, 0, 9, 0, 0, 9, 0, 0]

        @Test func `metadata goes, the picture and its alpha stay`() {
            let given = file(
                chunk("VP8X", [0x3E] + size), chunk("ICCP", [1, 2, 3]), chunk("ALPH", [4]), chunk("VP8 ", [5, 6, 7]),
                chunk("EXIF", [8]), chunk("XMP ", [9, 9]), chunk("????", [10]))
            let wanted = file(chunk("VP8X", [0x10] + size), chunk("ALPH", [4]), chunk("VP8 ", [5, 6, 7]))
            #expect(WebPContainer.withoutMetadata(given) == wanted)
            #expect(WebPContainer.withoutMetadata(wanted) == wanted)
        }

        @Test func `a simple file stays as it is`() {
            let given = file(chunk("VP8L", [1, 2, 3, 4]))
            #expect(WebPContainer.withoutMetadata(given) == given)
        }

        @Test func `a file that is cut off anywhere is rejected, unless a chunk ends there`() {
            let first = chunk("VP8X", [0x3E] + size), picture = chunk("VP8 ", [5, 6, 7]), exif = chunk("EXIF", [8])
            let given = file(first, picture, exif)
            for count in given.indices {
                let cut = WebPContainer.withoutMetadata(Array(given[..<count]))
                #expect((cut != nil) == (count == 12 + first.count + picture.count), "\(count)")
            }
        }

        @Test func `a file without a picture, or with its head in the wrong place, is rejected`() {
            #expect(WebPContainer.withoutMetadata(file(chunk("EXIF", [1]))) == nil)
            #expect(WebPContainer.withoutMetadata(file(chunk("VP8 ", [1]), chunk("VP8X", [0] + size))) == nil)
            #expect(WebPContainer.withoutMetadata(file(chunk("VP8X", [0]), chunk("VP8 ", [1]))) == nil)
        }
    }
}
