internal import Cryptography
internal import Pictures
internal import RecordStorage
internal import Synchronization
internal import Threads

/// The file of an upload in several requests, as far as this process knows it: open while a request brings bytes; between
/// requests what is left of it is the hash so far.
///
/// Unchecked: whoever has its turn uses it, and waits for each piece of work before passing the turn on; but `append`
/// leaves its work to whoever comes next.
final class ResumableFile: @unchecked Sendable {
    let name: String
    let turn = ResumableTurn()
    private let folder: AssetFolder
    private let executor: ThreadExecutor
    private var writer: AssetFileWriter?
    private var pending: Task<Result<Void, AssetFileError>, Never>?
    private var check: Check?
    /// What has hashed the first `hashed` bytes; `nil` if nobody has.
    private var hasher: SHA256Hasher?
    private var hashed: Int64 = 0
    /// Whether the writer's hasher has had what the file has.
    private var isHashSound = true
    /// Nobody knows yet whether the file would be found again after a power cut.
    private var isNameNew = false
    /// How many bytes are written or on their way; -1 while the file is closed. Anybody may look.
    private let received = Atomic<Int64>(-1)

    /// A part that counts only if its digest is the one that the client has announced.
    private struct Check {
        let digest: MessageDigest
        let start: Int64
        /// What had hashed the bytes before the part.
        let hasher: SHA256Hasher?
    }

    init(_ name: String, in folder: AssetFolder, executor: ThreadExecutor) {
        self.name = name
        self.folder = folder
        self.executor = executor
    }

    var isOpen: Bool { writer != nil }
    /// Whether what is being written may have to be dropped.
    var isChecking: Bool { check != nil }
    /// Whether anything is lost if this is forgotten.
    var isWorthKeeping: Bool { hasher != nil }

    /// The least offset at which a part can go on while another one is being received; `nil` if none is.
    var receivedNow: Int64? {
        let count = received.load(ordering: .relaxed)
        return count < 0 ? nil : count
    }

    /// Opens the file to go on with it.
    ///
    /// - Parameters:
    ///   - offset: What is synced; the rest of the file is cut off.
    ///   - digest: Digests the part that comes, which must then pass `check`.
    func open(at offset: Int64, digest: MessageDigest? = nil) async throws(AssetFileError) {
        let known = hashed == offset ? hasher : nil
        hasher = nil
        check = digest.map { Check(digest: $0, start: offset, hasher: known.map(SHA256Hasher.init(copying:))) }
        let handed = Handed(known)
        let (name, folder) = (name, folder)
        writer = try await work { () throws(AssetFileError) in
            try AssetFileWriter(resuming: name, at: offset, hasher: handed.hasher, in: folder)
        }
        isHashSound = true
        isNameNew = offset == 0
        received.store(offset, ordering: .relaxed)
    }

    /// Unchecked: it passes a hasher on, whose giver forgets it.
    private struct Handed: @unchecked Sendable {
        let hasher: SHA256Hasher?
        let digest: MessageDigest?

        init(_ hasher: SHA256Hasher? = nil, digest: MessageDigest? = nil) {
            self.hasher = hasher
            self.digest = digest
        }
    }

    /// Hands a piece to the thread, after the one before is done.
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

    /// Waits until everything is written.
    func settle() async throws(AssetFileError) {
        guard let waiting = pending else { return }
        pending = nil
        if case .failure(let error) = await waiting.value {
            // The hasher has had the piece that the file has not.
            isHashSound = false
            throw error
        }
    }

    /// Whether the part that was announced with a digest has it. The part counts then.
    func passesCheck(_ expected: [UInt8]) async -> Bool {
        guard let check else { return true }
        let handed = Handed(digest: check.digest)
        let found = await Task.detached(executorPreference: executor) { handed.digest?.finalize() }.value
        guard found == expected else { return false }
        self.check = nil
        return true
    }

    /// Makes what has been written durable, even if the last piece could not be.
    ///
    /// - Returns: How many bytes there are.
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

    /// Closes the file. What was synced is gone on with.
    func close() {
        if isHashSound, let writer {
            hasher = writer.hasher
            hashed = writer.size
        }
        forgetWriter()
    }

    /// Closes the file and forgets a part that did not pass its check, or never will.
    func drop() async {
        try? await settle()
        if let check {
            hasher = check.hasher
            hashed = check.start
        }
        forgetWriter()
    }

    /// Takes the file away, unless it has another name by now.
    func discard() async {
        try? await settle()
        hasher = nil
        let (name, folder) = (name, folder)
        forgetWriter()
        // Large files take their time.
        await Task.detached(executorPreference: executor) { folder.removeUpload(name) }.value
    }

    private func forgetWriter() {
        writer = nil
        check = nil
        received.store(-1, ordering: .relaxed)
    }

    // MARK: What is complete

    /// The hash of everything, and what the header of a picture says.
    func content() async throws(AssetFileError) -> AssetContent {
        try await settle()
        guard let writer else { throw AssetFileError(call: "read", code: 0) }
        // A hasher gives one digest.
        isHashSound = false
        return try await work { () throws(AssetFileError) in
            try AssetContent(of: writer)
        }
    }

    /// Gives the file its final name, durably, besides the one that it has.
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
