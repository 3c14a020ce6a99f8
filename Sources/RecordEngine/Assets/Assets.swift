internal import RecordModel
internal import RecordStorage
internal import Threads

/// The assets of a database: garbage collection and thumbnails.
package struct Assets: Sendable {
    let database: RecordDatabase

    /// Logs a failure of an asset's file for the operator, and returns the error for the client.
    func failure(_ error: AssetFileError) -> RecordError {
        if !error.isStorageFull { database.statistics.didFail(error.description) }
        return RecordError(error)
    }
}

/// Receives uploads and opens assets for responses.
package struct AssetReader {
    let reader: RecordReader

    var database: RecordDatabase { reader.database }
    var table: AssetFinder { reader.store.assets }

    /// Returns a maker of signed URLs for the assets in a response.
    func urls() -> AssetURLMaker {
        AssetURLMaker(
            keys: database.keys, addressing: database.assetStore.addressing,
            expires: AssetURL.expiry(
                now: WallClock.milliseconds / 1_000, seconds: database.limits.assetURLSeconds))
    }
}

/// Registers uploads in the tables, and enforces the quotas of uploaders.
struct AssetWriter {
    let transaction: WriteTransaction

    var table: AssetTable { transaction.store.assets }

    /// Returns a maker of signed URLs for the assets in a response.
    func urls() -> AssetURLMaker {
        AssetURLMaker(
            keys: transaction.keys, addressing: transaction.addressing,
            expires: AssetURL.expiry(
                now: transaction.now / 1_000, seconds: transaction.limits.assetURLSeconds))
    }
}
