internal import Foundation
internal import RecordModel
internal import RecordWire

extension FogbaseError {
    /// Creates the error of a response with an error status.
    init(_ response: TransportResponse) {
        guard let tree = try? JSONValue.parse(Array(response.body)), tree["serverErrorCode"]?.string != nil else {
            let text = String(decoding: response.body.prefix(200), as: UTF8.self)
            self = .notFogbase(status: response.status, text)
            return
        }
        self.init(tree, status: response.status, requestID: response.fields["x-request-id"])
    }

    /// Creates an error from the error object of a response or of a batch item.
    ///
    /// - Parameters:
    ///   - status: The status of the response; `nil` for a batch item.
    ///   - operation: The index of the batch item, from 0.
    init(_ tree: JSONValue, status: Int?, requestID: String? = nil, operation: Int? = nil) {
        let word = tree["serverErrorCode"]?.string ?? ""
        let code = RecordError.Code(rawValue: word)
        let cause = tree["details"]?["cause"]?.string.flatMap(RecordError.Cause.init(rawValue:))
        var details: [String: String] = [:]
        if case .object(let members)? = tree["details"] {
            for member in members.members where member.key != "cause" { details[member.key] = member.value.plainText }
        }
        let rejection = ServerError(
            status: status ?? Self.status(code, cause), reason: tree["reason"]?.string ?? word, cause: cause,
            details: details, recordName: tree["recordName"]?.string ?? details["recordName"],
            retryAfter: tree["retryAfter"]?.integer.map { .seconds($0) }, requestID: requestID, operation: operation)
        self = Self.make(code, cause, rejection, server: tree["serverRecord"].flatMap(Record.init(tree:)))
    }

    /// Returns the case for an error code and a cause of the HTTP interface.
    private static func make(
        _ code: RecordError.Code?, _ cause: RecordError.Cause?, _ rejection: ServerError, server: Record?
    ) -> FogbaseError {
        switch cause {
        case .tokenExpired: return .tokenExpired(rejection)
        case .tooLarge, .tooManyAffected: return .limitExceeded(rejection)
        case .storageFull: return .quotaExceeded(rejection)
        default: break
        }
        switch code {
        case .accessDenied: return .accessDenied(rejection)
        case .atomicError: return .batchFailed(rejection)
        case .authenticationFailed: return .authenticationFailed(rejection)
        case .authenticationRequired: return .notAuthenticated(rejection)
        case .badRequest: return .badRequest(rejection)
        case .conflict: return .conflict(Conflict(server: server), rejection)
        case .exists: return .exists(rejection)
        case .internalError: return .serverFailed(rejection)
        case .notFound: return .notFound(rejection)
        case .quotaExceeded: return .quotaExceeded(rejection)
        case .throttled: return .throttled(rejection)
        case .tryAgainLater: return .unavailable(rejection)
        case .validatingReferenceError: return .referenceViolation(rejection)
        case .zoneNotFound: return .zoneNotFound(rejection)
        // A newer server sent an unknown code. The status shows whether the client or the server is at fault.
        case nil: return rejection.status >= 500 ? .serverFailed(rejection) : .badRequest(rejection)
        }
    }

    /// Returns the HTTP status of an error outside of a batch (HTTP interface, "Errors").
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
    /// The value as plain text, without quotation marks around strings.
    fileprivate var plainText: String {
        switch self {
        case .string(let text): return text
        case .array(let members): return members.map(\.plainText).joined(separator: ", ")
        default: return String(decoding: bytes, as: UTF8.self)
        }
    }
}
