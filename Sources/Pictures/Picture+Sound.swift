extension Picture {
    /// The longest side that is believed, in pixels. Only PNG and HEIC could say more, and their decoders refuse more than
    /// a million unless they are told otherwise.
    static let maxSide = 1 << 20

    /// A picture as a header gives it; `nil` if a side is 0 or absurd.
    init?(sound format: Format, width: Int, height: Int, orientation: Int = 1) {
        guard (1...Self.maxSide).contains(width), (1...Self.maxSide).contains(height) else { return nil }
        self.init(format: format, width: width, height: height, orientation: orientation)
    }
}
