/// Files of markers and segments (ITU-T T.81 Annex B).
enum JPEG {
    static let start: [UInt8] = [0xFF, 0xD8]
    /// SOS with one component, some coded bytes with a stuffed 0xFF, a restart marker, and EOI.
    static let scan: [UInt8] =
        segment(0xDA, [1, 1, 0x00, 0, 63, 0]) + [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56, 0xFF, 0xD9]

    /// A marker, a length that counts itself, and a payload.
    static func segment(_ marker: UInt8, _ payload: [UInt8], length: Int? = nil) -> [UInt8] {
        [0xFF, marker] + big(length ?? payload.count + 2, 2) + payload
    }

    /// JFIF's APP0: version 1.1, no unit, density 1 × 1, no thumbnail.
    static let jfif = segment(0xE0, ascii("JFIF\0") + [1, 1, 0] + big(1, 2) + big(1, 2) + [0, 0])

    static func exif(_ metadata: [UInt8]) -> [UInt8] { segment(0xE1, ascii("Exif\0\0") + metadata) }

    static func frame(
        _ width: Int, _ height: Int, marker: UInt8 = 0xC0, precision: Int = 8, components: Int = 3, length: Int? = nil
    ) -> [UInt8] {
        var payload = big(precision, 1) + big(height, 2) + big(width, 2) + big(components, 1)
        for component in 0..<components { payload += [UInt8(truncatingIfNeeded: component + 1), 0x11, 0] }
        return segment(marker, payload, length: length)
    }

    static func file(_ segments: [UInt8]...) -> [UInt8] { start + segments.flatMap { $0 } + scan }
}
