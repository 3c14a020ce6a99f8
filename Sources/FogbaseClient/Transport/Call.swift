internal import Foundation
internal import RecordWire

/// A call of one route of the server, with the properties that determine whether a retry is safe.
struct Call: Sendable {
    var method: String
    /// The path segments, before percent-encoding.
    var path: [String]
    var query: [(name: String, value: String)] = []
    var fields: [(name: String, value: String)] = []
    var body: Data?
    var contentType: String?
    /// The idempotency key. The server executes calls with the same key once.
    var idempotencyKey: String?
    /// Whether executing the call twice has the same effect as executing it once.
    var isRepeatable = false
    /// A path or URL from the server that replaces `path` and `query`; `nil` if there is none.
    var address: String?
    /// Whether to send the token of the signed-in user.
    var needsToken = true
    /// Error statuses that the caller handles as responses.
    var accepts: Set<Int> = []
    var timeout: Duration?

    init(_ method: String, _ path: String...) {
        self.method = method
        self.path = path
    }

    /// Sets a JSON body.
    mutating func setJSON(_ text: [UInt8]) {
        body = Data(text)
        contentType = "application/json"
    }

    mutating func setJSON(_ tree: JSONValue) {
        setJSON(tree.bytes)
    }

    /// Returns whether to retry after an error.
    ///
    /// A call that the server has not executed can always be retried. If the client does not know whether the server
    /// has executed the call, only a read-only or idempotent call can be retried.
    func mayRepeat(after error: FogbaseError) -> Bool {
        switch error {
        case .unreachable, .throttled: return true
        case .unavailable: return isSafe || isDoneOnce
        case .responseLost, .serverFailed: return isSafe || isDoneOnce
        default: return false
        }
    }

    /// Whether the call can be repeated without a token. Only reads of records can. A change feed cannot, because a
    /// sync token belongs to one user.
    var isForGuests: Bool { needsToken && isSafe && (path.first == "records" || path.first == "query") }

    private var isSafe: Bool { method == "GET" || method == "HEAD" || (method == "POST" && path == ["query"]) }
    private var isDoneOnce: Bool { idempotencyKey != nil || isRepeatable }
}
