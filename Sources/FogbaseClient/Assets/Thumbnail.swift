/// A smaller picture: upright, without the metadata of the file, and never enlarged.
public struct Thumbnail: Hashable, Sendable {
    public enum Fit: String, Hashable, Sendable {
        /// All of the picture, inside of the box.
        case contain
        /// A part of the picture that fills the box.
        case cover
    }

    public enum Format: String, Hashable, Sendable {
        case jpeg
        case png
        case webp
    }

    /// In pixels, 1 to 2,048; `nil` follows from the height.
    public var width: Int?
    /// In pixels, 1 to 2,048; `nil` follows from the width.
    public var height: Int?
    public var fit: Fit
    /// `nil` leaves it to the server.
    public var format: Format?

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
