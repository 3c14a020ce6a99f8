import Cryptography
import Encodings
import Foundation
import HTTP
import RecordModel
import RecordStorage
import RecordWire
import Testing

@testable import RecordAPI

/// A client of CloudKit Web Services against a `TestDatabase`, with an API token, a user and a server-to-server key.
struct CloudKitClient {
    let test: TestDatabase
    /// The text and the id of the API token.
    let token: String
    let tokenID: String
    let signer: RequestSigner
    let keyID: String

    static let root = "/database/1/Forum/development"
    /// The `uuid` of errors.
    static let uuid = JSONValue.string(CloudKitUUID.text(ofRequest: "request-1"))

    /// - Parameters:
    ///   - token: The members of the body that makes the API token, besides its name.
    static func make(
        token: String = "", scope: String = #"{"actions":["read","create","write"]}"#,
        limits: DatabaseLimits = DatabaseLimits(), withUsers: Bool = true, drivers: StoreDrivers = StoreDrivers(),
        adjust: (inout RecordAPIConfiguration) -> Void = { _ in }
    ) async throws -> CloudKitClient {
        let test = try await TestDatabase.make(
            limits: limits, withUsers: withUsers, drivers: drivers, adjust: adjust)
        let made = await test.call(
            .post, "/cloudkit/tokens", as: .administrator, body: #"{"name":"Web app"\#(token)}"#)
        try #require(made.status == 201, "\(made.text)")
        let signer = try RequestSigner()
        let pem = JSONValue.string(try signer.publicKey().pem)
        let key = await test.call(
            .post, "/keys", as: .administrator,
            body: #"{"name":"backend","scope":\#(scope),"publicKey":\#(String(decoding: pem.bytes, as: UTF8.self))}"#)
        try #require(key.status == 201, "\(key.text)")
        return CloudKitClient(
            test: test, token: try #require(made.json?["token"]?.string),
            tokenID: try #require(made.json?["id"]?.string),
            signer: signer, keyID: try #require(key.json?["keyID"]?.string))
    }

    /// Signs in, as Ann unless told, and returns the web auth token.
    func signIn(as name: String = "ann", staysSignedIn: Bool = false) async throws -> String {
        let response = await test.call(
            .post, "/cloudkit/sign-in/\(tokenID)",
            body: #"{"name":"\#(name)","password":"correct horse","staysSignedIn":\#(staysSignedIn)}"#)
        try #require(response.status == 201, "\(response.text)")
        return try #require(response.json?["webAuthToken"]?.string)
    }

    /// Lets queued writes execute, such as those of last uses.
    func settle() async {
        let body = #"{"notes":"settled"}"#
        await test.call(.patch, "/cloudkit/tokens/\(tokenID)", as: .administrator, body: body)
    }

    /// Sends a request with the API token.
    func call(
        _ method: HTTPMethod, _ operation: String, user: String? = nil, body: String? = nil,
        headers: [(String, String)] = []
    ) async -> Response {
        await test.call(
            method, "\(Self.root)/\(operation)?ckAPIToken=\(token)\(user.map { "&ckWebAuthToken=\($0)" } ?? "")",
            body: body, headers: headers)
    }

    /// The header fields of a signed request.
    ///
    /// - Parameters:
    ///   - path: The path to sign.
    ///   - hash: The text between the colons; the digest of the body by default.
    ///   - seconds: How far the date is from now.
    func fields(
        _ path: String, body: String = "", hash: String? = nil, seconds: Double = 0
    ) throws -> [(String, String)] {
        let date = Date(timeIntervalSinceNow: seconds).ISO8601Format()
        let hash = hash ?? SHA256.hash(utf8: body).base64
        return [
            ("X-Apple-CloudKit-Request-KeyID", keyID), ("X-Apple-CloudKit-Request-ISO8601Date", date),
            ("X-Apple-CloudKit-Request-SignatureV1", Base64.encode(try signer.sign("\(date):\(hash):\(path)"))),
        ]
    }

    /// Sends a signed request.
    func signed(_ method: HTTPMethod, _ operation: String, body: String? = nil) async throws -> Response {
        let path = "\(Self.root)/\(operation)"
        return await test.call(method, path, body: body, headers: try fields(path, body: body ?? ""))
    }
}
