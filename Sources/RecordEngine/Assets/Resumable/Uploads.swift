internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import Threads

/// Uploads in several requests: a client begins one, brings its bytes in parts, and goes on after a break where the last
/// request has ended. The last part makes an asset of it.
package struct Uploads {
    let reader: RecordReader

    var database: RecordDatabase { reader.database }
    var table: AssetReading { reader.store.assets }

    /// Uploads that one caller may have begun and not completed.
    package static let mostUnfinished = 1_000

    /// The row of an upload, for its maker.
    ///
    /// - Throws: NOT_FOUND, to strangers too; with cause `TOKEN_EXPIRED` for one that has expired.
    func find(_ upload: ResumableAddress) throws(RecordError) -> ResumableUploadRow {
        try reader.refresh()
        let key = upload.address.key
        guard let row = try table.resumables.find(upload.name),
            row.uploader == upload.caller.writerID, row.scope == key.scope, row.owner == key.owner
        else { throw .uploadNotFound }
        guard row.expires > WallClock.milliseconds else { throw .uploadExpired }
        return row
    }

    func status(_ row: ResumableUploadRow, _ upload: ResumableAddress) throws(RecordError) -> ResumableStatus {
        ResumableStatus(
            name: row.name, offset: row.offset, length: row.length, metadata: row.metadata, expires: row.expires,
            asset: try received(row, upload))
    }

    /// What a complete upload has become.
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
        asset.receipt = AssetReceipt.seal(claim.id, upload.caller, upload.address, with: database.keys)
        return ReceivedAsset(asset: asset, downloadURL: url, isKnown: true)
    }

    /// Notes for the operator why the file of an upload could not be opened, and says what the client learns of it.
    func failureToGoOn(_ error: AssetFileError) -> RecordError {
        let failure = database.assets.failure(error)
        return error.isMissing ? .uploadLost : failure
    }
}
