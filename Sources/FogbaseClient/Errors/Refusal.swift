public import RecordModel
internal import RecordWire

/// What the server said when it refused.
public struct Refusal: Hashable, Sendable {
    /// The status of HTTP; of an item in a batch, the one that the same refusal has alone.
    public var status: Int
    /// A sentence for whoever develops the app: what it is about, and what to do. Programs decide by `cause`.
    public var reason: String
    /// A finer word than the case of the error; `nil` if there is none, or one that this version does not know.
    public var cause: RecordError.Cause?
    /// Further facts, by their keys: `field`, `expected`, `found`, `offset` and so on.
    public var details: [String: String]
    /// The record that the refusal is about, where that is known.
    public var recordName: String?
    /// How long to wait before the same can work.
    public var retryAfter: Duration?
    /// What the server's log calls the request (`X-Request-ID`).
    public var requestID: String?
    /// Which operation of a batch was refused, from 0; `nil` elsewhere.
    public var operation: Int?

    /// What a server would say; for tests of what an app does then.
    public init(
        status: Int, reason: String, cause: RecordError.Cause? = nil, details: [String: String] = [:],
        recordName: String? = nil, retryAfter: Duration? = nil, requestID: String? = nil,
        operation: Int? = nil
    ) {
        self.status = status
        self.reason = reason
        self.cause = cause
        self.details = details
        self.recordName = recordName
        self.retryAfter = retryAfter
        self.requestID = requestID
        self.operation = operation
    }

    /// The field that the refusal is about.
    public var field: String? { details["field"] }
}
