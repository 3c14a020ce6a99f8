package import RecordModel
internal import RecordStorage
internal import RecordWire

/// Reads the change feeds of zones in the snapshot of one reader.
package struct FeedReader {
    let reader: RecordReader

    private var store: StoreReader { reader.store }

    /// The maximum number of rows that one filtered read of the feed scans.
    private static let feedWindow = 5_000

    // MARK: Positions

    /// Returns the position at which a reader of the feed starts.
    ///
    /// - Parameter known: The sequence number up to which the thread of the request knows the caller's rights.
    ///   - keepsNames: Whether the reader keeps copies of records under the names of their fields. Such a reader must start
    ///     again after a rename.
    /// - Throws: See `changes`.
    func open(
        _ start: FeedStart, in address: DatabaseAddress, for caller: Caller, known: Int64, keepsNames: Bool = true
    ) throws(RecordError) -> FeedPosition {
        if !Authorization.mayEnter(caller, address.scope) {
            throw .rejected(caller, .read, .privateDatabase)
        }
        guard let zone = try reader.zoneRow(address) else {
            // The zone has never had a write, so its feed is empty and each call starts from the beginning. A token
            // then refers to a state that a restored copy of this file has lost.
            if case .token = start { throw .tokenOfLostState }
            return FeedPosition(zone: nil, token: .beginning)
        }
        // A participant has rights in one zone.
        if let participation = caller.participation, participation.zone != zone.id { throw .zoneNotFound }
        // The snapshot may contain a change of rights that this thread does not know yet. The page was made without
        // this change. The token gets the older sequence number, so that the change makes the token invalid.
        let rights = min(try reader.callers.lastChangeOfRights(of: caller, in: address.scope), known)
        // Renames change no record, so that nothing else in the feed would tell a client that its copies have old names.
        // A client that wrote such a copy back would remove the renamed fields.
        let renamed = reader.schema.lastRename
        var token = SyncToken(
            generation: zone.generation, sequence: 0, rights: rights, floor: max(zone.purged, renamed), complete: 0)
        switch start {
        case .beginning: break
        case .now:
            token.sequence = min(try store.records.newestSequence(zone: zone.id), known)
            token.complete = token.sequence
        case .token(let text):
            token = try SyncToken.open(text, zone: zone.id, caller: caller, by: reader)
            // If the file was in use when it was copied, a token that another copy issued afterwards may be in a known
            // epoch. The number of such a token is not in the zone at first.
            let newest = try store.records.newestSequence(zone: zone.id)
            guard token.generation == zone.generation, token.sequence <= max(newest, zone.purged) else {
                throw .tokenOfLostState
            }
            guard !token.hasMissed(purged: zone.purged) else { throw .tokenTooOld }
            guard !keepsNames || !token.hasMissed(purged: renamed) else { throw .tokenOfOtherNames }
            guard token.rights == rights else { throw .tokenOfOtherRights }
        }
        return FeedPosition(zone: zone.id, token: token)
    }

    /// Returns a position as a sync token for a caller.
    func token(of position: FeedPosition, for caller: Caller) -> String {
        guard let zone = position.zone else { return "" }
        return position.token.sealed(zone: zone, caller: caller, by: reader)
    }

    /// Returns the sync token of a zone's newest change; empty for a default zone that has never had a write, whose feed
    /// starts at its beginning.
    ///
    /// - Throws: See `changes`.
    package func currentToken(in address: DatabaseAddress, for caller: Caller) throws(RecordError) -> String {
        token(of: try open(.now, in: address, for: caller, known: reader.knownSequence), for: caller)
    }

    // MARK: Changes

    /// Appends the changes after a position to `output`, oldest first.
    ///
    /// - Returns: The position after the changes, and whether more changes exist already; `nil` if the time limit ends
    ///   before the page is complete.
    func read(
        _ read: FeedRead, into output: inout some FeedOutput, _ time: inout PageTimeLimit
    ) throws(RecordError) -> (position: FeedPosition, moreComing: Bool)? {
        guard let zone = read.position.zone else { return (read.position, false) }
        var token = read.position.token
        let (scope, caller, limit) = (read.address.scope, read.caller, read.limit)
        let filter = feedFilter(for: caller, in: scope, read.selection)
        let newest = try store.records.newestSequence(zone: zone)
        // The snapshot may contain rows of a commit that is not published yet. If this thread does not know their types
        // and grants, it would skip these rows, and no later page would return them. The next page returns them
        // instead.
        var bound = min(newest, read.known, read.through)
        if case .types = filter {
            // A filtered read scans a limited number of rows, even if the caller may see few of them.
            let position = token.sequence
            let end = try store.records.window(zone: zone, after: position, count: max(limit * 4, Self.feedWindow))
            if let end { bound = min(end, bound) }
        }
        var bounds = PageLimits(limit: limit, bytes: read.pageBytes)
        var isCut = false
        var isLate = false
        var rows = 0
        var shownFields: [TypeID: VisibleFields] = [:]
        func shown(_ type: RecordTypeDefinition) -> VisibleFields {
            if let known = shownFields[type.id] { return known }
            let shown = VisibleFields(
                read.selection.fields, of: type, Visibility(of: type, for: caller, in: scope), as: read.face)
            shownFields[type.id] = shown
            return shown
        }
        let (position, complete) = (token.sequence, token.complete)
        // If single rows may be skipped, read more rows than the page needs.
        let mayPassOver =
            read.matcher != nil
            || caller.isBoundByGrants && reader.schema.types.values.contains { $0.hasAccessLists }
        let look = mayPassOver ? max(limit * 4, Self.feedWindow) : limit + 1
        let first = try store.records.changes(zone: zone, after: position, through: bound, limit: look, filter: filter)
        if let records = first {
            defer { records.finish() }
            repeat {
                if records.row.sequence > read.through { break }
                if isLate {
                    isCut = true
                    break
                }
                let row = records.row
                // This thread does not know types that were committed after the rows of this read.
                guard let type = reader.type(row.type) else {
                    isCut = true
                    break
                }
                rows += 1
                if time.isOver(afterRowOf: records.fields.count) {
                    guard time.endsPage else { return nil }
                    isLate = true
                }
                // The filter used the grants that this thread knows. Check newer grants and access lists here.
                let shown = shown(type)
                let isReadable = shown.visibility.mayRead(row.facts)
                let sequence = row.sequence
                if bounds.areReached(by: output.count, output.bytes) {
                    // Only a change that the caller may see leads to another page, so that no other change shows.
                    if isReadable || shown.visibility.couldRead(row, after: complete) {
                        isCut = true
                        break
                    }
                    token.sequence = sequence
                    continue
                }
                if isReadable, !row.isDeleted {
                    let isMatch: Bool
                    if let matcher = read.matcher {
                        guard let result = try matcher.matches(records.record, endsPage: time.endsPage) else {
                            return nil
                        }
                        isMatch = result
                    } else {
                        isMatch = true
                    }
                    if isMatch {
                        try output.append(.change, sequence: sequence) { json throws(RecordError) in
                            try reader.append(records.record, row.systemFields, type, shown, to: &json)
                        }
                        bounds.didRead(shown.bytes(of: records.record, creator: row.creator))
                    } else if row.id.rawValue <= position {
                        // The client may have the record from before. A newer record cannot have left.
                        try output.append(.leave, sequence: sequence) { json in
                            RecordComposer.appendReference(name: records.name, typeName: type.name, to: &json)
                        }
                    }
                } else if isReadable || shown.visibility.couldRead(row, after: complete) {
                    if row.isDeleted || read.matcher == nil {
                        try output.append(.change, sequence: sequence) { json in
                            if let face = read.face.cloudKit {
                                CloudKitComposer.appendTombstone(
                                    name: records.name, revision: row.revision, as: face, to: &json)
                            } else {
                                RecordComposer.appendTombstone(name: records.name, typeName: type.name, to: &json)
                            }
                        }
                    } else {
                        try output.append(.leave, sequence: sequence) { json in
                            RecordComposer.appendReference(name: records.name, typeName: type.name, to: &json)
                        }
                    }
                }
                token.sequence = sequence
            } while try records.next()
            // All rows of the read have been processed, some of them skipped.
            if rows == look { isCut = true }
        }
        if !isCut { token.sequence = max(token.sequence, bound) }
        let moreComing = token.sequence < newest
        if !moreComing { token.complete = token.sequence }
        return (FeedPosition(zone: zone, token: token), moreComing)
    }

    /// Returns the types that the caller may see. This applies `authorize` to all types at once.
    private func feedFilter(
        for caller: Caller, in scope: DatabaseScope, _ selection: FeedSelection
    ) -> RecordFinder.FeedFilter {
        var all: [TypeID] = []
        var own: [TypeID] = []
        for type in reader.schema.types.values where selection.contains(type) {
            switch Authorization.permitted(of: .read, for: caller, in: scope, type: type) {
            case .all: all.append(type.id)
            case .own: own.append(type.id)
            case .none: break
            }
        }
        if all.count == reader.schema.types.count { return .everything }
        // Share records have a type that no schema lists.
        if selection.contains(.shares), Authorization.mayEnter(caller, scope), scope != .publicDatabase {
            all.append(RecordTypeDefinition.shares.id)
        }
        return .types(all: all.sorted(), own: own.sorted(), user: caller.userID ?? .nobody)
    }
}

