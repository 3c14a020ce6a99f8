internal import RecordWire

/// A database of another server that speaks the protocol of CloudKit Web Services.
package struct SourceDatabase: Hashable, Sendable {
    /// The URL of the server without a trailing slash, such as `https://api.apple-cloudkit.com`.
    package var url: String
    /// The container, such as `iCloud.org.example.Orchard`.
    package var container: String
    /// `development` or `production`.
    package var environment: String
    /// Whether it is the private database of a user; else the public database.
    package var isPrivate: Bool

    /// Describes a database.
    package init(url: String, container: String, environment: String, isPrivate: Bool) {
        self.url = url
        self.container = container
        self.environment = environment
        self.isPrivate = isPrivate
    }

    /// Returns the path of an operation, from the root of the server.
    func path(of operation: String, inPublic: Bool = false) -> String {
        let scheme = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let basePath = scheme.firstIndex(of: "/").map { scheme[$0...] } ?? ""
        let database = isPrivate && !inPublic ? "private" : "public"
        return "\(basePath)/database/1/\(container)/\(environment)/\(database)/\(operation)"
    }
}

/// Sends the operations of the protocol to the source. Repeats what a later attempt may achieve.
package final class SourceClient {
    /// The source.
    package let database: SourceDatabase
    let transport: any SourceTransport
    let clock: any ImportClock
    private var credential: SourceCredential
    /// Stores a web auth token before the next request. The source may accept a token only once.
    private let storeToken: (String) throws(ImportError) -> Void

    /// Creates a client.
    ///
    /// - Parameter storeToken: Stores the next web auth token durably.
    package init(
        _ database: SourceDatabase, _ credential: SourceCredential, transport: any SourceTransport,
        clock: any ImportClock, storeToken: @escaping (String) throws(ImportError) -> Void
    ) {
        self.database = database
        self.credential = credential
        self.transport = transport
        self.clock = clock
        self.storeToken = storeToken
    }

    /// Executes an operation, and returns the body of the response.
    ///
    /// - Parameters:
    ///   - body: The body; `nil` for an operation that takes GET.
    ///   - inPublic: Whether the operation has the path of the public database, as those about users.
    /// - Throws: `rejected` for an error that another attempt would not change; `failed` without a valid credential, or
    ///   after too many attempts; `interrupted`.
    func call(
        _ operation: String, _ body: JSONObject?, inPublic: Bool = false
    ) async throws(ImportError) -> JSONObject {
        var attempts = RetrySchedule()
        while true {
            try clock.checkInterruption()
            let request = makeRequest(
                database.path(of: operation, inPublic: inPublic), body.map { JSONValue.object($0).bytes })
            let problem: (sentence: String, delay: Int64?)
            switch await send(request) {
            case .failure(.interrupted): throw .interrupted
            case .failure(.tooLarge): throw .rejected(code: Self.tooLarge, reason: "The response is too large")
            case .failure(.failed(let reason)): problem = (reason, nil)
            case .success(let response):
                if let token = response.webAuthToken { try keep(token) }
                switch SourceAnswer(response) {
                case .object(let object): return object
                case .passing(let reason, let delay): problem = (reason, delay)
                case .unauthorized(let code, let reason, let url): throw unauthorized(code, reason, url)
                case .rejected(let code, let reason): throw .rejected(code: code, reason: reason)
                }
            }
            guard let delay = attempts.next(after: problem.delay) else {
                throw .failed([
                    "\(database.url) did not execute \(operation) in \(RetrySchedule.most) attempts: \(problem.sentence).",
                    "Run the same command again later. It continues where it has stopped.",
                ])
            }
            try await clock.wait(milliseconds: delay)
        }
    }

    /// The code of a response that is larger than the transport keeps. No server sends it.
    static let tooLarge = "TOO_LARGE"

    private func send(_ request: SourceRequest) async -> Result<SourceResponse, TransportFailure> {
        do throws(TransportFailure) {
            return .success(try await transport.send(request))
        } catch {
            return .failure(error)
        }
    }

    private func makeRequest(_ path: String, _ body: [UInt8]?) -> SourceRequest {
        var request = SourceRequest(path: path, body: body)
        switch credential {
        case .key(let id, let key):
            request.fields = SourceSignature.fields(keyID: id, key: key, path: path, body: body, now: clock.now)
        case .user(let apiToken, let webAuthToken):
            request.query = [
                SourceRequest.Field(name: "ckAPIToken", value: apiToken),
                SourceRequest.Field(name: "ckWebAuthToken", value: webAuthToken),
            ]
        }
        if body != nil { request.fields.append(SourceRequest.Field(name: "Content-Type", value: "application/json")) }
        return request
    }

    private func keep(_ token: String) throws(ImportError) {
        guard case .user(let apiToken, let old) = credential, !token.isEmpty, token != old else { return }
        try storeToken(token)
        credential = .user(apiToken: apiToken, webAuthToken: token)
    }

    private func unauthorized(_ code: String, _ reason: String, _ redirectURL: String?) -> ImportError {
        guard case .user = credential else {
            return .failed([
                "\(database.url) rejects the server-to-server key: \(code), \(reason).",
                "Check the key ID, the private key, the container and the environment, and the clock of this machine.",
            ])
        }
        guard let redirectURL else {
            return .failed([
                "\(database.url) rejects the API token or the web auth token: \(code), \(reason).",
                "Check the API token, the container and the environment.",
            ])
        }
        return .failed([
            "\(database.url) needs a new sign-in: \(reason).",
            "Open \(redirectURL), sign in, and write the web auth token into the file of --web-auth-token-file.",
            "Then run the same command again. It continues where it has stopped.",
        ])
    }
}

