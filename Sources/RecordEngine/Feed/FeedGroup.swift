internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The streams of one thread that get the same events: those of the same zone and selection whose callers have the same
/// rights.
///
/// The group composes each event once. Confined to the thread of its reader.
final class FeedGroup {
    /// What the streams of a group have in common.
    struct Key: Hashable, Sendable {
        let address: DatabaseAddress
        let selection: FeedSelection
        let readers: Readers
        /// The version of callers' permissions with which the events are composed.
        let rightsVersion: UInt64
    }

    /// The callers whose rights are the same.
    enum Readers: Hashable, Sendable {
        /// One caller, because its rights differ from record to record.
        case caller(Caller)
        /// All signed-in users with exactly these roles.
        case users(roles: Set<RoleID>)
    }

    let key: Key
    /// A caller of the group. All of them have the same rights.
    private let caller: Caller
    private let matcher: RecordMatcher?
    private let framing: EventFraming
    /// The events after each position of a stream, in the snapshot with `commits` commits.
    private var pages: [Place: FeedEvents] = [:]
    private var commits: UInt64 = 0
    private var zone: ZoneRow?

    private struct Place: Hashable {
        let sequence: Int64
        let complete: Int64
    }

    init(_ key: Key, caller: Caller, matcher: RecordMatcher?, framing: EventFraming) {
        self.key = key
        self.caller = caller
        self.matcher = matcher
        self.framing = framing
    }

    /// Returns the zone; `nil` if it has never had a write. The snapshot of `reader` must be current.
    func zone(by reader: RecordReader) throws(RecordError) -> ZoneRow? {
        try refresh(reader)
        return zone
    }

    /// Drops what belongs to an older snapshot.
    private func refresh(_ reader: RecordReader) throws(RecordError) {
        let seen = reader.store.seenCommits
        guard seen != commits else { return }
        pages.removeAll(keepingCapacity: true)
        zone = try reader.zoneRow(key.address)
        commits = seen
    }

    /// Returns the events after a position. The snapshot of `reader` must be current.
    ///
    /// - Throws: TRY_AGAIN_LATER if the reader pool is full; QUERY_TOO_EXPENSIVE for a condition that takes too long.
    func events(after position: FeedPosition, by reader: RecordReader) async throws(RecordError) -> FeedEvents {
        try refresh(reader)
        let seen = commits
        let place = Place(sequence: position.token.sequence, complete: position.token.complete)
        if let known = pages[place] { return known }
        let events = try await reader.page(
            EventsRequest(
                group: key, matcher: matcher, caller: caller, position: position, known: reader.knownSequence,
                framing: framing))
        // The reader's snapshot may be another one if a thread of the pool composed the events.
        if reader.store.seenCommits == commits, commits == seen { pages[place] = events }
        return events
    }
}

/// The groups of one thread. Confined to the thread of its reader.
final class FeedGroups {
    private struct Entry {
        weak var group: FeedGroup?
    }

    private var groups: [FeedGroup.Key: Entry] = [:]
    private var nextSweep = 64

    /// Returns the group for a caller, or creates it.
    ///
    /// - Throws: The errors of binding the selection's condition.
    func group(
        _ address: DatabaseAddress, _ selection: FeedSelection, for caller: Caller, framing: EventFraming,
        by reader: RecordReader
    ) throws(RecordError) -> FeedGroup {
        let readers = Self.readers(like: caller, in: address.scope, selection, reader.schema)
        let key = FeedGroup.Key(
            address: address, selection: selection, readers: readers, rightsVersion: reader.rightsVersion)
        if let known = groups[key]?.group { return known }
        let matcher = try reader.feed.matcher(of: selection, in: address, for: caller)
        let group = FeedGroup(key, caller: caller, matcher: matcher, framing: framing)
        if groups.count >= nextSweep {
            groups = groups.filter { $0.value.group != nil }
            nextSweep = max(64, groups.count * 2)
        }
        groups[key] = Entry(group: group)
        return group
    }

    /// Returns the callers that share events with a caller. Users share events if no right depends on who created a
    /// record and no access list can name them.
    private static func readers(
        like caller: Caller, in scope: DatabaseScope, _ selection: FeedSelection, _ schema: Schema
    ) -> FeedGroup.Readers {
        guard case .user(_, let roles) = caller, scope == .publicDatabase, selection.condition == nil else {
            return .caller(caller)
        }
        for type in schema.types.values where selection.contains(type) {
            let visibility = Visibility(of: type, for: caller, in: scope)
            if case .own = visibility.reads { return .caller(caller) }
            if type.hasAccessLists { return .caller(caller) }
            if let fields = visibility.fields, fields.unreadable(isOwn: true) != fields.unreadable(isOwn: false) {
                return .caller(caller)
            }
        }
        return .users(roles: Set(roles.values))
    }
}
