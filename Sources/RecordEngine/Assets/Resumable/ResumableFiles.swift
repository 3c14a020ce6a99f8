internal import RecordModel
internal import RecordStorage
internal import Threads

/// The files of uploads in several requests that somebody works on, and of those whose hash so far is worth its memory:
/// what this process has hashed need not be read again when the last part has come.
final class ResumableFiles: Sendable {
    private struct Entry {
        let file: ResumableFile
        var users: Int
    }

    private let entries = Locked<[String: Entry]>([:])

    /// So many are remembered, each with less than a kilobyte.
    private static let kept = 1_000

    /// The file of an upload; the same for all who work on it at once.
    func borrow(_ name: String, in store: AssetStore) throws(RecordError) -> ResumableFile {
        let executor = try store.executor()
        let folder = store.folder
        return entries.withLock { entries in
            var entry =
                entries[name] ?? Entry(file: ResumableFile(name, in: folder, executor: executor), users: 0)
            entry.users += 1
            entries[name] = entry
            return entry.file
        }
    }

    func giveBack(_ file: ResumableFile) {
        entries.withLock { entries in
            guard var entry = entries[file.name] else { return }
            entry.users -= 1
            let isKept = entry.users > 0 || (file.isWorthKeeping && entries.count <= Self.kept)
            entries[file.name] = isKept ? entry : nil
        }
    }

    /// Whether somebody works on an upload.
    func isBusy(_ name: String) -> Bool {
        entries.withLock { ($0[name]?.users ?? 0) > 0 }
    }

    /// Forgets an upload that is gone, if nobody works on it.
    func forget(_ name: String) {
        entries.withLock { entries in
            if entries[name]?.users == 0 { entries[name] = nil }
        }
    }
}
