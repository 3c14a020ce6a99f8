internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import Synchronization
internal import Threads

/// What the interface has learned about a request by the time of its response.
struct RequestNote {
    /// The database of the request; `nil` if it was answered without one.
    var database: DatabaseID?
    /// The sender; `nil` if the request was answered before it was authenticated.
    var caller: Caller?
    /// The error that was the response; `nil` for other responses.
    private(set) var error: RecordError?
    /// Whether the request is about a private or shared database, or may be: its query was not read. The names in its
    /// path are then only for callers that may read all private databases.
    var isPrivate: Bool
    /// Whether the log takes the request.
    var isLogged = true
    /// The ticket that the request has used.
    var ticket: FeedTickets.Redeemed?

    init(_ request: HTTPRequest) { isPrivate = request.target.hasQuery }

    /// Keeps the error of the response, and returns it.
    @discardableResult
    mutating func error<Failure: Error>(_ error: Failure) -> Failure {
        self.error = error as? RecordError ?? (error as? APIError)?.error
        return error
    }
}

/// The latest requests, so that an administrator finds out why one was denied. They are kept in memory only.
///
/// Each event loop has its own rings of entries, whose locks are contended only while the log is read. Requests that
/// failed have a ring of their own, so that a stream of good ones does not displace them.
final class RequestLog: Sendable {
    /// One request and its response.
    struct Entry: Sendable {
        /// Ascends over all loops, in the order of the responses.
        let number: Int
        /// The time of the response in milliseconds since 1970.
        let timestamp: Int64
        /// From the request's arrival in the interface to its response.
        let nanoseconds: UInt64
        let method: HTTPMethod
        /// The path without the query, and without secrets: the pattern of the route for a path that is one.
        private let path: String
        /// Whether names in the path are only for callers that may read all private databases.
        private let isPrivate: Bool
        let route: StaticString
        let status: HTTPStatus
        /// The value of X-Request-ID.
        let request: String
        let address: String
        let database: DatabaseID?
        /// The sender without its roles and rights.
        let caller: Caller?
        let code: RecordError.Code?
        private let reason: String?

        /// The entry of a request. Not an initializer: its parameters would be copies.
        fileprivate static func of(
            _ request: HTTPRequest, _ response: HTTPResponse, _ note: RequestNote, number: Int, since start: UInt64
        ) -> Entry {
            let shown =
                response.hidesPath
                ? response.pattern
                : response.hasRoute ? request.target.rawPath : LoggedPath.ofUnmatched(request.target.rawPath)
            return Entry(
                number: number, timestamp: WallClock.milliseconds, nanoseconds: MonotonicClock.now &- start,
                method: request.method, path: RequestLog.cut(shown), isPrivate: note.isPrivate, route: response.route,
                status: response.status, request: request.id, address: request.remoteAddress, database: note.database,
                caller: note.caller?.withoutRights, code: note.error?.code,
                reason: note.error.map { RequestLog.cut($0.reason) })
        }

        /// Returns the path for a reader of the log. Names of records and zones of private databases are replaced by the
        /// pattern of the route, or by `*` without one.
        ///
        /// - Parameter showsPrivate: Whether the reader may read all private databases.
        func path(showsPrivate: Bool) -> String {
            let pattern = "\(route)".split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
            // Only private databases have zones with names.
            guard !showsPrivate, isPrivate || pattern.contains("{zone}") else { return path }
            return pattern.hasPrefix("/") ? pattern : "*"
        }

        /// Returns the sentence of the error for a reader of the log; `nil` for a private database, whose names it may
        /// contain, and without an error.
        ///
        /// - Parameter showsPrivate: As in `path`.
        func reason(showsPrivate: Bool) -> String? {
            !showsPrivate && (isPrivate || "\(route)".contains("{zone}")) ? nil : reason
        }
    }

    private let rings = Locked<[Ring]>([])
    private let counter: Atomic<Int>
    /// The number of entries that each loop keeps of good and of failed requests.
    private let size: Int

    /// - Parameters:
    ///   - size: See `RecordAPIConfiguration.requestLogSize`.
    ///   - start: The time of the server's start, in milliseconds since 1970. The numbers begin with it and ten bits
    ///     more, so that they ascend over restarts of a server with up to a million requests per second. JavaScript reads
    ///     them exactly until 2248.
    init(size: Int, start: Int64 = WallClock.milliseconds) {
        self.size = size
        counter = Atomic(Int(start) << 10)
    }

    /// Whether requests are logged.
    var isOn: Bool { size > 0 }

    /// The number of the latest request.
    var latest: Int { counter.load(ordering: .relaxed) }

    /// Adds the rings of one more loop.
    func makeRing() -> Ring {
        let ring = Ring(size)
        if isOn { rings.withLock { $0.append(ring) } }
        return ring
    }

    /// Removes the rings of a loop that has ended.
    func remove(_ ring: Ring) {
        rings.withLock { rings in rings.removeAll { $0 === ring } }
    }

    /// Adds a request to the ring of its loop.
    func add(_ request: HTTPRequest, _ response: HTTPResponse, _ note: RequestNote, since start: UInt64, to ring: Ring)
    {
        let number = counter.add(1, ordering: .relaxed).newValue
        ring.add(.of(request, response, note, number: number, since: start))
    }

    private static let longest = 512

    private static func cut(_ text: String) -> String {
        text.utf8.count <= longest ? text : String(decoding: text.utf8.prefix(longest), as: UTF8.self)
    }

    /// Returns the entries with higher numbers than `after`, the newest first. A number that this log has not given yet
    /// is from before the clock was set back, and then all entries are newer.
    func entries(after: Int) -> [Entry] {
        let after = after > latest ? 0 : after
        return rings.withLock { $0 }.flatMap { $0.entries(after: after) }.sorted { $0.number > $1.number }
    }

    /// The latest requests of one loop.
    final class Ring: Sendable {
        private struct Slots {
            var entries: [Entry] = []
            var next = 0

            mutating func add(_ entry: Entry, _ size: Int) {
                if entries.count < size {
                    entries.append(entry)
                } else {
                    entries[next] = entry
                    next = (next + 1) % size
                }
            }
        }

        private let slots = Locked<(good: Slots, failed: Slots)>((Slots(), Slots()))
        private let size: Int

        fileprivate init(_ size: Int) { self.size = size }

        fileprivate func add(_ entry: Entry) {
            slots.withLock { slots in
                if entry.status.code < 400 { slots.good.add(entry, size) } else { slots.failed.add(entry, size) }
            }
        }

        fileprivate func entries(after: Int) -> [Entry] {
            slots.withLock { ($0.good.entries + $0.failed.entries).filter { $0.number > after } }
        }
    }
}

extension Caller {
    /// The sender alone. A log that kept roles and scopes would keep the memory of each.
    var withoutRights: Caller {
        switch self {
        case .anonymous, .administrator: self
        case .user(let id, _), .participant(let id, _, _): .user(id, roles: [:])
        case .service(let key): .service(ServiceKey(account: key.account, scope: KeyScope(permissions: [])))
        }
    }
}
