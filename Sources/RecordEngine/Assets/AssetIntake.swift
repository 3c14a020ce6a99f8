internal import Cryptography
internal import Pictures
internal import RecordModel
internal import RecordStorage
internal import Threads

/// What was read of an uploaded file.
struct AssetContent: Sendable {
    let hash: Digest
    let size: Int64
    let picture: Picture?

    /// Reads what is to be known of a file of which everything has come.
    init(of writer: AssetFileWriter) throws(AssetFileError) {
        hash = try writer.digest()
        size = writer.size
        picture = try PictureHeader.read(size: Int(size)) { offset, count throws(AssetFileError) in
            try writer.read(at: Int64(offset), count: count)
        }
    }
}

/// An uploaded file that has its final name, durably, and no row yet. Sweepers leave it alone until it is registered.
struct KeptAsset: Sendable {
    let content: AssetContent
    let name: AssetFileName

    /// Chooses the name of a file, and keeps sweepers off it.
    init(_ content: AssetContent, in assets: AssetStore) {
        self.content = content
        name = AssetFileName(hash: content.hash, file: Int64(bitPattern: UInt64.random(in: .min ... .max)))
        assets.begin(name.text)
    }
}

/// One upload on its way to the disk. Pieces are hashed and written on a thread of the asset store, one while the next is
/// being received.
///
/// Unchecked: its owner is one task, and each piece of work waits for the one before.
final class AssetIntake: @unchecked Sendable {
    private let reader: RecordReader
    private var database: RecordDatabase { reader.database }
    private let executor: ThreadExecutor
    private let writer: AssetFileWriter
    private let name: String
    private let uploader: UserID
    /// What is held of the quota, and how much of it has come.
    private var reserved: Int64 = 0
    private var written: Int64 = 0
    private var pending: Task<Result<Void, AssetFileError>, Never>?
    private var isClosed = false
    /// Something was left to the thread, so there may be a file. Uploads that end before their first piece cost it nothing.
    private var hasBegun = false

    /// Bytes whose length is not known are held in steps.
    private static let step: Int64 = 1 << 20

    init(_ reader: RecordReader, uploader: UserID) throws(RecordError) {
        self.reader = reader
        self.uploader = uploader
        let database = reader.database
        executor = try database.assetStore.executor()
        name = Hex.encode(RandomBytes.make(16))
        database.assetStore.begin(name)
        writer = AssetFileWriter(new: name, in: database.assetStore.folder)
    }

    /// Makes sure of room for what will come.
    func expect(_ bytes: Int64) throws(RecordError) {
        guard bytes > reserved else { return }
        try reader.assets.hold(bytes - reserved, of: uploader)
        reserved = bytes
    }

    /// Hands a piece to the thread, after the one before is done.
    func append(_ piece: [UInt8]) async throws(RecordError) {
        let count = Int64(piece.count)
        if written + count > reserved {
            do throws(RecordError) {
                try expect((written + count + Self.step) / Self.step * Self.step)
            } catch {
                // Not so much; but there may be room for what has come.
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

    /// Makes the file durable under its final name: one piece of work, behind that of the last piece.
    ///
    /// - Parameter digest: What the client says the SHA-256 is.
    func keep(expecting digest: Digest?) async throws -> KeptAsset {
        let last = pending
        pending = nil
        hasBegun = true
        let (writer, assets) = (writer, database.assetStore)
        let result = try await work { () throws(AssetFileError) -> Result<KeptAsset, RecordError> in
            let content = try AssetContent(of: writer)
            if let digest, digest != content.hash { return .failure(.digestMismatch(content.hash)) }
            let kept = KeptAsset(content, in: assets)
            do throws(AssetFileError) {
                try writer.keep(as: kept.name)
            } catch {
                assets.end(kept.name.text)
                throw error
            }
            return .success(kept)
        }
        // What it waited for: if the last piece had failed, so had this.
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

    /// Gives up: what was written goes.
    func abort() async {
        _ = try? await settle()
        await close()
    }

    /// Lets go of the quota and of a file that was not kept.
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
