internal import Cryptography
internal import RecordModel

/// The callers that one thread has found by the hashes of their tokens: most requests look up none.
///
/// Cleared by the reader when the version of rights changes. Confined to the reader's thread.
final class KnownCallers {
    struct Entry {
        let caller: Caller
        /// When it is to be looked up again, in milliseconds since 1970: the session may have ended, or been put off.
        let expires: Int64
        /// From when on its use is to be noted.
        var slides: Int64
    }

    private var entries: [Digest: Entry] = [:]
    /// One for all tokens: to make one costs more than to hash one.
    private let hasher = SHA256Hasher()

    /// The cache is cleared when it reaches this many entries.
    private static let most = 10_000

    func hash(_ token: UnsafeRawBufferPointer) -> Digest {
        hasher.update(token)
        return hasher.finalize()
    }

    func find(_ hash: Digest) -> Entry? { entries[hash] }

    func remember(_ entry: Entry, by hash: Digest) {
        if entries.count >= Self.most { clear() }
        entries[hash] = entry
    }

    /// - Parameter moment: When the use is to be noted again.
    func didNoteUse(of hash: Digest, again moment: Int64) { entries[hash]?.slides = moment }

    func forget(_ hash: Digest) { entries[hash] = nil }

    func clear() { entries.removeAll(keepingCapacity: true) }
}
