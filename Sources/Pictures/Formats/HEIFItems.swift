/// What a MetaBox says of its primary item (ISO/IEC 14496-12 §8.11).
struct HEIFItems {
    /// The identifier of the item that is the picture.
    let primary: Int
    let type: Code
    /// The content of the ItemPropertiesBox.
    let properties: Extent

    /// What an image that is coded makes the file: HEVC or its layered form (ISO/IEC 23008-12 Annex B), or AV1 (AVIF §2.1).
    var coding: Picture.Format? {
        switch type {
        case "hvc1", "lhv1": .heic
        case "av01": .avif
        default: nil
        }
    }

    /// Whether the item is made of other images: a grid of tiles, an overlay, or another one cropped or turned
    /// (ISO/IEC 23008-12 §6.6.2).
    var isDerived: Bool { type == "grid" || type == "iovl" || type == "iden" }

    /// Reads the content of a MetaBox; `nil` if it is not a picture's, or a box that must be there is not there once.
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

    /// §8.4.3: the handler's type, behind four bytes that are 0.
    private static func isPicture<Failure>(
        _ reader: inout HeaderReader<Failure>, handler: Extent
    ) throws(Failure) -> Bool {
        guard var rest = handler.dropping(8) else { return false }
        return try reader.code(from: &rest) == "pict"
    }

    /// §8.11.4.
    private static func identifier<Failure>(
        _ reader: inout HeaderReader<Failure>, primary: Extent
    ) throws(Failure) -> Int? {
        var rest = primary
        guard let head = try reader.versionAndFlags(from: &rest) else { return nil }
        return try reader.number(head.version == 0 ? 2 : 4, from: &rest)
    }

    /// The type of an item, by its ItemInfoEntry (§8.11.6). Entries have types from version 2 on.
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
            // Behind the index of a protection scheme.
            guard try reader.number(2, from: &content) != nil else { return nil }
            return try reader.code(from: &content)
        }
        return nil
    }
}
