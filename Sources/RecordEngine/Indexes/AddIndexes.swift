package import RecordModel
internal import RecordWire

/// What became of a wish for indexes.
package struct AddedIndexes: Equatable, Sendable {
    /// The indexes that serve the wish, each with its state: first those of the fields, by their number, then those that
    /// were named.
    package var all: [IndexDefinition]
    /// The numbers of those that were not there before this wish; of two who wish for one, it is new to the first.
    package var new: Set<IndexID>
}

extension SchemaWriter {
    /// Adds what a wish lacks.
    func addIndexes(_ wish: IndexWish, to typeName: RecordTypeName) throws(RecordError) -> AddedIndexes {
        guard let type = transaction.schema[typeName] else { throw .unknownType(typeName) }
        transaction.entriesAtOnce = transaction.indexBuilding.entriesAtOnce
        try apply(.adding(wish, to: type))
        guard let current = transaction.schema[typeName] else { throw .unknownType(typeName) }
        let fields = wish.options.keys.sorted().compactMap { current[id: $0].flatMap(current.index(servingOptionsOf:)) }
        let named = wish.indexes.compactMap { shape in
            let able = current.indexes.filter { $0.shape.serves(shape) }
            return able.first { !$0.isFailed } ?? able.first
        }
        let all = fields + named
        return AddedIndexes(all: all, new: Set(all.map(\.id)).subtracting(type.indexes.map(\.id)))
    }
}
