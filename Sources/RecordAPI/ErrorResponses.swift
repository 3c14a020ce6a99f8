internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// An error with a status that no error code implies, or with its own header fields.
struct APIError: Error {
    var status: HTTPStatus
    /// The error in the response body; `nil` for a response without a body.
    var error: RecordError?
    var fields = HTTPFields()

    static var notAcceptable: APIError {
        APIError(status: .notAcceptable, error: .badRequest("This route responds with JSON. Accept application/json"))
    }

    static var unknownRoute: APIError {
        APIError(
            status: .notFound,
            error: RecordError(
                .notFound, "No route has this path. The routes are listed in /openapi.json", cause: .unknownRoute))
    }

    static var badEncoding: APIError {
        APIError(
            status: .badRequest,
            error: .badRequest("The path has a malformed percent escape, or one that is not UTF-8. Encode it again"))
    }

    static var databaseClosed: APIError {
        APIError(
            status: .serviceUnavailable,
            error: RecordError(
                .tryAgainLater, "The database is not available now. Try again shortly", cause: .unavailable,
                retryAfter: 5))
    }

    /// The precondition of a read failed.
    static var preconditionFailed: APIError {
        APIError(
            status: .preconditionFailed,
            error: RecordError(
                .conflict, "The record has another tag than If-Match demands", cause: .preconditionFailed))
    }

    static var malformedPrecondition: APIError {
        APIError(
            status: .badRequest,
            error: .badRequest("If-Match and If-None-Match are * or tags in double quotes, separated by commas"))
    }

    static func methodNotAllowed(_ methods: [HTTPMethod]) -> APIError {
        let names = methods.map(\.text)
        var rejection = APIError(
            status: .methodNotAllowed,
            error: .badRequest(
                "This path does not take the method. It takes \(names.joined(separator: ", "))",
                cause: .methodNotAllowed, details: [("allowed", .list(names))]))
        rejection.fields.append(.allow, names.joined(separator: ", "))
        return rejection
    }

    /// Returns the response to an OPTIONS request other than a preflight; the transport handles preflights.
    ///
    /// - Parameter methods: The allowed methods of the route; `nil` for the server as a whole.
    static func options(_ methods: [HTTPMethod]?) -> APIError {
        let methods = methods ?? [.get, .head, .post, .put, .patch, .delete, .options]
        var response = APIError(status: .noContent, error: nil)
        response.fields.append(.allow, methods.map(\.text).joined(separator: ", "))
        return response
    }

    static func rangeNotSatisfiable(size: Int) -> APIError {
        var rejection = APIError(
            status: .rangeNotSatisfiable,
            error: .badRequest(
                "The byte range begins after the end of the value", cause: .rangeNotSatisfiable,
                details: [("size", .number(Int64(size)))]))
        rejection.fields.append(.contentRange, ByteRange.contentRange(unsatisfiedSize: size))
        return rejection
    }
}

extension RecordError {
    /// Whether the error is a defect of the server that its operator should report. A full disk is none: it has a cause, and
    /// the store reports it.
    var isDefect: Bool { code == .internalError && cause == nil }
}

/// Maps errors to statuses. No other file does this.
extension RecordAPI {
    /// Returns the response to any thrown error. An unexpected error becomes INTERNAL_ERROR without details.
    func errorResponse(_ error: any Error, id: String) -> HTTPResponse {
        switch error {
        case let error as RecordError:
            if error.isDefect {
                configuration.report("request \(id) met an internal error: \(error.reason)")
            }
            return response(Self.status(of: error), error, id: id)
        case let error as APIError:
            return response(error.status, error.error, fields: error.fields, id: id)
        case let error as HTTPBodyError:
            let (status, rejection) = rejection(of: error)
            var fields = HTTPFields()
            // RFC 9110 §15.5.16
            if case .unsupportedEncoding = error { fields.append(.acceptEncoding, literal: "gzip, identity") }
            return response(status, rejection, fields: fields, id: id)
        case let rejection as HTTPRejection:
            return response(rejection.status, Self.error(of: rejection), id: id)
        default:
            configuration.report("request \(id) met an internal error: \(error)")
            return response(.internalServerError, RecordError(.internalError, "The server made a mistake"), id: id)
        }
    }

