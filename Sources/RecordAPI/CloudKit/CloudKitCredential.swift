internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire
internal import Threads

/// The verified credential of a request of CloudKit Web Services.
enum CloudKitCredential: Sendable {
    /// An API token alone.
    case token(CloudKitToken)
    /// An API token with the web auth token of a user.
    case user(CloudKitToken, WebAuthToken)
    /// The signature of a server-to-server key with an ID.
    case key(String)
    /// A URL that is the permission.
    case url

    /// The API token; `nil` for a signed request.
    var token: CloudKitToken? {
        switch self {
        case .token(let token), .user(let token, _): token
        case .key, .url: nil
        }
    }

    /// Returns the web auth token for the user's next request, once the session is verified; `nil` without a user.
    func nextWebAuthToken(_ reader: RecordReader) -> String? {
        guard case .user(_, let token) = self else { return nil }
        return reader.webAuthTokens.text(of: token, now: WallClock.milliseconds)
    }

    /// Returns the caller with its current permissions.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED if the web auth token is not valid or its session has ended;
    ///   AUTHENTICATION_FAILED if the key was revoked.
    func caller(_ reader: RecordReader) throws(RecordError) -> Caller {
        switch self {
        case .token, .url: return .anonymous
        case .user(_, let token):
            do throws(RecordError) {
                return try reader.callers.authenticate(token)
            } catch {
                // Clients show the sign-in page again if a session has ended.
                throw error.code == .authenticationFailed ? .cloudKitUserNeeded : error
            }
        case .key(let id):
            guard let key = try reader.callers.serverKey(id) else { throw .cloudKitSignatureRejected }
            return reader.callers.caller(signedBy: key)
        }
    }
}

/// The credentials in a request of CloudKit Web Services, before they are verified.
struct CloudKitRequestCredentials {
    private let request: HTTPRequest
    /// The text of the API token.
    private let token: String?
    /// The text of the web auth token.
    private let webAuthToken: String?

    init(_ request: HTTPRequest) {
        self.request = request
        token = request.target.query("ckAPIToken").flatMap { $0.isEmpty ? nil : $0 }
        webAuthToken = request.target.query("ckWebAuthToken").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the request is signed.
    var isSigned: Bool { CloudKitSignature.isMeant(by: request.fields) }

    /// Whether the request has the text of a web auth token.
    var namesUser: Bool { webAuthToken != nil }

    /// Returns the API token of the request.
    ///
    /// - Throws: AUTHENTICATION_FAILED without a valid API token, or with a signature in addition.
    func apiToken(_ reader: RecordReader) throws(RecordError) -> CloudKitToken {
        guard let token else {
            guard webAuthToken == nil else { throw RecordError(.authenticationFailed, CloudKitReason.tokenRejected) }
            throw RecordError(.authenticationFailed, CloudKitReason.noCredential)
        }
        guard !isSigned else { throw RecordError(.authenticationFailed, CloudKitReason.twoCredentials) }
        guard let found = try reader.cloudKitTokens.authenticate(token) else {
            throw RecordError(.authenticationFailed, CloudKitReason.tokenRejected)
        }
        return found
    }

    /// Returns the user's credential; `nil` if the web auth token is not one of this database.
    func user(_ token: CloudKitToken, _ reader: RecordReader) -> CloudKitCredential? {
        webAuthToken.flatMap(reader.webAuthTokens.open).map { .user(token, $0) }
    }

    /// Returns the signature and the key that may have made it. The body is not read yet, so that only requests with
    /// the ID of a key and a recent date make the server wait for a body.
    ///
    /// - Throws: AUTHENTICATION_FAILED.
    func signature(
        _ reader: RecordReader, now: Int64
    ) throws(RecordError) -> (signature: CloudKitSignature, key: ServerToServerKey) {
        guard token == nil, webAuthToken == nil else {
            throw RecordError(.authenticationFailed, CloudKitReason.twoCredentials)
        }
        guard let signature = CloudKitSignature(request.fields), signature.isTimely(at: now),
            let key = try reader.callers.serverKey(signature.keyID)
        else { throw .cloudKitSignatureRejected }
        return (signature, key)
    }
}

extension RecordError {
    /// The error for a signature that cannot be verified.
    static let cloudKitSignatureRejected = RecordError(.authenticationFailed, CloudKitReason.signatureRejected)
}
