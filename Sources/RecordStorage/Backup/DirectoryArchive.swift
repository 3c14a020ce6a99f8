internal import Encodings
internal import Glibc

/// Reads a directory as a tar archive, piece by piece. The directory must not change meanwhile.
///
/// Not `Sendable`: one thread at a time uses it.
package final class DirectoryArchive {
    private struct Entry {
        var path: String
        var header: TarHeader
    }

    /// The size of the archive in bytes.
    package let size: Int
    private var entries: ArraySlice<Entry>
    /// The file that is being read, and how many of its bytes are left.
    private var file: (descriptor: Int32, left: Int, size: Int)?
    private var isEnded = false
    /// The bytes to leave out before the next piece.
    private var skipped = 0

    private static let pieceBytes = 256 << 10

    /// Lists a directory.
    ///
    /// - Parameter name: The name of the directory in the archive.
    /// - Throws: `BackupProblem` if the directory cannot be read.
    package init(of directory: String, as name: String) throws(BackupProblem) {
        var entries: [Entry] = []
        try Self.list(directory, name, into: &entries)
        size =
            entries.reduce(0) {
                $0 + $1.header.bytes.count + $1.header.size + TarHeader.padding(after: $1.header.size)
            } + TarHeader.end.count
        self.entries = entries[...]
    }

    deinit {
        if let file { close(file.descriptor) }
    }

    private static func list(
        _ directory: String, _ name: String, into entries: inout [Entry]
    ) throws(BackupProblem) {
        let now = try status(of: directory)
        entries.append(
            Entry(
                path: directory,
                header: TarHeader(name: name + "/", size: 0, modified: Int64(now.st_mtim.tv_sec), isDirectory: true)))
        for inner in DirectoryInspection.names(in: directory) {
            let path = directory + "/" + inner
            let status = try status(of: path)
            if status.st_mode & S_IFMT == S_IFDIR {
                try list(path, name + "/" + inner, into: &entries)
            } else {
                entries.append(
                    Entry(
                        path: path,
                        header: TarHeader(
                            name: name + "/" + inner, size: Int(status.st_size),
                            modified: Int64(status.st_mtim.tv_sec))))
            }
        }
    }

    private static func status(of path: String) throws(BackupProblem) -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw problem(path) }
        return status
    }

    private static func problem(_ path: String) -> BackupProblem {
        BackupProblem("Cannot read \(path): \(String(cString: strerror(errno))).")
    }

    /// Moves forward. Call it before `next`. Files before the position are not read.
    ///
    /// - Parameter position: The offset of the next byte in the archive, at most `size`.
    package func skip(to position: Int) {
        skipped = position
        while let entry = entries.first {
            let header = entry.header
            let bytes = header.bytes.count + header.size + TarHeader.padding(after: header.size)
            guard skipped >= bytes else { return }
            skipped -= bytes
            entries.removeFirst()
        }
    }

    /// Returns the next piece, which is not empty; `nil` at the end.
    ///
    /// - Throws: `BackupProblem` if a file cannot be read, or has another length than before.
    package func next() throws(BackupProblem) -> [UInt8]? {
        while let piece = try nextPiece() {
            if skipped < piece.count {
                defer { skipped = 0 }
                return skipped == 0 ? piece : Array(piece[skipped...])
            }
            skipped -= piece.count
            skipInFile()
        }
        return nil
    }

    /// Passes whole pieces of the open file without reading them.
    private func skipInFile() {
        guard let open = file else { return }
        let bytes = min(open.left - 1, skipped) / Self.pieceBytes * Self.pieceBytes
        guard bytes > 0, lseek(open.descriptor, off_t(bytes), SEEK_CUR) >= 0 else { return }
        file?.left -= bytes
        skipped -= bytes
    }

    private func nextPiece() throws(BackupProblem) -> [UInt8]? {
        guard let open = file else {
            guard let entry = entries.popFirst() else {
                if isEnded { return nil }
                isEnded = true
                return TarHeader.end
            }
            if entry.header.size > 0 { try begin(entry) }
            return entry.header.bytes
        }
        let wanted = min(open.left, Self.pieceBytes)
        let piece = [UInt8](unsafeUninitializedCapacity: wanted + TarHeader.blockBytes) { buffer, count in
            count = 0
            while count < wanted {
                let found = Glibc.read(open.descriptor, buffer.baseAddress.map { $0 + count }, wanted - count)
                if found < 0, errno == EINTR { continue }
                guard found > 0 else { return }
                count += found
            }
        }
        guard piece.count == wanted else { throw BackupProblem("A file of the backup has become shorter.") }
        guard open.left == wanted else {
            file?.left -= wanted
            return piece
        }
        close(open.descriptor)
        file = nil
        return piece + [UInt8](repeating: 0, count: TarHeader.padding(after: open.size))
    }

    private func begin(_ entry: Entry) throws(BackupProblem) {
        let descriptor = open(entry.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.problem(entry.path) }
        file = (descriptor, entry.header.size, entry.header.size)
    }
}
