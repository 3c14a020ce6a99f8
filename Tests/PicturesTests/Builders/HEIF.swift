/// Files of boxes (ISO/IEC 14496-12 §4.2) that hold image items (ISO/IEC 23008-12).
struct HEIF {
    var major = "heic"
    var brands = ["mif1", "heic"]
    var handler = "pict"
    /// The properties, in the order of ipco.
    var properties = [HEIF.box("hvcC", [1, 3, 0x70]), HEIF.size(4032, 3024)]
    /// The indices that the primary item is associated with, counted from 1.
    var associations = [1, 2]
    var primary = 7
    var itemType = "hvc1"
    /// Versions of pitm and iinf, and of ipma: 1 has wider identifiers.
    var isWide = false
    /// Whether an index has two bytes (flag 1 of ipma).
    var hasWideIndices = false
    var hasMetaLast = false
    /// Whether the file ends with a box of size 0.
    var endsOpen = false
    /// Further content of the MetaBox.
    var extra: [UInt8] = []

    static func box(_ type: String, _ content: [UInt8], size: Int? = nil) -> [UInt8] {
        big(size ?? content.count + 8, 4) + ascii(type) + content
    }

    /// A box whose size has eight bytes.
    static func largeBox(_ type: String, _ content: [UInt8], size: Int? = nil) -> [UInt8] {
        big(1, 4) + ascii(type) + big(size ?? content.count + 16, 8) + content
    }

    static func fullBox(_ type: String, version: Int = 0, flags: Int = 0, _ content: [UInt8]) -> [UInt8] {
        box(type, big(version, 1) + big(flags, 3) + content)
    }

    static func size(_ width: Int, _ height: Int) -> [UInt8] { fullBox("ispe", big(width, 4) + big(height, 4)) }

    /// irot: quarter turns anticlockwise.
    static func turn(_ quarters: Int) -> [UInt8] { box("irot", big(quarters, 1)) }

    /// imir: 0 exchanges top and bottom, 1 left and right.
    static func mirror(_ mode: Int) -> [UInt8] { box("imir", big(mode, 1)) }

    /// clap: the sides as fractions, and offsets of the centre.
    static func crop(_ width: (Int, Int), _ height: (Int, Int)) -> [UInt8] {
        box("clap", [width.0, width.1, height.0, height.1, -1, 2, -1, 2].flatMap { big($0, 4) })
    }

    /// infe, with an empty name.
    func entry(_ item: Int, _ type: String) -> [UInt8] {
        let identifier = isWide ? 4 : 2
        return Self.fullBox("infe", version: isWide ? 3 : 2, big(item, identifier) + big(0, 2) + ascii(type) + [0])
    }

    /// An entry of ipma; the first property is marked as essential.
    func association(_ item: Int, _ indices: [Int]) -> [UInt8] {
        let width = hasWideIndices ? 2 : 1
        let essential = hasWideIndices ? 0x8000 : 0x80
        return big(item, isWide ? 4 : 2) + big(indices.count, 1)
            + indices.enumerated().flatMap { big($1 | ($0 == 0 ? essential : 0), width) }
    }

    var items: [UInt8] {
        // A tile before the primary item, and EXIF metadata after it.
        let entries = [entry(1, "hvc1"), entry(primary, itemType), entry(900, "Exif")]
        return Self.fullBox(
            "iinf", version: isWide ? 1 : 0, big(entries.count, isWide ? 4 : 2) + entries.flatMap { $0 })
    }

    var associationBox: [UInt8] {
        let entries = [association(1, [1]), association(primary, associations)]
        return Self.fullBox(
            "ipma", version: isWide ? 1 : 0, flags: hasWideIndices ? 1 : 0,
            big(entries.count, 4) + entries.flatMap { $0 })
    }

    /// The boxes that must be in the MetaBox, by type.
    var parts: [(type: String, box: [UInt8])] {
        [
            ("hdlr", Self.fullBox("hdlr", big(0, 4) + ascii(handler) + big(0, 12) + [0])),
            ("pitm", Self.fullBox("pitm", version: isWide ? 1 : 0, big(primary, isWide ? 4 : 2))),
            ("iinf", items),
            ("iprp", Self.box("iprp", Self.box("ipco", properties.flatMap { $0 }) + associationBox)),
        ]
    }

    /// A plain AVIF, whose brands and coding are AV1's.
    static func avif(major: String = "avif", properties: [[UInt8]]? = nil, associations: [Int] = [1, 2]) -> HEIF {
        HEIF(
            major: major, brands: ["avif", "mif1", "miaf", "MA1A"],
            properties: properties ?? [HEIF.box("av1C", [0x81, 0]), HEIF.size(4032, 3024)],
            associations: associations, itemType: "av01")
    }

    var file: [UInt8] { file(parts.flatMap(\.box) + extra) }

    /// A file with this content of the MetaBox.
    func file(_ content: [UInt8]) -> [UInt8] {
        let type = Self.box("ftyp", ascii(major) + big(0, 4) + brands.flatMap(ascii))
        let data: [UInt8] = Array(repeating: 0x55, count: 40)
        let meta = big(0, 4) + content
        if hasMetaLast {
            return type + Self.box("mdat", data) + Self.box("meta", meta, size: endsOpen ? 0 : nil)
        }
        return type + Self.box("meta", meta) + Self.box("mdat", data, size: endsOpen ? 0 : nil)
    }
}
