import Pictures

/// What must hold of headers of pictures.
enum PictureFuzz {
    /// Whatever the file, little of it is read, nothing beyond its end, and what comes out can be a picture.
    static func objection(_ bytes: [UInt8]) -> String? {
        let source = MeteredSource(bytes)
        let picture = source.header()
        if let offence = source.offences.first { return offence }
        return PictureHeader.read(bytes) == picture ? nil : "Read at once, it is another."
    }
}
