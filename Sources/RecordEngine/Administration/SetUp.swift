internal import Cryptography
internal import Encodings
internal import RecordModel

/// The code in the link that the server prints while it has no named administrator. Its holder makes the first one.
///
/// The code is in memory only, so each start has another one. It ends with the first administrator, however that one was
/// added; see `Administrators.addFirst`.
package struct SetUpCode: Sendable {
    /// The code as text for a URL.
    package let text: String
    private let hash: Digest

    /// Creates a random code.
    package init() {
        text = Base64URL.encode(RandomBytes.make(24))
        hash = SHA256.hash(utf8: text)
    }

    /// Whether a text is the code.
    package func matches(_ text: String) -> Bool {
        SHA256.hash(utf8: text).isEqualInConstantTime(to: hash)
    }
}

extension AuditActor {
    /// The holder of the link that the server printed, with the request of another actor.
    package static func setUp(_ request: AuditActor) -> AuditActor {
        var actor = AuditActor.setUpHolder
        (actor.address, actor.requestID) = (request.address, request.requestID)
        return actor
    }
}
