internal import RecordModel
internal import RecordStorage
internal import Threads

/// The files of uploads in several requests that somebody works on, and of those whose hash so far is worth its memory:
/// what this process has hashed need not be read again when the last part has come.
final class ResumableFiles: Sendable {
    private struct Entry {
        let file: ResumableFile
        var users: Int
        /// The number of the loan that ended last.
        var ended: UInt64 = 0
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var loans: UInt64 = 0
    }

    private let state = Locked(State())

    /// So many are remembered, each with less than a kilobyte; the others are those that nobody has gone on with for longest.
    private static let kept = 1_000

    /// The file of an upload; the same for all who work on it at once.
    func borrow(_ name: String, in store: AssetStore) throws(RecordError) -> ResumableFile {
        let executor = try store.executor()
        let folder = store.folder
        return state.withLock { state in
            var entry =
                state.entries[name] ?? Entry(file: ResumableFile(name, in: folder, executor: executor), users: 0)
            entry.users += 1
            state.entries[name] = entry
            return entry.file
        }
    }

    func giveBack(_ file: ResumableFile) {
        state.withLock { state in
            guard var entry = state.entries[file.name] else { return }
            state.loans += 1
            entry.users -= 1
            entry.ended = state.loans
            state.entries[file.name] = entry.users > 0 || file.isWorthKeeping ? entry : nil
            guard state.entries.count > Self.kept else { return }
            let idle = state.entries.lazy.filter { $0.value.users == 0 }
            if let oldest = idle.min(by: { $0.value.ended < $1.value.ended }) { state.entries[oldest.key] = nil }
        }
    }

    /// Whether somebody works on an upload.
    func isBusy(_ name: String) -> Bool {
        state.withLock { ($0.entries[name]?.users ?? 0) > 0 }
    }

    /// Whether nothing of an upload need be read again to go on with it.
    func remembers(_ name: String) -> Bool {
        state.withLock { $0.entries[name]?.file.isWorthKeeping == true }
    }

    /// Forgets an upload that is gone, if nobody works on it.
    func forget(_ name: String) {
        state.withLock { state in
            if state.entries[name]?.users == 0 { state.entries[name] = nil }
        }
    }
}
