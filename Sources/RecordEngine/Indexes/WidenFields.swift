internal import RecordModel
internal import RecordStorage

/// Widening: INT64 fields that become DOUBLE, and INT64_LIST fields that become DOUBLE_LIST.
///
/// What is stored stays as it is, and is read as the DOUBLE that it equals. So all that takes time is to see that every
/// value equals one, and to make the indexes on the field again: both are index builds, in slices. Until all of it is done the
/// field is what it was, for reads, writes and queries; then one transaction makes it a DOUBLE. A value that no DOUBLE equals
/// fails the check, and nothing has changed.
extension WriteTransaction {
    /// Makes the checks and the indexes for fields that are becoming DOUBLE, and drops those that are not needed any more.
    ///
    /// - Parameters:
    ///   - type: With its indexes as they shall be. Its replacements are set.
    ///   - widening: The numbers of the fields; `nil` leaves them as they are.
    /// - Returns: What is new, and to be built.
    func setReplacements(
        of type: inout RecordTypeDefinition, widening: Set<Int>?
    ) throws(RecordError) -> [IndexDefinition] {
        guard widening?.isEmpty == false || !type.replacements.isEmpty else { return [] }
        let fields = widening ?? Set(type.replacements.filter { !$0.isFailed }.compactMap(\.checkedField))
        var shapes = fields.sorted().map {
            IndexWish.Shape(kind: .widening, columns: [IndexDefinition.Column(.field($0))])
        }
        for index in type.indexes where !index.isFailed {
            var shape = index.shape
            for position in shape.columns.indices {
                guard case .field(let id) = shape.columns[position].source, fields.contains(id) else { continue }
                shape.columns[position].readsAsDouble = true
            }
            if zip(shape.columns, index.columns).contains(where: { $0.readsAsDouble != $1.readsAsDouble }) {
                shapes.append(shape)
            }
        }
        var kept: [IndexDefinition] = []
        var new: [IndexDefinition] = []
        for shape in shapes {
            let known = type.replacements.first { index in
                !index.isFailed && index.shape == shape
                    && index.columns.map(\.readsAsDouble) == shape.columns.map(\.readsAsDouble)
            }
            if let known { kept.append(known) } else { new.append(try addIndex(shape, isDeclared: false, of: type)) }
        }
        // Why a field could not be widened is shown until somebody decides on it.
        if widening == nil { kept += type.replacements.filter { $0.kind == .widening && $0.isFailed } }
        for index in type.replacements where !kept.contains(where: { $0.id == index.id }) {
            try indexDefinitions.setDropped(index.id)
        }
        type.replacements = kept + new
        return new
    }

    /// Lets checks fail whose indexes could not be built.
    func settleReplacements(of type: inout RecordTypeDefinition) throws(RecordError) {
        let failed = type.replacements.first { $0.isFailed && $0.kind != .widening }
        guard case .failed(let reason)? = failed?.state else { return }
        for check in type.replacements where check.kind == .widening && !check.isFailed {
            type.setState(.failed(reason), ofIndex: check.id)
            try indexDefinitions.setFailed(check.id, reason: reason)
        }
    }

    /// Makes fields DOUBLE whose values are all checked, and lets the indexes take over that read them so.
    func completeWidening(of type: inout RecordTypeDefinition) throws(RecordError) {
        let checks = type.replacements.filter { $0.kind == .widening && $0.isReady }
        guard !checks.isEmpty, type.replacements.allSatisfy({ $0.isReady || $0.kind == .widening && $0.isFailed })
        else { return }
        let number = type.id
        var fields = type.fields
        for position in fields.indices {
            guard checks.contains(where: { $0.checkedField == fields[position].id }),
                let wide = fields[position].type.widened
            else { continue }
            fields[position] = fields[position].retyped(wide)
            let field = fields[position]
            try schemaTable.setType(of: field, type: number)
        }
        var indexes: [IndexDefinition] = []
        for index in type.indexes {
            guard var replacement = type.replacements.first(where: { $0.kind != .widening && $0.shape == index.shape })
            else {
                indexes.append(index)
                continue
            }
            replacement.isDeclared = index.isDeclared
            let (old, new, isDeclared) = (index.id, replacement.id, index.isDeclared)
            try indexDefinitions.setDropped(old)
            try indexDefinitions.setDeclared(isDeclared, new)
            indexes.append(replacement)
        }
        for check in checks { try indexDefinitions.setDropped(check.id) }
        let failed = type.replacements.filter(\.isFailed)
        type = type.replacing(fields: fields, indexes: indexes.sorted { $0.id < $1.id } + failed)
    }
}
