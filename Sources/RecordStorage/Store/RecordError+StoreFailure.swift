package import RecordModel

extension RecordError {
    /// Creates the client's error for a failure of the store. The error never contains the text of the failure.
    ///
    /// ```
    /// full, quotaUsedUp      INTERNAL_ERROR, cause storageFull, retry after 60 s
    /// readOnly               TRY_AGAIN_LATER, cause unavailable, retry after 60 s
    /// syncFailed             TRY_AGAIN_LATER, cause unavailable, retry after 5 s
    /// interrupted            TRY_AGAIN_LATER, retry after 1 s
    /// other                  INTERNAL_ERROR
    /// ```
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
                "The server's file system is read-only; nothing was written. Try again when its operator has fixed that",
                cause: .unavailable, retryAfter: 60)
        case .syncFailed: self = .databaseUnavailable
        case .interrupted:
            self.init(
                .tryAgainLater, "The request took more time than the server gives to one", retryAfter: 1)
        case .other:
            self.init(
                .internalError,
                "The server could not complete the request. Its log has the cause under the id of this response")
        }
    }

    /// The database accepts no writes, because it is closing or a sync has failed.
    package static let databaseUnavailable = RecordError(
        .tryAgainLater, "The database takes no writes now. Try again shortly", cause: .unavailable, retryAfter: 5)

    /// The writer's queue is full.
    package static let writerOverloaded = RecordError(
        .tryAgainLater, "More writes are waiting than the server can hold. Try again shortly", cause: .unavailable,
        retryAfter: 1)
}