    private func response(
        _ status: HTTPStatus, _ error: RecordError?, fields extra: HTTPFields = HTTPFields(), id: String
    ) -> HTTPResponse {
        guard let error else { return HTTPResponse(status, fields: extra) }
        var fields = HTTPFields.json
        for (name, value) in extra { fields.append(name, value) }
        if status == .unauthorized {
            // RFC 6750 §3: the error attribute is sent only if a token was sent.
            if error.code == .authenticationFailed {
                fields.append(.wwwAuthenticate, literal: #"Bearer error="invalid_token""#)
            } else {
                fields.append(.wwwAuthenticate, literal: "Bearer")
            }
        }
        if let seconds = error.retryAfter { fields.append(.retryAfter, String(seconds)) }
        var body: [UInt8] = []
        ErrorComposer.append(error, uuid: id, recordName: nil, to: &body)
        return HTTPResponse(status, fields: fields, body: .bytes(body))
    }

    static func status(of error: RecordError) -> HTTPStatus {
        if let status = error.cause.flatMap(status(of:)) { return status }
        switch error.code {
        case .accessDenied: return .forbidden
        case .atomicError: return .badRequest
        case .authenticationFailed: return .unauthorized
        case .authenticationRequired: return .unauthorized
        case .badRequest: return .badRequest
        case .conflict: return .conflict
        case .exists: return .conflict
        case .internalError: return .internalServerError
        case .notFound: return .notFound
        case .quotaExceeded: return .contentTooLarge
        case .throttled: return .tooManyRequests
        case .tryAgainLater: return .serviceUnavailable
        case .validatingReferenceError: return .preconditionFailed
        case .zoneNotFound: return .notFound
        }
    }

    /// Returns the status for a cause that overrides the status of the code; `nil` if the code determines the status.
    private static func status(of cause: RecordError.Cause) -> HTTPStatus? {
        switch cause {
        case .preconditionFailed: .preconditionFailed
        case .idempotencyMismatch: .unprocessableContent
        case .tokenExpired: .gone
        case .tooLarge: .contentTooLarge
        case .storageFull: .insufficientStorage
        case .thumbnailsUnavailable: .notImplemented
        case .unreadablePicture: .unprocessableContent
        case .unavailable: .serviceUnavailable
        case .unsupportedMediaType: .unsupportedMediaType
        case .unknownRoute: .notFound
        case .uniqueViolation: .conflict
        case .methodNotAllowed: .methodNotAllowed
        case .rangeNotSatisfiable: .rangeNotSatisfiable
        case .indexBuilding: .serviceUnavailable
        case .tooManyAffected, .setInterrupted: .conflict
        case .requestAbandoned: .clientClosedRequest
        case .digestMismatch, .tokenInvalid, .malformedJSON, .typeMismatch, .unknownName, .readOnlyKey, .nameTaken,
            .wrongPassword,
            .accountDisabled, .notIndexed, .queryTooExpensive:
            nil
        }
    }

    private func rejection(of error: HTTPBodyError) -> (HTTPStatus, RecordError) {
        switch error {
        case .tooLarge(let limit):
            (
                .contentTooLarge,
                .badRequest(
                    limit == registry.configuration.limits.bodyBytes
                        ? "The body is larger than \(limit) bytes (limits.body_bytes). Files go to POST /assets"
                        : "The body is larger than the \(limit) bytes that this route takes", cause: .tooLarge,
                    details: [("limit", .number(Int64(limit)))])
            )
        case .malformed(let reason):
            (.badRequest, .badRequest("The body could not be read: \(reason)"))
        case .unsupportedEncoding:
            (
                .unsupportedMediaType,
                .badRequest(
                    "Content-Encoding may be gzip or identity. Send the body in one of them",
                    cause: .unsupportedMediaType)
            )
        case .bomb:
            (
                .contentTooLarge,
                .badRequest("The compressed body grows too much. Send it uncompressed", cause: .tooLarge)
            )
        case .timeout:
            (.requestTimeout, .badRequest("The body did not arrive in time. Send the request again"))
        case .disconnected:
            (.badRequest, .badRequest("The connection ended before the body did"))
        case .overloaded:
            (
                .serviceUnavailable,
                RecordError(
                    .tryAgainLater, "The server holds as many bodies as it can. Try again shortly",
                    cause: .unavailable, retryAfter: 1)
            )
        }
    }

    /// Returns the error for a rejection by the HTTP engine. The engine has already chosen the status.
    static func error(of rejection: HTTPRejection) -> RecordError {
        switch rejection.status {
        case .contentTooLarge, .uriTooLong, .requestHeaderFieldsTooLarge:
            .badRequest(rejection.reason, cause: .tooLarge)
        case .tooManyRequests: RecordError(.throttled, rejection.reason, retryAfter: 1)
        case .serviceUnavailable:
            RecordError(.tryAgainLater, rejection.reason, cause: .unavailable, retryAfter: 1)
        case .internalServerError: RecordError(.internalError, rejection.reason)
        default: .badRequest(rejection.reason)
        }
    }
}
