import Glibc
import Testing

@testable import Thumbnails

extension ThumbnailTests {
    /// The results of the real program for real pictures.
    @Suite(.enabled("libvips-tools is not installed") { InstalledProgram.isThere }) struct PictureTests {
        private let directory: TestDirectory
        private let pool: ThumbnailPool

        init() throws {
            directory = try TestDirectory()
            pool = ThumbnailPool(scratch: directory.path + "/scratch", limits: ThumbnailLimits(time: .seconds(50)))
            // 60 × 40: red, green above blue, white.
            try directory.write(Self.ppm(width: 60, height: 40), to: "quarters.ppm")
        }

        private static let red: [UInt8] = [255, 0, 0]
        private static let green: [UInt8] = [0, 255, 0]
        private static let blue: [UInt8] = [0, 0, 255]
        private static let white: [UInt8] = [255, 255, 255]

        private static func ppm(width: Int, height: Int) -> [UInt8] {
            var bytes = Array("P6 \(width) \(height) 255\n".utf8)
            for y in 0..<height {
                for x in 0..<width {
                    let top = y < height / 2, left = x < width / 2
                    bytes += top ? (left ? red : green) : (left ? blue : white)
                }
            }
            return bytes
        }

        /// Pixels, three or four bytes each.
        private struct Pixels {
            let width: Int
            let height: Int
            let bands: Int
            let bytes: [UInt8]

            subscript(x: Int, y: Int) -> [UInt8] {
                let start = (y * width + x) * bands
                return Array(bytes[start..<start + bands])
            }

            /// Red, green, blue or white at the middle of each quarter, from the top left one in reading order.
            var quarters: String {
                [(1, 1), (3, 1), (1, 3), (3, 3)].map { place in
                    let pixel = self[width * place.0 / 4, height * place.1 / 4].prefix(3).map { $0 > 128 }
                    return switch pixel {
                    case [true, false, false]: "R"
                    case [false, true, false]: "G"
                    case [false, false, true]: "B"
                    case [true, true, true]: "W"
                    default: "?"
                    }
                }.joined()
            }
        }

        private func thumbnail(
            of name: String, _ width: Int?, _ height: Int?, _ fit: ThumbnailForm.Fit = .contain,
            _ format: ThumbnailForm.Format = .png
        ) async throws -> [UInt8] {
            let form = ThumbnailForm(width: width, height: height, fit: fit, format: format)
            let file = try await pool.thumbnail(of: directory.path + "/" + name, form: form)
            return try TestDirectory.read("/proc/self/fd/\(file.descriptor)")
        }

        private func pixels(of picture: [UInt8]) throws -> Pixels {
            try directory.write(picture, to: "thumbnail")
            // libvips' own format: a head of 64 bytes, in this machine's order, then the pixels.
            try directory.run("VIPSHOME=/nowhere vips copy thumbnail thumbnail.v")
            let file = try directory.read("thumbnail.v")
            func number(at offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) } }
            try #require(file.count > 64)
            let (width, height, bands) = (number(at: 4), number(at: 8), number(at: 12))
            let count = width * height * bands
            try #require(file.count >= 64 + count)
            #expect(number(at: 20) == 0, "One byte each")
            return Pixels(width: width, height: height, bands: bands, bytes: Array(file[64..<64 + count]))
        }

        /// Puts metadata into a JPEG: an EXIF block (EXIF 2.32 §4.5) with an orientation and a description, and a comment.
        private func tagged(_ jpeg: [UInt8], orientation: UInt8) -> [UInt8] {
            let secret = Array("SECRETPLACE\0".utf8)
            var tiff: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0, 2, 0]
            tiff += [0x0E, 0x01, 2, 0, UInt8(secret.count), 0, 0, 0, 38, 0, 0, 0]
            tiff += [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
            tiff += [0, 0, 0, 0] + secret
            let exif = Array("Exif\0\0".utf8) + tiff
            let comment: [UInt8] = [0xFF, 0xFE, 0, UInt8(secret.count + 2)] + secret
            return [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + comment + jpeg.dropFirst(2)
        }

        @Test(
            arguments: zip(1...8, ["RGBW", "GRWB", "WBGR", "BWRG", "RBGW", "BRWG", "WGBR", "GWRB"]))
        func `a photograph stands upright`(orientation: Int, quarters: String) async throws {
            try directory.run("vips jpegsave quarters.ppm plain.jpg -Q 95")
            try directory.write(
                tagged(try directory.read("plain.jpg"), orientation: UInt8(orientation)), to: "turned.jpg")
            for format in orientation == 6 ? ThumbnailForm.Format.allCases : [.jpeg] {
                let made = try await thumbnail(of: "turned.jpg", 30, 30, .contain, format)
                let pixels = try pixels(of: made)
                #expect(pixels.quarters == quarters)
                #expect((pixels.width, pixels.height) == (orientation < 5 ? (30, 20) : (20, 30)))
                #expect(!String(decoding: made, as: Unicode.ASCII.self).contains("SECRETPLACE"))
                #expect(!String(decoding: made, as: Unicode.ASCII.self).uppercased().contains("EXIF"))
            }
            await pool.shutdown()
        }

        struct Size: Sendable, CustomTestStringConvertible {
            let box: (Int?, Int?)
            let fit: ThumbnailForm.Fit
            let result: (Int, Int)

            var testDescription: String { "\(box) \(fit) → \(result)" }
        }

        @Test(arguments: [
            Size(box: (30, 30), fit: .contain, result: (30, 20)),
            Size(box: (30, nil), fit: .contain, result: (30, 20)),
            Size(box: (nil, 10), fit: .contain, result: (15, 10)),
            Size(box: (30, nil), fit: .cover, result: (30, 20)),
            Size(box: (nil, 10), fit: .cover, result: (15, 10)),
            Size(box: (20, 20), fit: .cover, result: (20, 20)),
            Size(box: (10, 40), fit: .cover, result: (10, 40)),
            Size(box: (1, 1), fit: .cover, result: (1, 1)),
            // Never larger.
            Size(box: (60, 40), fit: .contain, result: (60, 40)),
            Size(box: (2048, 2048), fit: .contain, result: (60, 40)),
            Size(box: (2048, nil), fit: .contain, result: (60, 40)),
            Size(box: (2048, 2048), fit: .cover, result: (60, 40)),
            Size(box: (20, 100), fit: .cover, result: (20, 40)),
        ])
        func `a box is filled or fitted, and never enlarges`(size: Size) async throws {
            try directory.run("vips pngsave quarters.ppm quarters.png")
            let pixels = try pixels(of: try await thumbnail(of: "quarters.png", size.box.0, size.box.1, size.fit))
            #expect((pixels.width, pixels.height) == size.result)
            await pool.shutdown()
        }

        @Test func `a picture that covers a box is cropped around the center`() async throws {
            try directory.run("vips pngsave quarters.ppm quarters.png")
            let pixels = try pixels(of: try await thumbnail(of: "quarters.png", 20, 20, .cover))
            #expect(pixels.quarters == "RGBW")
            // The middle is where it was.
            #expect(pixels[8, 5].prefix(3).first ?? 0 > 200 && pixels[11, 5][1] > 200)
            await pool.shutdown()
        }

        @Test func `alpha stays where the format has it, and is white in a JPEG`() async throws {
            // A transparent picture: three bands of nothing, and one of alpha zero.
            try directory.run("vips black none.v 60 40 --bands 4 && vips copy none.v rgba.v --interpretation srgb")
            for original in ["clear.png", "clear.webp"] {
                try directory.run("vips copy rgba.v \(original)")
                for format in [ThumbnailForm.Format.png, .webp] {
                    let pixels = try pixels(of: try await thumbnail(of: original, 30, nil, .contain, format))
                    #expect(pixels.bands == 4)
                    #expect(pixels[15, 10][3] == 0)
                }
                let pixels = try pixels(of: try await thumbnail(of: original, 30, nil, .contain, .jpeg))
                #expect(pixels[15, 10] == [255, 255, 255])
            }
            await pool.shutdown()
        }

        @Test func `the thumbnail of an animation is its first picture`() async throws {
            // Two pictures, one above the other: red and green, then blue and white.
            for kind in ["gif", "webp"] {
                try directory.run("vips \(kind)save quarters.ppm moving.\(kind) --page-height 20")
                let pixels = try pixels(of: try await thumbnail(of: "moving.\(kind)", 60, 60))
                #expect((pixels.width, pixels.height) == (60, 20))
                #expect(pixels.quarters == "RGRG")
            }
            await pool.shutdown()
        }

        @Test func `grey, 16-bit, CMYK and interlaced pictures become plain sRGB`() async throws {
            try directory.run("vips colourspace quarters.ppm grey.jpg b-w")
            try directory.run("vips pngsave quarters.ppm interlaced.png --interlace")
            try directory.run("vips colourspace quarters.ppm deep.v rgb16 && vips copy deep.v deep.png")
            try directory.run("vips icc_export quarters.ppm inks.jpg --output-profile cmyk")
            for original in ["grey.jpg", "interlaced.png", "deep.png", "inks.jpg"] {
                for format in [ThumbnailForm.Format.jpeg, .png] {
                    let pixels = try pixels(of: try await thumbnail(of: original, 30, nil, .contain, format))
                    #expect((pixels.width, pixels.height, pixels.bands) == (30, 20, 3), "\(original) \(format)")
                    // The green is outside of the gamut of ink.
                    if original.hasSuffix("png") { #expect(pixels.quarters == "RGBW", "\(original)") }
                }
            }
            await pool.shutdown()
        }

        @Test(.enabled("This libvips writes no HEIC") { InstalledProgram.writesHEIC })
        func `a HEIC picture is read`() async throws {
            try directory.run("vips heifsave quarters.ppm a.heic --compression hevc -Q 90")
            let pixels = try pixels(of: try await thumbnail(of: "a.heic", 30, 30, .contain, .jpeg))
            #expect((pixels.width, pixels.height) == (30, 20))
            #expect(pixels.quarters == "RGBW")
            await pool.shutdown()
        }

        @Test(.enabled("This libvips writes no AVIF") { InstalledProgram.writesAVIF })
        func `an AVIF picture is read`() async throws {
            try directory.run("vips heifsave quarters.ppm a.avif --compression av1 -Q 90")
            let pixels = try pixels(of: try await thumbnail(of: "a.avif", 30, 30, .contain, .webp))
            #expect((pixels.width, pixels.height) == (30, 20))
            #expect(pixels.quarters == "RGBW")
            await pool.shutdown()
        }

        @Test(arguments: [[0xFF, 0xD8, 0xFF], Array("GIF89a".utf8), Array("\0\0\0\u{18}ftypheic".utf8)])
        func `a broken picture is unreadable`(start: [UInt8]) async throws {
            try directory.write(start + [UInt8](repeating: 7, count: 1000), to: "broken")
            await #expect(throws: ThumbnailError.unreadable) { try await thumbnail(of: "broken", 30, 30) }
            await pool.shutdown()
        }

        @Test func `a picture that needs more memory than there is for it is unreadable`() async throws {
            // Interlaced, so that all 400 MB of its pixels are needed at once. As a file it is small.
            try directory.run("vips black large.v 10000 10000 --bands 4")
            try directory.run("vips copy large.v srgb.v --interpretation srgb && rm large.v")
            try directory.run("vips pngsave srgb.v bomb.png --interlace && rm srgb.v")
            let small = ThumbnailPool(
                scratch: directory.path + "/small", limits: ThumbnailLimits(time: .seconds(50), memoryBytes: 400 << 20))
            let form = ThumbnailForm(width: 30, height: 30, fit: .contain, format: .jpeg)
            await #expect(throws: ThumbnailError.unreadable) {
                try await small.thumbnail(of: directory.path + "/bomb.png", form: form)
            }
            await small.shutdown()
            await pool.shutdown()
        }
    }
}

/// The libvips features of this machine.
private enum InstalledProgram {
    static var isThere: Bool {
        system("vips --version >/dev/null 2>&1 && vipsthumbnail --version >/dev/null 2>&1") == 0
    }

    static var writesHEIC: Bool { writes("a.heic --compression hevc") }
    static var writesAVIF: Bool { writes("a.avif --compression av1") }

    private static func writes(_ file: String) -> Bool {
        guard let directory = try? TestDirectory() else { return false }
        return (try? directory.run("vips black a.v 60 40 && vips heifsave a.v \(file)")) != nil
    }
}
