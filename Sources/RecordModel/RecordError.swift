/// A refusal: one of CloudKit's fourteen codes, a sentence that says what it is about and what to do, and details.
public struct RecordError: Error, Hashable, Sendable {
    /// CloudKit Web Services Reference, "Error Codes".
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// Whoever asks lacks the right.
        case accessDenied = "ACCESS_DENIED"
        /// Another operation of an atomic batch was refused.
        case atomicError = "ATOMIC_ERROR"
        /// Name, password or token are wrong.
        case authenticationFailed = "AUTHENTICATION_FAILED"
        /// Nobody is signed in, and somebody must be.
        case authenticationRequired = "AUTHENTICATION_REQUIRED"
        /// The request is wrong, as its cause says.
        case badRequest = "BAD_REQUEST"
        /// The record has changed since the version that was sent.
        case conflict = "CONFLICT"
        /// A record, account or value with this name is there already.
        case exists = "EXISTS"
        /// The server failed.
        case internalError = "INTERNAL_ERROR"
        /// There is nothing of that name, or the caller may not know of it.
        case notFound = "NOT_FOUND"
        /// Something is over its limit.
        case quotaExceeded = "QUOTA_EXCEEDED"
        /// Too many requests.
        case throttled = "THROTTLED"
        /// The server cannot do it now.
        case tryAgainLater = "TRY_AGAIN_LATER"
        /// A reference's target is missing, or one that holds a record back is there.
        case validatingReferenceError = "VALIDATING_REFERENCE_ERROR"
        /// There is no such zone.
        case zoneNotFound = "ZONE_NOT_FOUND"
    }

    /// A finer word than the code, in `details.cause`. It may choose another HTTP status than the code alone.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        /// `If-Match` or `If-None-Match` did not hold: 412.
        case preconditionFailed = "PRECONDITION_FAILED"
        /// An idempotency key came again with another body: 422.
        case idempotencyMismatch = "IDEMPOTENCY_KEY_REUSED"
        /// A sync token or cursor is too old, or the caller's rights have changed since: 410.
        case tokenExpired = "TOKEN_EXPIRED"
        /// A token or cursor that this server did not make for this caller and use: 400.
        case tokenInvalid = "TOKEN_INVALID"
        /// A value, record, batch or body is over its limit: 413.
        case tooLarge = "TOO_LARGE"
        /// Bytes came that are not those that a digest stands for: 400.
        case digestMismatch = "DIGEST_MISMATCH"
        /// The server makes no smaller pictures: 501.
        case thumbnailsUnavailable = "THUMBNAILS_UNAVAILABLE"
        /// A picture cannot be made smaller: 422.
        case unreadablePicture = "UNREADABLE_PICTURE"
        /// The disk is full: 507.
        case storageFull = "STORAGE_FULL"
        /// The server stops, or a write to its disk has failed for good: 503.
        case unavailable = "UNAVAILABLE"
        /// The JSON is not well formed.
        case malformedJSON = "MALFORMED_JSON"
        /// A value does not fit its field's type.
        case typeMismatch = "TYPE_MISMATCH"
        /// A field, type, or role that the schema does not have.
        case unknownName = "UNKNOWN_NAME"
        /// A key that may not be written.
        case readOnlyKey = "READ_ONLY_KEY"
        /// The request's media type is none that is understood: 415.
        case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
        /// No route has this path, or not with this method: 404, 405.
        case unknownRoute = "UNKNOWN_ROUTE"
        /// The route has other methods: 405.
        case methodNotAllowed = "METHOD_NOT_ALLOWED"
        /// An account with this name exists already.
        case nameTaken = "NAME_TAKEN"
        /// Whoever is signed in does not know the password of the account.
        case wrongPassword = "WRONG_PASSWORD"
        /// The password was right, and the account is disabled.
        case accountDisabled = "ACCOUNT_DISABLED"
        /// Another record has the value that a UNIQUE index allows once: 409.
        case uniqueViolation = "UNIQUE_VIOLATION"
        /// The byte range of a request starts beyond the value: 416.
        case rangeNotSatisfiable = "RANGE_NOT_SATISFIABLE"
        /// A query needs an index that is not there, and that this request may not cause.
        case notIndexed = "NOT_INDEXED"
        /// A query needs an index that is being built: 503.
        case indexBuilding = "INDEX_BUILDING"
        /// A query took more time than one may have.
        case queryTooExpensive = "QUERY_TOO_EXPENSIVE"
        /// A condition matches more records than the request allowed: 409.
        case tooManyAffected = "TOO_MANY_AFFECTED"
        /// A change by condition was broken off in the middle, and is not begun anew under its key: 409.
        case setInterrupted = "SET_INTERRUPTED"
        /// Whoever asked has gone before the answer: 499, which only logs and metrics show.
        case requestAbandoned = "REQUEST_ABANDONED"
    }

    /// The value of a detail.
    public enum Detail: Hashable, Sendable {
        /// A text.
        case text(String)
        /// A whole number.
        case number(Int64)
        /// A list of texts.
        case list([String])
    }

    /// Which of CloudKit's codes it is.
    public var code: Code
    /// A sentence for whoever develops the app: what it is about, and what to do.
    public var reason: String
    /// A finer word, where there is one.
    public var cause: Cause?
    /// In the order in which the answer prints them.
    public var details: [(key: String, value: Detail)]
    /// Seconds after which a retry can help.
    public var retryAfter: Int?
    /// The record that the guard met, as a record dictionary in JSON, if the caller may read it.
    public var serverRecord: [UInt8]?

    /// A refusal with its code and its sentence.
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
    /// A malformed or disallowed request.
    public static func badRequest(
        _ reason: String, cause: Cause? = nil, details: [(key: String, value: Detail)] = []
    ) -> RecordError {
        RecordError(.badRequest, reason, cause: cause, details: details)
    }

    /// A record that is not there, or that the caller may not know of.
    public static let recordNotFound = RecordError(.notFound, "Record not found")
}