/// What a response of the source means.
enum SourceAnswer: Hashable {
    case object(JSONObject)
    /// Another attempt may succeed. The delay is in milliseconds.
    case passing(reason: String, delay: Int64?)
    case unauthorized(code: String, reason: String, redirectURL: String?)
    case rejected(code: String, reason: String)

    /// Reads a response. A body that is not JSON is the page of a proxy, or was cut off: it passes.
    init(_ response: SourceResponse) {
        let value = try? JSONValue.parse(response.body)
        if response.status == 200 {
            // Some servers send an error of the whole request with status 200.
            if let object = value?.object, object["serverErrorCode"] == nil {
                self = .object(object)
                return
            }
            if value?.object == nil {
                self = .passing(reason: "the response is no JSON object", delay: nil)
                return
            }
        }
        let error = SourceError(value?.object ?? JSONObject())
        let code = error.code ?? "status \(response.status)"
        let reason = error.reason ?? "no reason"
        let delay = error.retryAfter ?? response.retryAfter.map { $0 * 1_000 }
        switch (response.status, error.code) {
        case (421, "AUTHENTICATION_REQUIRED"?), (401, _), (_, "AUTHENTICATION_FAILED"?),
            (_, "AUTHENTICATION_REQUIRED"?):
            self = .unauthorized(code: code, reason: reason, redirectURL: error.redirectURL)
        case (_, _) where error.isPassing, (408, _), (429, _), (500...599, nil):
            self = .passing(reason: "\(code), \(reason)", delay: delay)
        // 421 without a code is HTTP/2's "misdirected request". A status below 300 comes from a proxy.
        case (421, nil), (...299, nil): self = .passing(reason: code, delay: delay)
        default: self = .rejected(code: code, reason: reason)
        }
    }
}

/// The error dictionary of a response, or of one item in it.
struct SourceError: Hashable {
    /// `serverErrorCode`; `nil` for an item that is no error.
    let code: String?
    let reason: String?
    /// In milliseconds.
    let retryAfter: Int64?
    let redirectURL: String?

    init(_ object: JSONObject) {
        code = object["serverErrorCode"]?.string
        reason = object["reason"]?.string
        retryAfter = object["retryAfter"]?.double.map { Int64(max(0, min($0, 86_400)) * 1_000) }
        redirectURL = object["redirectURL"]?.string
    }

    /// Whether another attempt may succeed.
    var isPassing: Bool {
        ["THROTTLED", "TRY_AGAIN_LATER", "INTERNAL_ERROR"].contains(code) || (code != nil && retryAfter != nil)
    }
}
