/// The one thing of EXIF metadata that matters here (EXIF 2.32 §4.6; its structure is that of TIFF 6.0 §2).
enum Exif {
    /// Tag 0x0112: how the picture is to be turned.
    private static let orientationTag = 0x0112
    /// TIFF's type 3: an unsigned number of two bytes.
    private static let short = 3
    /// The 0th directory has some twenty entries. A later one than this is not looked at, so that a directory of 65,535
    /// cannot spend what reading the picture itself needs.
    private static let maxEntries = 256

    /// Reads the orientation in EXIF metadata.
    ///
    /// - Parameter tiff: From the byte order on; offsets in it count from there.
    /// - Returns: 1 to 8; `nil` if it is not given, or the metadata is not sound. Viewers show such a picture upright.
    static func orientation<Failure>(
        _ reader: inout HeaderReader<Failure>, in tiff: Extent
    ) throws(Failure) -> Int? {
        var header = tiff
        let order: HeaderReader<Failure>.ByteOrder
        switch try reader.number(2, from: &header) {
        case 0x4949: order = .little  // "II"
        case 0x4D4D: order = .big  // "MM"
        default: return nil
        }
        guard try reader.number(2, order, from: &header) == 42,
            let offset = try reader.number(4, order, from: &header),
            var directory = tiff.dropping(offset),
            let entries = try reader.number(2, order, from: &directory)
        else { return nil }
        for _ in 0..<min(entries, maxEntries) {
            guard var entry = directory.take(12),
                let tag = try reader.number(2, order, from: &entry)
            else { return nil }
            guard tag == orientationTag else { continue }
            // A value of four bytes or fewer lies in the entry itself, to the left (TIFF 6.0 §2, "Value/Offset").
            guard try reader.number(2, order, from: &entry) == short,
                try reader.number(4, order, from: &entry) == 1,
                let value = try reader.number(2, order, from: &entry), (1...8).contains(value)
            else { return nil }
            return value
        }
        return nil
    }

    /// Takes `Exif`, 0, 0 off the front of a part, if it begins so.
    ///
    /// JPEG sets it before the metadata (EXIF 2.32 §4.7.2); PNG and WebP do not, but some writers of these do.
    static func takePrefix<Failure>(
        _ reader: inout HeaderReader<Failure>, from extent: inout Extent
    ) throws(Failure) -> Bool {
        var rest = extent
        guard try reader.code(from: &rest) == "Exif", try reader.number(2, from: &rest) == 0 else { return false }
        extent = rest
        return true
    }
}
