/// A record of the source.
package struct RecordPlace: Hashable, Sendable {
    /// The zone.
    package var zone: String
    /// The name of the record.
    package var name: String

    /// Names a record.
    package init(zone: String, name: String) {
        self.zone = zone
        self.name = name
    }
}

/// One walk over records of the source: those of a type in a zone, or the changes of a zone.
package struct WalkName: Hashable, Sendable {
    /// The zone.
    package var zone: String
    /// The type; `nil` for the changes of a zone.
    package var type: String?

    /// Names a walk.
    package init(zone: String, type: String?) {
        self.zone = zone
        self.type = type
    }
}

/// How far a walk is.
package struct WalkState: Hashable, Sendable {
    /// The position of the next page: a continuation marker or a sync token; `nil` for the first page.
    package var position: String?
    /// The records of the next page that are already carried over: name and change tag.
    package var done: Set<String> = []
    /// Whether the walk has reached its end in this run.
    package var isDone = false
    /// The records that this run reads: those modified since then, in milliseconds since 1970; `nil` for all.
    package var since: Int64?
    /// The newest modification that the walk has seen, in milliseconds since 1970.
    package var newest: Int64?
    /// Whether this run reads only what has changed since an earlier one.
    package var isPartial = false
}

/// How many records of a type there are in a zone.
package struct TypeCounts: Hashable, Sendable {
    /// The records carried over in this run.
    package var carried: Int64 = 0

    /// Creates counts.
    package init(carried: Int64 = 0) { self.carried = carried }
}

/// What is known about a record that could not be carried over.
package struct ImportProblem: Hashable, Sendable {
    /// The type; empty if it is not known.
    package var type: String
    /// Why, as a sentence without a period.
    package var reason: String

    /// Describes a problem.
    package init(type: String, reason: String) {
        self.type = type
        self.reason = reason
    }
}

/// Everything that an import must remember to continue where it has stopped.
///
/// It is the sum of the events in the state file. An event is stored after what it says has happened. So after an
/// interruption at any point, at most the last batch is written a second time, with the same names.
package struct ImportState: Hashable, Sendable {
    /// The source and the destination; `nil` before the first event.
    package var identity: ImportIdentity?
    /// The walks, by name.
    package var walks: [WalkName: WalkState] = [:]
    /// The custom zones that were created here, in order.
    package var zones: [String] = []
    /// The counts of this run, by zone and type.
    package var counts: [WalkName: TypeCounts] = [:]
    /// The number of records deleted in this run, by zone.
    package var deleted: [String: Int64] = [:]
    /// Writes that wait for the other records.
    package var deferred: [RecordPlace: DeferredWrite] = [:]
    /// The records that could not be carried over.
    package var problems: [RecordPlace: ImportProblem] = [:]
    /// How many records differ from the source, by the kind of the difference.
    package var notes: [ImportNote: Int64] = [:]
    /// Whether the last run has come to its end.
    package var isComplete = false
    /// The number of the run.
    package var run = 0

    /// The most users without an account that are counted one by one.
    static let mostUsers = 1_000
    /// How far before the newest modification a later run begins: clocks differ, and indexes lag behind.
    static let overlap: Int64 = 10 * 60_000

    /// Creates the state before the first event.
    package init() {}

    /// Adds an event.
    package mutating func apply(_ event: ImportEvent) {
        switch event {
        case .begin(let identity): self.identity = identity
        case .run: beginRun()
        case .zone(let zone):
            if !zones.contains(zone) { zones.append(zone) }
        case .lostZone(let zone): forget(zone)
        case .restart(let walk): restart(walk)
        case .batch(let batch): apply(batch)
        case .complete: isComplete = true
        }
    }

    private mutating func beginRun() {
        run += 1
        isComplete = false
        deleted = [:]
        notes = [:]
        for name in counts.keys { counts[name] = TypeCounts() }
        for (name, walk) in walks {
            var next = WalkState(position: nil, newest: walk.newest)
            if name.type == nil {
                next.position = walk.position
                next.isPartial = walk.position != nil
            } else if let newest = walk.newest {
                next.since = newest - Self.overlap
                next.isPartial = true
            }
            walks[name] = next
        }
    }

    private mutating func forget(_ zone: String) {
        zones.removeAll { $0 == zone }
        walks = walks.filter { $0.key.zone != zone }
        counts = counts.filter { $0.key.zone != zone }
        deferred = deferred.filter { $0.key.zone != zone }
        problems = problems.filter { $0.key.zone != zone }
    }

    /// Begins a walk again, which reads everything.
    private mutating func restart(_ name: WalkName) {
        walks[name] = WalkState()
        for key in counts.keys where key.zone == name.zone && (name.type == nil || key.type == name.type) {
            counts[key] = TypeCounts()
        }
    }

    private mutating func apply(_ batch: ImportBatch) {
        var walk = walks[batch.walk] ?? WalkState()
        if batch.movesOn {
            walk.position = batch.next
            walk.done = []
        }
        walk.done.formUnion(batch.done)
        walk.isDone = walk.isDone || batch.ends
        if let newest = batch.newest { walk.newest = max(newest, walk.newest ?? newest) }
        if batch.movesOn || !batch.done.isEmpty || batch.ends { walks[batch.walk] = walk }
        let zone = batch.walk.zone
        for (type, count) in batch.carried {
            counts[WalkName(zone: zone, type: type), default: TypeCounts()].carried += count
        }
        if batch.deleted != 0 { deleted[zone, default: 0] += batch.deleted }
        for name in batch.settled {
            deferred[RecordPlace(zone: zone, name: name)] = nil
            problems[RecordPlace(zone: zone, name: name)] = nil
        }
        for (name, write) in batch.deferred { deferred[RecordPlace(zone: zone, name: name)] = write }
        for (name, problem) in batch.problems { problems[RecordPlace(zone: zone, name: name)] = problem }
        for (note, count) in batch.notes { add(note, count) }
    }

    private mutating func add(_ note: ImportNote, _ count: Int64) {
        var note = note
        // A container may have millions of users.
        if note.kind == .unmappedUser, notes[note] == nil, notes.count >= Self.mostUsers { note.subject = "" }
        notes[note, default: 0] += count
    }
}
