/// The size, fit and format of a thumbnail.
package struct ThumbnailForm: Hashable, Sendable {
    /// The way in which a picture fits the box.
    package enum Fit: String, Hashable, Sendable, CaseIterable {
        /// The whole picture is scaled to fit inside the box.
        case contain
        /// The picture fills the box and is cropped around its center.
        case cover
    }

    /// The format of a thumbnail.
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case jpeg, png, webp

        /// The media type, such as `image/jpeg`.
        package var mediaType: String { "image/" + rawValue }
    }

    /// The width of the box in pixels; `nil` if only the height limits the picture. At least one of `width` and
    /// `height` is set. A picture that is smaller than the box keeps its size.
    package var width: Int?
    /// The height of the box in pixels; `nil` if only the width limits the picture.
    package var height: Int?
    /// The way in which the picture fits the box.
    package var fit: Fit
    /// The file format of the thumbnail.
    package var format: Format

    /// Creates a form from the size of the box, the fit and the format.
    package init(width: Int?, height: Int?, fit: Fit, format: Format) {
        self.width = width
        self.height = height
        self.fit = fit
        self.format = format
    }
}
