import Glibc
import Threads

/// Where the program is, as far as the last look went.
final class ProgramFinder: Sendable {
    /// A name without a slash is looked for in the folders of PATH.
    private let name: String
    private let folders: [String]
    private let last = Locked<(path: String?, nanoseconds: UInt64)>((nil, 0))

    init(name: String) {
        self.name = name
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        // An empty or relative entry means the working directory of the moment: no place to take programs from.
        folders = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    /// Looks on the disk: one system call per folder of PATH. `nil` if there is no such program now.
    func find() -> String? {
        let candidates = name.contains("/") ? [name] : folders.map { $0 + "/" + name }
        let found = candidates.first(where: isProgram)
        last.withLock { $0 = (found, MonotonicClock.now) }
        return found
    }

    /// What the last look found, and whether that was more than a second ago.
    var known: (path: String?, isOld: Bool) {
        let last = last.withLock { $0 }
        return (last.path, Deadline.after(.seconds(1), from: last.nanoseconds).hasPassed())
    }

    private func isProgram(_ path: String) -> Bool {
        var facts = stat()
        guard path.hasPrefix("/"), access(path, X_OK) == 0, stat(path, &facts) == 0 else { return false }
        return facts.st_mode & S_IFMT == S_IFREG
    }
}
