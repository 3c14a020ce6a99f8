internal import RecordModel
internal import RecordStorage

/// A position in the notifications of an account. All its subscriptions have the same position, because the changes of
/// all zones have one sequence.
struct NotificationPosition: Hashable, Sendable {
    /// The sequence number up to which all changes are notified, except those that `within` excludes.
    var sequence: Int64
    /// The number of the last subscription that has notified the change `sequence`; `.max` if all have.
    var within: Int64 = .max
    /// The sequence number up to which the reader has all notifications: that of the last page without more after it.
    /// Records between `complete` and `sequence` may have moved in the log while the reader read it.
    var complete: Int64
    /// The sequence number up to which tombstones had been deleted, at most, when the reader began.
    var floor: Int64

    /// Returns whether the position is before a notification.
    func isBefore(_ sequence: Int64, _ subscription: Int64) -> Bool {
        (self.sequence, within) < (sequence, subscription)
    }

    /// The sequence number after which changes must be read.
    var readsAfter: Int64 { within == .max ? sequence : sequence - 1 }

    /// Returns whether tombstones of a zone have been deleted before the reader could be notified.
    func hasMissed(purged: Int64) -> Bool { purged > max(sequence, floor) }

    // MARK: The sealed form

    /// Returns the position as a sealed text. The plain text has six integers, each 8 bytes: sequence, within, complete,
    /// floor, epoch and a random number, without which equal texts would tell that nothing was written.
    ///
    /// - Parameter epoch: The current epoch, which covers all numbers of the position; see `SyncToken.sealed`.
    func sealed(of account: UserID, in epoch: Int64, with keys: DatabaseKeys) -> String {
        SealedPosition.seal(
            [sequence, within, complete, floor, epoch, Int64.random(in: .min ... .max)],
            context: Self.context(account), with: keys.syncTokens)
    }

    /// Opens a sealed text; `nil` unless it was sealed for the account.
    static func open(
        _ text: String, of account: UserID, with keys: DatabaseKeys
    ) -> (position: NotificationPosition, epoch: Int64)? {
        guard
            let numbers = SealedPosition.open(
                text, counts: 6...6, context: Self.context(account), with: keys.syncTokens)
        else { return nil }
        let position = NotificationPosition(
            sequence: numbers[0], within: numbers[1], complete: numbers[2], floor: numbers[3])
        return (position, numbers[4])
    }

    /// Returns the error for a token that cannot be used any more.
    static func expired(_ why: String) -> RecordError {
        .badRequest(
            "The token cannot be used any more: \(why). Get a token with since=now, then read your records again",
            cause: .tokenExpired)
    }

    private static func context(_ account: UserID) -> [Int64] { [6, account.rawValue] }
}

extension NotificationReader {
    /// Returns the position at which a reader of an account starts.
    ///
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for a token of another account; with cause TOKEN_EXPIRED for a token
    ///   of a state that the database has lost.
    func open(_ start: FeedStart, of account: UserID) throws(RecordError) -> NotificationPosition {
        let known = reader.knownSequence
        switch start {
        case .beginning: return NotificationPosition(sequence: 0, complete: 0, floor: known)
        case .now: return NotificationPosition(sequence: known, complete: known, floor: known)
        case .token(let text):
            let opened = NotificationPosition.open(text, of: account, with: reader.database.keys)
            guard let (position, epoch) = opened else {
                throw .badRequest(
                    "The token does not belong to this caller's notifications. Start without a token",
                    cause: .tokenInvalid)
            }
            guard let last = try reader.store.lastNumber(of: epoch),
                max(position.sequence, position.floor) <= last, position.sequence <= known
            else {
                throw NotificationPosition.expired("it belongs to a state that the database does not have")
            }
            return position
        }
    }
}
