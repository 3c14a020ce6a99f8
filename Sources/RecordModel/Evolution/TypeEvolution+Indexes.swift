/// Indexes, and INT64 fields that become DOUBLE.
///
/// What is stored of such a field stays as it is, and is read as the DOUBLE that it equals. So all that takes time is to see
/// that every value equals one, and to make the indexes on the field again: both are index builds, in slices. Until all of
/// it is done the field is what it was, for reads, writes and queries; then one transaction makes it a DOUBLE. A value that
/// no DOUBLE equals fails the check, and nothing has changed.
extension TypeEvolution {
    /// Makes the indexes what the fields' options and the declarations ask for: adds what is missing, and drops what nobody
    /// asks for any more.
    ///
    /// - Parameters:
    ///   - declared: All indexes that the schema names.
    ///   - retriesFailed: Whether an index that could not be built is tried again.
    ///   - widening: The INT64 fields that become DOUBLE; `nil` leaves that as it is.
    mutating func changeIndexes(
        declared: [IndexWish.Shape], retriesFailed: Bool, widening: Set<Int>?
    ) throws(RecordError) {
        let known = type.indexes
        let usable = retriesFailed ? known.filter { !$0.isFailed } : known
        // Those that could not be built cost nothing, and others may stand in for them.
        let failed = Set(usable.filter(\.isFailed).map(\.shape))
        var wanted = declared.map { (shape: $0, isDeclared: true) }
        for field in type.fields where !field.options.isEmpty {
            let shape = RecordTypeDefinition.shape(forOptionsOf: field)
            let isServed = declared.contains {
                $0.kind == shape.kind && $0.columns == shape.columns && !failed.contains($0)
            }
            if !isServed { wanted.append((shape, false)) }
        }
        guard wanted.count(where: { !failed.contains($0.shape) }) <= IndexDefinition.maxPerType else {
            throw .badSchema(
                "The type \(type.name) would have more indexes than a type may have", type.name,
                limit: IndexDefinition.maxPerType)
        }
        var kept: Set<IndexID> = []
        for (shape, isDeclared) in wanted {
            guard let index = usable.first(where: { $0.shape == shape }) else {
                addIndex(shape, isDeclared: isDeclared)
                continue
            }
            kept.insert(index.id)
            if index.isDeclared != isDeclared { add(.declareIndex(index.id, isDeclared: isDeclared)) }
        }
        for index in known where !kept.contains(index.id) { add(.dropIndex(index.id)) }
        changeReplacements(widening: widening)
        let addsIndexes = steps.contains { step in
            if case .addIndex = step.change { true } else { false }
        }
        if addsIndexes { add(.buildIndexes(widening: widening ?? [])) }
    }

    /// Adds the checks and the indexes for fields that become DOUBLE, and drops those that are not needed any more.
    private mutating func changeReplacements(widening: Set<Int>?) {
        let known = type.replacements
        let fields = widening ?? type.wideningFields
        var shapes = fields.sorted().map {
            IndexWish.Shape(kind: .widening, columns: [IndexDefinition.Column(.field($0))])
        }
        for index in type.indexes where !index.isFailed {
            var shape = index.shape
            for position in shape.columns.indices {
                guard case .field(let id) = shape.columns[position].source, fields.contains(id) else { continue }
                shape.columns[position].readsAsDouble = true
            }
            if !shape.readsNumbers(as: index.shape) { shapes.append(shape) }
        }
        // Why a field could not be widened is shown until somebody decides on it.
        var kept = Set(known.filter { widening == nil && $0.kind == .widening && $0.isFailed }.map(\.id))
        for shape in shapes {
            let index = known.first { !$0.isFailed && $0.shape == shape && $0.shape.readsNumbers(as: shape) }
            if let index { kept.insert(index.id) } else { addIndex(shape, isDeclared: false) }
        }
        for index in known where !kept.contains(index.id) { add(.dropIndex(index.id)) }
    }

    private mutating func addIndex(_ shape: IndexWish.Shape, isDeclared: Bool) {
        var shape = shape
        for position in shape.columns.indices {
            if case .field(let id) = shape.columns[position].source, type[id: id]?.type.element == .double {
                shape.columns[position].readsAsDouble = true
            }
        }
        add(.addIndex(shape, isDeclared: isDeclared))
    }

