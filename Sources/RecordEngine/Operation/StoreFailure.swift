internal import RecordModel
internal import RecordStorage

extension RecordError {
    /// What a client learns of a failure of the store: never its text.
    init(_ error: StoreError) {
        if error.isStorageFull {
            self.init(
                .internalError,
                error.isQuotaUsedUp
                    ? "The server's disk quota is used up; nothing was written. Try again when its operator has raised it"
                    : "The server's disk is full; nothing was written. Delete something, or try again when its operator has made room",
                cause: .storageFull, retryAfter: 60)
        } else if error.isReadOnly {
            self.init(
                .tryAgainLater,
                "The server's file system is read-only; nothing was written. Try again when its operator has mended that",
                cause: .unavailable, retryAfter: 60)
        } else if error.isSyncFailure {
            self = .databaseUnavailable
        } else if error.isInterrupted {
            self.init(
                .tryAgainLater, "The request took more time than the server gives to one", retryAfter: 1)
        } else {
            self.init(
                .internalError,
                "The server could not complete the request. Its log has the cause under this answer's id")
        }
    }

    /// The database takes no more writes: it closes, or a sync to the disk has failed.
    static let databaseUnavailable = RecordError(
        .tryAgainLater, "The database takes no writes now. Try again shortly", cause: .unavailable, retryAfter: 5)

    /// More writes wait than the queue holds.
    static let writerOverloaded = RecordError(
        .tryAgainLater, "More writes are waiting than the server can hold. Try again shortly", cause: .unavailable,
        retryAfter: 1)
}