/// Where a reader of the change feed starts.
package enum FeedStart: Hashable, Sendable {
    /// At the first change. The client gets all records.
    case beginning
    /// After the newest change.
    case now
    /// After the last change that the client has received.
    case token(String)

    /// The text of the beginning. A stream sends it as an id where an empty id would not do: a browser sends no empty id
    /// back, and what the URL says would apply again.
    package static let beginningText = "beginning"

    /// Creates a start from the text of a request: `now`, `beginning`, or a sync token. No text is the beginning.
    package init(_ text: String?) {
        self =
            switch text {
            case nil, "", Self.beginningText: .beginning
            case "now": .now
            case .some(let token): .token(token)
            }
    }
}

extension RecordError {
    /// Whether a position cannot be used, so that a stream must go on from another one: its token has expired, or belongs
    /// to something else.
    package var isOfLostPosition: Bool { cause == .tokenExpired || cause == .tokenInvalid }
}

/// A position in the change feed of a zone.
struct FeedPosition: Hashable, Sendable {
    /// The zone; `nil` if the zone has never had a write.
    var zone: ZoneID?
    /// The position, not sealed.
    var token: SyncToken

    /// Returns whether the position is still one of its zone, and no tombstones after it have been deleted.
    func isValid(in zone: ZoneRow?) -> Bool {
        guard let zone, zone.id == self.zone else { return false }
        return zone.generation == token.generation && !token.hasMissed(purged: zone.purged)
    }
}

