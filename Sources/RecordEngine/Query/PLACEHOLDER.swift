package import RecordModel
package import RecordWire

package struct QueryRequest: Sendable {
    package init(caller: Caller, address: DatabaseAddress, typeName: RecordTypeName, input: QueryInput) {}
}

package struct SetRequest: Sendable {
    package enum Change: Sendable {
        case delete
        case modify(RecordInput)
    }

    package init(
        query: QueryRequest, change: Change, isForAll: Bool, isDryRun: Bool, maxAffected: Int?,
        idempotency: IdempotencyKey?
    ) {}
}

extension RecordReader {
    package func query(_ request: QueryRequest) async throws(RecordError) -> [UInt8] {
        throw RecordError(.internalError, "Queries come with the engine")
    }

    package func changeSet(_ request: SetRequest) async throws(RecordError) -> WriteAnswer {
        throw RecordError(.internalError, "Queries come with the engine")
    }
}

extension RecordDatabase {
    package nonisolated var queryAdvice: JSONValue { ["advice": []] }
}
