internal import Cryptography
internal import Encodings
internal import HTTP
internal import RecordEngine
internal import RecordModel

/// The signature of a request by a server-to-server key.
///
/// ```text
/// date ":" base64(SHA-256(body)) ":" path
/// ```
///
/// The message contains no method and no nonce, so the same request is valid again until its date is too old.
struct CloudKitSignature: Sendable {
    /// The ID of the key.
    let keyID: String
    /// The date as it was sent, which is part of the message.
    private let date: String
    /// The date in milliseconds since 1970.
    private let time: Int64
    private let signature: [UInt8]

    /// The largest difference between the date and the server's clock, in milliseconds.
    static let windowMilliseconds: Int64 = 10 * 60_000

    static let keyIDField = HTTPFieldName("X-Apple-CloudKit-Request-KeyID")
    static let dateField = HTTPFieldName("X-Apple-CloudKit-Request-ISO8601Date")
    static let signatureField = HTTPFieldName("X-Apple-CloudKit-Request-SignatureV1")

    /// Whether a request has one of the fields of a signature.
    static func isMeant(by fields: HTTPFields) -> Bool {
        [keyIDField, dateField, signatureField].contains { $0.map(fields.contains) ?? false }
    }

    /// Reads the fields of a signature; `nil` if a field is missing, repeated or malformed.
    init?(_ fields: HTTPFields) {
        func only(_ name: HTTPFieldName?) -> String? {
            guard let name, fields.count(of: name) == 1 else { return nil }
            return fields[name]
        }
        guard let keyID = only(Self.keyIDField), let date = only(Self.dateField), date.utf8.count <= 64,
            let text = only(Self.signatureField), text.utf8.count <= 256, let signature = Base64.decode(text)
        else { return nil }
        let time: Int64
        do throws(Timestamp.Problem) { time = try Timestamp.read(date) } catch { return nil }
        (self.keyID, self.date, self.time, self.signature) = (keyID, date, time, signature)
    }

    /// Whether the date is close enough to the server's clock.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    func isTimely(at now: Int64) -> Bool {
        time >= now - Self.windowMilliseconds && time <= now + Self.windowMilliseconds
    }

    /// Whether the signature belongs to a request.
    ///
    /// - Parameters:
    ///   - target: The request target as received.
    ///   - basePath: The path of the server's public URL, which the target does not have; empty for none.
    func isValid(body: [UInt8], target: RequestTarget, basePath: String, key: P256PublicKey) -> Bool {
        // CloudKit JS signs the path with its query, other clients send no query.
        var paths = [target.rawPath]
        if let query = target.rawQuery { paths.insert("\(target.rawPath)?\(query)", at: 0) }
        if !basePath.isEmpty { paths += paths.map { basePath + $0 } }
        // Most clients hash the empty body, one leaves the hash out.
        let hashes = body.isEmpty ? [SHA256.hash([]).base64, ""] : [SHA256.hash(body).base64]
        return paths.contains { path in
            hashes.contains { hash in key.isValid(signature: signature, for: Array("\(date):\(hash):\(path)".utf8)) }
        }
    }
}
