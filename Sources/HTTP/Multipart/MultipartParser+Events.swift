extension MultipartParser {
    /// What a body may have besides the content of its parts.
    public struct Limits: Sendable {
        /// The head of one part with its empty line.
        public var maxPartHeadBytes = 8 << 10
        public var maxParts = 1000
        /// What stands before the first boundary.
        public var maxPreambleBytes = 8 << 10
        /// What stands behind the last one.
        public var maxEpilogueBytes = 8 << 10

        public init() {}
    }

    public enum Event: Hashable, Sendable {
        /// All of the piece has been used. At the end of the body, `end` says whether it was whole.
        case needMore
        case partBegan(MultipartPartHead)
        /// Content of the part: these bytes of the piece.
        case data(Range<Int>)
        /// Content of the part from pieces before this one, which looked like a boundary and was none.
        case earlierData(ArraySlice<UInt8>)
        case partEnded
        /// The closing boundary was there. Nothing but `needMore` and `failed` follows.
        case finished
        /// Nothing else follows.
        case failed(MultipartError)
    }
}
