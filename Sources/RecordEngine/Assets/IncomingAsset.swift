internal import Cryptography
internal import Pictures
internal import RecordModel
internal import RecordStorage
internal import Threads

/// The properties of an uploaded file's content.
struct AssetContent: Sendable {
    let hash: Digest
    let size: Int64
    let picture: Picture?

    /// Reads the properties of a completely received file.
    init(of writer: AssetFileWriter) throws(AssetFileError) {
        hash = try writer.digest()
        size = writer.size
        picture = try PictureHeader.read(size: Int(size)) { offset, count throws(AssetFileError) in
            try writer.read(at: Int64(offset), count: count)
        }
    }
}

/// An uploaded file that is durable under its final name, but has no row yet. `sweep` skips the file until the upload
/// is registered.
struct StoredAssetFile: Sendable {
    let content: AssetContent
    let name: AssetFileName

    /// Chooses the final name of a file, and protects the file from `sweep`.
    init(_ content: AssetContent, in assets: AssetStore) {
        self.content = content
        name = AssetFileName(hash: content.hash, file: Int64(bitPattern: UInt64.random(in: .min ... .max)))
        assets.begin(name.text)
    }
}

/// An upload in progress. A thread of the asset store hashes and writes a chunk while the server receives the next
/// chunk.
///
/// Unchecked `Sendable`: one task uses the object, and work on the thread starts only after the previous work ended.
final class IncomingAsset: @unchecked Sendable {
    private let reader: RecordReader
    private var database: RecordDatabase { reader.database }
    private let executor: ThreadExecutor
    private let writer: AssetFileWriter
    private let name: String
    private let uploader: UserID
    /// The number of bytes reserved in the quota.
    private var reserved: Int64 = 0
    private var written: Int64 = 0
    private var pending: Task<Result<Void, AssetFileError>, Never>?
    private var isClosed = false
    /// Whether a chunk was passed to the thread, so that a file may exist. Uploads that end before their first chunk
    /// need no cleanup.
    private var hasBegun = false

    /// The number of bytes that an upload of unknown length reserves at a time.
    private static let step: Int64 = 1 << 20

    init(_ reader: RecordReader, uploader: UserID) throws(RecordError) {
        self.reader = reader
        self.uploader = uploader
        let database = reader.database
        executor = try database.assetStore.executor()
        name = Hex.encode(RandomBytes.make(16))
        database.assetStore.begin(name)
        writer = AssetFileWriter(new: name, in: database.assetStore.directory)
    }

    /// Reserves space for bytes that will arrive.
    ///
    /// - Throws: QUOTA_EXCEEDED; INTERNAL_ERROR with cause STORAGE_FULL.
    func expect(_ bytes: Int64) throws(RecordError) {
        guard bytes > reserved else { return }
        try reader.assets.hold(bytes - reserved, of: uploader)
        reserved = bytes
    }

    /// Passes a chunk to the thread, after the previous chunk is written.
    ///
    /// - Throws: QUOTA_EXCEEDED; INTERNAL_ERROR, with cause STORAGE_FULL for a full disk.
    func append(_ piece: [UInt8]) async throws(RecordError) {
        let count = Int64(piece.count)
        if written + count > reserved {
            do throws(RecordError) {
                try expect((written + count + Self.step) / Self.step * Self.step)
            } catch {
                // A whole step does not fit in the quota or on the disk, but the chunk may fit.
                try expect(written + count)
            }
        }
        try await settle()
        written += count
        hasBegun = true
        let (writer, assets) = (writer, database.assetStore)
        pending = Task.detached(executorPreference: executor) {
            do throws(AssetFileError) {
                try writer.append(piece)
                assets.didWrite(count)
                assets.buffers.giveBack(piece)
                return .success(())
            } catch {
                assets.didWrite(count)
                return .failure(error)
            }
        }
    }

    private func settle() async throws(RecordError) {
        guard let waiting = pending else { return }
        pending = nil
        switch await waiting.value {
        case .success: return
        case .failure(let error): throw database.assets.failure(error)
        }
    }

    /// Makes the file durable under its final name. Runs on the thread after the last chunk.
    ///
    /// - Parameter digest: The SHA-256 digest that the client expects.
    /// - Throws: BAD_REQUEST with cause DIGEST_MISMATCH; INTERNAL_ERROR.
    func keep(expecting digest: Digest?) async throws -> StoredAssetFile {
        let last = pending
        pending = nil
        hasBegun = true
        let (writer, assets) = (writer, database.assetStore)
        let result = try await work { () throws(AssetFileError) -> Result<StoredAssetFile, RecordError> in
            let content = try AssetContent(of: writer)
            if let digest, digest != content.hash { return .failure(.digestMismatch(content.hash)) }
            let kept = StoredAssetFile(content, in: assets)
            do throws(AssetFileError) {
                try writer.keep(as: kept.name)
            } catch {
                assets.end(kept.name.text)
                throw error
            }
            return .success(kept)
        }
        // The last chunk is already written. If writing it had failed, the work above would have failed too.
        _ = await last?.value
        return try result.get()
    }

    private func work<Value: Sendable>(
        _ body: @escaping @Sendable () throws(AssetFileError) -> Value
    ) async throws(RecordError) -> Value {
        let result: Result<Value, AssetFileError> = await Task.detached(executorPreference: executor) {
            do throws(AssetFileError) { return .success(try body()) } catch { return .failure(error) }
        }.value
        switch result {
        case .success(let value): return value
        case .failure(let error): throw database.assets.failure(error)
        }
    }

    /// Cancels the upload and deletes its file.
    func abort() async {
        _ = try? await settle()
        await close()
    }

    /// Releases the reserved bytes, and deletes the file if `keep` did not succeed.
    func close() async {
        guard !isClosed else { return }
        isClosed = true
        if hasBegun, !writer.isKept {
            let writer = writer
            await Task.detached(executorPreference: executor) { writer.discard() }.value
        }
        database.assetStore.end(name)
        database.assetStore.release(reserved, unwritten: reserved - written, for: uploader)
    }
}

extension AssetPicture {
    init(_ picture: Picture) {
        self.init(
            width: Int64(picture.width), height: Int64(picture.height), orientation: Int64(picture.orientation))
    }
}
