internal import RecordModel
internal import RecordStorage

/// The schema changes of a database.
package struct Schemas: Sendable {
    let database: RecordDatabase

    /// Changes the schema in a group of its own, then starts the job that builds and drops indexes if needed.
    ///
    /// - Throws: Any error of `body`; TRY_AGAIN_LATER if the database accepts no writes.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        let (value, hasIndexWork) = try await database.write(isAlone: true) { transaction throws(RecordError) in
            (try body(transaction), try transaction.indexWork.isLeft())
        }
        if hasIndexWork { database.indexes.build() }
        return value
    }
}

/// Changes the schema in the tables, and the transaction's schema in memory.
struct SchemaWriter {
    let transaction: WriteTransaction
}
