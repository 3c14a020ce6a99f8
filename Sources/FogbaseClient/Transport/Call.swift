internal import Foundation
internal import RecordWire

/// One call of a route.
struct Call: Sendable {
    var method: String
    /// The segments of the path, as they are before they are encoded.
    var path: [String]
    var query: [(name: String, value: String)] = []
    var fields: [(name: String, value: String)] = []
    var body: Data?
    var contentType: String?
    /// With it the server does the same call once, however often it comes.
    var idempotencyKey: String?
    /// Whether the call, done twice, is as if done once.
    var isRepeatable = false
    /// A path with its query as the server gave it, in place of `path` and `query`.
    var address: String?
    /// Whether the caller's token goes with it.
    var needsToken = true
    /// Statuses that are answers here, although they are errors elsewhere.
    var accepts: Set<Int> = []
    var timeout: Duration?

    init(_ method: String, _ path: String...) {
        self.method = method
        self.path = path
    }

    /// A body of JSON.
    mutating func setJSON(_ text: [UInt8]) {
        body = Data(text)
        contentType = "application/json"
    }

    mutating func setJSON(_ tree: JSONValue) {
        setJSON(tree.bytes)
    }

    /// Whether to send it again when an error came: always when the server has done nothing; when that is not known, only
    /// what changes nothing or is done once.
    func mayRepeat(after error: FogbaseError) -> Bool {
        switch error {
        case .unreachable, .throttled: return true
        case .unavailable: return isSafe || isDoneOnce
        case .responseLost, .serverFailed: return isSafe || isDoneOnce
        default: return false
        }
    }

    /// Whether guests may make the call, as far as its route goes: it reads records. A change feed is of one caller, so it
    /// does not go on as a guest's.
    var isForGuests: Bool { needsToken && isSafe && (path.first == "records" || path.first == "query") }

    private var isSafe: Bool { method == "GET" || method == "HEAD" || (method == "POST" && path == ["query"]) }
    private var isDoneOnce: Bool { idempotencyKey != nil || isRepeatable }
}
