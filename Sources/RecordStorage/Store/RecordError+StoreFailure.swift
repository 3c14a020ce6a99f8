package import RecordModel

extension RecordError {
    /// What a client learns of a failure of the store: never its text.
    package init(_ failure: StoreFailure) {
        switch failure.kind {
        case .quotaUsedUp:
            self.init(
                .internalError,
                "The server's disk quota is used up; nothing was written. Try again when its operator has raised it",
                cause: .storageFull, retryAfter: 60)
        case .full:
            self.init(
                .internalError,
                "The server's disk is full; nothing was written. Delete something, or try again when its operator has made room",
                cause: .storageFull, retryAfter: 60)
        case .readOnly:
            self.init(
                .tryAgainLater,
                "The server's file system is read-only; nothing was written. Try again when its operator has mended that",
                cause: .unavailable, retryAfter: 60)
        case .syncFailed: self = .databaseUnavailable
        case .interrupted:
            self.init(
                .tryAgainLater, "The request took more time than the server gives to one", retryAfter: 1)
        case .other:
            self.init(
                .internalError,
                "The server could not complete the request. Its log has the cause under this answer's id")
        }
    }

    /// The database takes no more writes: it closes, or a sync to the disk has failed.
    package static let databaseUnavailable = RecordError(
        .tryAgainLater, "The database takes no writes now. Try again shortly", cause: .unavailable, retryAfter: 5)

    /// More writes wait than the queue holds.
    package static let writerOverloaded = RecordError(
        .tryAgainLater, "More writes are waiting than the server can hold. Try again shortly", cause: .unavailable,
        retryAfter: 1)
}
