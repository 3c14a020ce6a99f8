internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import Synchronization
internal import Threads

/// When a response or request that stays open must authenticate its caller again: after each change of callers, at the
/// end of the caller's key or session, and at least every 15 seconds.
///
/// What is sent in the meantime does not move the deadline. So a busy stream does not outlive its caller. A look at the
/// deadline costs two loads and a look at the clock, and an authentication is a hash and a cached lookup.
final class AuthenticationDeadline: Sendable {
    private let database: RecordDatabase
    /// The version of callers at the last authentication. No real one at first, so that the first look finds it passed.
    private let version = Atomic<UInt64>(.max)
    /// In nanoseconds of the monotonic clock; 0 until the first tick.
    private let due = Atomic<UInt64>(0)
    /// When the key or session ends, in milliseconds since 1970.
    private let expires = Atomic<Int64>(.max)
    /// The time of the last tick, in nanoseconds of the monotonic clock.
    private let time = Atomic<UInt64>(0)
    /// Returns the time in milliseconds since 1970.
    private let wallClock: @Sendable () -> Int64

    /// The longest time between two authentications, in nanoseconds.
    static let interval: UInt64 = 15_000_000_000

    /// Creates a deadline that has passed.
    init(_ database: RecordDatabase, wallClock: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }) {
        self.database = database
        self.wallClock = wallClock
    }

    /// Notes the time.
    ///
    /// - Parameter now: In nanoseconds of the monotonic clock.
    /// - Returns: Whether the deadline has passed.
    func tick(_ now: UInt64) -> Bool {
        time.store(now, ordering: .relaxed)
        if due.load(ordering: .relaxed) == 0 { due.store(now &+ Self.interval, ordering: .relaxed) }
        return hasPassed
    }

    /// Whether the caller must be authenticated before anything else is sent.
    var hasPassed: Bool {
        version.load(ordering: .relaxed) != database.callersVersion
            || time.load(ordering: .relaxed) >= due.load(ordering: .relaxed) && due.load(ordering: .relaxed) != 0
            || wallClock() >= expires.load(ordering: .relaxed)
    }

    /// Returns the caller with its current rights, and moves the deadline.
    ///
    /// - Parameters:
    ///   - fields: The fields of the request, with its credential.
    ///   - reader: A reader that was refreshed just now.
    /// - Throws: AUTHENTICATION_FAILED if the credential is no longer valid. What is open must then end.
    func authenticate(_ fields: HTTPFields, with reader: RecordReader) throws(RecordError) -> Caller {
        let version = reader.callersVersion
        let found = try Bearer.authentication(fields, with: reader)
        move(to: version, expires: found.expires)
        return found.caller
    }

    /// Moves the deadline after an authentication.
    ///
    /// - Parameters:
    ///   - version: `RecordReader.callersVersion` before the authentication.
    ///   - expires: When the credential ends, in milliseconds since 1970.
    func move(to version: UInt64, expires: Int64 = .max) {
        self.version.store(version, ordering: .relaxed)
        self.expires.store(expires, ordering: .relaxed)
        let now = time.load(ordering: .relaxed)
        due.store(now == 0 ? 0 : now &+ Self.interval, ordering: .relaxed)
    }
}

/// The sender of a request whose body arrives or leaves in pieces, such as an upload, or the download of a backup.
///
/// Between the pieces, the sender is authenticated again at its deadline. Unlike a stream, a transfer has no ticks.
final class TransferSender: Sendable {
    private let deadline: AuthenticationDeadline
    private let context: RecordAPIContext
    private let id: DatabaseID?
    private let fields: HTTPFields
    private let right: AdministratorOperation?
    private let clock: @Sendable () -> UInt64

    /// Creates the sender of a request that was authenticated just now.
    ///
    /// - Parameter clock: Returns the time in nanoseconds of the monotonic clock.
    init(_ call: RecordCall, clock: @escaping @Sendable () -> UInt64 = { MonotonicClock.now }) throws(RecordError) {
        id = try call.query.databaseID(default: call.api.configuration.defaultDatabase)
        deadline = AuthenticationDeadline(call.database)
        context = call.context
        fields = call.request.fields
        right = call.right
        self.clock = clock
        deadline.move(to: call.reader.callersVersion)
    }

    /// Authenticates the sender if the deadline has passed. Called on the thread of the context before each piece.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the credential is no longer valid; ACCESS_DENIED if the sender has lost the
    ///   right that the route requires.
    @Sendable func check() async throws {
        guard deadline.tick(clock()) else { return }
        try await context.reading(id) { reader in
            try reader.refresh()
            let sender = try self.deadline.authenticate(self.fields, with: reader)
            guard let right = self.right, Authorization.authorize(sender, right) != .allowed else { return }
            throw RecordError(.accessDenied, "The sender lost the right \(right.rawValue) during the request")
        }
    }
}
