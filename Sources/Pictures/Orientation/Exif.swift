/// Reads the orientation in EXIF metadata (EXIF 2.32 §4.6), whose structure is that of TIFF (TIFF 6.0 §2).
enum Exif {
    /// The tag of the orientation, 0x0112.
    private static let orientationTag = 0x0112
    /// The TIFF type 3: an unsigned number of two bytes.
    private static let short = 3
    /// The maximum number of directory entries that are read. The 0th directory has about twenty. The limit prevents a
    /// directory of 65,535 entries from exhausting the budget.
    private static let maxEntries = 256

    /// Reads the orientation.
    ///
    /// - Parameter tiff: The metadata, starting at the byte order. Offsets in the metadata are relative to this start.
    /// - Returns: The orientation, 1 to 8; `nil` if the metadata has none or is invalid. Viewers show a picture without
    ///   an orientation upright.
    /// - Throws: Any error that the source throws.
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
            // A value of at most four bytes is in the entry itself, left-justified (TIFF 6.0 §2, "Value/Offset").
            guard try reader.number(2, order, from: &entry) == short,
                try reader.number(4, order, from: &entry) == 1,
                let value = try reader.number(2, order, from: &entry), (1...8).contains(value)
            else { return nil }
            return value
        }
        return nil
    }

    /// If the extent starts with the prefix `Exif`, 0, 0, skips the prefix.
    ///
    /// JPEG requires the prefix (EXIF 2.32 §4.7.2). PNG and WebP do not have it, but some writers add it.
    static func takePrefix<Failure>(
        _ reader: inout HeaderReader<Failure>, from extent: inout Extent
    ) throws(Failure) -> Bool {
        var rest = extent
        guard try reader.code(from: &rest) == "Exif", try reader.number(2, from: &rest) == 0 else { return false }
        extent = rest
        return true
    }
}
