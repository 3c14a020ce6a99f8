public import RecordModel
internal import RecordWire

/// An error that the server sent.
public struct ServerError: Hashable, Sendable {
    /// The HTTP status. For a batch operation, the status that the error would have outside of a batch.
    public var status: Int
    /// A sentence that explains the error to the app's developer. Do not compare it in code: use `cause`.
    public var reason: String
    /// The cause, which is more specific than the case of `FogbaseError`. It is `nil` if the server sent no cause, or a
    /// cause that this client does not know.
    public var cause: RecordError.Cause?
    /// Further details by key: `field`, `expected`, `found`, `offset` and so on.
    public var details: [String: String]
    /// The name of the record that caused the error, if known.
    public var recordName: String?
    /// The delay before a retry; `nil` if the server gave none.
    public var retryAfter: Duration?
    /// The request's identifier in the server's log (`X-Request-ID`).
    public var requestID: String?
    /// The index of the rejected operation in its batch, from 0; `nil` outside of batches.
    public var operation: Int?

    /// Creates an error for tests.
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

    /// The field that caused the error, if known.
    public var field: String? { details["field"] }
}
