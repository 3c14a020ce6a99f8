/// An error response: one of CloudKit's fourteen codes, a message that names the problem and the next step, and
/// details.
public struct RecordError: Error, Hashable, Sendable {
    /// The error codes (CloudKit Web Services Reference, "Error Codes").
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The caller lacks the permission for the action.
        case accessDenied = "ACCESS_DENIED"
        /// Another operation of an atomic batch failed.
        case atomicError = "ATOMIC_ERROR"
        /// The name, password or token is wrong.
        case authenticationFailed = "AUTHENTICATION_FAILED"
        /// The request needs a signed-in caller.
        case authenticationRequired = "AUTHENTICATION_REQUIRED"
        /// The request is invalid. The cause gives a more precise reason.
        case badRequest = "BAD_REQUEST"
        /// The record has changed since the version that the request names.
        case conflict = "CONFLICT"
        /// A record, account or value with this name already exists.
        case exists = "EXISTS"
        /// An internal error occurred in the server.
        case internalError = "INTERNAL_ERROR"
        /// The target does not exist, or its existence is hidden from the caller.
        case notFound = "NOT_FOUND"
        /// A quota is exceeded.
        case quotaExceeded = "QUOTA_EXCEEDED"
        /// The caller sends too many requests.
        case throttled = "THROTTLED"
        /// The server cannot process the request now.
        case tryAgainLater = "TRY_AGAIN_LATER"
        /// The target of a VALIDATE reference does not exist, or a VALIDATE reference prevents a deletion.
        case validatingReferenceError = "VALIDATING_REFERENCE_ERROR"
        /// The zone does not exist.
        case zoneNotFound = "ZONE_NOT_FOUND"
    }

    /// A reason that is more precise than the code, in `details.cause`. The cause can change the HTTP status.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        /// `If-Match` or `If-None-Match` did not match: 412.
        case preconditionFailed = "PRECONDITION_FAILED"
        /// An idempotency key was sent again with another body: 422.
        case idempotencyMismatch = "IDEMPOTENCY_KEY_REUSED"
        /// A sync token or cursor is too old, or the caller's permissions have changed since the server issued it: 410.
        case tokenExpired = "TOKEN_EXPIRED"
        /// A token or cursor was not issued by this server, or not for this caller and purpose: 400.
        case tokenInvalid = "TOKEN_INVALID"
        /// A value, record, batch or body exceeds its limit: 413.
        case tooLarge = "TOO_LARGE"
        /// The received bytes do not match their digest: 400.
        case digestMismatch = "DIGEST_MISMATCH"
        /// The server does not make thumbnails: 501.
        case thumbnailsUnavailable = "THUMBNAILS_UNAVAILABLE"
        /// The server cannot make a thumbnail of the picture: 422.
        case unreadablePicture = "UNREADABLE_PICTURE"
        /// The disk is full: 507.
        case storageFull = "STORAGE_FULL"
        /// The server is stopping, or a disk write has failed permanently: 503.
        case unavailable = "UNAVAILABLE"
        /// The JSON is not well formed.
        case malformedJSON = "MALFORMED_JSON"
        /// A value does not fit its field's type.
        case typeMismatch = "TYPE_MISMATCH"
        /// The schema lacks a field, type or role.
        case unknownName = "UNKNOWN_NAME"
        /// A write contains a key that clients cannot write.
        case readOnlyKey = "READ_ONLY_KEY"
        /// The server does not accept the request's media type: 415.
        case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
        /// No route has this path: 404.
        case unknownRoute = "UNKNOWN_ROUTE"
        /// The path has routes, but no route with the request's method: 405.
        case methodNotAllowed = "METHOD_NOT_ALLOWED"
        /// An account with this name already exists.
        case nameTaken = "NAME_TAKEN"
        /// The signed-in caller gave a wrong password.
        case wrongPassword = "WRONG_PASSWORD"
        /// The password was right, but the account is disabled.
        case accountDisabled = "ACCOUNT_DISABLED"
        /// Another record has the same value in a UNIQUE index: 409.
        case uniqueViolation = "UNIQUE_VIOLATION"
        /// The byte range of a request starts after the end of the value: 416.
        case rangeNotSatisfiable = "RANGE_NOT_SATISFIABLE"
        /// A query needs an index that does not exist and that this request may not create.
        case notIndexed = "NOT_INDEXED"
        /// A query needs an index that is being built: 503.
        case indexBuilding = "INDEX_BUILDING"
        /// A query exceeded its time limit.
        case queryTooExpensive = "QUERY_TOO_EXPENSIVE"
        /// A predicate matches more records than the request allows: 409.
        case tooManyAffected = "TOO_MANY_AFFECTED"
        /// A bulk update or bulk delete was interrupted. A request with the same idempotency key does not restart it:
        /// 409.
        case setInterrupted = "SET_INTERRUPTED"
        /// The client closed the connection before the response: 499. Only logs and metrics show it.
        case requestAbandoned = "REQUEST_ABANDONED"
    }

    /// The value of an entry in `details`.
    public enum Detail: Hashable, Sendable {
        /// A text.
        case text(String)
        /// A whole number.
        case number(Int64)
        /// A list of texts.
        case list([String])
    }

    /// The CloudKit error code.
    public var code: Code
    /// A message for the app's developer, with the problem and the next step.
    public var reason: String
    /// A reason that is more precise than the code; `nil` if there is none.
    public var cause: Cause?
    /// The details, in the order of the response.
    public var details: [(key: String, value: Detail)]
    /// The time after which a retry can succeed, in seconds.
    public var retryAfter: Int?
    /// The record that did not meet the precondition, as a record dictionary in JSON; `nil` if the caller may not read
    /// it.
    public var serverRecord: [UInt8]?
    /// The action that was denied, for protocols whose messages name it. Not part of the error's JSON.
    package var deniedAction: Action?

    /// Creates an error response.
    public init(
        _ code: Code, _ reason: String, cause: Cause? = nil, details: [(key: String, value: Detail)] = [],
        retryAfter: Int? = nil, serverRecord: [UInt8]? = nil
    ) {
        self.code = code
        self.reason = reason
        self.cause = cause
        self.details = details
        self.retryAfter = retryAfter
        self.serverRecord = serverRecord
    }

    public static func == (left: RecordError, right: RecordError) -> Bool {
        left.code == right.code && left.reason == right.reason && left.cause == right.cause
            && left.retryAfter == right.retryAfter && left.serverRecord == right.serverRecord
            && left.details.elementsEqual(right.details, by: ==)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(reason)
    }
}

extension RecordError {
    /// Creates an error for a malformed or disallowed request.
    public static func badRequest(
        _ reason: String, cause: Cause? = nil, details: [(key: String, value: Detail)] = []
    ) -> RecordError {
        RecordError(.badRequest, reason, cause: cause, details: details)
    }

    /// The error if the record does not exist or its existence is hidden from the caller.
    public static let recordNotFound = RecordError(.notFound, "Record not found")
}
