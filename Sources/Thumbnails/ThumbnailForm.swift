/// What a thumbnail shall look like.
package struct ThumbnailForm: Hashable, Sendable {
    package enum Fit: String, Hashable, Sendable, CaseIterable {
        /// The whole picture, inside the box.
        case contain
        /// The box is filled; what is outside is cut off around the centre.
        case cover
    }

    package enum Format: String, Hashable, Sendable, CaseIterable {
        case jpeg, png, webp

        /// The media type, such as `image/jpeg`.
        package var mediaType: String { "image/" + rawValue }
    }

    /// The box in pixels; `nil` for as much as the other one leaves. Not both are `nil`. A smaller picture keeps its size.
    package var width: Int?
    package var height: Int?
    package var fit: Fit
    package var format: Format

    package init(width: Int?, height: Int?, fit: Fit, format: Format) {
        self.width = width
        self.height = height
        self.fit = fit
        self.format = format
    }
}
