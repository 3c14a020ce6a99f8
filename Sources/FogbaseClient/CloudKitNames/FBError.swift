/// An error with CloudKit's codes (`CKError`).
public struct FBError: Error, Sendable {
    /// The codes that Fogbase has a use for, with CloudKit's numbers.
    public enum Code: Int, Hashable, Sendable {
        /// The server failed.
        case internalError = 1
        /// Some items failed and others did not.
        case partialFailure = 2
        /// The server was not reached.
        case networkUnavailable = 3
        /// The connection failed on the way.
        case networkFailure = 4
        /// The server is busy, starts or stops.
        case serviceUnavailable = 6
        /// Too many requests in a short time.
        case requestRateLimited = 7
        /// Nobody is signed in, or name and password are wrong.
        case notAuthenticated = 9
        /// Whoever is signed in lacks the right.
        case permissionFailure = 10
        /// There is no such record, or the app may not know of it.
        case unknownItem = 11
        /// Something that was sent is wrong, or a record does not fit.
        case invalidArguments = 12
        /// The record has changed since it was read, or one with its name is there.
        case serverRecordChanged = 14
        /// What answered refused the request in words of its own.
        case serverRejectedRequest = 15
        /// Another record has a value that may be there once.
        case constraintViolation = 19
        /// The task was cancelled.
        case operationCancelled = 20
        /// The token of changes is too old: begin anew.
        case changeTokenExpired = 21
        /// Another item of the same atomic batch was refused.
        case batchRequestFailed = 22
        /// The account, the server or its disk is full.
        case quotaExceeded = 25
        /// There is no such zone.
        case zoneNotFound = 26
        /// Something is larger than a limit: send less at once.
        case limitExceeded = 27
        /// A reference's target is missing.
        case referenceViolation = 31
        /// The answer was lost; the write may be tried again.
        case serverResponseLost = 34
    }

    /// Which of CloudKit's errors it is.
    public let code: Code
    /// What the client knows of it: reason, field, status.
    public let underlyingError: FogbaseError?

    public var localizedDescription: String { underlyingError?.reason ?? "The operation was cancelled" }
    /// How long to wait before the same can work, in seconds.
    public var retryAfterSeconds: Double? { underlyingError?.retryAfter.map { Double($0.components.seconds) } }
    /// The record as the app wanted to have it (`CKRecordChangedErrorClientRecordKey`).
    public var clientRecord: FBRecord? { conflict?.client.map { FBRecord($0) } }
    /// The record as it is on the server; `nil` if the app may not read it.
    public var serverRecord: FBRecord? { conflict?.server.map { FBRecord($0) } }
    /// The record as the app had read it before it changed it.
    public var ancestorRecord: FBRecord? { conflict?.ancestor.map { FBRecord($0) } }

    private var conflict: Conflict? {
        guard case .conflict(let conflict, _)? = underlyingError else { return nil }
        return conflict
    }

    init(_ error: FogbaseError) {
        underlyingError = error
        code =
            switch error {
            case .notAuthenticated, .authenticationFailed: .notAuthenticated
            case .accessDenied: .permissionFailure
            case .conflict: .serverRecordChanged
            // A save of a new record over one that is there is a conflict in CloudKit too.
            case .exists(let refusal): refusal.cause == .uniqueViolation ? .constraintViolation : .serverRecordChanged
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

    private init(_ code: Code) {
        self.code = code
        underlyingError = nil
    }

    /// The same error with CloudKit's code; another one stays what it is.
    static func translated(_ error: any Error) -> any Error {
        if let error = error as? FogbaseError { return FBError(error) }
        return error is CancellationError ? FBError(.operationCancelled) : error
    }
}
