import Glibc
import Threads

/// Finds the program and remembers the path of the last lookup.
final class ProgramFinder: Sendable {
    /// A path, or a name without a slash. A name is looked up in the directories of PATH.
    private let name: String
    private let directories: [String]
    private let last = Locked<(path: String?, nanoseconds: UInt64)>((nil, 0))

    init(name: String) {
        self.name = name
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        // Ignore empty and relative entries: they depend on the working directory, which is not a safe source of
        // programs.
        directories = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    /// Looks up the program on the disk, with one system call per directory of PATH. The result is `nil` if the program
    /// does not exist.
    func find() -> String? {
        let candidates = name.contains("/") ? [name] : directories.map { $0 + "/" + name }
        let found = candidates.first(where: isProgram)
        last.withLock { $0 = (found, MonotonicClock.now) }
        return found
    }

    /// The result of the last lookup, and whether that lookup was more than a second ago.
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
