/// The names of a type or field in a document, for finding the definition that it means.
package struct DocumentName: Hashable, Sendable {
    /// The names from the oldest to the present one.
    let names: [String]
    /// Whether the document states the earlier names. If not, it means the definition with the present name.
    let statesFormer: Bool

    /// Creates the names of a definition.
    ///
    /// - Parameter former: The earlier names, oldest first; `nil` if the document does not mention them.
    package init(_ name: String, formerly former: [String]?) {
        names = (former ?? []) + [name]
        statesFormer = former != nil
    }

    /// Finds the known definition that each definition of a document means.
    ///
    /// Numbers would not do: each environment has its own. A definition has the names that it had in this order, so a
    /// known definition is meant whose names are the first ones of those in the document. Of several, the one with the
    /// most names in common comes first. Therefore fields may exchange names, and a name may be given again.
    ///
    /// - Parameters:
    ///   - known: The names of the known definitions.
    ///   - undoes: Whether the document may be older than the known definitions, so that renames are undone.
    /// - Returns: For each definition of the document, the position of the known one; `nil` for a new one.
    /// - Complexity: O(n · log n) in the number of names, if few definitions have had the same name.
    package static func matches(_ wanted: [DocumentName], among known: [[String]], undoes: Bool) -> [Int?] {
        /// The ways in which two definitions can be the same, the surest first.
        enum Sureness: Int {
            case longer, same, shorter, presentName, formerName
        }
        var pairs: [(wanted: Int, known: Int, common: Int, sureness: Sureness)] = []
        let present = Set(wanted.compactMap(\.names.last))
        // Only definitions with a name in common can be the same.
        var byName: [String: [Int]] = [:]
        for (position, names) in known.enumerated() {
            for name in Set(names) { byName[name, default: []].append(position) }
        }
        for (position, definition) in wanted.enumerated() {
            for other in Set(definition.names.flatMap { byName[$0] ?? [] }) {
                let names = known[other]
                let common = min(names.count, definition.names.count)
                let isPrefix = definition.names.prefix(common).elementsEqual(names.prefix(common))
                let hasName = definition.names.last == names.last
                if !definition.statesFormer {
                    if hasName { pairs.append((position, other, .max, .same)) }
                } else if isPrefix, names.count < definition.names.count {
                    pairs.append((position, other, common, .longer))
                } else if isPrefix, names.count == definition.names.count {
                    pairs.append((position, other, common, .same))
                } else if isPrefix, undoes {
                    pairs.append((position, other, common, .shorter))
                } else if hasName {
                    pairs.append((position, other, 0, .presentName))
                } else if let last = names.last, definition.names.contains(last), !present.contains(last) {
                    // A person wrote the name before the last rename, and not those before it.
                    pairs.append((position, other, 0, .formerName))
                }
            }
        }
        pairs.sort {
            ($1.common, $0.sureness.rawValue, $0.wanted, $0.known)
                < ($0.common, $1.sureness.rawValue, $1.wanted, $1.known)
        }
        var found: [Int?] = Array(repeating: nil, count: wanted.count)
        var taken: Set<Int> = []
        for pair in pairs where found[pair.wanted] == nil && !taken.contains(pair.known) {
            found[pair.wanted] = pair.known
            taken.insert(pair.known)
        }
        return found
    }
}

/// The names of a type and of its fields in a document.
package struct DocumentNames: Hashable, Sendable {
    let type: RecordTypeName
    let formerTypes: [RecordTypeName]?
    let fields: [(name: FieldName, former: [FieldName]?)]

    /// Creates the names of a type. Earlier names are `nil` if the document does not mention them.
    package init(
        _ type: RecordTypeName, formerly former: [RecordTypeName]?, fields: [(name: FieldName, former: [FieldName]?)]
    ) {
        self.type = type
        self.formerTypes = former
        self.fields = fields
    }

    package static func == (left: DocumentNames, right: DocumentNames) -> Bool {
        left.type == right.type && left.formerTypes == right.formerTypes
            && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(type) }
}

extension SchemaEvolution {
    /// Plans the renames that a document contains, and the earlier names that it states.
    ///
    /// - Parameter undoes: Whether the document may be older than the schema, so that renames are undone.
    package static func renaming(
        _ schema: Schema, to documents: [DocumentNames], undoes: Bool = false
    ) -> SchemaEvolution {
        SchemaEvolution { steps throws(RecordError) in
            let known = schema.types.values.sorted { $0.id < $1.id }
            let matches = DocumentName.matches(
                documents.map { DocumentName($0.type.text, formerly: $0.formerTypes?.map(\.text)) },
                among: known.map(\.names), undoes: undoes)
            let types = zip(documents, matches).compactMap { document, match in
                match.map { (document: document, type: known[$0]) }
            }
            let renamed = types.compactMap { document, type -> SchemaStep.TypeRename? in
                let former = document.formerTypes ?? type.renames?.type ?? []
                guard type.name != document.type || former != type.renames?.type ?? [] else { return nil }
                return SchemaStep.TypeRename(
                    from: type.name, to: document.type, former: former.suffix(TypeRenames.most))
            }
            let left = Set(schema.types.values.map(\.name)).subtracting(renamed.map(\.from))
            for rename in renamed where rename.from != rename.to {
                guard rename.from != .users, rename.to != .users, !left.contains(rename.to) else {
                    throw .badSchema(
                        "The type \(rename.from) cannot become \(rename.to), which is another type. Remove or rename that one first",
                        rename.from)
                }
            }
            if let first = renamed.first { steps.append(SchemaStep(first.from, .renameTypes(renamed))) }
            for (document, type) in types {
                let fields = try document.renamedFields(of: type, undoes: undoes)
                if !fields.isEmpty { steps.append(SchemaStep(document.type, .renameFields(fields))) }
            }
        }
    }
}

extension DocumentNames {
    fileprivate func renamedFields(
        of known: RecordTypeDefinition, undoes: Bool
    ) throws(RecordError) -> [SchemaStep.FieldRename] {
        let matches = DocumentName.matches(
            fields.map { DocumentName($0.name.text, formerly: $0.former?.map(\.text)) },
            among: known.fields.map(known.names), undoes: undoes)
        let renamed = zip(fields, matches).compactMap { wanted, match -> SchemaStep.FieldRename? in
            guard let field = match.map({ known.fields[$0] }) else { return nil }
            let former = known.renames?.fields[field.id] ?? []
            let after = wanted.former ?? former
            guard field.name != wanted.name || former != after else { return nil }
            return SchemaStep.FieldRename(
                id: field.id, from: field.name, to: wanted.name, former: after.suffix(TypeRenames.most))
        }
        let left = Set(known.fields.map(\.name)).subtracting(renamed.map(\.from))
        for rename in renamed where rename.from != rename.to && left.contains(rename.to) {
            throw .badSchema(
                "The field \(rename.from) of type \(known.name) cannot become \(rename.to), which is another field. Remove or rename that one first",
                known.name, rename.from)
        }
        return renamed
    }
}
