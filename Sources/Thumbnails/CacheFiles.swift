import Glibc
import Threads

/// The files of a cache: `<directory>/<2 hex digits of key>/<rest of key>/<form>.<size>.<format>`.
///
/// A file is written under a temporary name and renamed, without fsync. So after a power failure, a name can exist with
/// incomplete content. File systems record the length after the content, so an incomplete file is too short. The name
/// contains the expected length, and a file of another length is removed instead of served. The alternative is a marker
/// for a clean shutdown. With such a marker, killing only the server would discard the whole cache, and all thumbnails
/// would be made again at once.
struct CacheFiles: Sendable {
    let directory: String

    typealias Name = CacheIndex.Name

    /// Returns the path of the directory for an original's thumbnails.
    func directory(of key: String) -> String {
        directory + "/" + key.prefix(2) + "/" + key.dropFirst(2)
    }

    func path(of name: Name, size: Int) -> String {
        directory(of: name.key) + "/\(name.form.name).\(size).\(name.form.format.rawValue)"
    }

    private var unfinished: String { directory + "/unfinished" }

    /// Removes incomplete files that a killed server left.
    func removeUnfinished() {
        FileTree.empty(unfinished)
    }

    /// Returns the existing directories of the first level, each named by the first two digits of keys.
    func groups() -> [String] {
        FileTree.names(in: directory).filter { $0.utf8.count == 2 && Self.isKey($0) }
    }

    /// Returns the keys whose directories are in a directory of the first level.
    func keys(in group: String) -> [String] {
        FileTree.names(in: directory + "/" + group).filter(Self.isKey).map { group + $0 }
    }

    /// Returns whether a text consists only of lowercase hexadecimal digits.
    static func isKey(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// Returns the thumbnails of an original: their names, sizes in bytes, and last uses in nanoseconds since
    /// 1970-01-01 UTC. Truncated files are removed. Files with unknown names are ignored.
    func list(_ key: String) -> [(name: Name, size: Int, lastUse: Int64)] {
        let directory = directory(of: key)
        return FileTree.names(in: directory).compactMap { file in
            let parts = file.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let size = Int(parts[1]), String(size) == parts[1],
                let format = ThumbnailForm.Format(rawValue: String(parts[2])),
                let form = ThumbnailForm(name: parts[0], format: format)
            else { return nil }
            let path = directory + "/" + file
            var facts = stat()
            guard lstat(path, &facts) == 0 else { return nil }
            guard facts.st_mode & S_IFMT == S_IFREG, facts.st_size == size, size > 0 else {
                unlink(path)
                return nil
            }
            return (Name(key: key, form: form), size, nanoseconds(facts.st_mtim))
        }
    }

    /// Opens a thumbnail. The result is `nil` if the file does not exist or is truncated. A truncated file is removed.
    func open(_ name: Name, size: Int) -> ThumbnailFile? {
        let path = path(of: name, size: size)
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_size == size else {
            close(descriptor)
            unlink(path)
            return nil
        }
        return ThumbnailFile(owning: descriptor, size: size)
    }

    /// Sets the file's modification time to now. After a restart, the modification time gives the last use.
    func mark(_ file: ThumbnailFile) {
        futimens(file.descriptor, nil)
    }

    /// Removes a thumbnail. If it is the last thumbnail of its original (`isLast`), removes the directory too.
    func remove(_ name: Name, size: Int, isLast: Bool) {
        unlink(path(of: name, size: size))
        if isLast { rmdir(directory(of: name.key)) }
    }

    /// Copies a thumbnail to the disk and opens it.
    ///
    /// - Parameters:
    ///   - number: A number that is unique among the files being written.
    ///   - keeps: Whether the file is stored under its name, replacing an older file. Otherwise the file is unlinked
    ///     and exists only until its descriptor is closed.
    /// - Throws: `overloaded` if no descriptor is available; `storageFull` for any other failure. After an error, no
    ///   file is left on the disk.
    func store(
        _ source: ThumbnailFile, as name: Name, number: Int, keeps: Bool
    ) throws(ThumbnailError) -> ThumbnailFile {
        let temporary = unfinished + "/" + String(number)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        var descriptor = Glibc.open(temporary, flags, 0o600)
        if descriptor < 0, errno == ENOENT, FileTree.makeDirectory(unfinished) {
            descriptor = Glibc.open(temporary, flags, 0o600)
        }
        guard descriptor >= 0 else { throw errno == EMFILE || errno == ENFILE ? .overloaded : .storageFull }
        let file = ThumbnailFile(owning: descriptor, size: source.size)
        guard copy(source, to: descriptor) else {
            unlink(temporary)
            throw .storageFull
        }
        guard keeps else {
            unlink(temporary)
            return file
        }
        let path = path(of: name, size: source.size)
        var code = rename(temporary, path)
        if code != 0, errno == ENOENT, FileTree.makeDirectory(directory(of: name.key)) {
            code = rename(temporary, path)
        }
        guard code == 0 else {
            unlink(temporary)
            throw .storageFull
        }
        return file
    }

    private func copy(_ source: ThumbnailFile, to descriptor: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 16) { buffer in
            var offset = 0
            while offset < source.size {
                let got = pread(source.descriptor, buffer.baseAddress, min(buffer.count, source.size - offset), offset)
                if got < 0 && errno == EINTR { continue }
                guard got > 0 else { return false }
                var done = 0
                while done < got {
                    let put = pwrite(descriptor, buffer.baseAddress.map { $0 + done }, got - done, offset + done)
                    if put < 0 && errno == EINTR { continue }
                    guard put > 0 else { return false }
                    done += put
                }
                offset += got
            }
            return true
        }
    }

    private func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
