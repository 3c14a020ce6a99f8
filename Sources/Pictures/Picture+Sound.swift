extension Picture {
    /// The largest accepted width or height, in pixels. Only PNG and HEIF files can exceed it. By default, their
    /// decoders reject more than a million pixels per side.
    static let maxSide = 1 << 20

    /// Creates a picture from the values of a header. The result is `nil` if the width or height is 0 or exceeds
    /// `maxSide`.
    init?(sound format: Format, width: Int, height: Int, orientation: Int = 1) {
        guard (1...Self.maxSide).contains(width), (1...Self.maxSide).contains(height) else { return nil }
        self.init(format: format, width: width, height: height, orientation: orientation)
    }
}
