internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import Synchronization
internal import Threads

/// The tokens of devices that receive notifications by polling a URL, as clients of CloudKit Web Services do.
///
/// The text of a token is sealed from the account and a random number, so only this server can make one. Who has the
/// text may poll, because clients poll without a credential.
package struct NotificationTokens: Sendable {
    let database: RecordDatabase

    /// The maximum number of tokens of one account. A new token takes the place of the one unused for the longest time.
    package static let most = 20
    /// How long an unused token is valid, in milliseconds.
    package static let lifetime: Int64 = 30 * 86_400_000

    /// Creates a token for the caller's account. It is notified of changes from now on.
    ///
    /// - Returns: The text of the token.
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED for a caller without an account.
    package func create(
        environment: String, by caller: Caller, rightsVersion: UInt64? = nil
    ) async throws(RecordError) -> String {
        let token = NotificationToken(account: try caller.subscriber, number: Int64.random(in: 1 ... .max))
        try await store(token, environment, caller, rightsVersion)
        return token.text(database.keys)
    }

    /// Makes a token valid for another `lifetime`, also one that has expired.
    ///
    /// - Throws: NOT_FOUND for a token of another account or server; AUTHENTICATION_REQUIRED or ACCESS_DENIED for a caller
    ///   without an account.
    package func register(
        _ text: String, environment: String, by caller: Caller, rightsVersion: UInt64? = nil
    ) async throws(RecordError) {
        guard let token = NotificationToken(text, database.keys), token.account == (try caller.subscriber) else {
            throw .notificationTokenNotFound
        }
        try await store(token, environment, caller, rightsVersion)
    }

    private func store(
        _ token: NotificationToken, _ environment: String, _ caller: Caller, _ rightsVersion: UInt64?
    ) async throws(RecordError) {
        let keys = database.keys
        try await database.write { transaction throws(RecordError) in
            guard try transaction.current(caller, since: rightsVersion).subscriber == token.account else {
                throw .notificationTokenNotFound
            }
            let table = transaction.store.notificationTokens
            let known = try table.find(token.number, of: token.account)
            let last = transaction.lastSequence
            let start = NotificationPosition(sequence: last, complete: last, floor: last)
            if known == nil { try table.trim(account: token.account, to: Self.most - 1) }
            try table.put(
                NotificationTokenRow(
                    account: token.account, number: token.number, environment: environment, used: transaction.now,
                    position: known?.position
                        ?? start.sealed(of: token.account, in: transaction.store.epoch, with: keys)))
        }
    }

    /// Stores the positions of all devices that have moved. Called before the database is closed.
    func storeAll() async throws(RecordError) {
        let moved = database.notificationQueues.takeMoved()
        guard !moved.isEmpty else { return }
        try await database.write(operations: moved.count, isAlone: true) { transaction throws(RecordError) in
            for (token, position) in moved {
                try transaction.store.notificationTokens.note(
                    token.number, of: token.account, position: position, now: transaction.now)
            }
        }
    }
}

/// What the text of a token stands for.
struct NotificationToken: Hashable, Sendable {
    let account: UserID
    let number: Int64

    init(account: UserID, number: Int64) {
        (self.account, self.number) = (account, number)
    }

    /// Opens a text; `nil` unless this server has made it.
    init?(_ text: String, _ keys: DatabaseKeys) {
        guard text.utf8.count <= 256, let sealed = Hex.decode(text),
            let plain = keys.notificationTokens.open(sealed, context: []), plain.count == 16
        else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
        account = UserID(rawValue: number(plain[..<8]))
        self.number = number(plain[8...])
    }

    func text(_ keys: DatabaseKeys) -> String {
        Hex.encode(keys.notificationTokens.seal(SealedPosition.bytes([account.rawValue, number]), context: []))
    }
}

/// A device that polls: its account's caller with the current rights, and where it continues.
package struct NotificationDevice: Sendable {
    let token: NotificationToken
    /// The caller.
    package let caller: Caller
    /// The token of the position.
    package let position: String
}

