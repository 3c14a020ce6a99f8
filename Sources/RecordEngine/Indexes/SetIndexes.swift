internal import RecordModel
internal import RecordStorage

extension WriteTransaction {
    /// Makes the indexes of a type what its fields' options and its declarations ask for: what is missing is made, and
    /// built if the type is small; what nobody asks for any more is dropped. Changes the schema.
    ///
    /// - Parameters:
    ///   - type: With its fields and options as they shall be, and its indexes as they are.
    ///   - declared: All indexes that the schema names.
    ///   - retriesFailed: Whether an index that could not be built is tried anew.
    ///   - widening: The INT64 fields that are becoming DOUBLE; `nil` leaves that as it is.
    func setIndexes(
        of type: RecordTypeDefinition, declared: [IndexWish.Shape], retriesFailed: Bool, widening: Set<Int>? = nil
    ) throws(RecordError) {
        var type = type
        let usable = retriesFailed ? type.indexes.filter { !$0.isFailed } : type.indexes
        var wanted = declared.map { (shape: $0, isDeclared: true) }
        for field in type.fields where !field.options.isEmpty {
            let shape = RecordTypeDefinition.shape(forOptionsOf: field)
            let isServed = declared.contains { candidate in
                candidate.kind == shape.kind && candidate.columns == shape.columns
                    && !usable.contains { $0.shape == candidate && $0.isFailed }
            }
            if !isServed { wanted.append((shape, false)) }
        }
        // Those that could not be built cost nothing, and others may stand in for them.
        let failed = Set(usable.filter(\.isFailed).map(\.shape))
        guard wanted.count(where: { !failed.contains($0.shape) }) <= IndexDefinition.maxPerType else {
            throw .badRequest(
                "The type \(type.name) would have more indexes than a type may have", cause: .tooLarge,
                details: [
                    ("recordType", .text(type.name.text)), ("limit", .number(Int64(IndexDefinition.maxPerType))),
                ])
        }
        var kept: [IndexDefinition] = []
        var new: [IndexDefinition] = []
        for (shape, isDeclared) in wanted {
            if var index = usable.first(where: { $0.shape == shape }) {
                if index.isDeclared != isDeclared {
                    index.isDeclared = isDeclared
                    let id = index.id
                    try indexDefinitions.setDeclared(isDeclared, id)
                }
                kept.append(index)
            } else {
                new.append(try addIndex(shape, isDeclared: isDeclared, of: type))
            }
        }
        for index in type.indexes where !kept.contains(where: { $0.id == index.id }) {
            try indexDefinitions.setDropped(index.id)
        }
        type.indexes = kept.sorted { $0.id < $1.id } + new
        new += try setReplacements(of: &type, widening: widening)
        schema.set(type)
        rightsChanged = true
        try fillAtOnce(new, of: type)
    }

    func addIndex(
        _ shape: IndexWish.Shape, isDeclared: Bool, of type: RecordTypeDefinition
    ) throws(RecordError) -> IndexDefinition {
        var shape = shape
        for position in shape.columns.indices {
            if case .field(let id) = shape.columns[position].source, type[id: id]?.type.element == .double {
                shape.columns[position].readsAsDouble = true
            }
        }
        let wanted = shape
        lastUnindexed = lastSequence
        let id = try indexDefinitions.add(wanted, isDeclared: isDeclared, type: type.id)
        try indexes.table.make(id)
        return IndexDefinition(
            id: id, kind: shape.kind, columns: shape.columns, isUnique: shape.isUnique, isDeclared: isDeclared,
            state: .building(position: 0))
    }
}

extension IndexDefinition {
    var shape: IndexWish.Shape { IndexWish.Shape(kind: kind, columns: columns, isUnique: isUnique) }
}

extension RecordTypeDefinition {
    /// The indexes that the schema names.
    var declaredShapes: [IndexWish.Shape] { indexes.filter(\.isDeclared).map(\.shape) }
}
