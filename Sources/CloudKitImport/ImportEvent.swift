package import RecordWire

/// The source and the destination of an import. A state file belongs to one of them.
package struct ImportIdentity: Hashable, Sendable {
    /// The source.
    package var source: SourceDatabase
    /// The container and environment of this server.
    package var target: String
    /// The record name of the account whose private database gets the records; `nil` for the public database.
    package var owner: String?

    /// Describes an import.
    package init(source: SourceDatabase, target: String, owner: String?) {
        self.source = source
        self.target = target
        self.owner = owner
    }
}

/// A write that waits until all other records are carried over.
package enum DeferredWrite: Hashable, Sendable {
    /// Fields with references whose targets are missing so far, and the whole record without its other fields.
    case fields(record: JSONObject, type: String)
    /// The deletion of a record to which others still refer.
    case deletion
}

/// What became of some records of a page.
package struct ImportBatch: Hashable, Sendable {
    /// The walk to which the records belong.
    package var walk: WalkName
    /// Whether the page is finished.
    package var movesOn = false
    /// The position of the next page, if the page is finished; `nil` after the last page of a type.
    package var next: String?
    /// Whether the page was the last one.
    package var ends = false
    /// The records of an unfinished page that are carried over: name and change tag.
    package var done: [String] = []
    /// The number of records carried over for the first time in this run, by type.
    package var carried: [String: Int64] = [:]
    /// The number of records deleted here.
    package var deleted: Int64 = 0
    /// The newest modification, in milliseconds since 1970.
    package var newest: Int64?
    /// The records about which nothing is left to do.
    package var settled: [String] = []
    /// Writes that must wait, by record name.
    package var deferred: [String: DeferredWrite] = [:]
    /// The records that could not be carried over, by record name.
    package var problems: [String: ImportProblem] = [:]
    /// How many records differ, by the kind of the difference.
    package var notes: [ImportNote: Int64] = [:]

    /// Creates an empty batch.
    package init(_ walk: WalkName) { self.walk = walk }
}

/// One line of the state file.
package enum ImportEvent: Hashable, Sendable {
    /// The import begins.
    case begin(ImportIdentity)
    /// A run begins. A run that continues an interrupted one is the same run.
    case run
    /// A custom zone was created here.
    case zone(String)
    /// A custom zone was deleted here, because the source has deleted it.
    case lostZone(String)
    /// The source no longer knows the position of a walk, which begins again.
    case restart(WalkName)
    /// Records were carried over.
    case batch(ImportBatch)
    /// The run has come to its end.
    case complete
}
