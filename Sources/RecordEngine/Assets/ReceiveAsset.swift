package import Cryptography
internal import Pictures
package import RecordModel
internal import RecordStorage
internal import Threads

/// What a request says of a file that it brings.
package struct AssetUpload: Sendable {
    package var caller: Caller
    package var address: DatabaseAddress
    package var contentType: String?
    package var filename: String?
    /// The length, where it is known beforehand.
    package var length: Int64?
    /// What the client says the SHA-256 is.
    package var digest: Digest?
    /// The row of an upload in several requests that this completes.
    var resumable: Int64?

    package init(
        caller: Caller, address: DatabaseAddress, contentType: String? = nil, filename: String? = nil,
        length: Int64? = nil, digest: Digest? = nil
    ) {
        self.caller = caller
        self.address = address
        self.contentType = contentType
        self.filename = filename
        self.length = length
        self.digest = digest
    }

    /// The longest file name, in UTF-8 bytes.
    package static let filenameBytes = 255

    /// Refuses a file name that no file should have.
    package static func checkFilename(_ name: String) throws(RecordError) {
        let isSound =
            (1...filenameBytes).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "/" }
            && name != "." && name != ".."
        guard isSound else {
            throw .badRequest(
                "A file name has 1 to \(filenameBytes) UTF-8 bytes, no slash and no control characters",
                details: [("filename", .text(String(name.prefix(64))))])
        }
    }
}

/// An upload that is complete and durable.
package struct ReceivedAsset: Hashable, Sendable {
    /// The value, with the receipt.
    package var asset: Asset
    package var downloadURL: String
    /// Whether the content was there already.
    package var isKnown: Bool
}

extension RecordReader {
    /// Refuses callers who may upload nothing: they are neither signed in, nor may they create or write a type that has
    /// assets.
    package func allowUploading(_ caller: Caller, to address: DatabaseAddress) throws(RecordError) {
        let ruling = Authorization.judgeUploading(caller, to: address.scope, schema: schema)
        if ruling.decision == .allowed { return }
        if caller == .anonymous, address.scope == .publicDatabase {
            throw RecordError(.authenticationRequired, "Sign in to upload files")
        }
        throw .refused(caller, .create, .upload)
    }

    /// Takes a file in: hashed as it comes, durable before this returns, and stored once whoever brings it.
    ///
    /// - Parameters:
    ///   - next: The next piece of its bytes; `nil` at the end.
    /// - Throws: QUOTA_EXCEEDED, `TOO_LARGE`, `STORAGE_FULL`, BAD_REQUEST for another digest than the client's; or what
    ///   `next` throws. Nothing is left behind then.
    package func receiveAsset(_ upload: AssetUpload, _ next: () async throws -> [UInt8]?) async throws -> ReceivedAsset
    {
        try allowUploading(upload.caller, to: upload.address)
        if let filename = upload.filename { try AssetUpload.checkFilename(filename) }
        let limit = Int64(database.limits.assetBytes)
        if let length = upload.length, length > limit { throw RecordError.assetTooLarge(limit: Int(limit)) }
        let intake = try AssetIntake(self, uploader: upload.caller.writerID)
        do {
            try intake.expect(upload.length ?? 0)
            var size: Int64 = 0
            while let piece = try await next() {
                size += Int64(piece.count)
                guard size <= limit else { throw RecordError.assetTooLarge(limit: Int(limit)) }
                try await intake.append(piece)
            }
            let kept = try await intake.keep(expecting: upload.digest)
            let received = try await register(kept, for: upload)
            await intake.close()
            return received
        } catch {
            await intake.abort()
            throw error
        }
    }

    /// Holds bytes that somebody brings, of its quota and of the disk.
    ///
    /// - Throws: QUOTA_EXCEEDED, by what all uploads have taken by now; `STORAGE_FULL`.
    func hold(_ bytes: Int64, of uploader: Int64) throws(RecordError) {
        try database.assets.reserve(bytes, for: uploader, limits: database.limits) { () throws(RecordError) in
            try refresh()
            let reading = try assetReading()
            return try store { () throws(StoreError) in try reading.unusedBytes(of: uploader) }
        }
    }

