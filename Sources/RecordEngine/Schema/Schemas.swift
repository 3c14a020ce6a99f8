internal import RecordModel
internal import RecordStorage

/// The schema changes of a database.
package struct Schemas: Sendable {
    let database: RecordDatabase

    /// Changes the schema in a group of its own, then starts the jobs that build and drop indexes and rewrite
    /// records, if needed.
    ///
    /// - Throws: Any error of `body`; TRY_AGAIN_LATER if the database accepts no writes.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        let (value, hasIndexWork, hasFormerNames) = try await database.write(isAlone: true) {
            transaction throws(RecordError) in
            (try body(transaction), try transaction.indexWork.isLeft(), transaction.schema.hasFormerNames)
        }
        if hasIndexWork { database.indexes.build() }
        if hasFormerNames { database.slices.begin(database.renameWork, in: database) }
        return value
    }
}

/// Changes the schema in the tables, and the transaction's schema in memory.
struct SchemaWriter {
    let transaction: WriteTransaction
}
