internal import RecordModel
internal import RecordStorage
internal import Threads

/// The assets of a database: their removal when nobody needs them, and smaller pictures of them.
package struct Assets: Sendable {
    let database: RecordDatabase

    /// Notes a failure of an asset's file for the operator, and says what the client learns of it.
    func failure(_ error: AssetFileError) -> RecordError {
        if !error.isStorageFull { database.statistics.didFail(error.description) }
        return RecordError(error)
    }
}

/// Takes assets in and opens them for answers.
package struct AssetReader {
    let reader: RecordReader

    var database: RecordDatabase { reader.database }
    var table: AssetReading { reader.store.assets }

    /// Signs the URLs of the assets in an answer.
    func urls() -> AssetURLMaker {
        AssetURLMaker(
            keys: database.keys, addressing: database.assetStore.addressing,
            expires: AssetURL.expiry(
                now: WallClock.milliseconds / 1_000, seconds: database.limits.assetURLSeconds))
    }
}

/// Notes uploads in the tables, within their uploaders' quotas.
struct AssetWriter {
    let transaction: WriteTransaction

    var table: AssetTable { transaction.store.assets }

    /// Signs the URLs of the assets in an answer.
    func urls() -> AssetURLMaker {
        AssetURLMaker(
            keys: transaction.keys, addressing: transaction.addressing,
            expires: AssetURL.expiry(
                now: transaction.now / 1_000, seconds: transaction.limits.assetURLSeconds))
    }
}