    /// Lets checks fail whose indexes could not be built; if all are ready, makes the fields DOUBLE and lets the indexes take
    /// over that read them so.
    mutating func settleWidening() {
        let failed = type.replacements.first { $0.isFailed && $0.kind != .widening }
        if case .failed(let reason)? = failed?.state {
            for check in type.replacements where check.kind == .widening && !check.isFailed {
                add(.failIndex(check.id, reason: reason))
            }
        }
        let checks = type.replacements.filter { $0.kind == .widening && $0.isReady }
        guard !checks.isEmpty, type.replacements.allSatisfy({ $0.isReady || $0.kind == .widening && $0.isFailed })
        else { return }
        let (indexes, replacements) = (type.indexes, type.replacements.filter { $0.kind != .widening })
        add(
            .widenFields(
                checks.compactMap { $0.checkedField.flatMap { type[id: $0] } }.map {
                    $0.retyped($0.type.widened ?? $0.type)
                }))
        for index in indexes {
            guard let new = replacements.first(where: { $0.shape == index.shape }) else { continue }
            add(.dropIndex(index.id))
            if index.isDeclared { add(.declareIndex(new.id, isDeclared: true)) }
        }
        for check in checks { add(.dropIndex(check.id)) }
    }

    /// Adds indexes to those that are there: rules 15, 16, 11 and 6.
    mutating func add(_ wish: IndexWish) throws(RecordError) {
        for (id, options) in wish.options.sorted(by: { $0.key < $1.key }) {
            guard let field = type[id: id] else { throw .badSchema("The field does not exist", type.name) }
            if let refusal = IndexRules.refusal(of: options, on: field.type) {
                throw .badSchema(refusal, type.name, field.name)
            }
            if !field.options.isSuperset(of: options) {
                add(.setOptions(field.options.union(options), field: id))
            }
        }
        var declared = type.declaredShapes
        let failed = Set(type.indexes.filter(\.isFailed).map(\.shape))
        for shape in wish.indexes {
            try check(shape)
            // A UNIQUE index that could not be built finds nothing.
            let isThere = declared.contains { $0 == shape || ($0.serves(shape) && !failed.contains($0)) }
            if isThere { continue }
            declared.removeAll { shape.serves($0) }
            declared.append(shape)
        }
        guard !steps.isEmpty || declared != type.declaredShapes else { return }
        try changeIndexes(declared: declared, retriesFailed: false, widening: nil)
    }

    /// Rejects an index that the type cannot have.
    private func check(_ shape: IndexWish.Shape) throws(RecordError) {
        for column in shape.columns {
            if case .system(let field) = column.source, !IndexRules.systemColumns.contains(field) {
                throw .badSchema("The field \(field.name) cannot stand in an index", type.name)
            }
            guard type.has(column.source) else { throw .badSchema("The field does not exist", type.name) }
        }
        let types = shape.columns.compactMap { type.field(of: $0.source)?.type }
        if let refusal = IndexRules.refusal(ofColumns: types, isUnique: shape.isUnique) {
            throw .badSchema(refusal, type.name)
        }
        guard Set(shape.columns.map(\.source)).count == shape.columns.count,
            (shape.kind == .members) == types.contains(where: \.isList)
        else { throw .badSchema("A field stands twice in the index, or is no list", type.name) }
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
    package func serves(_ other: IndexWish.Shape) -> Bool {
        kind == other.kind && columns == other.columns && (isUnique || !other.isUnique)
    }

    /// Whether the same columns read INT64 as DOUBLE, which equal shapes may differ in.
    fileprivate func readsNumbers(as other: IndexWish.Shape) -> Bool {
        columns.map(\.readsAsDouble) == other.columns.map(\.readsAsDouble)
    }
}

extension IndexDefinition {
    package var shape: IndexWish.Shape { IndexWish.Shape(kind: kind, columns: columns, isUnique: isUnique) }
}

extension RecordTypeDefinition {
    /// The indexes that the schema names.
    package var declaredShapes: [IndexWish.Shape] { indexes.filter(\.isDeclared).map(\.shape) }

    /// Whether it has all columns of an index.
    package func has(_ shape: IndexWish.Shape) -> Bool {
        shape.columns.allSatisfy { has($0.source) }
    }
}
