internal import Glibc

/// Explains why this process may not use a file or a directory: mostly because another user owns it.
package enum FileOwnership {
    /// What prevents the use of a path.
    package struct Obstacle: Hashable, Sendable {
        /// A sentence with the user of this process, the path and its owner.
        package let sentence: String
        /// A sentence with the command that removes the obstacle.
        package let remedy: String
    }

    /// Returns what prevents this process from reading and writing a file or a directory; `nil` if the permissions do not,
    /// or if nothing has the path.
    ///
    /// - Parameter isRecursive: Whether all that is in the directory, or beside the file, has to belong to this user too.
    package static func obstacle(to path: String, isRecursive: Bool = true) -> Obstacle? {
        var path = path
        var status = stat()
        var isAbove = false
        while stat(path, &status) != 0 {
            guard errno == EACCES, path != "/" else { return nil }
            // A directory on the way cannot be entered: the last one whose own status can be read.
            path = BackupFiles.parent(of: path)
            isAbove = true
        }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        guard isAbove || (access(path, isDirectory ? R_OK | W_OK | X_OK : R_OK | W_OK) != 0 && errno == EACCES) else {
            return nil
        }
        let (user, group) = (geteuid(), getegid())
        let deed = isDirectory ? "write to the directory" : "read and write the file"
        guard status.st_uid != user else {
            return Obstacle(
                sentence:
                    "The user with the number \(user) cannot \(deed) \(path), although it is the owner: the mode is 0\(String(status.st_mode & 0o777, radix: 8)).",
                remedy: "Run: chmod u+\(isDirectory ? "rwx" : "rw") \(path).")
        }
        let place = isDirectory ? path : isRecursive ? BackupFiles.parent(of: path) : path
        return Obstacle(
            sentence:
                "The user with the number \(user) cannot \(deed) \(path), which belongs to the user \(status.st_uid).",
            remedy: "Change its owner, as root: chown \(isRecursive ? "-R " : "")\(user):\(group) \(place).")
    }
}
