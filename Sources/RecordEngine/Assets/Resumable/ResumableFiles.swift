internal import RecordModel
internal import RecordStorage
internal import Threads

/// The files of resumable uploads that are in use or have a hash state. With a hash state, the server need not read the
/// file again after the last part has arrived.
final class ResumableFiles: Sendable {
    private struct Entry {
        let file: ResumableFile
        var users: Int
        /// The sequence number of the last `giveBack` of this file, for eviction.
        var ended: UInt64 = 0
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var loans: UInt64 = 0
    }

    private let state = Locked(State())

    /// The maximum number of entries, each below 1 KB. The least recently used entry is evicted.
    private static let kept = 1_000

    /// Returns the file of an upload. Concurrent users of an upload get the same object.
    ///
    /// - Throws: TRY_AGAIN_LATER after the store is closed.
    func borrow(_ name: String, in store: AssetStore) throws(RecordError) -> ResumableFile {
        let executor = try store.executor()
        let directory = store.directory
        return state.withLock { state in
            var entry =
                state.entries[name] ?? Entry(file: ResumableFile(name, in: directory, executor: executor), users: 0)
            entry.users += 1
            state.entries[name] = entry
            return entry.file
        }
    }

    /// Ends the use of a file after `borrow`.
    func giveBack(_ file: ResumableFile) {
        state.withLock { state in
            guard var entry = state.entries[file.name] else { return }
            state.loans += 1
            entry.users -= 1
            entry.ended = state.loans
            state.entries[file.name] = entry.users > 0 || file.hasHashState ? entry : nil
            guard state.entries.count > Self.kept else { return }
            let idle = state.entries.lazy.filter { $0.value.users == 0 }
            if let oldest = idle.min(by: { $0.value.ended < $1.value.ended }) { state.entries[oldest.key] = nil }
        }
    }

    /// Returns whether an upload is in use.
    func isBusy(_ name: String) -> Bool {
        state.withLock { ($0.entries[name]?.users ?? 0) > 0 }
    }

    /// Returns whether an upload can continue without reading its file again.
    func remembers(_ name: String) -> Bool {
        state.withLock { $0.entries[name]?.file.hasHashState == true }
    }

    /// Removes the entry of a deleted upload, unless it is in use.
    func forget(_ name: String) {
        state.withLock { state in
            if state.entries[name]?.users == 0 { state.entries[name] = nil }
        }
    }
}
