internal import Cryptography
internal import RecordModel

/// A cache of authenticated callers, by the hash of their token. Most requests need no lookup in the tables.
///
/// The reader clears the cache when the version of callers' permissions changes. Confined to the reader's thread.
final class CallerCache {
    /// A cached caller.
    struct Entry {
        let caller: Caller
        /// When to look up the caller again, in milliseconds since 1970. The session may have ended or been extended
        /// then.
        let expires: Int64
        /// When to record the next use of the session, in milliseconds since 1970.
        var slides: Int64
        /// The shortest time between two recordings of the session's use, in milliseconds.
        var slidePause: Int64 = 0
    }

    private var entries: [Digest: Entry] = [:]
    /// A reused hasher, since creating a hasher takes longer than hashing a token.
    private let hasher = SHA256Hasher()

    /// The number of entries at which the cache is cleared.
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

    /// Updates a cached session after its use was recorded.
    ///
    /// - Parameter now: The time of the use, in milliseconds since 1970.
    func didNoteUse(of hash: Digest, now: Int64) {
        guard var entry = entries[hash] else { return }
        entry.slides = now + entry.slidePause
        entries[hash] = entry
    }

    func forget(_ hash: Digest) { entries[hash] = nil }

    func clear() { entries.removeAll(keepingCapacity: true) }
}
