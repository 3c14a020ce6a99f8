/// The header of a JPEG (ITU-T T.81 Annex B).
enum JPEGHeader {
    /// Reads up to the frame header, which contains the size. Thumbnails are inside segments, and these are skipped.
    static func read<Failure>(_ reader: inout HeaderReader<Failure>) throws(Failure) -> Picture? {
        var rest = reader.whole
        guard try reader.number(2, from: &rest) == 0xFFD8 else { return nil }
        var orientation: Int?
        while let marker = try nextMarker(&reader, &rest) {
            switch marker {
            case 0x01, 0xD0...0xD7:
                continue  // TEM and RSTm stand alone (T.81 Table B.1).
            case 0xC4, 0xCC, 0xDB, 0xDD, 0xE0, 0xE2...0xEF, 0xFE:
                // DHT, DAC, DQT, DRI, APPn, COM.
                guard try segment(&reader, &rest) != nil else { return nil }
            case 0xE1:
                guard var segment = try segment(&reader, &rest) else { return nil }
                // The first EXIF metadata applies. APP1 segments can also contain XMP.
                if orientation == nil, try Exif.takePrefix(&reader, from: &segment) {
                    orientation = try Exif.orientation(&reader, in: segment) ?? 1
                }
            case 0xC0...0xCF where marker != 0xC8, 0xDE:
                // The marker is SOFn or DHP. In a hierarchical file each frame has its own size, and DHP contains the
                // size of the completed image (T.81 B.3.2).
                guard let segment = try segment(&reader, &rest) else { return nil }
                return try frame(&reader, segment, orientation: orientation ?? 1)
            default:
                return nil  // SOS, EOI, a second SOI, or a marker that no decoder knows: no frame header.
            }
        }
        return nil
    }

    /// Reads the next marker. Any number of 0xFF bytes may precede a marker (T.81 B.1.1.2). Other bytes are invalid
    /// there, but are skipped as decoders do.
    private static func nextMarker<Failure>(
        _ reader: inout HeaderReader<Failure>, _ rest: inout Extent
    ) throws(Failure) -> Int? {
        var isOpen = false
        while let byte = try reader.number(1, from: &rest) {
            if isOpen, byte != 0xFF, byte != 0 { return byte }
            isOpen = byte == 0xFF
        }
        return nil
    }

    /// Reads a segment and returns the part after the length field. The length includes the field (T.81 B.1.1.4).
    private static func segment<Failure>(
        _ reader: inout HeaderReader<Failure>, _ rest: inout Extent
    ) throws(Failure) -> Extent? {
        guard let length = try reader.number(2, from: &rest) else { return nil }
        return rest.take(length - 2)
    }

    /// Reads a frame header (T.81 B.2.2). A height of 0 is not supported. It means that a DNL segment after the first
    /// scan defines the height.
    private static func frame<Failure>(
        _ reader: inout HeaderReader<Failure>, _ segment: Extent, orientation: Int
    ) throws(Failure) -> Picture? {
        var rest = segment
        guard let precision = try reader.number(1, from: &rest), (2...16).contains(precision),
            let height = try reader.number(2, from: &rest),
            let width = try reader.number(2, from: &rest),
            let components = try reader.number(1, from: &rest), components > 0, rest.count == 3 * components
        else { return nil }
        return Picture(sound: .jpeg, width: width, height: height, orientation: orientation)
    }
}
