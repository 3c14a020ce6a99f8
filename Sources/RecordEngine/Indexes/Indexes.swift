package import RecordModel
internal import RecordStorage

/// The indexes of a database: what is added to them, and how far their building is.
package struct Indexes: Sendable {
    let database: RecordDatabase

    /// How far the building of indexes is.
    package var progress: IndexProgress { database.indexJob.progress }

    /// Sees to it that indexes are built, and tables of dropped ones taken away, in slices among other writes. Returns at
    /// once. Happens by itself when the database opens and when its schema changes.
    package func build() {
        database.jobs.begin(database.indexJob, in: database)
    }

    /// Waits until nothing is left to build and to drop, or until that has failed or the database was closed.
    package func waitUntilBuilt() async {
        await database.jobs.wait(for: database.indexJob)
    }

    /// Adds indexes to a type: just in time for a query, or because an administrator wants them. What is there already
    /// stays as it is. A small type's indexes are ready when this returns; those of others are built in slices, while
    /// reads and writes go on.
    ///
    /// - Parameter actor: Who wants them, for the audit log; `nil` for a query.
    /// - Throws: `NOT_FOUND` for an unknown type; `BAD_REQUEST` for fields that cannot be indexed so, or for too many.
    package func add(
        _ wish: IndexWish, to typeName: RecordTypeName, by actor: AuditActor? = nil
    ) async throws(RecordError) -> AddedIndexes {
        // A new index may be ready, and have taken the place of one whose table is to go.
        try await database.schemas.change { transaction throws(RecordError) in
            if let actor { try transaction.callers.require(.changeSchema, of: actor) }
            let indexes = try transaction.schemas.addIndexes(wish, to: typeName)
            if let actor { try transaction.auditLog.append(.indexAdd, typeName.text, by: actor) }
            return indexes
        }
    }
}
