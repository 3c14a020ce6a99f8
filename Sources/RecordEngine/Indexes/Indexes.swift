package import RecordModel
internal import RecordStorage

/// Adds and builds the indexes of a database.
package struct Indexes: Sendable {
    let database: RecordDatabase

    /// The progress of index builds.
    package var progress: IndexProgress { database.indexWork.progress }

    /// Starts to build indexes and to remove the tables of dropped indexes, in slices between other writes. Returns
    /// immediately. The database calls this when it opens and when its schema changes.
    package func build() {
        database.slices.begin(database.indexWork, in: database)
    }

    /// Waits until no index is left to build or drop. Also returns if the work fails or the database is closed.
    package func waitUntilBuilt() async {
        await database.slices.wait(for: database.indexWork)
    }

    /// Adds indexes to a type, for a query or for an administrator. Existing indexes stay unchanged. If the type has
    /// few records, the indexes are ready when this method returns. Otherwise they are built in slices, while reads and
    /// writes continue.
    ///
    /// Requested by an administrator, a failed index is built again, and an index that fails in this call is an error. A
    /// query leaves a failed index as it is, so that queries do not try again and again.
    ///
    /// - Parameter actor: The administrator that adds the indexes, for the audit log; `nil` if a query adds them.
    /// - Throws: NOT_FOUND for an unknown type; BAD_REQUEST for fields that cannot be indexed, or for too many indexes;
    ///   AUTHENTICATION_REQUIRED or ACCESS_DENIED if `actor` may not change the schema; CONFLICT if records do not fit an
    ///   index.
    package func add(
        _ request: IndexRequest, to typeName: RecordTypeName, by actor: AuditActor? = nil
    ) async throws(RecordError) -> AddedIndexes {
        // A new index may be ready immediately. The table of an index that it replaces must then be dropped.
        try await database.schemas.change { transaction throws(RecordError) in
            guard let actor else { return try transaction.schemas.addIndexes(request, to: typeName) }
            try transaction.callers.require(.changeSchema, of: actor)
            var request = request
            request.retriesFailed = true
            let before = transaction.schema
            let indexes = try transaction.schemas.addIndexes(request, to: typeName)
            try transaction.schemas.rejectFailures(since: before, by: actor)
            try transaction.auditLog.append(.indexAdd, typeName.text, by: actor)
            return indexes
        }
    }
}
