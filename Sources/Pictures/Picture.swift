/// The properties of a picture that its header contains.
package struct Picture: Hashable, Sendable {
    /// The format of a picture file.
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case jpeg, png, gif, webp, heic, avif

        /// The media type, such as `image/jpeg`.
        package var mediaType: String { "image/" + rawValue }
    }

    /// The format of the file.
    package var format: Format
    /// The stored width in pixels, before the orientation is applied. At least 1.
    package var width: Int
    /// The stored height in pixels, before the orientation is applied. At least 1.
    package var height: Int
    /// The rotation and mirroring for display, 1 to 8 (EXIF 2.32, tag 0x0112); 1 is upright.
    package var orientation: Int

    /// Creates the properties of a picture. The values are not checked.
    package init(format: Format, width: Int, height: Int, orientation: Int = 1) {
        self.format = format
        self.width = width
        self.height = height
        self.orientation = orientation
    }
}
