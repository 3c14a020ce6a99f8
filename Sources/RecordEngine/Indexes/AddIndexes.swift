package import RecordModel
internal import RecordStorage
internal import RecordWire

/// What became of a wish for indexes.
package struct AddedIndexes: Equatable, Sendable {
    /// The indexes that serve the wish, each with its state: first those of the fields, by their number, then those that
    /// were named.
    package var all: [IndexDefinition]
    /// The numbers of those that were not there before this wish; of two who wish for one, it is new to the first.
    package var new: Set<IndexID>
}

extension RecordDatabase {
    /// Adds indexes to a type: just in time for a query, or because an administrator wants them. What is there already
    /// stays as it is. A small type's indexes are ready when this returns; those of others are built in slices, while
    /// reads and writes go on.
    ///
    /// - Parameter actor: Who wants them, for the audit log; `nil` for a query.
    /// - Throws: `NOT_FOUND` for an unknown type; `BAD_REQUEST` for fields that cannot be indexed so, or for too many.
    package nonisolated func addIndexes(
        _ wish: IndexWish, to typeName: RecordTypeName, by actor: AuditActor? = nil
    ) async throws(RecordError) -> AddedIndexes {
        let (indexes, hasWork) = try await write(isAlone: true) { transaction throws(RecordError) in
            if let actor { try transaction.callers.require(.changeSchema, of: actor) }
            let indexes = try transaction.addIndexes(wish, to: typeName)
            if let actor { try transaction.auditLog.append(.indexAdd, typeName.text, by: actor) }
            // A new index may be ready, and have taken the place of one whose table is to go.
            let hasWork = try transaction.hasIndexWork()
            return (indexes, hasWork)
        }
        if hasWork { buildIndexes() }
        return indexes
    }
}

extension WriteTransaction {
    func addIndexes(_ wish: IndexWish, to typeName: RecordTypeName) throws(RecordError) -> AddedIndexes {
        guard let type = schema[typeName] else { throw .unknownType(typeName) }
        entriesAtOnce = indexBuilding.entriesAtOnce
        try apply(.adding(wish, to: type))
        guard let current = schema[typeName] else { throw .unknownType(typeName) }
        let fields = wish.options.keys.sorted().compactMap { current[id: $0].flatMap(current.index(servingOptionsOf:)) }
        let named = wish.indexes.compactMap { shape in
            let able = current.indexes.filter { $0.shape.serves(shape) }
            return able.first { !$0.isFailed } ?? able.first
        }
        let all = fields + named
        return AddedIndexes(all: all, new: Set(all.map(\.id)).subtracting(type.indexes.map(\.id)))
    }
}
