internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Maps errors to the error dictionaries and statuses of CloudKit Web Services. No other file does this.
///
/// Only the fourteen codes of `RecordError.Code` reach a client, which are CloudKit's. The details and causes of the
/// native interface stay out: clients do not know them, and the reason says the same.
enum CloudKitErrors {
    /// Returns the status of a response whose whole request failed.
    static func status(of code: RecordError.Code) -> HTTPStatus {
        switch code {
        case .accessDenied: .forbidden
        case .atomicError: .badRequest
        case .authenticationFailed: .unauthorized
        case .authenticationRequired: .misdirectedRequest
        case .badRequest: .badRequest
        case .conflict: .conflict
        case .exists: .conflict
        case .internalError: .internalServerError
        case .notFound: .notFound
        case .quotaExceeded: .contentTooLarge
        case .throttled: .tooManyRequests
        case .tryAgainLater: .serviceUnavailable
        case .validatingReferenceError: .preconditionFailed
        case .zoneNotFound: .notFound
        }
    }

    /// Returns an error with CloudKit's code and reason.
    static func translated(_ error: RecordError) -> RecordError { error.asCloudKit() }

    /// Returns the error of one item, which stands in the array of results. The status of the response is 200.
    ///
    /// - Parameters:
    ///   - error: The error of the item.
    ///   - action: The action that was denied, for an error about permissions.
    ///   - key: The key that names the item, such as `recordName`, with its value; `nil` for an item without a name.
    ///   - requestID: The ID of the request, for the `uuid`.
    static func item(
        _ error: RecordError, action: Action? = nil, key: (String, JSONValue)?, requestID: String
    ) -> JSONObject {
        var error = translated(error)
        if let action, error.code == .accessDenied || error.code == .authenticationRequired {
            error.code = .accessDenied
            error.reason = CloudKitReason.notPermitted(action)
        }
        var object = JSONObject()
        if let (name, value) = key { object[name] = value }
        append(error, to: &object)
        object["uuid"] = .string(CloudKitUUID.text(ofRequest: requestID))
        return object
    }

    /// Returns the error dictionary of a whole request.
    static func document(_ error: RecordError, requestID: String, redirectURL: String?) -> JSONObject {
        var object = JSONObject([("uuid", .string(CloudKitUUID.text(ofRequest: requestID)))])
        append(error, to: &object)
        if error.code == .authenticationRequired, let redirectURL { object["redirectURL"] = .string(redirectURL) }
        return object
    }

    private static func append(_ error: RecordError, to object: inout JSONObject) {
        object["serverErrorCode"] = .string(error.code.rawValue)
        object["reason"] = .string(error.reason)
        if let seconds = error.retryAfter { object["retryAfter"] = .integer(Int64(seconds)) }
    }
}

extension RecordAPI {
    /// Returns the response to any error thrown by a request of CloudKit Web Services.
    ///
    /// - Parameter redirectURL: The sign-in page, for AUTHENTICATION_REQUIRED.
    func cloudKitErrorResponse(_ error: any Error, id: String, redirectURL: String?) -> HTTPResponse {
        var (status, known, fields): (HTTPStatus?, RecordError, HTTPFields) = (nil, .unforeseen, HTTPFields())
        switch error {
        case let error as RecordError:
            known = error
            if error.isDefect {
                configuration.report("request \(id) met an internal error: \(error.reason)")
            }
        case let error as APIError:
            guard let inner = error.error else { return HTTPResponse(error.status, fields: error.fields) }
            // Only 404 and 405 have a status that the code does not determine.
            (status, known, fields) = (error.status == .methodNotAllowed ? error.status : nil, inner, error.fields)
        case let error as HTTPBodyError:
            (status, known) = Self.cloudKitError(of: error)
        default:
            configuration.report("request \(id) met an internal error: \(error)")
        }
        let translated = known.asCloudKit()
        // A person cannot sign in without a sign-in page.
        var response = HTTPResponse.cloudKit(
            CloudKitErrors.document(translated, requestID: id, redirectURL: redirectURL),
            status: status ?? CloudKitErrors.status(of: translated.code))
        for (name, value) in fields { response.fields.append(name, value) }
        if response.status == .unauthorized { response.fields.append(.wwwAuthenticate, literal: "CloudKit") }
        if let seconds = translated.retryAfter { response.fields.append(.retryAfter, String(seconds)) }
        return response
    }

    private static func cloudKitError(of error: HTTPBodyError) -> (HTTPStatus?, RecordError) {
        switch error {
        case .tooLarge(let limit):
            (nil, RecordError(.quotaExceeded, "The body is larger than \(limit) bytes. Send fewer operations at once"))
        case .bomb: (nil, RecordError(.quotaExceeded, "The compressed body grows too much. Send it uncompressed"))
        case .malformed(let reason): (nil, .badRequest("The body could not be read: \(reason)"))
        case .unsupportedEncoding: (nil, .badRequest("Content-Encoding may be gzip or identity"))
        case .timeout:
            // The client stopped sending, so its request may be complete the next time.
            (nil, RecordError(.tryAgainLater, "The body did not arrive in time. Send the request again", retryAfter: 1))
        case .disconnected: (nil, .badRequest("The connection ended before the body did"))
        case .overloaded:
            (
                nil,
                RecordError(
                    .tryAgainLater, "The server holds as many bodies as it can. Try again shortly", retryAfter: 1)
            )
        }
    }
}

extension RecordError {
    fileprivate static let unforeseen = RecordError(.internalError, "The server made a mistake")
}

extension HTTPFields {
    /// The header fields of every JSON response of CloudKit Web Services.
    static let cloudKit: HTTPFields = {
        var fields = HTTPFields()
        fields.append(.contentType, literal: "application/json; charset=UTF-8")
        fields.append(.xContentTypeOptions, literal: "nosniff")
        fields.append(.cacheControl, literal: "no-store")
        return fields
    }()
}

extension HTTPResponse {
    /// Creates a response of CloudKit Web Services.
    static func cloudKit(_ object: JSONObject, status: HTTPStatus = .ok) -> HTTPResponse {
        .cloudKit(JSONValue.object(object).bytes, status: status)
    }

    /// Creates a response of CloudKit Web Services from the text of a JSON object.
    static func cloudKit(_ body: [UInt8], status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status, fields: .cloudKit, body: .bytes(body))
    }
}
