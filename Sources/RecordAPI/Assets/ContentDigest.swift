internal import Cryptography
internal import HTTP
internal import RecordModel

/// The hash of the content as declared by the client (RFC 9530 §2): `Content-Digest: sha-256=:…:`.
enum ContentDigest {
    /// Returns the SHA-256 digest in the field. `nil` if the field is missing or has only other algorithms.
    ///
    /// - Throws: BAD_REQUEST for an unreadable SHA-256 digest, because the client expects the server to check the
    ///   content.
    static func expected(_ fields: HTTPFields) throws(RecordError) -> Digest? {
        for line in fields.values(of: .contentDigest) {
            for member in line.split(separator: ",") {
                let text = member.trimmingBlanks
                guard text.lowercased().hasPrefix("sha-256=") else { continue }
                let value = text.dropFirst("sha-256=".utf8.count)
                guard value.count > 2, value.first == ":", value.last == ":",
                    let digest = Digest(base64: String(value.dropFirst().dropLast()))
                else {
                    throw .badRequest("Content-Digest is sha-256=: and the base64 of 32 bytes and a colon (RFC 9530)")
                }
                return digest
            }
        }
        return nil
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
