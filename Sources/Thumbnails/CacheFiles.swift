import Glibc
import Threads

/// The files of a cache: `<folder>/<2 hex of key>/<rest of key>/<form>.<size>.<format>`.
///
/// A file is written under another name and renamed, without a sync. After a power cut the name can therefore be there
/// and the content not: file systems note a file's length after its content, so such a file is too short. Its length is
/// part of its name, and one whose length differs is removed instead of served. A mark for a clean stop would be the
/// other way; it would throw everything away each time that the server alone is killed, and then all is made anew at once.
struct CacheFiles: Sendable {
    let folder: String

    typealias Name = CacheIndex.Name

    /// The folder of an original's thumbnails.
    func folder(of key: String) -> String {
        folder + "/" + key.prefix(2) + "/" + key.dropFirst(2)
    }

    func path(of name: Name, size: Int) -> String {
        folder(of: name.key) + "/\(name.form.name).\(size).\(name.form.format.rawValue)"
    }

    private var unfinished: String { folder + "/unfinished" }

    /// Removes what was being written when the server was killed.
    func removeUnfinished() {
        FileTree.empty(unfinished)
    }

    /// The folders that keys are divided into, as far as they exist.
    func groups() -> [String] {
        FileTree.names(in: folder).filter { $0.utf8.count == 2 && Self.isKey($0) }
    }

    /// The keys of a group.
    func keys(in group: String) -> [String] {
        FileTree.names(in: folder + "/" + group).filter(Self.isKey).map { group + $0 }
    }

    /// Whether a text is made of lower-case hexadecimal digits.
    static func isKey(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// What there is of an original: the names, sizes, and last uses in nanoseconds since 1970. Cut-off files are removed;
    /// files whose names say nothing are left alone.
    func list(_ key: String) -> [(name: Name, size: Int, lastUse: Int64)] {
        let folder = folder(of: key)
        return FileTree.names(in: folder).compactMap { file in
            let parts = file.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let size = Int(parts[1]), String(size) == parts[1],
                let format = ThumbnailForm.Format(rawValue: String(parts[2])),
                let form = ThumbnailForm(name: parts[0], format: format)
            else { return nil }
            let path = folder + "/" + file
            var facts = stat()
            guard lstat(path, &facts) == 0 else { return nil }
            guard facts.st_mode & S_IFMT == S_IFREG, facts.st_size == size, size > 0 else {
                unlink(path)
                return nil
            }
            return (Name(key: key, form: form), size, nanoseconds(facts.st_mtim))
        }
    }

    /// Opens a thumbnail; `nil` if it is not there or not whole, and then it is removed.
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

    /// Notes at the file that it is used now, for the next start.
    func mark(_ file: ThumbnailFile) {
        futimens(file.descriptor, nil)
    }

    /// Removes a thumbnail; its folder too if it was the last.
    func remove(_ name: Name, size: Int, isLast: Bool) {
        unlink(path(of: name, size: size))
        if isLast { rmdir(folder(of: name.key)) }
    }

    /// Copies a thumbnail to the disk and opens it.
    ///
    /// - Parameter number: Of this file among those being written.
    /// - Parameter keeps: Whether it is given its name, in place of an older one; else it has none and goes with its descriptor.
    /// - Throws: `.storageFull`; then nothing is left.
    func store(
        _ source: ThumbnailFile, as name: Name, number: Int, keeps: Bool
    ) throws(ThumbnailError) -> ThumbnailFile {
        let temporary = unfinished + "/" + String(number)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        var descriptor = Glibc.open(temporary, flags, 0o600)
        if descriptor < 0, errno == ENOENT, FileTree.makeFolder(unfinished) {
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
        if code != 0, errno == ENOENT, FileTree.makeFolder(folder(of: name.key)) {
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
