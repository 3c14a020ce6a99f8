/// The header of a HEIF picture (ISO/IEC 23008-12, with the boxes of ISO/IEC 14496-12). A HEIF picture coded with HEVC
/// is a HEIC; one coded with AV1 is an AVIF (AV1 Image File Format 1.1).
///
/// A picture must have a primary item. Sequences that consist of tracks alone are not supported.
enum HEIFHeader {
    /// The brands of files with HEIF items or HEVC (ISO/IEC 23008-12 §10.2 and Annex B.4).
    private static let brands: Set<Code> = [
        "mif1", "mif2", "msf1", "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs",
    ]

    /// The brands of AVIF (§8.1 and §8.2). Browsers show a file only if it has one of these brands. If the major brand
    /// is one of them, the file cannot be a HEIC.
    private static let avifBrands: Set<Code> = ["avif", "avis"]

    /// The maximum number of compatible brands that are read.
    private static let maxBrands = 64

    /// Reads the boxes up to the metadata box, which may be at the end of the file.
    static func read<Failure>(_ reader: inout HeaderReader<Failure>) throws(Failure) -> Picture? {
        var rest = reader.whole
        guard let first = try reader.box(from: &rest), first.type == "ftyp",
            let promised = try formats(&reader, first.content), !promised.isEmpty
        else { return nil }
        while let box = try reader.box(from: &rest, mayBeOpen: true) {
            guard box.type == "meta" else { continue }
            guard let items = try HEIFItems.read(&reader, meta: box.content),
                let properties = try HEIFProperties.read(&reader, items.properties, of: items.primary),
                // A derived item has no coding itself. The properties show the coding of its source items.
                let format = promised.first(where: { format in
                    items.coding == format || items.isDerived && properties.codings.contains(format)
                })
            else { return nil }
            return try picture(&reader, properties.associated, format)
        }
        return nil
    }

    /// Returns the formats that the brands allow, the more likely format first; `nil` if the brands cannot be read. A
    /// file type box contains the major brand, its version and the compatible brands (ISO/IEC 14496-12 §4.3).
    private static func formats<Failure>(
        _ reader: inout HeaderReader<Failure>, _ content: Extent
    ) throws(Failure) -> [Picture.Format]? {
        var rest = content
        guard let major = try reader.code(from: &rest), try reader.number(4, from: &rest) != nil else { return nil }
        if avifBrands.contains(major) { return [.avif] }
        var (isHEIF, isAVIF) = (brands.contains(major), false)
        for _ in 0..<maxBrands {
            guard let brand = try reader.code(from: &rest) else { break }
            isHEIF = isHEIF || brands.contains(brand)
            isAVIF = isAVIF || avifBrands.contains(brand)
        }
        return (isHEIF ? [.heic] : []) + (isAVIF ? [.avif] : [])
    }

    /// Returns the picture that the primary item's properties describe.
    ///
    /// The ispe property contains the size (§6.5.3). The transformations clap (ISO/IEC 14496-12 §12.1.4), irot
    /// (§6.5.10) and imir (§6.5.12) apply in the order of their association (§6.3). EXIF metadata is ignored: its
    /// orientation is informative, and applying it would turn the picture twice.
    private static func picture<Failure>(
        _ reader: inout HeaderReader<Failure>, _ properties: [Box], _ format: Picture.Format
    ) throws(Failure) -> Picture? {
        var size: (width: Int, height: Int)?
        for property in properties where property.type == "ispe" && size == nil {
            var rest = property.content
            guard try reader.versionAndFlags(from: &rest)?.version == 0,
                let width = try reader.number(4, from: &rest), let height = try reader.number(4, from: &rest)
            else { return nil }
            size = (width, height)
        }
        guard var size else { return nil }
        var turning = Turning()
        for property in properties {
            var rest = property.content
            switch property.type {
            case "clap":
                guard let across = try reader.rounded(from: &rest), let down = try reader.rounded(from: &rest) else {
                    return nil
                }
                let cropped = turning.swapsSides ? (width: down, height: across) : (width: across, height: down)
                guard cropped.width <= size.width, cropped.height <= size.height else { return nil }
                size = cropped
            case "irot":
                guard let angle = try reader.number(1, from: &rest) else { return nil }
                turning.rotate(anticlockwise: angle & 3)
            case "imir":
                guard let mode = try reader.number(1, from: &rest) else { return nil }
                if mode & 1 == 1 { turning.mirrorLeftRight() } else { turning.mirrorTopBottom() }
            default:
                continue
            }
        }
        return Picture(sound: format, width: size.width, height: size.height, orientation: turning.orientation)
    }
}

extension HeaderReader {
    /// Reads a fraction, whose two numbers have 4 bytes each, and rounds it to an integer.
    fileprivate mutating func rounded(from extent: inout Extent) throws(Failure) -> Int? {
        guard let numerator = try number(4, from: &extent), let denominator = try number(4, from: &extent),
            denominator > 0
        else { return nil }
        return (numerator + denominator / 2) / denominator
    }
}
