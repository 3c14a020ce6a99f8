package import RecordModel
internal import RecordStorage

/// One client's stream of a change feed: its position, and the rights with which the next changes are judged.
///
/// A stream holds no changes. If its client does not read, the stream stays where it is, and goes on from there. So a
/// slow client costs the events of one read at most.
///
/// Unchecked: used only on the thread of its reader, one call at a time.
package final class FeedStream: @unchecked Sendable {
    /// What the stream has for its client.
    package enum Delivery {
        /// Events. Afterwards `token(after:)` gives their tokens.
        case events(FeedEvents)
        /// The client must drop what it has: the stream starts from the beginning.
        case reset(RecordError)
    }

    /// Wakes the stream.
    package let signal = FeedSignal()
    package let address: DatabaseAddress
    private let selection: FeedSelection
    private let framing: EventFraming
    private var caller: Caller
    private var position: FeedPosition
    /// Why the stream cannot start where its client has stopped.
    private var lostStart: RecordError?
    private var group: FeedGroup
    /// The version of callers' permissions for which `caller` and `group` are valid.
    package private(set) var rightsVersion: UInt64
    private let watcher: CommitWatcher

    /// Opens a stream. The snapshot of `reader` must be current. If the start is a token that cannot be used, the stream
    /// begins with a reset, because browsers do not connect again after an error.
    ///
    /// - Parameter watcher: The watcher of the reader's thread.
    /// - Throws: See `FeedReader.changes`, except TOKEN_EXPIRED and TOKEN_INVALID; the errors of a query with the
    ///   selection's condition.
    package init(
        _ selection: FeedSelection, in address: DatabaseAddress, for caller: Caller, since start: FeedStart,
        framing: EventFraming, by reader: RecordReader, watcher: CommitWatcher
    ) throws(RecordError) {
        self.selection = selection
        self.address = address
        self.caller = caller
        self.framing = framing
        self.watcher = watcher
        do throws(RecordError) {
            position = try reader.feed.open(start, in: address, for: caller, known: reader.knownSequence)
        } catch  where error.isOfLostPosition {
            position = try reader.feed.open(.beginning, in: address, for: caller, known: reader.knownSequence)
            lostStart = error
        }
        group = try reader.feedGroups.group(address, selection, for: caller, framing: framing, by: reader)
        rightsVersion = reader.rightsVersion
        watcher.add(signal, for: .zone(address))
    }

    deinit {
        watcher.remove(signal, for: .zone(address))
    }

    /// Returns what the client has not received yet. The snapshot of `reader` must be current.
    ///
    /// - Parameter caller: The caller, authenticated just now.
    /// - Throws: The errors of `init`, if the caller may no longer read the feed. The stream must then end.
    package func next(for caller: Caller, by reader: RecordReader) async throws(RecordError) -> Delivery {
        if let error = lostStart.take() { return .reset(error) }
        if reader.rightsVersion != rightsVersion || caller != self.caller {
            self.caller = caller
            rightsVersion = reader.rightsVersion
            group = try reader.feedGroups.group(address, selection, for: caller, framing: framing, by: reader)
            // The token knows what makes it invalid, here as in a request.
            let token = reader.feed.token(of: position, for: caller)
            do throws(RecordError) {
                position = try reader.feed.open(
                    FeedStart(token), in: address, for: caller, known: reader.knownSequence)
            } catch  where error.isOfLostPosition {
                position = try reader.feed.open(.beginning, in: address, for: caller, known: reader.knownSequence)
                return .reset(error)
            }
        } else {
            let zone = try group.zone(by: reader)
            let isNew = position.zone == nil
            if isNew ? zone != nil : !position.isValid(in: zone) {
                position = try reader.feed.open(.beginning, in: address, for: caller, known: reader.knownSequence)
                if !isNew { return .reset(.tokenTooOld) }
            }
        }
        return .events(try await group.events(after: position, by: reader))
    }

    /// Moves the stream behind events, and returns the sync tokens of the events.
    ///
    /// - Parameter each: Receives the index of each event and its token.
    /// - Returns: Whether the position has changed.
    package func move(behind events: FeedEvents, by reader: RecordReader, _ each: (Int, String) -> Void) -> Bool {
        var place = position
        for (index, entry) in events.entries.enumerated() {
            place.token.sequence = entry.sequence
            if !events.moreComing, index == events.entries.count - 1 {
                place.token.sequence = events.end.sequence
                place.token.complete = events.end.complete
            }
            each(index, reader.feed.token(of: place, for: caller))
        }
        let hasMoved = position.token.sequence != events.end.sequence
        position.token.sequence = events.end.sequence
        position.token.complete = events.end.complete
        reader.database.commitBroadcast.didDeliver(events.entries.count)
        return hasMoved
    }

    /// The stream's position as a sync token; `FeedStart.beginningText` in a zone that has never had a write.
    package func token(by reader: RecordReader) -> String {
        position.zone == nil ? FeedStart.beginningText : reader.feed.token(of: position, for: caller)
    }
}
