internal import RecordModel
internal import RecordStorage

/// Changes the schema of a database, as administrators ask for it.
package struct Schemas: Sendable {
    let database: RecordDatabase

    /// Changes the schema in a group of its own; then has the indexes built and dropped that this has left.
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

/// Changes the schema in the tables and in the transaction.
struct SchemaWriter {
    let transaction: WriteTransaction
}
