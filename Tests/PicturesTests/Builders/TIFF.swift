/// EXIF metadata, from the byte order on.
enum TIFF {
    enum Order: CaseIterable { case big, little }

    /// One entry of a directory: 12 bytes.
    struct Entry {
        var tag = 0x0112
        var type = 3
        var count = 1
        /// Two bytes, and two bytes of padding after them.
        var value: Int
    }

    static func orientation(_ value: Int, _ order: Order = .big) -> [UInt8] {
        // A camera's make (0x010F) precedes the orientation, a resolution unit (0x0128) follows it.
        metadata([Entry(tag: 0x010F, type: 2, value: 0), Entry(value: value), Entry(tag: 0x0128, value: 2)], order)
    }

    static func metadata(
        _ entries: [Entry], _ order: Order = .big, magic: Int = 42, offset: Int = 8, count: Int? = nil
    ) -> [UInt8] {
        let number = order == .big ? big : little
        var bytes = ascii(order == .big ? "MM" : "II") + number(magic, 2) + number(offset, 4)
        bytes += [UInt8](repeating: 0xEE, count: max(0, min(offset, 64) - 8))
        bytes += number(count ?? entries.count, 2)
        for entry in entries {
            bytes += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4) + number(entry.value, 2)
            bytes += [0, 0]
        }
        return bytes + number(0, 4)  // No next directory.
    }
}
