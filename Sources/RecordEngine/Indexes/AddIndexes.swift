package import RecordModel
internal import RecordWire

/// The result of an index request.
package struct AddedIndexes: Equatable, Sendable {
    /// The indexes that serve the request, each with its state. Indexes for field options come first, sorted by field
    /// number. Indexes requested by columns follow.
    package var all: [IndexDefinition]
    /// The ids of the indexes that this request created. If two requests add the same index, only the first response
    /// lists its id here.
    package var new: Set<IndexID>
}

extension SchemaWriter {
    /// Adds the requested indexes that the type lacks.
    ///
    /// - Throws: NOT_FOUND for an unknown type; BAD_REQUEST for fields that cannot be indexed, or for too many indexes.
    func addIndexes(_ request: IndexRequest, to typeName: RecordTypeName) throws(RecordError) -> AddedIndexes {
        guard let type = transaction.schema[typeName], typeName != .share else { throw .unknownType(typeName) }
        transaction.inlineEntries = transaction.indexBuilding.inlineEntries
        try apply(.adding(request, to: type))
        guard let current = transaction.schema[typeName] else { throw .unknownType(typeName) }
        let fields = request.options.keys.sorted().flatMap {
            current[id: $0].map(current.indexes(servingOptionsOf:)) ?? []
        }
        let named = request.indexes.compactMap { shape in
            let able = current.indexes.filter { $0.shape.serves(shape) }
            return able.first { !$0.isFailed } ?? able.first
        }
        let all = fields + named
        return AddedIndexes(all: all, new: Set(all.map(\.id)).subtracting(type.indexes.map(\.id)))
    }
}