/// One read of a change feed.
struct FeedRead {
    let position: FeedPosition
    let address: DatabaseAddress
    let caller: Caller
    let selection: FeedSelection
    /// The condition of `selection`, bound to its type.
    var matcher: FeedMatcher?
    /// The maximum number of changes.
    let limit: Int
    /// The size of the changes in bytes above which no further change is added.
    let pageBytes: Int
    /// The sequence number up to which the thread of the request knows types, grants and roles.
    let known: Int64
    /// The sequence number of the last change to read.
    var through = Int64.max
    /// The protocol in which the changes are written.
    var face = RecordFace.native
}

/// The kind of a change in a feed.
enum FeedChangeKind {
    /// A record in its newest state, or a tombstone.
    case change
    /// A record that no longer matches the feed's condition, or that the caller can no longer read.
    case leave
}

/// The destination of the changes that a read of the feed finds.
protocol FeedOutput {
    /// The number of changes so far.
    var count: Int { get }
    /// The number of bytes of the changes so far.
    var bytes: Int { get }

    /// Appends a change.
    ///
    /// - Parameter compose: Appends the JSON of the change.
    mutating func append(
        _ kind: FeedChangeKind, sequence: Int64, _ compose: (inout [UInt8]) throws(RecordError) -> Void
    ) throws(RecordError)
}

extension Visibility {
    fileprivate func couldRead(_ row: RecordRow, after complete: Int64) -> Bool {
        guard let former = row.formerReaders else { return false }
        return couldRead(creator: row.creator, formerReaders: former, after: complete)
    }
}

extension RecordError {
    static let tokenTooOld = tokenExpired("The sync token is too old: deletions since then are no longer kept")
    static let tokenOfOtherNames = tokenExpired("Types or fields were renamed since the sync token was given")
    static let tokenOfOtherRights = tokenExpired("The caller's rights have changed since the sync token was given")
    static let tokenOfLostState = tokenExpired(
        "The sync token is of a state that this database does not have: it was restored from a backup, or recreated")

    private static func tokenExpired(_ why: String) -> RecordError {
        .badRequest("\(why). Read the feed from its beginning", cause: .tokenExpired)
    }
}
