extension MultipartParser {
    /// The limits of a body, except for the content of its parts.
    public struct Limits: Sendable {
        /// The maximum size in bytes of one part's head, including the empty line.
        public var maxPartHeadBytes = 8 << 10
        /// The maximum number of parts.
        public var maxParts = 1000
        /// The maximum size in bytes of the preamble, before the first boundary (RFC 2046 §5.1.1).
        public var maxPreambleBytes = 8 << 10
        /// The maximum size in bytes of the epilogue, after the closing boundary.
        public var maxEpilogueBytes = 8 << 10

        /// Creates the default limits.
        public init() {}
    }

    /// The result of one step of the parser.
    public enum Event: Hashable, Sendable {
        /// All bytes of the piece have been parsed. At the end of the body, call `end` to check that the body is
        /// complete.
        case needMore
        case partBegan(MultipartPartHead)
        /// Content of the part: a range of the piece.
        case data(Range<Int>)
        /// Content of the part from earlier pieces: bytes that looked like a delimiter but were not.
        case earlierData(ArraySlice<UInt8>)
        case partEnded
        /// The closing boundary was found. Only `needMore` and `failed` follow.
        case finished
        /// The body is invalid. No other event follows.
        case failed(MultipartError)
    }
}
