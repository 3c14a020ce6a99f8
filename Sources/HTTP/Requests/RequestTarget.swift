/// A request target (RFC 9112 §3.2). The parser splits the raw bytes; segments and parameters are decoded on demand.
///
/// The target is in origin-form, in absolute-form (reduced to path and query), or the asterisk. Each segment is
/// percent-decoded once and separately: `%2F` stays in its segment, and `%252e` becomes `%2e`. A backslash is an
/// ordinary character. The parser rejects a target with a segment `.` or `..`, raw or encoded.
public struct RequestTarget: Sendable {
    /// The bytes of the whole head, shared with the fields of the request.
    var bytes: [UInt8]
    var shape: Shape

    /// The positions of the target's parts in `bytes`.
    struct Shape: Hashable, Sendable {
        /// The start of the path, at its slash. The path is empty for an asterisk and for an absolute-form target
        /// without a path.
        var pathStart: UInt32 = 0
        var pathEnd: UInt32 = 0
        var queryEnd: UInt32 = 0
        /// Whether there is a `?`. The query begins after it, at `pathEnd + 1`.
        var hasQuery = false
        var isAsterisk = false
        /// Whether the path has a percent sign.
        var hasEscapes = false
        /// The start of the authority of an absolute-form target. For other forms, start and end are equal.
        var authorityStart: UInt32 = 0
        var authorityEnd: UInt32 = 0
    }

    init(bytes: [UInt8], shape: Shape) {
        self.bytes = bytes
        self.shape = shape
    }

    /// Creates a target from text such as `/records/Post?limit=5`, for tests and calls inside the process.
    ///
    /// Returns `nil` for any target that the parser rejects. An asterisk is accepted.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let shape = bytes.withUnsafeBytes { try? TargetParser.parse($0, 0, $0.count, isOptions: true) }
        guard let shape else { return nil }
        self.init(bytes: bytes, shape: shape)
    }

    /// The target `*`, the server itself (RFC 9112 §3.2.4).
    public static let server = RequestTarget(bytes: [], shape: Shape(isAsterisk: true))

    /// Whether the target is `*`, the server itself (RFC 9112 §3.2.4).
    public var isAsterisk: Bool { shape.isAsterisk }

    /// Whether the target has a `?`, even if the query after it is empty.
    public var hasQuery: Bool { shape.hasQuery }

    /// The path as received; `/` for an absolute-form target without a path, `*` for an asterisk.
    public var rawPath: String {
        if isAsterisk { return "*" }
        let text = bytes.withUnsafeBytes { String(decoding: $0.part(pathStart, pathEnd), as: UTF8.self) }
        return text.isEmpty ? "/" : text
    }

    /// The query as received, without `?`; `nil` if the target has no `?`.
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
