internal import Foundation
internal import RecordModel
internal import RecordWire

/// An error with an HTTP status that differs from the usual status of its error code.
struct InMemoryError: Error {
    var status: Int
    var error: RecordError

    /// Returns the error for a feature that the in-memory server does not have.
    static func notThere(_ what: String) -> InMemoryError {
        InMemoryError(
            status: 501, error: .badRequest("InMemoryServer has no \(what). Test it with a real server"))
    }
}

/// The responses of `InMemoryServer`.
extension TransportResponse {
    init(json: [UInt8], status: Int = 200, fields: [String: String] = [:]) {
        self.init(status: status, fields: fields, body: Data(json))
        self.fields["content-type"] = "application/json"
        self.fields["x-request-id"] = UUID().uuidString
    }

    init(json: JSONValue, status: Int = 200) {
        self.init(json: json.bytes, status: status)
    }

    /// Returns the response for a thrown error.
    static func rejecting(_ error: any Error) -> TransportResponse {
        switch error {
        case let error as InMemoryError: rejecting(error.error, status: error.status)
        case let error as RecordError: rejecting(error, status: FogbaseError.status(error.code, error.cause))
        default: rejecting(RecordError(.internalError, "\(error)"), status: 500)
        }
    }

    private static func rejecting(_ error: RecordError, status: Int) -> TransportResponse {
        var text: [UInt8] = []
        ErrorComposer.append(error, uuid: UUID().uuidString, recordName: nil, to: &text)
        var response = TransportResponse(json: text, status: status)
        if let seconds = error.retryAfter { response.fields["retry-after"] = String(seconds) }
        return response
    }

    /// Returns the error response that a test has requested.
    static func rejecting(status: Int, retryAfter: Int?) -> TransportResponse {
        let code: RecordError.Code =
            switch status {
            case 401: .authenticationRequired
            case 403: .accessDenied
            case 404: .notFound
            case 409: .exists
            case 412: .conflict
            case 429: .throttled
            case 503: .tryAgainLater
            case 500...: .internalError
            default: .badRequest
            }
        let cause: RecordError.Cause? =
            switch status {
            case 410: .tokenExpired
            case 412: .preconditionFailed
            case 413: .tooLarge
            case 507: .storageFull
            default: nil
            }
        let error = RecordError(code, "The test lets this request fail", cause: cause, retryAfter: retryAfter)
        return rejecting(error, status: status)
    }
}