    /// Gives a kept file its row, or its content the row that is there, and makes the receipt.
    ///
    /// What is there already is written and synced like anything else: whoever measures time, or counts, learns nothing of
    /// other people's files.
    func register(_ kept: KeptAsset, for upload: AssetUpload) async throws(RecordError) -> ReceivedAsset {
        let content = kept.content
        defer { database.assets.end(kept.name.text) }
        let type = AssetMediaType.stored(claimed: upload.contentType, picture: content.picture)
        let claim: (id: Int64, usesFile: Bool)
        do throws(RecordError) {
            claim = try await database.write { transaction throws(RecordError) in
                try transaction.claimAsset(content, kept.name, upload, contentType: type)
            }
        } catch {
            // After a failed sync nobody knows whether there is a row: the file stays, and the next start decides.
            if database.isHealthy { await removeKept(kept.name) }
            throw error
        }
        if !claim.usesFile { await removeKept(kept.name) }
        let counters = database.assets.counters
        counters.add(\.uploads)
        if !claim.usesFile { counters.add(\.duplicates) }
        var asset = Asset(
            fileChecksum: content.hash.base64, size: content.size, contentType: type, filename: upload.filename,
            picture: content.picture.map(AssetPicture.init))
        let url = assetURLs().url(of: asset) ?? ""
        asset.receipt = AssetReceipt.seal(claim.id, upload.caller, upload.address, with: database.keys)
        return ReceivedAsset(asset: asset, downloadURL: url, isKnown: !claim.usesFile)
    }
}

extension RecordReader {
    /// Takes away a file that was kept and is not needed. For gigabytes that takes time, which a loop does not have.
    private func removeKept(_ name: AssetFileName) async {
        let folder = database.assets.folder
        // A store that is closing does no more work: the next start finds the file.
        _ = try? await database.assets.run { () throws(RecordError) in folder.remove(name) }
    }
}

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
    private let uploader: Int64
    /// What is held of the quota, and how much of it has come.
    private var reserved: Int64 = 0
    private var written: Int64 = 0
    private var pending: Task<Result<Void, AssetFileError>, Never>?
    private var isClosed = false
    /// Something was left to the thread, so there may be a file. Uploads that end before their first piece cost it nothing.
    private var hasBegun = false

    /// Bytes whose length is not known are held in steps.
    private static let step: Int64 = 1 << 20

    init(_ reader: RecordReader, uploader: Int64) throws(RecordError) {
        self.reader = reader
        self.uploader = uploader
        let database = reader.database
        executor = try database.assets.executor()
        name = Hex.encode(RandomBytes.make(16))
        database.assets.begin(name)
        writer = AssetFileWriter(new: name, in: database.assets.folder)
    }

    /// Makes sure of room for what will come.
    func expect(_ bytes: Int64) throws(RecordError) {
        guard bytes > reserved else { return }
        try reader.hold(bytes - reserved, of: uploader)
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
        let (writer, assets) = (writer, database.assets)
        pending = Task.detached(executorPreference: executor) {
            do throws(AssetFileError) {
                try writer.append(piece)
                assets.didWrite(count)
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
        case .failure(let error): throw database.failure(error)
        }
    }

    /// Makes the file durable under its final name: one piece of work, behind that of the last piece.
    ///
    /// - Parameter digest: What the client says the SHA-256 is.
    func keep(expecting digest: Digest?) async throws -> KeptAsset {
        let last = pending
        pending = nil
        hasBegun = true
        let (writer, assets) = (writer, database.assets)
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
        case .failure(let error): throw database.failure(error)
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
        database.assets.end(name)
        database.assets.release(reserved, unwritten: reserved - written, for: uploader)
    }
}

extension AssetPicture {
    init(_ picture: Picture) {
        self.init(
            width: Int64(picture.width), height: Int64(picture.height), orientation: Int64(picture.orientation))
    }
}

extension RecordDatabase {
    /// Notes a failure of an asset's file for the operator, and says what the client learns of it.
    nonisolated func failure(_ error: AssetFileError) -> RecordError {
        if !error.isStorageFull { statistics.didFail(error.description) }
        return RecordError(error)
    }
}

extension RecordError {
    static func digestMismatch(_ found: Digest) -> RecordError {
        .badRequest(
            "The bytes that came are not those that the digest stands for. Send them again", cause: .digestMismatch,
            details: [("found", .text(found.base64))])
    }
}
