import Pictures

/// Properties of the headers of pictures.
enum PictureFuzz {
    /// For any file, little of it is read, nothing beyond its end, and the result is a possible picture.
    static func objection(_ bytes: [UInt8]) -> String? {
        let source = MeteredSource(bytes)
        let picture = source.header()
        if let offence = source.offences.first { return offence }
        return PictureHeader.read(bytes) == picture ? nil : "Read at once, it is another."
    }
}
