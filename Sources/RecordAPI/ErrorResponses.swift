internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// A refusal that is about HTTP more than about records: a status that no code implies, or fields of its own.
struct APIError: Error {
    var status: HTTPStatus
    /// `nil` for an answer without a body.
    var error: RecordError?
    var fields = HTTPFields()

    static var notAcceptable: APIError {
        APIError(status: .notAcceptable, error: .badRequest("This route answers JSON. Accept application/json"))
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
            error: .badRequest("The path has a malformed percent escape, or one that is not UTF-8. Encode it anew"))
    }

    static var databaseClosed: APIError {
        APIError(
            status: .serviceUnavailable,
            error: RecordError(
                .tryAgainLater, "The database is not available now. Try again shortly", cause: .unavailable,
                retryAfter: 5))
    }

    /// The condition of a read did not hold.
    static var conditionFailed: APIError {
        APIError(
            status: .preconditionFailed,
            error: RecordError(
                .conflict, "The record has another tag than If-Match demands", cause: .preconditionFailed))
    }

    static var malformedCondition: APIError {
        APIError(
            status: .badRequest,
            error: .badRequest("If-Match and If-None-Match are * or tags in double quotes, separated by commas"))
    }

    static func methodNotAllowed(_ methods: [HTTPMethod]) -> APIError {
        let names = methods.map(\.text)
        var refusal = APIError(
            status: .methodNotAllowed,
            error: .badRequest(
                "This path does not take the method. It takes \(names.joined(separator: ", "))",
                cause: .methodNotAllowed, details: [("allowed", .list(names))]))
        refusal.fields.append(.allow, names.joined(separator: ", "))
        return refusal
    }

    /// The answer to a plain OPTIONS; preflights are answered before a request comes here.
    ///
    /// - Parameter methods: `nil` for the server as a whole.
    static func options(_ methods: [HTTPMethod]?) -> APIError {
        let methods = methods ?? [.get, .head, .post, .put, .patch, .delete, .options]
        var answer = APIError(status: .noContent, error: nil)
        answer.fields.append(.allow, methods.map(\.text).joined(separator: ", "))
        return answer
    }

    static func rangeNotSatisfiable(size: Int) -> APIError {
        var refusal = APIError(
            status: .rangeNotSatisfiable,
            error: .badRequest(
                "The byte range begins behind the end of the value", cause: .rangeNotSatisfiable,
                details: [("size", .number(Int64(size)))]))
        refusal.fields.append(.contentRange, ByteRange.contentRange(unsatisfiedSize: size))
        return refusal
    }
}

/// The only place that knows both an error and a status.
extension RecordAPI {
    /// The answer to whatever was thrown. What nobody foresaw is INTERNAL_ERROR without detail.
    func errorResponse(_ error: any Error, id: String) -> HTTPResponse {
        switch error {
        case let error as RecordError:
            if error.code == .internalError {
                configuration.report("request \(id) met an internal error: \(error.reason)")
            }
            return response(Self.status(of: error), error, id: id)
        case let error as APIError:
            return response(error.status, error.error, fields: error.fields, id: id)
        case let error as HTTPBodyError:
            let (status, error) = refusal(of: error)
            return response(status, error, id: id)
        case let refusal as HTTPRefusal:
            return response(refusal.status, Self.error(of: refusal), id: id)
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
            // RFC 6750 §3: the error attribute only where a token was sent.
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

    /// The status that a cause demands whatever the code; `nil` leaves it to the code.
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

    private func refusal(of error: HTTPBodyError) -> (HTTPStatus, RecordError) {
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

    /// The words for a refusal by the HTTP engine, which has chosen the status.
    private static func error(of refusal: HTTPRefusal) -> RecordError {
        switch refusal.status {
        case .contentTooLarge, .uriTooLong, .requestHeaderFieldsTooLarge:
            .badRequest(refusal.reason, cause: .tooLarge)
        case .tooManyRequests: RecordError(.throttled, refusal.reason, retryAfter: 1)
        case .serviceUnavailable:
            RecordError(.tryAgainLater, refusal.reason, cause: .unavailable, retryAfter: 1)
        case .internalServerError: RecordError(.internalError, refusal.reason)
        default: .badRequest(refusal.reason)
        }
    }
}
