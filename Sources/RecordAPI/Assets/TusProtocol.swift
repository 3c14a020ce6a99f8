internal import Cryptography
internal import Encodings
internal import HTTP
internal import RecordEngine
internal import RecordModel

/// tus 1.0.0, the protocol of resumable uploads (https://tus.io/protocols/resumable-upload), with its extensions
/// creation, creation-with-upload, creation-defer-length, termination, expiration and checksum.
///
/// `X-HTTP-Method-Override` is ignored. Proxies and logs rely on the method of the request line, and all current
/// clients can send PATCH and DELETE.
enum Tus {
    static let version: StaticString = "1.0.0"
    static let extensions: StaticString =
        "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum"
    static let mediaType = "application/offset+octet-stream"

    /// The supported checksum algorithms. SHA-1 is first, because the protocol requires it.
    static let algorithms = DigestAlgorithm.allCases.filter(\.isAvailable)

    /// Whether a path belongs to the protocol.
    static func isMeant(by target: RequestTarget) -> Bool {
        target.segmentCount >= 2 && target.segmentEquals(0, "assets") && target.segmentEquals(1, "uploads")
    }

    /// Rejects clients that declare another version of the protocol or no version.
    ///
    /// - Throws: `APIError` with status 412.
    static func requireVersion(_ fields: HTTPFields) throws {
        guard fields.count(of: .tusResumable) == 1, fields[.tusResumable] == "\(version)" else {
            var rejection = APIError(
                status: .preconditionFailed,
                error: .badRequest(
                    "Send Tus-Resumable: \(version). This server speaks no other version of tus",
                    cause: .preconditionFailed))
            rejection.fields.append(.tusVersion, literal: version)
            throw rejection
        }
    }

    /// Adds the status and the fields that the protocol requires to an error response.
    static func rejection(_ error: any Error) -> any Error {
        guard let error = error as? RecordError else { return error }
        if error.cause == .digestMismatch { return APIError(status: .checksumMismatch, error: error) }
        if error.code == .conflict, case .number(let offset) = error.details.first(where: { $0.key == "offset" })?.value
        {
            var rejection = APIError(status: .conflict, error: error)
            rejection.fields.append(.uploadOffset, String(offset))
            return rejection
        }
        return error
    }

    // MARK: Request fields

    /// Returns the number in a field; `nil` if the field is missing. A number too large for `Int64` becomes
    /// `Int64.max`.
    ///
    /// - Throws: BAD_REQUEST if the field is repeated or not a number.
    static func number(_ name: HTTPFieldName, _ label: String, in fields: HTTPFields) throws(RecordError) -> Int64? {
        let count = fields.count(of: name)
        guard count > 0, let text = fields[name] else { return nil }
        guard count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .badRequest(
                "\(label) is a number of bytes from 0 on, given once", details: [("header", .text(label))])
        }
        return Int64(text) ?? .max
    }

    /// Returns the length of a new upload in bytes; `nil` if the client will send the length later.
    ///
    /// - Throws: BAD_REQUEST if neither Upload-Length nor Upload-Defer-Length is valid, or if the request has both.
    static func length(_ fields: HTTPFields) throws(RecordError) -> Int64? {
        let length = try number(.uploadLength, "Upload-Length", in: fields)
        guard fields.contains(.uploadDeferLength) else {
            guard let length else {
                throw .badRequest(
                    "Say how long the upload is with Upload-Length, or with Upload-Defer-Length: 1 that you will say it later"
                )
            }
            return length
        }
        guard fields.count(of: .uploadDeferLength) == 1, fields[.uploadDeferLength] == "1", length == nil else {
            throw .badRequest(
                "Upload-Defer-Length is 1, given once and without Upload-Length",
                details: [("header", .text("Upload-Defer-Length"))])
        }
        return nil
    }

    /// Returns the declared checksum of a part; `nil` if the client declares none.
    ///
    /// - Throws: BAD_REQUEST for a malformed or repeated field, and for an unknown algorithm.
    static func checksum(_ fields: HTTPFields) throws(RecordError) -> ResumablePart.Checksum? {
        let count = fields.count(of: .uploadChecksum)
        guard count > 0, let text = fields[.uploadChecksum] else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard count == 1, words.count == 2, !words[0].isEmpty else {
            throw .badRequest(
                "Upload-Checksum is the name of an algorithm, a blank and a digest in base64, given once",
                details: [("header", .text("Upload-Checksum"))])
        }
        guard let algorithm = DigestAlgorithm(rawValue: String(words[0])), algorithms.contains(algorithm) else {
            let names = algorithms.map(\.rawValue)
            throw .badRequest(
                "Upload-Checksum names an algorithm that is not known. It is one of \(names.joined(separator: ", "))",
                details: [("header", .text("Upload-Checksum")), ("allowed", .list(names))])
        }
        guard let digest = Base64.decode(String(words[1])), digest.count == algorithm.byteCount else {
            throw .badRequest(
                "A digest of \(algorithm.rawValue) is the base64 of \(algorithm.byteCount) bytes",
                details: [("header", .text("Upload-Checksum"))])
        }
        return ResumablePart.Checksum(algorithm: algorithm, digest: digest)
    }
}

/// The metadata of an upload's file: `filename d29ybGQ=,filetype aW1hZ2UvcG5n,is_confidential`.
struct TusMetadata {
    /// The whole Upload-Metadata field as received.
    var text: String
    var filename: String?
    var contentType: String?

    /// The maximum length of the field in bytes.
    static let longest = 4_096

    /// Parses the Upload-Metadata field.
    ///
    /// - Returns: `nil` if the request has no metadata.
    /// - Throws: BAD_REQUEST if the field is too long or is not a list of unique keys, each with an optional Base64
    ///   value.
    init?(_ fields: HTTPFields) throws(RecordError) {
        text = fields.values(of: .uploadMetadata).filter { !$0.isEmpty }.joined(separator: ",")
        if text.isEmpty { return nil }
        guard text.utf8.count <= Self.longest else {
            throw .badRequest(
                "Upload-Metadata has at most \(Self.longest) bytes", cause: .tooLarge,
                details: [("header", .text("Upload-Metadata")), ("limit", .number(Int64(Self.longest)))])
        }
        var keys: Set<Substring> = []
        for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = pair.split(separator: " ", omittingEmptySubsequences: true)
            guard (1...2).contains(words.count), words[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                keys.insert(words[0]).inserted
            else { throw Self.malformed }
            // A key without a value has an empty value.
            guard let bytes = words.count == 2 ? Base64.decode(String(words[1])) : [] else { throw Self.malformed }
            switch words[0] {
            case "filename": filename = try Self.value(bytes)
            case "filetype": contentType = try Self.value(bytes)
            case "contentType" where contentType == nil: contentType = try Self.value(bytes)
            default: break
            }
        }
    }

    /// Returns a decoded value as text; `nil` if it is empty.
    ///
    /// - Throws: BAD_REQUEST if the bytes are not UTF-8.
    private static func value(_ bytes: [UInt8]) throws(RecordError) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed }
        return text.isEmpty ? nil : text
    }

    private static let malformed = RecordError.badRequest(
        "Upload-Metadata is a list of different keys, each with a blank and its value in base64, separated by commas; 'filename' and 'filetype' are UTF-8 text",
        details: [("header", .text("Upload-Metadata"))])
}
