internal import RecordModel

/// What can go wrong, by what an app can do about it. Cancellation is Swift's own `CancellationError`.
public enum FogbaseError: Error, Hashable, Sendable {
    // MARK: The server refused

    /// Nobody is signed in, or the session has ended: sign in.
    case notAuthenticated(Refusal)
    /// Name or password are wrong, or the token is none.
    case authenticationFailed(Refusal)
    /// Whoever is signed in lacks the right.
    case accessDenied(Refusal)
    /// The record has changed since it was read: merge, and save again.
    case conflict(Conflict, Refusal)
    /// A record, account or unique value with this name is there already.
    case exists(Refusal)
    /// There is no such record, or the app may not know of it.
    case notFound(Refusal)
    /// There is no such zone.
    case zoneNotFound(Refusal)
    /// The request is wrong: a mistake of the app.
    case badRequest(Refusal)
    /// Something is larger than a limit: send less at once.
    case limitExceeded(Refusal)
    /// The account, the server or its disk is full: tell the user.
    case quotaExceeded(Refusal)
    /// A token of changes or a cursor is too old: begin anew.
    case tokenExpired(Refusal)
    /// A reference's target is missing, or one that holds a record back is there.
    case referenceViolation(Refusal)
    /// Another item of the same atomic batch was refused; nothing was written.
    case batchFailed(Refusal)
    /// Too many requests: later.
    case throttled(Refusal)
    /// The server is busy, starts or stops: later.
    case unavailable(Refusal)
    /// The server failed; its log has more under `requestID`.
    case serverFailed(Refusal)

    // MARK: No answer came

    /// The server was not reached, and has done nothing.
    case unreachable(String)
    /// The answer was lost: whether the server has done it is not known. Every write of this client may simply be tried
    /// again, since it is done once.
    case responseLost(String)

    // MARK: In the app

    /// A record does not fit its model.
    case decoding(DecodingProblem)
    /// An argument cannot be sent.
    case invalidArgument(String)
    /// What came is no answer of a Fogbase server: look at the address.
    case notFogbase(status: Int, String)
}

/// Why a record does not fit its model.
public struct DecodingProblem: Hashable, Sendable {
    /// In which way a record does not fit.
    public enum Kind: Hashable, Sendable {
        /// The field is absent, and the property is neither optional nor has a default.
        case missing
        /// The types, as the schema names them.
        case mismatch(expected: String, found: String)
        /// What a type's own decoding has said.
        case custom(String)
    }

    /// In which way the record does not fit.
    public var kind: Kind
    /// The field's name in the record, which may differ from the property's.
    public var field: String
    /// The record; `nil` where a value was read outside of one.
    public var recordName: String?

    /// A problem, for models that decode by hand and throw it.
    public init(_ kind: Kind, field: String, recordName: String? = nil) {
        self.kind = kind
        self.field = field
        self.recordName = recordName
    }
}

extension FogbaseError {
    /// What the server said, if it was the server.
    public var refusal: Refusal? {
        switch self {
        case .notAuthenticated(let refusal), .authenticationFailed(let refusal), .accessDenied(let refusal),
            .conflict(_, let refusal), .exists(let refusal), .notFound(let refusal), .zoneNotFound(let refusal),
            .badRequest(let refusal), .limitExceeded(let refusal), .quotaExceeded(let refusal),
            .tokenExpired(let refusal), .referenceViolation(let refusal), .batchFailed(let refusal),
            .throttled(let refusal), .unavailable(let refusal), .serverFailed(let refusal):
            refusal
        default: nil
        }
    }

    /// The status of HTTP, if the server answered.
    public var status: Int? {
        if case .notFogbase(let status, _) = self { return status }
        return refusal?.status
    }

    /// A sentence that says what it is about.
    public var reason: String {
        switch self {
        case .unreachable(let why): return "The server cannot be reached: \(why)"
        case .responseLost(let why): return "The answer was lost: \(why)"
        case .invalidArgument(let sentence): return sentence
        case .notFogbase(let status, let what):
            return "What answered (status \(status)) is no Fogbase server, or no record's answer: \(what)"
        case .decoding(let problem):
            let record = problem.recordName.map { " of record '\($0)'" } ?? ""
            switch problem.kind {
            case .missing:
                return "Field '\(problem.field)'\(record) is absent; make the property optional or give it a default"
            case .mismatch(let expected, let found):
                return "Field '\(problem.field)'\(record) is \(found), and the model's property needs \(expected)"
            case .custom(let sentence): return "Field '\(problem.field)'\(record): \(sentence)"
            }
        default: return refusal?.reason ?? ""
        }
    }

    /// The record that it is about, where that is known.
    public var recordName: String? {
        if case .decoding(let problem) = self { return problem.recordName }
        return refusal?.recordName
    }

    /// The field that it is about, where that is known.
    public var field: String? {
        if case .decoding(let problem) = self { return problem.field }
        return refusal?.field
    }

    /// How long to wait before the same can work, where the server has said so.
    public var retryAfter: Duration? { refusal?.retryAfter }

    /// Whether the same can work later without any change.
    public var isRetryable: Bool {
        switch self {
        case .throttled, .unavailable, .serverFailed, .unreachable, .responseLost: true
        default: false
        }
    }
}

extension FogbaseError: CustomStringConvertible {
    public var description: String {
        guard let operation = refusal?.operation else { return reason }
        let record = recordName.map { "record '\($0)', " } ?? ""
        return "\(reason) (\(record)operation \(operation) of the batch, counted from 0)"
    }
}

extension FogbaseError {
    static func missingField(_ name: String) -> FogbaseError {
        .decoding(DecodingProblem(.missing, field: name))
    }

    static func typeMismatch(_ name: String, expected: String, found: String) -> FogbaseError {
        // Of the right type, the value is one that the property cannot hold, such as 300 in eight bits.
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

    /// The same error, about a record.
    func about(_ recordName: String) -> FogbaseError {
        guard case .decoding(var problem) = self, problem.recordName == nil else { return self }
        problem.recordName = recordName
        return .decoding(problem)
    }
}
