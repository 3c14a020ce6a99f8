/// An error with CloudKit's codes (`CKError`).
public struct FBError: Error, Sendable {
    /// CloudKit's error codes that Fogbase uses, with CloudKit's numbers.
    public enum Code: Int, Hashable, Sendable {
        /// The server failed.
        case internalError = 1
        /// Some operations failed and others succeeded.
        case partialFailure = 2
        /// The server was not reached.
        case networkUnavailable = 3
        /// The connection failed during the request.
        case networkFailure = 4
        /// The server is busy, starting or stopping.
        case serviceUnavailable = 6
        /// The caller exceeded a rate limit.
        case requestRateLimited = 7
        /// No user is signed in, or the name or password is wrong.
        case notAuthenticated = 9
        /// The user lacks the permission.
        case permissionFailure = 10
        /// The record does not exist, or the caller cannot read it.
        case unknownItem = 11
        /// The request or an argument is invalid, or a record does not fit its model.
        case invalidArguments = 12
        /// The record has changed since it was read, or a new record has the name of an existing record.
        case serverRecordChanged = 14
        /// The response is not from a Fogbase server.
        case serverRejectedRequest = 15
        /// Another record has the same unique value.
        case constraintViolation = 19
        /// The task was canceled.
        case operationCancelled = 20
        /// A change token, a query cursor or a signed URL has expired: start over.
        case changeTokenExpired = 21
        /// Another operation of the same atomic batch was rejected.
        case batchRequestFailed = 22
        /// A quota of the account or container was exceeded, or the disk is full.
        case quotaExceeded = 25
        /// The zone does not exist.
        case zoneNotFound = 26
        /// A limit of the server was exceeded: send less per request.
        case limitExceeded = 27
        /// The target of a reference is missing, or a reference prevents a deletion.
        case referenceViolation = 31
        /// The response was lost, so the client does not know whether the server executed the request. Repeating the
        /// request is safe.
        case serverResponseLost = 34
    }

    /// CloudKit's code of the error.
    public let code: Code
    /// The underlying error with reason, field and status; `nil` if the task was canceled.
    public let underlyingError: FogbaseError?
    /// The zone of the records of a conflict.
    private let zoneID: FBRecordZone.ID

    public var localizedDescription: String { underlyingError?.reason ?? "The operation was cancelled" }
    /// The delay before a retry, in seconds.
    public var retryAfterSeconds: Double? { underlyingError?.retryAfter.map { Double($0.components.seconds) } }
    /// The record that the app tried to save (`CKRecordChangedErrorClientRecordKey`).
    public var clientRecord: FBRecord? { conflict?.client.map { FBRecord($0, zoneID: zoneID) } }
    /// The current record on the server; `nil` if the caller cannot read the record.
    public var serverRecord: FBRecord? { conflict?.server.map { FBRecord($0, zoneID: zoneID) } }
    /// The record as the app had read it before the changes.
    public var ancestorRecord: FBRecord? { conflict?.ancestor.map { FBRecord($0, zoneID: zoneID) } }

    private var conflict: Conflict? {
        guard case .conflict(let conflict, _)? = underlyingError else { return nil }
        return conflict
    }

    init(_ error: FogbaseError, zoneID: FBRecordZone.ID = .default) {
        underlyingError = error
        self.zoneID = zoneID
        code =
            switch error {
            case .notAuthenticated, .authenticationFailed: .notAuthenticated
            case .accessDenied: .permissionFailure
            case .conflict: .serverRecordChanged
            // In CloudKit, creating a record with the name of an existing record is a conflict.
            case .exists(let rejection):
                rejection.cause == .uniqueViolation ? .constraintViolation : .serverRecordChanged
            case .notFound: .unknownItem
            case .zoneNotFound: .zoneNotFound
            case .badRequest, .invalidArgument, .decoding: .invalidArguments
            case .limitExceeded: .limitExceeded
            case .quotaExceeded: .quotaExceeded
            case .tokenExpired: .changeTokenExpired
            case .referenceViolation: .referenceViolation
            case .batchFailed: .batchRequestFailed
            case .throttled: .requestRateLimited
            case .unavailable: .serviceUnavailable
            case .serverFailed: .internalError
            case .unreachable: .networkUnavailable
            case .responseLost: .serverResponseLost
            case .notFogbase: .serverRejectedRequest
            }
    }

    /// Creates an error with a code that does not follow from the underlying error.
    init(_ code: Code, _ error: FogbaseError? = nil) {
        self.code = code
        underlyingError = error
        zoneID = .default
    }

    /// Translates errors of the client and cancellation to `FBError`. Other errors are returned unchanged.
    ///
    /// - Parameter zoneID: The zone of the record that caused the error.
    static func translated(_ error: any Error, zoneID: FBRecordZone.ID = .default) -> any Error {
        if let error = error as? FogbaseError { return FBError(error, zoneID: zoneID) }
        return error is CancellationError ? FBError(.operationCancelled) : error
    }
}
