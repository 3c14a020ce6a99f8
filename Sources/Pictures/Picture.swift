/// What the header of a picture says of it.
package struct Picture: Hashable, Sendable {
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case jpeg, png, gif, webp, heic, avif

        /// The media type, such as `image/jpeg`.
        package var mediaType: String { "image/" + rawValue }
    }

    package var format: Format
    /// In pixels, as the file has it: before the picture is turned. At least 1.
    package var width: Int
    /// In pixels, as the file has it: before the picture is turned. At least 1.
    package var height: Int
    /// How the picture is to be turned, 1 to 8 (EXIF 2.32, tag 0x0112); 1 is upright.
    package var orientation: Int

    package init(format: Format, width: Int, height: Int, orientation: Int = 1) {
        self.format = format
        self.width = width
        self.height = height
        self.orientation = orientation
    }
}
