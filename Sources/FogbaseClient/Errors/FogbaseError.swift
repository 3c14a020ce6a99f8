internal import RecordModel

/// An error that the client throws. Each case calls for a different reaction of the app.
///
/// A canceled call throws Swift's `CancellationError` instead.
///
/// ```swift
/// do {
///     post = try await database.save(post)
/// } catch FogbaseError.conflict(let conflict, _) {
///     merge(conflict)
/// } catch let error as FogbaseError where error.isRetryable {
///     retryLater(error.retryAfter)
/// }
/// ```
public enum FogbaseError: Error, Hashable, Sendable {
    // MARK: Errors of the server

    /// No user is signed in, or the session has ended: sign in.
    case notAuthenticated(ServerError)
    /// The name or the password is wrong, or the token is invalid.
    case authenticationFailed(ServerError)
    /// The user lacks the permission.
    case accessDenied(ServerError)
    /// The record has changed since it was read: merge, and save again.
    case conflict(Conflict, ServerError)
    /// A record or an account with this name already exists, or another record has the same unique value.
    case exists(ServerError)
    /// The record does not exist, or the caller cannot read it.
    case notFound(ServerError)
    /// The zone does not exist.
    case zoneNotFound(ServerError)
    /// The request is invalid, because of a mistake in the app.
    case badRequest(ServerError)
    /// A limit of the server was exceeded: send less per request.
    case limitExceeded(ServerError)
    /// A quota of the account or container was exceeded, or the disk is full: tell the user.
    case quotaExceeded(ServerError)
    /// A sync token, a query cursor or a signed URL has expired: start over.
    case tokenExpired(ServerError)
    /// The target of a reference is missing, or a reference with the action `VALIDATE` prevents a deletion.
    case referenceViolation(ServerError)
    /// Another operation of the same atomic batch was rejected. Nothing was written.
    case batchFailed(ServerError)
    /// The caller exceeded a rate limit: retry later.
    case throttled(ServerError)
    /// The server is busy, starting or stopping: retry later.
    case unavailable(ServerError)
    /// The server failed. The server's log has details under `requestID`.
    case serverFailed(ServerError)

    // MARK: Errors of the network

    /// The server was not reached and has executed nothing.
    case unreachable(String)
    /// The response was lost, so the client does not know whether the server executed the request.
    ///
    /// Repeating a write of this client is safe.
    case responseLost(String)

    // MARK: Errors of the client

    /// A record does not fit its model.
    case decoding(DecodingProblem)
    /// An argument is invalid. No request was sent.
    case invalidArgument(String)
    /// The response is not from a Fogbase server: check the address.
    case notFogbase(status: Int, String)
}

/// The reason why a record does not fit its model.
public struct DecodingProblem: Hashable, Sendable {
    /// The kinds of decoding problems.
    public enum Kind: Hashable, Sendable {
        /// The field is missing, and the property is neither optional nor has a default.
        case missing
        /// The field has another type than the property. Both types have their names in the schema.
        case mismatch(expected: String, found: String)
        /// The model's own decoding code threw an error.
        case custom(String)
    }

    /// The kind of the problem.
    public var kind: Kind
    /// The name of the field in the record, which can differ from the property's name.
    public var field: String
    /// The name of the record; `nil` if the model was not decoded from a record.
    public var recordName: String?

    /// Creates a problem, for models with their own decoding code.
    public init(_ kind: Kind, field: String, recordName: String? = nil) {
        self.kind = kind
        self.field = field
        self.recordName = recordName
    }
}

extension FogbaseError {
    /// The error that the server sent; `nil` if the error comes from the network or the client.
    public var serverError: ServerError? {
        switch self {
        case .notAuthenticated(let rejection), .authenticationFailed(let rejection), .accessDenied(let rejection),
            .conflict(_, let rejection), .exists(let rejection), .notFound(let rejection), .zoneNotFound(let rejection),
            .badRequest(let rejection), .limitExceeded(let rejection), .quotaExceeded(let rejection),
            .tokenExpired(let rejection), .referenceViolation(let rejection), .batchFailed(let rejection),
            .throttled(let rejection), .unavailable(let rejection), .serverFailed(let rejection):
            rejection
        default: nil
        }
    }

    /// The HTTP status; `nil` if there was no response.
    public var status: Int? {
        if case .notFogbase(let status, _) = self { return status }
        return serverError?.status
    }

    /// A sentence that explains the error to the developer.
    public var reason: String {
        switch self {
        case .unreachable(let why): return "The server cannot be reached: \(why)"
        case .responseLost(let why): return "The response was lost: \(why)"
        case .invalidArgument(let sentence): return sentence
        case .notFogbase(let status, let what):
            return "The response (status \(status)) is not one of Fogbase, or not about records: \(what)"
        case .decoding(let problem):
            let record = problem.recordName.map { " of record '\($0)'" } ?? ""
            switch problem.kind {
            case .missing:
                return "Field '\(problem.field)'\(record) is absent; make the property optional or give it a default"
            case .mismatch(let expected, let found):
                return "Field '\(problem.field)'\(record) is \(found), and the model's property needs \(expected)"
            case .custom(let sentence): return "Field '\(problem.field)'\(record): \(sentence)"
            }
        default: return serverError?.reason ?? ""
        }
    }

    /// The name of the record that caused the error, if known.
    public var recordName: String? {
        if case .decoding(let problem) = self { return problem.recordName }
        return serverError?.recordName
    }

    /// The name of the field that caused the error, if known.
    public var field: String? {
        if case .decoding(let problem) = self { return problem.field }
        return serverError?.field
    }

    /// The delay before a retry, if the server gave one.
    public var retryAfter: Duration? { serverError?.retryAfter }

    /// Whether the same request may succeed later.
    public var isRetryable: Bool {
        switch self {
        case .throttled, .unavailable, .serverFailed, .unreachable, .responseLost: true
        default: false
        }
    }
}

extension FogbaseError: CustomStringConvertible {
    public var description: String {
        guard let operation = serverError?.operation else { return reason }
        let record = recordName.map { "record '\($0)', " } ?? ""
        return "\(reason) (\(record)operation \(operation) of the batch, counted from 0)"
    }
}

extension FogbaseError {
    static func missingField(_ name: String) -> FogbaseError {
        .decoding(DecodingProblem(.missing, field: name))
    }

    static func typeMismatch(_ name: String, expected: String, found: String) -> FogbaseError {
        // If the types are equal, the value is out of the property's range, such as 300 in 8 bits.
        let found = found == expected ? "\(found) with a value that does not fit" : found
        return .decoding(DecodingProblem(.mismatch(expected: expected, found: found), field: name))
    }

    static func notFinite(_ name: String) -> FogbaseError {
        .invalidArgument("Field '\(name)' is infinite or no number, which records cannot have")
    }

    static func notRecordName(_ name: String) -> FogbaseError {
        .invalidArgument(
            "'\(name.prefix(64))' is no record name: 1 to 255 bytes without control characters, not '.' or '..'")
    }

    static func notZoneName(_ name: String) -> FogbaseError {
        .invalidArgument(
            "'\(name.prefix(64))' is no zone name: 1 to 255 bytes without control characters, not '.' or '..'")
    }

    /// Returns the error with the given record name added.
    func about(_ recordName: String) -> FogbaseError {
        guard case .decoding(var problem) = self, problem.recordName == nil else { return self }
        problem.recordName = recordName
        return .decoding(problem)
    }
}
