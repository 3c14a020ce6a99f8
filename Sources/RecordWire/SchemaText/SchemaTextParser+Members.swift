internal import RecordModel

// The members of a record type: fields, system fields and grants.
extension SchemaTextParser {
    /// Parses one member of a type.
    ///
    /// - Parameter names: The names of the fields before it.
    mutating func member(
        of type: inout SchemaDocument.TypeEntry, _ names: inout Set<String>
    ) throws(SchemaTextError) {
        let start = token
        let comment = try annotation(keys: ["read", "write", "formerly"])
        let position = token
        if isWord("GRANT") {
            guard comment == nil else {
                throw error("A fogbase comment belongs to a field or a type, and here is a GRANT after it", at: start)
            }
            return try grant(into: &type)
        }
        if comment != nil, isSymbol(")") {
            throw error("A fogbase comment belongs to the field after it, and there is none", at: start)
        }
        let (text, _) = try name("a field")
        if text.hasPrefix("___") {
            guard comment == nil else { throw error("A system field has no fogbase comment", at: start) }
            let member = try systemField(text, at: position, of: &type)
            guard names.insert(member).inserted else {
                throw error("The system field \(member) stands twice. Leave one out", at: position)
            }
            return
        }
        guard let name = FieldName(text) else {
            throw error(
                SystemField(text) == nil
                    ? "A field's name \(Identifier.rule)"
                    : "Each record has \(text) already. Take another name, or leave the field out", at: position)
        }
        guard names.insert(name.text).inserted else {
            throw error("The field \(name) stands twice in its type. Leave one out", at: position)
        }
        var field = SchemaDocument.FieldEntry(
            name: name, type: try fieldType(), options: [], readers: statesAll ? .remove : .none,
            writers: statesAll ? .remove : .none)
        if statesAll { field.former = [] }
        field.options = try options(on: field.type)
        if let comment {
            let path = "types.\(type.name).fields.\(name)"
            try located(comment) { () throws(RecordError) in
                if let value = comment.object["read"] { field.readers = try RolesChange(value, path: "\(path).read") }
                if let value = comment.object["write"] { field.writers = try RolesChange(value, path: "\(path).write") }
                if let value = comment.object["formerly"] {
                    field.former = try SchemaDocument.formerNames(value, path, FieldName.init)
                }
            }
        }
        type.fields.append(field)
        if type.fields.count > Limits.fieldsPerType {
            throw error("The type has more than \(Limits.fieldsPerType) fields", at: position)
        }
    }

    /// Parses the type and the options of a system field. QUERYABLE and SORTABLE require an index on the field.
    ///
    /// - Returns: The name of the field as the language spells it.
    private mutating func systemField(
        _ name: String, at position: SchemaToken, of type: inout SchemaDocument.TypeEntry
    ) throws(SchemaTextError) -> String {
        let known = SchemaTextWords.systemMembers.first { $0.name.lowercased() == name.lowercased() }
        guard let known else {
            throw error(
                "'\(name.prefix(64))' is no system field. They are "
                    + SchemaTextWords.systemMembers.map(\.name).joined(separator: ", "), at: position)
        }
        let typePosition = token
        guard try fieldType() == known.type else {
            throw error(
                "The system field \(known.name) is \(SchemaTextWords.word(of: known.type)). Write that type",
                at: typePosition)
        }
        let optionPosition = token
        let options = try options(on: known.type)
        if options.isEmpty || known.field == .recordName { return known.name }
        guard IndexRules.systemColumns.contains(known.field) else {
            throw error("There is no index on \(known.name). Leave its options out", at: optionPosition)
        }
        type.indexes?.append(SchemaDocument.IndexEntry(onSystem: known.field))
        return known.name
    }

    private mutating func fieldType() throws(SchemaTextError) -> FieldType {
        guard isWord("LIST") else { return try elementType() }
        try advance()
        guard isSymbol("<") else { throw unexpected("< and the type of the members, such as LIST<STRING>") }
        try advance()
        let type = try elementType().list
        guard isSymbol(">") else { throw unexpected("> at the end of LIST<\(type.element.schemaName)") }
        try advance()
        return type
    }

    private mutating func elementType() throws(SchemaTextError) -> FieldType {
        guard case .word(let text) = token.kind else {
            throw unexpected("the type of the field. \(SchemaTextWords.typeRule)")
        }
        let position = token
        switch text.uppercased() {
        case "ENCRYPTED":
            throw error(
                "Fogbase does not encrypt single fields, so ENCRYPTED would promise too much. Leave the word out if the field may be stored like the others; an app can also encrypt the value itself and store BYTES",
                at: position)
        case "NUMBER":
            try advance()
            guard isWord("PREFERRED") else {
                throw error(
                    "A NUMBER has no fixed type, and a field needs one. Write DOUBLE, or INT64 for whole numbers, which can become DOUBLE later",
                    at: position)
            }
            try advance()
            try expect("AS", "After PREFERRED stands AS and INT64 or DOUBLE")
            let preferred = token
            guard case .word(let word) = preferred.kind, ["INT64", "DOUBLE"].contains(word.uppercased()) else {
                throw unexpected("INT64 or DOUBLE after PREFERRED AS")
            }
            return try elementType()
        default:
            guard let type = SchemaTextWords.elementTypes[text.uppercased()] else {
                throw error("'\(text.prefix(64))' is no type of a field. \(SchemaTextWords.typeRule)", at: position)
            }
            try advance()
            return type
        }
    }

    private mutating func options(on type: FieldType) throws(SchemaTextError) -> IndexOptions {
        var options: IndexOptions = []
        while case .word(let text) = token.kind {
            guard let option = IndexOptions.named.first(where: { $0.word == text.uppercased() })?.option else {
                throw unexpected("QUERYABLE, SORTABLE or SEARCHABLE, or a comma before the next field")
            }
            if let rejection = IndexRules.rejection(of: options.union(option), on: type) {
                throw error(rejection, at: token)
            }
            options.insert(option)
            try advance()
        }
        return options
    }

    private mutating func grant(into type: inout SchemaDocument.TypeEntry) throws(SchemaTextError) {
        try advance()
        var permissions: Permissions = []
        while true {
            guard case .word(let text) = token.kind, let permission = Permissions(word: text.uppercased()) else {
                throw unexpected("a permission: GRANT READ, CREATE or WRITE, then TO and a role")
            }
            permissions.insert(permission)
            try advance()
            guard isSymbol(",") else { break }
            try advance()
        }
        try expect("TO", "After the permissions stands TO and a role, such as GRANT READ TO \"_world\"")
        let (name, position) = try self.name("a role")
        guard let role = RoleName(name) else { throw error("A role's name \(Identifier.rule)", at: position) }
        // CloudKit's roles are additive, and so are several grants to one role.
        type.grants?.byRole[role, default: []].formUnion(permissions)
    }
}
