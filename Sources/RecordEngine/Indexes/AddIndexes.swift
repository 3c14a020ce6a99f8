package import RecordModel
internal import RecordStorage
internal import RecordWire

/// What became of a wish for indexes.
package struct AddedIndexes: Equatable, Sendable {
    /// The indexes that serve the wish, each with its state: first those of the fields, by their number, then those that
    /// were named.
    package var all: [IndexDefinition]
    /// The numbers of those that were not there before this wish; of two who wish for one, it is new to the first.
    package var new: Set<Int64>
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
            if let actor { try transaction.require(.changeSchema, of: actor) }
            let indexes = try transaction.addIndexes(wish, to: typeName)
            if let actor { try transaction.audit(.indexAdd, typeName.text, by: actor) }
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
        guard var type = schema[typeName] else { throw .unknownType(typeName) }
        let known = Set(type.indexes.map(\.id))
        let options = wish.options.sorted { $0.key < $1.key }
        for (id, added) in options {
            guard var field = type[id: id] else { throw .notIndexable("The field does not exist", type: typeName) }
            if let refusal = IndexRules.refusal(of: added, on: field.type) {
                throw .notIndexable(refusal, type: typeName, field: field.name)
            }
            guard !field.options.isSuperset(of: added) else { continue }
            field.options.formUnion(added)
            try setOptions(of: field, in: &type)
        }
        var declared = type.declaredShapes
        let failed = Set(type.indexes.filter(\.isFailed).map(\.shape))
        for shape in wish.indexes {
            try check(shape, of: type)
            // A UNIQUE index that could not be built finds nothing.
            guard !declared.contains(where: { $0 == shape || ($0.serves(shape) && !failed.contains($0)) }) else {
                continue
            }
            declared.removeAll { shape.serves($0) }
            declared.append(shape)
        }
        entriesAtOnce = indexBuilding.entriesAtOnce
        if type != schema[typeName] || declared != type.declaredShapes {
            try setIndexes(of: type, declared: declared, retriesFailed: false)
        }
        guard let current = schema[typeName] else { throw .unknownType(typeName) }
        let fields = options.compactMap { current[id: $0.key].flatMap(current.index(servingOptionsOf:)) }
        let named = wish.indexes.compactMap { shape in
            let able = current.indexes.filter { $0.shape.serves(shape) }
            return able.first { !$0.isFailed } ?? able.first
        }
        let all = fields + named
        return AddedIndexes(all: all, new: Set(all.map(\.id)).subtracting(known))
    }

    func setOptions(of field: FieldDefinition, in type: inout RecordTypeDefinition) throws(RecordError) {
        let number = type.id
        try schemaTable.setOptions(field.options, field: field.id, type: number)
        type.add(field)
    }

    /// Refuses an index that a type cannot have.
    private func check(_ shape: IndexWish.Shape, of type: RecordTypeDefinition) throws(RecordError) {
        var types: [FieldType] = []
        for column in shape.columns {
            switch column.source {
            case .field(let id):
                guard let field = type[id: id] else {
                    throw .notIndexable("The field does not exist", type: type.name)
                }
                types.append(field.type)
            case .system(let field):
                guard IndexRules.systemColumns.contains(field) else {
                    throw .notIndexable("The field \(field.name) cannot stand in an index", type: type.name)
                }
                types.append(QueryField.system(field).type)
            }
        }
        if let refusal = IndexRules.refusal(ofColumns: types, isUnique: shape.isUnique) {
            throw .notIndexable(refusal, type: type.name)
        }
        guard Set(shape.columns.map(\.source)).count == shape.columns.count,
            (shape.kind == .members) == types.contains(where: \.isList)
        else { throw .notIndexable("A field stands twice in the index, or is no list", type: type.name) }
        if shape.mixesReaders(in: type) { throw .uniqueOfDifferentReaders(type.name) }
    }
}

extension IndexWish.Shape {
    /// Whether a UNIQUE index has fields that different callers read: who writes one of them learns by a refusal what stands
    /// in the others.
    func mixesReaders(in type: RecordTypeDefinition) -> Bool {
        guard isUnique else { return false }
        let readers = columns.compactMap { column -> Set<RoleName>? in
            guard case .field(let id) = column.source, let field = type[id: id] else { return nil }
            guard let readers = field.readers, !readers.contains(.world) else { return [.world] }
            return readers
        }
        return Set(readers).count > 1
    }

    /// Whether an index of this shape is as good as one of the other: a UNIQUE one also finds.
    func serves(_ other: IndexWish.Shape) -> Bool {
        kind == other.kind && columns == other.columns && (isUnique || !other.isUnique)
    }
}

extension RecordError {
    static func uniqueOfDifferentReaders(_ type: RecordTypeName) -> RecordError {
        .notIndexable(
            "A unique index tells of all its fields whoever writes one. Give the fields the same 'read', or take one out",
            type: type)
    }

    static func notIndexable(_ reason: String, type: RecordTypeName, field: FieldName? = nil) -> RecordError {
        var details: [(key: String, value: Detail)] = [("recordType", .text(type.text))]
        if let field { details.append(("field", .text(field.text))) }
        return .badRequest(reason, details: details)
    }
}
