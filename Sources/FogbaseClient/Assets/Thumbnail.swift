/// The size and format of a thumbnail.
///
/// A thumbnail is upright, has no metadata of the original file, and is never larger than the original.
public struct Thumbnail: Hashable, Sendable {
    /// How a picture fits into a box of another aspect ratio.
    public enum Fit: String, Hashable, Sendable {
        /// The whole picture, inside the box.
        case contain
        /// A cropped picture that fills the box.
        case cover
    }

    /// The file format of a thumbnail.
    public enum Format: String, Hashable, Sendable {
        /// JPEG, without transparency.
        case jpeg
        /// PNG, lossless.
        case png
        /// WebP, usually the smallest.
        case webp
    }

    /// The width of the box in pixels, 1 to 2,048; `nil` derives the width from the height.
    public var width: Int?
    /// The height of the box in pixels, 1 to 2,048; `nil` derives the height from the width.
    public var height: Int?
    /// How the picture fits into the box.
    public var fit: Fit
    /// The file format; `nil` lets the server choose.
    public var format: Format?

    /// Creates a size and format. At least one of width and height is required.
    ///
    /// - Parameters:
    ///   - width: The width in pixels, 1 to 2,048; `nil` derives the width from the height.
    ///   - height: The height in pixels, 1 to 2,048; `nil` derives the height from the width.
    ///   - fit: How the picture fits into the box.
    ///   - format: The file format; `nil` lets the server choose.
    public init(width: Int? = nil, height: Int? = nil, fit: Fit = .contain, format: Format? = nil) {
        self.width = width
        self.height = height
        self.fit = fit
        self.format = format
    }

    var query: [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        if let width { query.append(("width", String(width))) }
        if let height { query.append(("height", String(height))) }
        query.append(("fit", fit.rawValue))
        if let format { query.append(("format", format.rawValue)) }
        return query
    }
}
