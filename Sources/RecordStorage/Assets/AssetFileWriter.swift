internal import CLinux
package import Cryptography
internal import Glibc

/// The file of an upload, hashed while it is written.
///
/// `@unchecked Sendable`, because callers never overlap their calls: each call waits for the previous call.
package final class AssetFileWriter: @unchecked Sendable {
    private let directory: AssetDirectory
    private let name: String
    /// The file's descriptor; -1 before the file is created.
    private var descriptor: Int32
    /// The bytes received before the file is created.
    private var held: [UInt8] = []
    /// The hash of all bytes so far; `nil` if `digest` must read the file again. `digest` finalizes the
    /// hash.
    package let hasher: SHA256Hasher?
    /// The number of bytes received.
    package private(set) var size: Int64
    private var started: Int64
    private var isGone = false
    /// The error of a failed write; `nil` for none. No write can follow a failed write.
    private var failure: AssetFileError?
    /// The error of a failed sync; `nil` for none. After a failed sync Linux marks the pages clean, so another sync
    /// would succeed without writing the pages. The bytes since the last successful sync must be written again.
    private var loss: AssetFileError?
    /// Whether the file was renamed to its final name by `keep(as:)`.
    package private(set) var isKept = false

    /// The number of new bytes that starts a write to the disk (1 MiB). Otherwise the last sync would write all bytes
    /// at once, and commits would wait in the disk's queue. With windows, commits wait for at most two windows.
    private static let window: Int64 = 1 << 20
    /// The number of bytes that are kept in memory before the file is created (128 KiB). Creating and deleting a file
    /// costs far more than receiving a small body, so many small, aborted uploads would slow down all other requests.
    private static let heldBytes = 128 << 10

    /// Starts a new upload. The file is created when the received bytes exceed `heldBytes`.
    package init(new name: String, in directory: AssetDirectory) {
        self.directory = directory
        self.name = name
        descriptor = -1
        hasher = SHA256Hasher()
        size = 0
        started = 0
    }

    /// Creates the file and writes the bytes kept in memory.
    private func makeFile() throws(AssetFileError) {
        guard descriptor < 0 else { return }
        let path = directory.path(ofUpload: name)
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0, errno == ENOENT {
            try directory.prepare()
            descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else { throw AssetFileError.last("open") }
        let bytes = held
        held = []
        try bytes.withUnsafeBufferPointer { bytes throws(AssetFileError) in try write(bytes) }
    }

    /// Resumes a file at `offset`. Creates a missing file if `offset` is 0.
    ///
    /// - Parameters:
    ///   - offset: The position of the next byte in the file. Bytes after this position were never acknowledged and are
    ///     cut off.
    ///   - hasher: The hash of the bytes before `offset`. Without a hasher, `digest` reads these bytes again.
    /// - Throws: The system call that failed, or `cutShort` if the file is shorter than `offset`.
    package init(
        resuming name: String, at offset: Int64, hasher: SHA256Hasher? = nil, in directory: AssetDirectory
    ) throws(AssetFileError) {
        let flags = O_RDWR | O_CLOEXEC | (offset == 0 ? O_CREAT : 0)
        var descriptor = open(directory.path(ofUpload: name), flags, 0o600)
        if descriptor < 0, errno == ENOENT, offset == 0 {
            try directory.prepare()
            descriptor = open(directory.path(ofUpload: name), flags, 0o600)
        }
        guard descriptor >= 0 else { throw AssetFileError.last("open") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size < offset || ftruncate(descriptor, Int(offset)) == 0,
            lseek(descriptor, Int(offset), SEEK_SET) >= 0
        else {
            let error = AssetFileError.last("ftruncate")
            close(descriptor)
            throw error
        }
        guard status.st_size >= offset else {
            close(descriptor)
            throw .cutShort
        }
        self.directory = directory
        self.name = name
        self.descriptor = descriptor
        self.hasher = offset == 0 ? SHA256Hasher() : hasher
        size = offset
        started = offset
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Appends bytes.
    ///
    /// - Throws: The system call that failed, now or in an earlier call.
    package func append(_ bytes: [UInt8]) throws(AssetFileError) {
        if let failure = failure ?? loss { throw failure }
        try bytes.withUnsafeBufferPointer { buffer throws(AssetFileError) in
            hasher?.update(UnsafeRawBufferPointer(buffer))
            guard descriptor >= 0 || held.count + buffer.count > Self.heldBytes else {
                held.append(contentsOf: buffer)
                return
            }
            do throws(AssetFileError) {
                try makeFile()
                try write(buffer)
            } catch {
                failure = error
                throw error
            }
        }
        size += Int64(bytes.count)
        if descriptor >= 0, size - started >= Self.window { try flushWindow() }
    }

    private func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(AssetFileError) {
        var offset = 0
        while offset < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
            if count > 0 {
                offset += count
            } else if errno != EINTR {
                throw AssetFileError.last("write")
            }
        }
    }

    /// Starts writing the newest window to the disk and waits for the previous window. So at most two windows are in
    /// the disk's queue.
    private func flushWindow() throws(AssetFileError) {
        try flush(from: started, count: size - started, waits: false)
        if started > 0 { try flush(from: max(0, started - Self.window), count: Self.window, waits: true) }
        started = size
    }

    /// Writes a range of the file to the disk. Linux reports a failed write only once, so a later sync would succeed
    /// after a failure here. Therefore a failure counts as a failed sync.
    private func flush(from offset: Int64, count: Int64, waits: Bool) throws(AssetFileError) {
        guard fogbase_flush_range(descriptor, offset, count, waits ? 1 : 0) != 0 else { return }
        // Some file systems do not support sync_file_range, and some sandboxes do not allow it.
        if [EINVAL, ESPIPE, ENOSYS, EOPNOTSUPP, EPERM].contains(errno) { return }
        try lose("sync_file_range")
    }

    private func lose(_ call: String) throws(AssetFileError) -> Never {
        let error = AssetFileError.last(call)
        loss = error
        throw error
    }

    /// Returns the hash of all bytes. Reads the file again if the upload was resumed without a hasher.
    ///
    /// - Throws: The system call that failed, now or in an earlier call.
    package func digest() throws(AssetFileError) -> Digest {
        if let failure = failure ?? loss { throw failure }
        if let hasher { return hasher.finalize() }
        let hasher = SHA256Hasher()
        var offset: Int64 = 0
        while offset < size {
            let piece = try read(at: offset, count: Int(min(1 << 18, size - offset)))
            guard !piece.isEmpty else { throw AssetFileError(call: "pread", code: EIO) }
            hasher.update(piece)
            offset += Int64(piece.count)
        }
        return hasher.finalize()
    }

    /// Returns `count` bytes at `offset`; fewer at the end of the file.
    ///
    /// - Throws: The system call that failed.
    package func read(at offset: Int64, count: Int) throws(AssetFileError) -> [UInt8] {
        if descriptor < 0 { return Array(held.dropFirst(Int(offset)).prefix(count)) }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let got = pread(
                    descriptor, buffer.baseAddress.map { $0 + initialized }, count - initialized,
                    Int(offset) + initialized)
                if got > 0 {
                    initialized += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw AssetFileError(call: "pread", code: failure) }
        return bytes
    }

    /// Syncs the bytes to the disk. After a failed sync every call throws the same error, because a later successful
    /// sync does not mean that the bytes are on the disk.
    ///
    /// - Throws: The system call that failed, now or in an earlier call.
    package func sync() throws(AssetFileError) {
        if let loss { throw loss }
        try makeFile()
        guard fsync(descriptor) == 0 else { try lose("fsync") }
    }

    /// Makes the file's name durable, so that a later request can resume the upload.
    ///
    /// - Throws: The system call that failed.
    package func syncName() throws(AssetFileError) {
        // Another upload may have created the directory and not synced it yet.
        try directory.prepare()
        try AssetDirectory.sync(directory.uploadsPath)
    }

    /// Makes the bytes durable and links the file under its final name, durably. The file keeps the upload's name until
    /// `discard`, so that a crash before the commit of the asset's row loses nothing.
    ///
    /// - Throws: The system call that failed.
    package func keep(andLink final: AssetFileName) throws(AssetFileError) {
        try makeFile()
        let (from, to) = (directory.path(ofUpload: name), directory.path(of: final))
        // Cleanup deletes old files without a row, so the age of this file must count from now.
        futimens(descriptor, nil)
        try sync()
        try directory.makeDirectory(directory.path + "/" + final.directory)
        if Glibc.link(from, to) != 0 {
            // Some file systems do not support links.
            guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS else { throw AssetFileError.last("link") }
            guard rename(from, to) == 0 else { throw AssetFileError.last("rename") }
        }
        try AssetDirectory.sync(directory.path + "/" + final.directory)
    }

    /// Makes the bytes durable and renames the file to its final name, durably.
    ///
    /// - Throws: The system call that failed.
    package func keep(as final: AssetFileName) throws(AssetFileError) {
        try sync()
        let target = directory.path + "/" + final.directory
        try directory.makeDirectory(target)
        guard rename(directory.path(ofUpload: name), directory.path(of: final)) == 0 else {
            throw AssetFileError.last("rename")
        }
        isGone = true
        isKept = true
        try AssetDirectory.sync(target)
    }

    /// Deletes the file, unless it was renamed to its final name.
    package func discard() {
        guard !isGone else { return }
        isGone = true
        if descriptor >= 0 { directory.removeUpload(name) }
    }
}
