/// A smaller picture: upright, without the metadata of the file, and never enlarged.
public struct Thumbnail: Hashable, Sendable {
    /// How a picture comes into the box of width and height when its own is of another shape.
    public enum Fit: String, Hashable, Sendable {
        /// All of the picture, inside of the box.
        case contain
        /// A part of the picture that fills the box.
        case cover
    }

    /// The format of the file that comes.
    public enum Format: String, Hashable, Sendable {
        /// JPEG, without transparency.
        case jpeg
        /// PNG, without loss.
        case png
        /// WebP, mostly the smallest.
        case webp
    }

    /// In pixels, 1 to 2,048; `nil` follows from the height.
    public var width: Int?
    /// In pixels, 1 to 2,048; `nil` follows from the width.
    public var height: Int?
    /// What happens where the box has another shape than the picture.
    public var fit: Fit
    /// `nil` leaves it to the server.
    public var format: Format?

    /// A size to ask for.
    ///
    /// - Parameters:
    ///   - width: In pixels, 1 to 2,048; `nil` follows from the height. One of both must be there.
    ///   - height: In pixels, 1 to 2,048; `nil` follows from the width.
    ///   - fit: What happens where the box has another shape than the picture.
    ///   - format: `nil` leaves it to the server.
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
