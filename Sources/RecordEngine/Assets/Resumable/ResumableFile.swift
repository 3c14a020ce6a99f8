internal import Cryptography
internal import Pictures
internal import RecordStorage
internal import Synchronization
internal import Threads

/// The file of a resumable upload in this process. The file is open while a request sends bytes. Between requests, the
/// object keeps only the hash state.
///
/// Unchecked `Sendable`: only the request that owns `turn` uses the object. The owner waits for all work on other
/// threads before it passes on the ownership, except for the work of `append`, for which the next owner waits.
final class ResumableFile: @unchecked Sendable {
    let name: String
    let turn = ResumableOwnership()
    private let directory: AssetDirectory
    private let executor: ThreadExecutor
    private var writer: AssetFileWriter?
    private var pending: Task<Result<Void, AssetFileError>, Never>?
    private var check: Check?
    /// The hash state of the first `hashed` bytes; `nil` for no hash state.
    private var hasher: SHA256Hasher?
    private var hashed: Int64 = 0
    /// Whether the writer's hasher has hashed exactly the bytes in the file.
    private var isHashSound = true
    /// Whether the file's directory entry may not be durable yet.
    private var isNameNew = false
    /// The number of bytes written or being written; -1 while the file is closed. Read from any thread.
    private let received = Atomic<Int64>(-1)

    /// The check of a part with an announced digest. The part is discarded if the digest does not match.
    private struct Check {
        let digest: MessageDigest
        let start: Int64
        /// The hash state of the bytes before the part.
        let hasher: SHA256Hasher?
    }

    init(_ name: String, in directory: AssetDirectory, executor: ThreadExecutor) {
        self.name = name
        self.directory = directory
        self.executor = executor
    }

    var isOpen: Bool { writer != nil }
    /// Whether the current part has a digest that is not checked yet.
    var isChecking: Bool { check != nil }
    /// Whether the object has a hash state, which would be lost by removing the object from memory.
    var hasHashState: Bool { hasher != nil }

    /// The smallest offset at which a new part may continue while another part is being received; `nil` if no part is
    /// being received.
    var receivedNow: Int64? {
        let count = received.load(ordering: .relaxed)
        return count < 0 ? nil : count
    }

    /// Opens the file to append a part.
    ///
    /// - Parameters:
    ///   - offset: The number of synced bytes. Later bytes of the file are cut off.
    ///   - digest: The announced digest of the part; `nil` for none. A part with a digest must pass `passesCheck`.
    func open(at offset: Int64, digest: MessageDigest? = nil) async throws(AssetFileError) {
        let known = hashed == offset ? hasher : nil
        hasher = nil
        check = digest.map { Check(digest: $0, start: offset, hasher: known.map(SHA256Hasher.init(copying:))) }
        let handed = Handed(known)
        let (name, directory) = (name, directory)
        writer = try await work { () throws(AssetFileError) in
            try AssetFileWriter(resuming: name, at: offset, hasher: handed.hasher, in: directory)
        }
        isHashSound = true
        isNameNew = offset == 0
        received.store(offset, ordering: .relaxed)
    }

    /// Passes a hasher to another thread. Unchecked `Sendable`: the sender does not keep the hasher.
    private struct Handed: @unchecked Sendable {
        let hasher: SHA256Hasher?
        let digest: MessageDigest?

        init(_ hasher: SHA256Hasher? = nil, digest: MessageDigest? = nil) {
            self.hasher = hasher
            self.digest = digest
        }
    }

    /// Passes a chunk to the thread, after the previous chunk is written.
    func append(_ piece: [UInt8]) async throws(AssetFileError) {
        try await settle()
        guard let writer else { return }
        received.add(Int64(piece.count), ordering: .relaxed)
        let handed = Handed(digest: check?.digest)
        pending = Task.detached(executorPreference: executor) {
            do throws(AssetFileError) {
                try writer.append(piece)
                handed.digest?.update(piece)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
    }

    /// Waits until all chunks are written.
    ///
    /// - Throws: The error of writing a chunk.
    func settle() async throws(AssetFileError) {
        guard let waiting = pending else { return }
        pending = nil
        if case .failure(let error) = await waiting.value {
            // The hasher includes a chunk that is not in the file.
            isHashSound = false
            throw error
        }
    }

    /// Returns whether a part matches its announced digest. A part that matches is no longer discarded.
    func passesCheck(_ expected: [UInt8]) async -> Bool {
        guard let check else { return true }
        let handed = Handed(digest: check.digest)
        let found = await Task.detached(executorPreference: executor) { handed.digest?.finalize() }.value
        guard found == expected else { return false }
        self.check = nil
        return true
    }

    /// Makes the written bytes durable, even if writing the last chunk failed.
    ///
    /// - Returns: The size of the file in bytes.
    /// - Throws: The error of fsync.
    func sync() async throws(AssetFileError) -> Int64 {
        try? await settle()
        guard let writer else { return 0 }
        let isNameNew = isNameNew
        do throws(AssetFileError) {
            try await work { () throws(AssetFileError) in
                try writer.sync()
                if isNameNew { try writer.syncName() }
            }
        } catch {
            isHashSound = false
            throw error
        }
        self.isNameNew = false
        return writer.size
    }

    /// Closes the file. The upload can continue after the synced bytes.
    func close() {
        if isHashSound, let writer {
            hasher = writer.hasher
            hashed = writer.size
        }
        forgetWriter()
    }

    /// Closes the file and discards a part that has not passed its check.
    func drop() async {
        try? await settle()
        if let check {
            hasher = check.hasher
            hashed = check.start
        }
        forgetWriter()
    }

    /// Deletes the file, unless the file already has its final name.
    func discard() async {
        try? await settle()
        hasher = nil
        let (name, directory) = (name, directory)
        forgetWriter()
        // Use another thread, since deleting a large file takes time.
        await Task.detached(executorPreference: executor) { directory.removeUpload(name) }.value
    }

    private func forgetWriter() {
        writer = nil
        check = nil
        received.store(-1, ordering: .relaxed)
    }

    // MARK: Completion

    /// Returns the digest and size of the file and, for a picture, the picture's properties.
    ///
    /// - Throws: The error of reading the file.
    func content() async throws(AssetFileError) -> AssetContent {
        try await settle()
        guard let writer else { throw AssetFileError(call: "read", code: 0) }
        // A hasher cannot be used after it has returned its digest.
        isHashSound = false
        return try await work { () throws(AssetFileError) in
            try AssetContent(of: writer)
        }
    }

    /// Durably adds the final name to the file. The file keeps its current name too.
    func keep(as name: AssetFileName) async throws(AssetFileError) {
        guard let writer else { return }
        try await work { () throws(AssetFileError) in try writer.keep(andLink: name) }
    }

    private func work<Value: Sendable>(
        _ body: @escaping @Sendable () throws(AssetFileError) -> Value
    ) async throws(AssetFileError) -> Value {
        let result: Result<Value, AssetFileError> = await Task.detached(executorPreference: executor) {
            do throws(AssetFileError) { return .success(try body()) } catch { return .failure(error) }
        }.value
        return try result.get()
    }
}
