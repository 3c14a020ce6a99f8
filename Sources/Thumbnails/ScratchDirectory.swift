import Glibc
import Threads

/// A directory that contains one temporary directory for each running program.
final class ScratchDirectory: Sendable {
    let path: String
    /// The number of the last temporary directory; 0 if none has been created yet.
    private let next = Locked(0)

    init(path: String) {
        self.path = path
    }

    /// Creates an empty directory for one run. The result is `nil` if the directory cannot be created.
    func makeDirectory() -> String? {
        let number = next.withLock { next in
            if next == 0 {
                // Remove the files that a killed server left.
                FileTree.empty(path)
                _ = FileTree.makeDirectory(path)
            }
            next += 1
            return next
        }
        let directory = path + "/" + String(number)
        if mkdir(directory, 0o700) == 0 { return directory }
        // The parent directory was deleted.
        guard errno == ENOENT, FileTree.makeDirectory(path), mkdir(directory, 0o700) == 0 else { return nil }
        return directory
    }

    /// Removes the directory of a run, including its content.
    func remove(_ directory: String) {
        if rmdir(directory) != 0 { FileTree.remove(directory) }
    }
}

/// Operations on directory trees.
enum FileTree {
    /// Creates a directory and its missing parents. Returns whether the directory exists afterward.
    static func makeDirectory(_ path: String) -> Bool {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return false }
        return makeDirectory(String(path[..<slash])) && (mkdir(path, 0o700) == 0 || errno == EEXIST)
    }

    /// Returns the names in a directory, without `.` and `..`; empty if the directory cannot be read.
    static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes the content of a directory. Symbolic links are removed, not followed.
    static func empty(_ path: String, depth: Int = 0) {
        for name in names(in: path) { remove(path + "/" + name, depth: depth) }
    }

    /// Removes a file, or a directory with its content. At most 32 levels of directories are removed, because each
    /// level uses stack space and makes the path longer.
    static func remove(_ path: String, depth: Int = 0) {
        if unlink(path) == 0 || errno == ENOENT { return }
        if rmdir(path) == 0 || depth >= 32 { return }
        var facts = stat()
        // Do not follow a symbolic link that could not be removed.
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return }
        empty(path, depth: depth + 1)
        rmdir(path)
    }
}
