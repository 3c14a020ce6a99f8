internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import Threads

/// The resumable uploads of a database. A client creates an upload, then sends the bytes in parts. Each part continues
/// at the durable offset. After the last part, the upload becomes an asset.
package struct Uploads {
    let reader: RecordReader

    var database: RecordDatabase { reader.database }
    var table: AssetFinder { reader.store.assets }

    /// The maximum number of unfinished uploads per caller.
    package static let mostUnfinished = 1_000

    /// Returns the row of an upload for its uploader.
    ///
    /// - Throws: NOT_FOUND for an unknown upload, or if the caller is not the uploader; NOT_FOUND with cause
    ///   TOKEN_EXPIRED for an expired upload.
    func find(_ upload: ResumableAddress) throws(RecordError) -> ResumableUploadRow {
        try reader.refresh()
        let key = upload.address.key
        guard let row = try table.resumables.find(upload.name),
            row.uploader == upload.caller.writerID, row.scope == key.scope, row.owner == key.owner
        else { throw .uploadNotFound }
        guard row.expires > WallClock.milliseconds else { throw .uploadExpired }
        return row
    }

    /// Returns the status of an upload.
    func status(_ row: ResumableUploadRow, _ upload: ResumableAddress) throws(RecordError) -> ResumableStatus {
        ResumableStatus(
            name: row.name, offset: row.offset, length: row.length, metadata: row.metadata, expires: row.expires,
            asset: try received(row, upload))
    }

    /// Returns the asset of a complete upload.
    private func received(
        _ row: ResumableUploadRow, _ upload: ResumableAddress
    ) throws(RecordError) -> ReceivedAsset? {
        guard let number = row.claim else { return nil }
        guard let claim = try table.claim(number), let stored = try table.find(id: claim.asset) else {
            return nil
        }
        var asset = Asset(
            fileChecksum: stored.hash.base64, size: stored.size, contentType: claim.contentType,
            filename: claim.filename, picture: stored.picture.picture.map(AssetPicture.init))
        let url = reader.assets.urls().url(of: asset) ?? ""
        asset.receipt = UploadToken.seal(claim.id, upload.caller, upload.address, with: database.keys)
        return ReceivedAsset(asset: asset, downloadURL: url, isKnown: true)
    }

    /// Logs the failure to open an upload's file for the operator, and returns the error for the client.
    func failureToGoOn(_ error: AssetFileError) -> RecordError {
        let failure = database.assets.failure(error)
        return error.isMissing ? .uploadLost : failure
    }
}