/// Reads tokens of devices in the snapshot of one reader.
package struct NotificationTokenReader {
    let reader: RecordReader

    /// Returns the device of a token.
    ///
    /// - Throws: NOT_FOUND if the token is unknown or has expired, or its account may not use the server any more.
    package func device(_ text: String) throws(RecordError) -> NotificationDevice {
        try reader.refresh()
        let callers = reader.callers
        guard let token = NotificationToken(text, reader.database.keys),
            let row = try reader.store.notificationTokens.find(token.number, of: token.account),
            row.used > callers.now - NotificationTokens.lifetime
        else { throw .notificationTokenNotFound }
        let caller: Caller
        do throws(RecordError) {
            let isKey = try callers.keys.find(account: token.account) != nil
            caller = try callers.current(
                isKey
                    ? .service(ServiceKey(account: token.account, scope: KeyScope(permissions: [])))
                    : .user(token.account, roles: [:]))
        } catch {
            guard error.code == .authenticationFailed else { throw error }
            throw .notificationTokenNotFound
        }
        return NotificationDevice(
            token: token, caller: caller,
            position: reader.database.notificationQueues.position(of: token, stored: row))
    }
}

/// Where the devices are that poll this server. The rows of their tokens lag behind, so that a notification costs no
/// write. After a crash, devices are notified again of what the last minute had.
package final class NotificationQueues: Sendable {
    private struct Queue {
        var position: String
        /// When the position was last stored, in milliseconds since 1970.
        var stored: Int64
        /// Whether a notification was delivered since then.
        var hasMoved = false
    }

    private let queues = Locked<[NotificationToken: Queue]>([:])
    private let notified = Atomic<UInt64>(0)

    /// How long the position after a notification, and one behind other changes, may stay in memory only, in
    /// milliseconds.
    private static let storeMilliseconds: Int64 = 60_000
    private static let passMilliseconds: Int64 = 3_600_000
    /// The number of devices at which those without news are forgotten. Their rows have a position that will do.
    private static let most = 20_000

    /// The number of notifications that clients have received.
    package var notifications: UInt64 { notified.load(ordering: .relaxed) }

    func didNotify(_ count: Int) {
        if count > 0 { notified.add(UInt64(count), ordering: .relaxed) }
    }

    func position(of token: NotificationToken, stored row: NotificationTokenRow) -> String {
        queues.withLock { queues in
            if let known = queues[token] { return known.position }
            if queues.count >= Self.most { queues = queues.filter(\.value.hasMoved) }
            queues[token] = Queue(position: row.position, stored: row.used)
            return row.position
        }
    }

    /// Moves a device.
    ///
    /// - Parameters:
    ///   - isNotified: Whether the device has received a notification, rather than only passed other changes.
    ///   - now: The time in milliseconds since 1970.
    /// - Returns: Whether the position must be stored now.
    func move(_ token: NotificationToken, to position: String, isNotified: Bool, now: Int64) -> Bool {
        queues.withLock { queues in
            var queue = queues[token] ?? Queue(position: position, stored: 0)
            queue.position = position
            if isNotified { queue.hasMoved = true }
            let pause = queue.hasMoved ? Self.storeMilliseconds : Self.passMilliseconds
            // Also after the clock went back.
            let isDue = abs(now - queue.stored) >= pause
            if isDue { (queue.stored, queue.hasMoved) = (now, false) }
            queues[token] = queue
            return isDue
        }
    }

    /// Returns the positions of the devices that have received notifications since their positions were stored.
    func takeMoved() -> [(NotificationToken, String)] {
        queues.withLock { queues in
            let moved = queues.filter(\.value.hasMoved).map { ($0.key, $0.value.position) }
            for (token, _) in moved { queues[token]?.hasMoved = false }
            return moved
        }
    }
}

extension NotificationDevice {
    /// Moves the device behind what it has received, or behind changes that notify nothing. Queues a write now and then,
    /// and returns at once.
    ///
    /// - Parameter isNotified: Whether the device has received a notification.
    package func move(to position: String, isNotified: Bool, in database: RecordDatabase) {
        let now = WallClock.milliseconds
        guard database.notificationQueues.move(token, to: position, isNotified: isNotified, now: now) else { return }
        database.submit(NotificationPositionWrite(token: token, position: position, now: now))
    }
}

/// The pending write that stores the position of a device. No task waits for this write.
private final class NotificationPositionWrite: PendingWrite, @unchecked Sendable {
    private let token: NotificationToken
    private let position: String
    private let now: Int64

    init(token: NotificationToken, position: String, now: Int64) {
        self.token = token
        self.position = position
        self.now = now
        super.init(operations: 0, weight: 1, isAlone: false, startsLazily: true)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        try transaction.store.notificationTokens.note(token.number, of: token.account, position: position, now: now)
    }
}

extension RecordError {
    /// The error for a token of a device that does not exist.
    static let notificationTokenNotFound = RecordError(
        .notFound, "The token is unknown, has expired or is of another account. Create one with tokens/create")
}
