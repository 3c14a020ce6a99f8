/// The properties of one item (ISO/IEC 14496-12 §8.11.14, formerly ISO/IEC 23008-12 §9.3).
struct HEIFProperties {
    /// The properties in the order of their association. Transformations apply in this order.
    let associated: [Box]
    /// The codings of the file's items. The decoder configurations show them: hvcC or lhvC (layers) for HEVC, av1C for
    /// AV1.
    let codings: Set<Picture.Format>

    /// The maximum number of properties, because an index has 15 bits.
    private static let maxProperties = 0x7FFF

    /// Reads the content of an ItemPropertiesBox: ipco contains the properties, and ipma associates them with items.
    static func read<Failure>(
        _ reader: inout HeaderReader<Failure>, _ content: Extent, of item: Int
    ) throws(Failure) -> HEIFProperties? {
        var rest = content
        guard let container = try reader.box(from: &rest), container.type == "ipco" else { return nil }
        var properties: [Box] = []
        var unread = container.content
        while !unread.isEmpty {
            guard properties.count < maxProperties, let property = try reader.box(from: &unread) else { return nil }
            properties.append(property)
        }
        var codings: Set<Picture.Format> = []
        if properties.contains(where: { $0.type == "hvcC" || $0.type == "lhvC" }) { codings.insert(.heic) }
        if properties.contains(where: { $0.type == "av1C" }) { codings.insert(.avif) }
        // The file has at most one entry for an item, in any of the boxes (§8.11.14.1).
        while let box = try reader.box(from: &rest) {
            guard box.type == "ipma" else { continue }
            switch try associations(&reader, box.content, of: item) {
            case .sound(let indices?):
                // Indices start at 1. The index 0 means no property.
                let valid = indices.filter { $0 > 0 }
                guard valid.allSatisfy({ $0 <= properties.count }) else { return nil }
                return HEIFProperties(associated: valid.map { properties[$0 - 1] }, codings: codings)
            case .sound(nil): continue
            case .malformed: return nil
            }
        }
        return nil
    }

    private enum Associations {
        /// The boxes are valid. The list contains the indices of the item's properties. Without an entry for the item,
        /// the list is `nil`.
        case sound([Int]?)
        case malformed
    }

    /// Finds an item in an ItemPropertyAssociationBox.
    private static func associations<Failure>(
        _ reader: inout HeaderReader<Failure>, _ content: Extent, of item: Int
    ) throws(Failure) -> Associations {
        var rest = content
        guard let head = try reader.versionAndFlags(from: &rest),
            let entries = try reader.number(4, from: &rest)
        else { return .malformed }
        let width = head.flags & 1 == 1 ? 2 : 1
        for _ in 0..<entries {
            guard let identifier = try reader.number(head.version < 1 ? 2 : 4, from: &rest),
                let count = try reader.number(1, from: &rest),
                var list = rest.take(count * width)
            else { return .malformed }
            guard identifier == item else { continue }
            var indices: [Int] = []
            while !list.isEmpty {
                guard let association = try reader.number(width, from: &list) else { return .malformed }
                // The highest bit marks an essential property. Remove it.
                indices.append(association & (width == 2 ? 0x7FFF : 0x7F))
            }
            return .sound(indices)
        }
        return .sound(nil)
    }
}
