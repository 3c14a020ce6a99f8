/// An error with CloudKit's codes (`CKError`).
public struct FBError: Error, Sendable {
    /// The codes that Fogbase has a use for, with CloudKit's numbers.
    public enum Code: Int, Hashable, Sendable {
        case internalError = 1
        case partialFailure = 2
        case networkUnavailable = 3
        case networkFailure = 4
        case serviceUnavailable = 6
        case requestRateLimited = 7
        case notAuthenticated = 9
        case permissionFailure = 10
        case unknownItem = 11
        case invalidArguments = 12
        case serverRecordChanged = 14
        case serverRejectedRequest = 15
        case constraintViolation = 19
        case operationCancelled = 20
        case changeTokenExpired = 21
        case batchRequestFailed = 22
        case quotaExceeded = 25
        case zoneNotFound = 26
        case limitExceeded = 27
        case referenceViolation = 31
        case serverResponseLost = 34
    }

    public let code: Code
    /// What the client knows of it: reason, field, status.
    public let underlyingError: FogbaseError?

    public var localizedDescription: String { underlyingError?.reason ?? "The operation was cancelled" }
    /// How long to wait before the same can work, in seconds.
    public var retryAfterSeconds: Double? { underlyingError?.retryAfter.map { Double($0.components.seconds) } }
    public var clientRecord: FBRecord? { conflict?.client.map { FBRecord($0) } }
    public var serverRecord: FBRecord? { conflict?.server.map { FBRecord($0) } }
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
