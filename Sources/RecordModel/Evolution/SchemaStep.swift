/// One step of a schema change. The store writes the step, and the schema in memory applies it.
package struct SchemaStep: Hashable, Sendable {
    /// The record type that the step changes.
    package let type: RecordTypeName
    /// The change of the type.
    package let change: Change

    /// A change of one record type.
    package enum Change: Hashable, Sendable {
        case addType(Grants)
        case removeType
        /// Adds a field with its options and without grants.
        case addField(FieldDefinition)
        case removeFields([Int])
        /// Changes INT64 fields to DOUBLE. The stored values do not change.
        case widenFields([FieldDefinition])
        case setOptions(IndexOptions, field: Int)
        /// Adds an empty index, or a check of a field that becomes DOUBLE.
        case addIndex(IndexRequest.Shape, isDeclared: Bool)
        case declareIndex(IndexID, isDeclared: Bool)
        case readyIndex(IndexID)
        case failIndex(IndexID, reason: String)
        case dropIndex(IndexID)
        /// Builds the added indexes of a small type at once. If a value shows that one of these fields cannot become
        /// DOUBLE, the change is rejected.
        case buildIndexes(widening: Set<Int>)
        /// Gives fields of the type other names, or only other earlier names. Fields may exchange names.
        case renameFields([FieldRename])
        /// Gives types other names, or only other earlier names. Types may exchange names.
        case renameTypes([TypeRename])
        /// Sets the readers and writers of fields.
        case setFieldGrants([FieldDefinition])
        case setGrants(Grants)
        /// Sets the default access list of new records, and whether records must have an access list.
        case setAccess(AccessTemplate?, isRequired: Bool)
    }

    /// The name of a field after a step.
    package struct FieldRename: Hashable, Sendable {
        /// The number of the field.
        package let id: Int
        /// The name before the step.
        package let from: FieldName
        /// The name after the step.
        package let to: FieldName
        /// The earlier names after the step, oldest first.
        package let former: [FieldName]
    }

    /// The name of a type after a step.
    package struct TypeRename: Hashable, Sendable {
        /// The name before the step.
        package let from: RecordTypeName
        /// The name after the step.
        package let to: RecordTypeName
        /// The earlier names after the step, oldest first.
        package let former: [RecordTypeName]
    }

    init(_ type: RecordTypeName, _ change: Change) {
        self.type = type
        self.change = change
    }
}

extension Schema {
    /// Applies a step to the schema in memory.
    ///
    /// - Parameter number: The number of the added type or index, or the sequence number of a rename. Other steps ignore
    ///   it.
    package mutating func apply(_ step: SchemaStep, number: Int64 = 0) {
        switch step.change {
        case .renameTypes(let renamed): rename(renamed, sequence: number)
        case .renameFields(let renamed):
            types[step.type.text]?.apply(step.change, number: number)
            if renamed.contains(where: { $0.from != $0.to }) { lastRename = number }
        case .addType(let grants):
            set(RecordTypeDefinition(id: TypeID(rawValue: number), name: step.type, grants: grants))
        case .removeType: remove(step.type)
        default: types[step.type.text]?.apply(step.change, number: number)
        }
    }
}

extension RecordTypeDefinition {
    mutating func apply(_ change: SchemaStep.Change, number: Int64) {
        switch change {
        case .addType, .removeType, .buildIndexes, .renameTypes: break
        case .renameFields(let renamed):
            var renames = renames ?? TypeRenames()
            for field in renamed { renames.fields[field.id] = field.former.isEmpty ? nil : field.former }
            if renamed.contains(where: { $0.from != $0.to }) {
                renames.sequence = number
                renames.isPending = true
                let named = fields.map { field in
                    renamed.first { $0.id == field.id }.map { field.renamed($0.to) } ?? field
                }
                self = replacing(fields: named, indexes: maintainedIndexes.sorted { $0.id < $1.id })
            }
            self.renames = renames
        case .addField(let field): add(field)
        case .removeFields(let ids):
            self = replacing(fields: fields.filter { !ids.contains($0.id) }, indexes: maintainedIndexes)
        case .widenFields(let widened):
            let wide = fields.map { field in widened.first { $0.id == field.id } ?? field }
            // Queries switch to the indexes that read the fields as DOUBLE.
            self = replacing(fields: wide, indexes: maintainedIndexes.sorted { $0.id < $1.id })
        case .setOptions(let options, let id):
            changeField(id) { $0.options = options }
        case .addIndex(let shape, let isDeclared):
            add(
                IndexDefinition(
                    id: IndexID(rawValue: number), kind: shape.kind, columns: shape.columns, isUnique: shape.isUnique,
                    isDeclared: isDeclared, state: .building(position: .unassigned)))
        case .declareIndex(let id, let isDeclared): changeIndex(id) { $0.isDeclared = isDeclared }
        case .readyIndex(let id): changeIndex(id) { $0.state = .ready }
        case .failIndex(let id, let reason): changeIndex(id) { $0.state = .failed(reason) }
        case .dropIndex(let id):
            indexes.removeAll { $0.id == id }
            replacements.removeAll { $0.id == id }
        case .setFieldGrants(let granted):
            for field in granted {
                changeField(field.id) { ($0.readers, $0.writers) = (field.readers, field.writers) }
            }
        case .setGrants(let grants): self.grants = grants
        case .setAccess(let access, let isRequired): (defaultAccess, requiresAccessLists) = (access, isRequired)
        }
    }

    private mutating func changeField(_ id: Int, _ change: (inout FieldDefinition) -> Void) {
        guard var field = self[id: id] else { return }
        change(&field)
        add(field)
    }

    /// Changes an index or a widening check.
    private mutating func changeIndex(_ id: IndexID, _ change: (inout IndexDefinition) -> Void) {
        if let position = indexes.firstIndex(where: { $0.id == id }) { change(&indexes[position]) }
        if let position = replacements.firstIndex(where: { $0.id == id }) { change(&replacements[position]) }
    }
}
