internal import Foundation
internal import RecordModel
internal import RecordWire

extension FogbaseError {
    /// What an answer with an error status says.
    init(_ response: TransportResponse) {
        guard let tree = try? JSONValue.parse(Array(response.body)), tree["serverErrorCode"]?.string != nil else {
            let text = String(decoding: response.body.prefix(200), as: UTF8.self)
            self = .notFogbase(status: response.status, text)
            return
        }
        self.init(tree, status: response.status, requestID: response.fields["x-request-id"])
    }

    /// What an error dictionary says, of a whole answer or of an item.
    ///
    /// - Parameters:
    ///   - status: Of the answer; `nil` for an item of a batch.
    ///   - operation: Which item of a batch it is, from 0.
    init(_ tree: JSONValue, status: Int?, requestID: String? = nil, operation: Int? = nil) {
        let word = tree["serverErrorCode"]?.string ?? ""
        let code = RecordError.Code(rawValue: word)
        let cause = tree["details"]?["cause"]?.string.flatMap(RecordError.Cause.init(rawValue:))
        var details: [String: String] = [:]
        if case .object(let members)? = tree["details"] {
            for member in members.members where member.key != "cause" { details[member.key] = member.value.plainText }
        }
        let refusal = Refusal(
            status: status ?? Self.status(code, cause), reason: tree["reason"]?.string ?? word, cause: cause,
            details: details, recordName: tree["recordName"]?.string ?? details["recordName"],
            retryAfter: tree["retryAfter"]?.integer.map { .seconds($0) }, requestID: requestID, operation: operation)
        self = Self.make(code, cause, refusal, server: tree["serverRecord"].flatMap(Record.init(tree:)))
    }

    /// Every code and cause of the interface, each to the case that tells an app what to do.
    private static func make(
        _ code: RecordError.Code?, _ cause: RecordError.Cause?, _ refusal: Refusal, server: Record?
    ) -> FogbaseError {
        switch cause {
        case .tokenExpired: return .tokenExpired(refusal)
        case .tooLarge, .tooManyAffected: return .limitExceeded(refusal)
        case .storageFull: return .quotaExceeded(refusal)
        default: break
        }
        switch code {
        case .accessDenied: return .accessDenied(refusal)
        case .atomicError: return .batchFailed(refusal)
        case .authenticationFailed: return .authenticationFailed(refusal)
        case .authenticationRequired: return .notAuthenticated(refusal)
        case .badRequest: return .badRequest(refusal)
        case .conflict: return .conflict(Conflict(server: server), refusal)
        case .exists: return .exists(refusal)
        case .internalError: return .serverFailed(refusal)
        case .notFound: return .notFound(refusal)
        case .quotaExceeded: return .quotaExceeded(refusal)
        case .throttled: return .throttled(refusal)
        case .tryAgainLater: return .unavailable(refusal)
        case .validatingReferenceError: return .referenceViolation(refusal)
        case .zoneNotFound: return .zoneNotFound(refusal)
        // A code of a later version: its status still tells whose fault it is.
        case nil: return refusal.status >= 500 ? .serverFailed(refusal) : .badRequest(refusal)
        }
    }

    /// The status that a refusal has where it stands alone (Interface, "Errors").
    static func status(_ code: RecordError.Code?, _ cause: RecordError.Cause?) -> Int {
        switch cause {
        case .tokenExpired: return 410
        case .tooLarge: return 413
        case .storageFull: return 507
        case .tooManyAffected, .uniqueViolation, .setInterrupted: return 409
        case .idempotencyMismatch, .unreadablePicture: return 422
        case .preconditionFailed: return 412
        case .unknownRoute: return 404
        case .methodNotAllowed: return 405
        case .unsupportedMediaType: return 415
        case .rangeNotSatisfiable: return 416
        case .requestAbandoned: return 499
        default: break
        }
        switch code {
        case .authenticationRequired, .authenticationFailed: return 401
        case .accessDenied: return 403
        case .notFound, .zoneNotFound: return 404
        case .exists: return 409
        case .conflict, .validatingReferenceError: return 412
        case .quotaExceeded: return 413
        case .throttled: return 429
        case .internalError: return 500
        case .tryAgainLater: return 503
        case .badRequest, .atomicError, nil: return 400
        }
    }
}

extension JSONValue {
    /// The value as a person would write it.
    fileprivate var plainText: String {
        switch self {
        case .string(let text): return text
        case .array(let members): return members.map(\.plainText).joined(separator: ", ")
        default: return String(decoding: bytes, as: UTF8.self)
        }
    }
}
