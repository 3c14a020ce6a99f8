public import Foundation

/// A picture generated in code, so that the examples need no files: a gradient as an uncompressed PNG.
public struct SamplePicture: Sendable {
    /// The width of the stored pixels.
    public var width: Int
    /// The height of the stored pixels.
    public var height: Int
    /// The EXIF orientation, 1 to 8 (EXIF 2.32, tag 0x0112).
    public var orientation: UInt8

    /// Creates a picture, with its size in pixels.
    public init(width: Int, height: Int, orientation: UInt8 = 1) {
        self.width = width
        self.height = height
        self.orientation = orientation
    }

    /// The picture as a file (PNG, third edition), about three bytes per pixel.
    public var png: Data {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // Eight bits for each of red, green and blue, not interlaced.
        Self.append("IHDR", Self.bytes(width) + Self.bytes(height) + [8, 2, 0, 0, 0], to: &file)
        Self.append("eXIf", exif, to: &file)
        Self.append("IDAT", Self.stored(pixels), to: &file)
        Self.append("IEND", [], to: &file)
        return Data(file)
    }

    /// A TIFF header with one entry: the orientation.
    private var exif: [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    }

    /// The rows, each preceded by its filter type: none.
    private var pixels: [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(height * (3 * width + 1))
        for y in 0..<height {
            pixels.append(0)
            for x in 0..<width {
                pixels.append(UInt8(255 * x / width))
                pixels.append(UInt8(255 * y / height))
                pixels.append(160)
            }
        }
        return pixels
    }

    private static func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
        let checked = Array(type.utf8) + content
        file += bytes(content.count) + checked + bytes(Int(crc32(checked)))
    }

    /// Four bytes, big endian.
    private static func bytes(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// The bytes in uncompressed blocks (RFC 1950, RFC 1951 §3.2.4).
    private static func stored(_ content: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        stream.reserveCapacity(content.count + content.count / 1_000 + 16)
        var rest = content[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
            stream += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
        } while !rest.isEmpty
        var (first, second): (UInt32, UInt32) = (1, 0)
        for byte in content {
            first = (first + UInt32(byte)) % 65_521
            second = (second + first) % 65_521
        }
        return stream + bytes(Int(second << 16 | first))
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        var crc = UInt32(index)
        for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
        return crc
    }
}
