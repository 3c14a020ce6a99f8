/// The primary item in a MetaBox (ISO/IEC 14496-12 §8.11).
struct HEIFItems {
    /// The identifier of the primary item, which is the picture.
    let primary: Int
    let type: Code
    /// The content of the ItemPropertiesBox.
    let properties: Extent

    /// The format of a file whose primary item is a coded image: HEVC or layered HEVC (ISO/IEC 23008-12 Annex B), or
    /// AV1 (AVIF §2.1). It is `nil` for other items.
    var coding: Picture.Format? {
        switch type {
        case "hvc1", "lhv1": .heic
        case "av01": .avif
        default: nil
        }
    }

    /// Whether the item is derived from other images: a grid of tiles, an overlay, or a transformed image (ISO/IEC
    /// 23008-12 §6.6.2).
    var isDerived: Bool { type == "grid" || type == "iovl" || type == "iden" }

    /// Reads the content of a MetaBox. The result is `nil` if it describes no picture, or if a required box is missing
    /// or repeated.
    static func read<Failure>(
        _ reader: inout HeaderReader<Failure>, meta: Extent
    ) throws(Failure) -> HEIFItems? {
        var rest = meta
        guard try reader.versionAndFlags(from: &rest)?.version == 0 else { return nil }
        var boxes: [Code: Extent] = [:]
        while !rest.isEmpty {
            guard let box = try reader.box(from: &rest) else { return nil }
            switch box.type {
            case "hdlr", "pitm", "iinf", "iprp":
                guard boxes.updateValue(box.content, forKey: box.type) == nil else { return nil }
            default: continue
            }
        }
        guard let handler = boxes["hdlr"], let primary = boxes["pitm"], let items = boxes["iinf"],
            let properties = boxes["iprp"],
            try isPicture(&reader, handler: handler),
            let primary = try identifier(&reader, primary: primary),
            let type = try type(&reader, of: primary, in: items)
        else { return nil }
        return HEIFItems(primary: primary, type: type, properties: properties)
    }

    /// Returns whether the handler type is `pict` (§8.4.3). Four bytes of 0 precede the handler type.
    private static func isPicture<Failure>(
        _ reader: inout HeaderReader<Failure>, handler: Extent
    ) throws(Failure) -> Bool {
        guard var rest = handler.dropping(8) else { return false }
        return try reader.code(from: &rest) == "pict"
    }

    /// Returns the identifier in a PrimaryItemBox (§8.11.4).
    private static func identifier<Failure>(
        _ reader: inout HeaderReader<Failure>, primary: Extent
    ) throws(Failure) -> Int? {
        var rest = primary
        guard let head = try reader.versionAndFlags(from: &rest) else { return nil }
        return try reader.number(head.version == 0 ? 2 : 4, from: &rest)
    }

    /// Returns the type of an item from its ItemInfoEntry (§8.11.6). Entries contain types since version 2.
    private static func type<Failure>(
        _ reader: inout HeaderReader<Failure>, of item: Int, in information: Extent
    ) throws(Failure) -> Code? {
        var rest = information
        guard let head = try reader.versionAndFlags(from: &rest),
            try reader.number(head.version == 0 ? 2 : 4, from: &rest) != nil
        else { return nil }
        while let entry = try reader.box(from: &rest) {
            var content = entry.content
            guard entry.type == "infe", let head = try reader.versionAndFlags(from: &content) else { return nil }
            guard head.version == 2 || head.version == 3 else { continue }
            guard let identifier = try reader.number(head.version == 2 ? 2 : 4, from: &content) else { return nil }
            guard identifier == item else { continue }
            // Skip the index of the protection scheme.
            guard try reader.number(2, from: &content) != nil else { return nil }
            return try reader.code(from: &content)
        }
        return nil
    }
}
