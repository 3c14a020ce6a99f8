import Glibc
import Threads

/// A folder that holds a folder for each run of the program, for as long as it runs.
final class ScratchFolder: Sendable {
    let path: String
    /// The number of the next folder; 0 until the first is made.
    private let next = Locked(0)

    init(path: String) {
        self.path = path
    }

    /// Makes an empty folder for one run; `nil` if the disk refuses.
    func makeFolder() -> String? {
        let number = next.withLock { next in
            if next == 0 {
                // What a server left that was killed.
                FileTree.empty(path)
                _ = FileTree.makeFolder(path)
            }
            next += 1
            return next
        }
        let folder = path + "/" + String(number)
        if mkdir(folder, 0o700) == 0 { return folder }
        // Somebody took the folder away.
        guard errno == ENOENT, FileTree.makeFolder(path), mkdir(folder, 0o700) == 0 else { return nil }
        return folder
    }

    /// Removes the folder of a run with all that is in it.
    func remove(_ folder: String) {
        if rmdir(folder) != 0 { FileTree.remove(folder) }
    }
}

/// Whole folders.
enum FileTree {
    /// Makes a folder, and those above it that are missing. Whether it is there now.
    static func makeFolder(_ path: String) -> Bool {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return false }
        return makeFolder(String(path[..<slash])) && (mkdir(path, 0o700) == 0 || errno == EEXIST)
    }

    /// The names in a folder, without `.` and `..`; none if it cannot be read.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes what is in a folder. Symbolic links are removed, not followed.
    static func empty(_ path: String, depth: Int = 0) {
        for name in names(in: path) { remove(path + "/" + name, depth: depth) }
    }

    /// Removes a file, or a folder with what is in it; 32 folders deep at most, for each costs stack and a longer path.
    static func remove(_ path: String, depth: Int = 0) {
        if unlink(path) == 0 || errno == ENOENT { return }
        if rmdir(path) == 0 || depth >= 32 { return }
        var facts = stat()
        // Not into a folder by a link that cannot be removed.
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return }
        empty(path, depth: depth + 1)
        rmdir(path)
    }
}
