/// The earlier names of a record type and of its fields.
///
/// Stored records contain the names of their fields. After a field was renamed, slices rewrite the records with the new
/// name. Until they are done, responses take the names from the schema, by the numbers of the fields.
package struct TypeRenames: Hashable, Sendable {
    /// The earlier names of the type, oldest first.
    package var type: [RecordTypeName] = []
    /// The earlier names of fields, oldest first, by the numbers of the fields.
    package var fields: [Int: [FieldName]] = [:]
    /// The sequence number of the last rename; 0 if there was none in this database. Sync tokens from before it are
    /// invalid.
    package var sequence: Int64 = 0
    /// Whether stored records may contain earlier names.
    package var isPending = false

    /// Creates the value of a type that was never renamed.
    package init() {}

    /// The most earlier names of one type or field. Older ones are forgotten.
    package static let most = 32
}

extension RecordTypeDefinition {
    /// Returns the field that had a name earlier; `nil` if a field has the name now, or if none had it.
    package func field(formerly name: String) -> FieldDefinition? {
        guard let renames, self[name] == nil else { return nil }
        // The field that had the name last.
        let id = renames.fields.filter { $0.value.contains { $0.text == name } }
            .max {
                ($0.value.lastIndex { $0.text == name } ?? 0, $0.key) < (
                    $1.value.lastIndex { $0.text == name } ?? 0, $1.key
                )
            }?
            .key
        return id.flatMap { self[id: $0] }
    }

    /// Returns the names of a field from the oldest to the present one.
    package func names(of field: FieldDefinition) -> [String] {
        (renames?.fields[field.id] ?? []).map(\.text) + [field.name.text]
    }

    /// Takes the names that the type and its fields have in another state of it.
    package mutating func takeNames(of other: RecordTypeDefinition) {
        name = other.name
        var taken: Set<FieldName> = []
        let named = fields.map { field -> FieldDefinition in
            guard let now = other[id: field.id],
                other.names(of: now).contains(field.name.text) || names(of: field).contains(now.name.text)
            else { return field }
            taken.insert(now.name)
            return field.renamed(now.name)
        }
        // A field whose name another one has taken counts as removed.
        self = replacing(
            fields: named.filter { field in
                !taken.contains(field.name) || other[id: field.id]?.name == field.name
            }, indexes: maintainedIndexes.sorted { $0.id < $1.id })
    }

    /// The names of the type from the oldest to the present one.
    package var names: [String] { (renames?.type ?? []).map(\.text) + [name.text] }
}

extension Schema {
    /// Whether stored records of any type may contain earlier names of fields.
    package var hasFormerNames: Bool { types.values.contains(where: \.hasFormerNames) }

    /// Returns the type that had a name earlier; `nil` if a type has the name now, or if none had it.
    package func type(formerly name: RecordTypeName) -> RecordTypeDefinition? {
        guard self[name] == nil else { return nil }
        return types.values.filter { $0.renames?.type.contains(name) ?? false }.max { $0.id < $1.id }
    }

    /// Rejects the earlier name of a type. Call it if the schema has no type with the name.
    ///
    /// - Throws: BAD_REQUEST with cause UNKNOWN_NAME, and the present name in `details.renamedTo`.
    package func rejectFormerName(_ name: RecordTypeName) throws(RecordError) {
        guard let type = type(formerly: name) else { return }
        throw .badRequest(
            "The record type \(name) is now called \(type.name)", cause: .unknownName,
            details: [("recordType", .text(name.text)), ("renamedTo", .text(type.name.text))])
    }
}

extension RecordError {
    /// A BAD_REQUEST error for the earlier name of a field.
    ///
    /// - Parameter offset: The position of the name in the body; `nil` if there is none.
    package static func renamedField(
        _ name: String, to field: FieldName, of type: RecordTypeName, offset: Int? = nil
    ) -> RecordError {
        .badRequest(
            "Field \(name) of \(type) is now called \(field)", cause: .unknownName,
            details: [("field", .text(name)), ("renamedTo", .text(field.text))]
                + (offset.map { [("offset", .number(Int64($0)))] } ?? []))
    }
}
