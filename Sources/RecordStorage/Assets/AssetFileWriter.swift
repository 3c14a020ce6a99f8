internal import CLinux
package import Cryptography
internal import Glibc

/// A file that an upload fills, hashed as it comes.
///
/// Unchecked: one piece of work at a time touches it, each waiting for the one before.
package final class AssetFileWriter: @unchecked Sendable {
    private let folder: AssetFolder
    private let name: String
    /// -1 as long as there is no file yet.
    private var descriptor: Int32
    /// What has come before there is a file.
    private var held: [UInt8] = []
    /// Knows all bytes that are there; `nil` if `digest` has to read them again. Its digest ends it.
    package let hasher: SHA256Hasher?
    /// The bytes that are there.
    package private(set) var size: Int64
    private var started: Int64
    private var isGone = false
    /// Why a piece could not be written; nothing can follow it.
    private var failure: AssetFileError?
    /// Why what was written may never be on the disk. The system takes it for clean then: another sync would succeed and
    /// cover nothing of it. What has not been synced has to be written again.
    private var loss: AssetFileError?
    /// Whether the file has its final name.
    package private(set) var isKept = false

    /// So many bytes are handed to the disk at once. Else they would all be the last sync's, which would hold up the
    /// commits of everybody else: these wait in the disk's queue behind up to two windows.
    private static let window: Int64 = 1 << 20
    /// So many bytes are held before there is a file. To make a file and to take it away again costs far more than to
    /// receive a small body: clients that come in crowds, send a little and are gone would hold up everybody else.
    private static let heldBytes = 128 << 10

    /// Begins a new file. It is made with the first bytes that are too many to be held.
    package init(new name: String, in folder: AssetFolder) {
        self.folder = folder
        self.name = name
        descriptor = -1
        hasher = SHA256Hasher()
        size = 0
        started = 0
    }

    /// Makes the file, with what is held.
    private func makeFile() throws(AssetFileError) {
        guard descriptor < 0 else { return }
        let path = folder.path(ofUpload: name)
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0, errno == ENOENT {
            try folder.prepare()
            descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else { throw AssetFileError.last("open") }
        let bytes = held
        held = []
        try bytes.withUnsafeBufferPointer { bytes throws(AssetFileError) in try write(bytes) }
    }

    /// Goes on with a file at its end; makes one where there is nothing to go on with.
    ///
    /// - Parameters:
    ///   - offset: Where the next byte belongs; what lies behind it was never acknowledged and is cut off.
    ///   - hasher: What has hashed the bytes before; without it `digest` reads them again.
    package init(
        resuming name: String, at offset: Int64, hasher: SHA256Hasher? = nil, in folder: AssetFolder
    ) throws(AssetFileError) {
        let flags = O_RDWR | O_CLOEXEC | (offset == 0 ? O_CREAT : 0)
        var descriptor = open(folder.path(ofUpload: name), flags, 0o600)
        if descriptor < 0, errno == ENOENT, offset == 0 {
            try folder.prepare()
            descriptor = open(folder.path(ofUpload: name), flags, 0o600)
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
        self.folder = folder
        self.name = name
        self.descriptor = descriptor
        self.hasher = offset == 0 ? SHA256Hasher() : hasher
        size = offset
        started = offset
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

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

    /// Starts writing the newest bytes to the disk and waits for those before them: never more than two windows wait.
    private func flushWindow() throws(AssetFileError) {
        try flush(from: started, count: size - started, waits: false)
        if started > 0 { try flush(from: max(0, started - Self.window), count: Self.window, waits: true) }
        started = size
    }

    /// The system tells of bytes that could not be written once: if here, then not at the sync any more.
    private func flush(from offset: Int64, count: Int64, waits: Bool) throws(AssetFileError) {
        guard fogbase_flush_range(descriptor, offset, count, waits ? 1 : 0) != 0 else { return }
        // Not every file system can, and not every sandbox lets us.
        if [EINVAL, ESPIPE, ENOSYS, EOPNOTSUPP, EPERM].contains(errno) { return }
        try lose("sync_file_range")
    }

    private func lose(_ call: String) throws(AssetFileError) -> Never {
        let error = AssetFileError.last(call)
        loss = error
        throw error
    }

    /// The hash of all bytes: as they came, or read again if the file was resumed.
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

    /// Bytes of the file; fewer at its end.
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

    /// Makes the bytes durable where they are. Once that has failed it is not tried again.
    package func sync() throws(AssetFileError) {
        if let loss { throw loss }
        try makeFile()
        guard fsync(descriptor) == 0 else { try lose("fsync") }
    }

    /// Makes the file's name durable, for whoever comes back for it.
    package func syncName() throws(AssetFileError) {
        // Another upload may have made the folder a moment ago, and still wait for its name to be durable.
        try folder.prepare()
        try AssetFolder.sync(folder.uploadsPath)
    }

    /// Makes the bytes durable and gives the file its final name, durably too. It has the upload's name as well until it
    /// is discarded, so that a crash before the commit that speaks of the file loses nothing.
    package func keep(andLink final: AssetFileName) throws(AssetFileError) {
        try makeFile()
        let (from, to) = (folder.path(ofUpload: name), folder.path(of: final))
        // What was written long ago is new under this name, for those who sweep old files away.
        futimens(descriptor, nil)
        try sync()
        try folder.makeFolder(folder.path + "/" + final.folder)
        if Glibc.link(from, to) != 0 {
            // Not every file system has links.
            guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS else { throw AssetFileError.last("link") }
            guard rename(from, to) == 0 else { throw AssetFileError.last("rename") }
        }
        try AssetFolder.sync(folder.path + "/" + final.folder)
    }

    /// Makes the bytes durable and gives the file its final name, durably too.
    package func keep(as final: AssetFileName) throws(AssetFileError) {
        try sync()
        let target = folder.path + "/" + final.folder
        try folder.makeFolder(target)
        guard rename(folder.path(ofUpload: name), folder.path(of: final)) == 0 else {
            throw AssetFileError.last("rename")
        }
        isGone = true
        isKept = true
        try AssetFolder.sync(target)
    }

    /// Takes the file away, unless it has its final name.
    package func discard() {
        guard !isGone else { return }
        isGone = true
        if descriptor >= 0 { folder.removeUpload(name) }
    }
}
