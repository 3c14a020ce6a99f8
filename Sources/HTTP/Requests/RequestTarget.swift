/// A request target (RFC 9112 §3.2), split on the raw bytes and decoded on demand.
///
/// Origin-form, absolute-form reduced to its path and query, or the asterisk. Each segment is percent-decoded once and by
/// itself: `%2F` stays inside its segment, `%252e` becomes `%2e` and no more. A backslash is data. A target with a
/// segment `.` or `..`, raw or encoded, is refused by the parser and cannot be made here.
public struct RequestTarget: Sendable {
    /// The bytes of the whole head, shared with the fields of the request.
    var bytes: [UInt8]
    var shape: Shape

    /// Where the parts lie in the bytes.
    struct Shape: Hashable, Sendable {
        /// The path begins with its slash; empty for an asterisk, and for an absolute-form without a path.
        var pathStart: UInt32 = 0
        var pathEnd: UInt32 = 0
        var queryEnd: UInt32 = 0
        /// Whether there is a `?`; the query begins behind it, which is `pathEnd + 1`.
        var hasQuery = false
        var isAsterisk = false
        /// Whether the path has a percent sign.
        var hasEscapes = false
        /// The authority of an absolute-form; equal bounds for other forms.
        var authorityStart: UInt32 = 0
        var authorityEnd: UInt32 = 0
    }

    init(bytes: [UInt8], shape: Shape) {
        self.bytes = bytes
        self.shape = shape
    }

    /// A target from its text, such as `/records/Post?limit=5`, for tests and calls inside the process.
    ///
    /// `nil` for whatever the parser refuses in a request other than `OPTIONS`; an asterisk is taken.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let shape = bytes.withUnsafeBytes { try? TargetParser.parse($0, 0, $0.count, isOptions: true) }
        guard let shape else { return nil }
        self.init(bytes: bytes, shape: shape)
    }

    /// Whether the target is `*`, which asks about the server itself.
    public var isAsterisk: Bool { shape.isAsterisk }

    public var hasQuery: Bool { shape.hasQuery }

    /// The path as it was received; `/` for an absolute-form without one, `*` for an asterisk.
    public var rawPath: String {
        if isAsterisk { return "*" }
        let text = bytes.withUnsafeBytes { String(decoding: $0.part(pathStart, pathEnd), as: UTF8.self) }
        return text.isEmpty ? "/" : text
    }

    /// What follows the `?`, as it was received.
    public var rawQuery: String? {
        guard hasQuery else { return nil }
        return withQuery { String(decoding: $0, as: UTF8.self) }
    }

    var pathStart: Int { Int(shape.pathStart) }
    var pathEnd: Int { Int(shape.pathEnd) }

    func withQuery<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        bytes.withUnsafeBytes { buffer in
            hasQuery ? body(buffer.part(pathEnd + 1, Int(shape.queryEnd))) : body(buffer.part(0, 0))
        }
    }
}
