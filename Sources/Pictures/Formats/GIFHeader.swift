/// The header of a GIF: Graphics Interchange Format, versions 87a and 89a.
enum GIFHeader {
    /// Reads the header (§17) and the logical screen descriptor (§18). The size of the picture is that of the logical
    /// screen, which contains all images.
    static func read<Failure>(_ reader: inout HeaderReader<Failure>) throws(Failure) -> Picture? {
        var rest = reader.whole
        guard try reader.code(from: &rest) == "GIF8",
            let version = try reader.number(2, from: &rest), version == 0x3761 || version == 0x3961,  // "7a", "9a"
            let width = try reader.number(2, .little, from: &rest),
            let height = try reader.number(2, .little, from: &rest),
            // Flags, background color and aspect ratio must be present. Any value is accepted.
            try reader.number(3, from: &rest) != nil
        else { return nil }
        return Picture(sound: .gif, width: width, height: height)
    }
}
