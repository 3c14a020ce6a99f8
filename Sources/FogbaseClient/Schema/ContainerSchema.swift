public import Foundation
public import RecordModel
internal import RecordWire

/// The schema of a container, as a JSON document and as Swift values.
public struct ContainerSchema: Hashable, Sendable {
    /// The JSON document, including grants, roles and access lists.
    public var json: Data
    /// The version of the schema, for `Container.putSchema(_:ifUnchanged:)`.
    public var version: String?
    /// The record types, by name.
    public var types: [String: TypeSchema]

    /// A record type.
    public struct TypeSchema: Hashable, Sendable {
        /// The fields of the type, by name.
        public var fields: [String: FieldSchema]
        /// The indexes over several fields, and the unique indexes.
        public var indexes: [IndexSchema]
    }

    /// A field of a record type.
    public struct FieldSchema: Hashable, Sendable {
        /// The type of the field's values.
        public var type: FieldType
        /// Whether conditions of queries can use the field.
        public var isQueryable: Bool
        /// Whether queries can sort by the field.
        public var isSortable: Bool
        /// Whether searches of whole records look for words in the field.
        public var isSearchable: Bool
    }

    /// An index of a record type.
    public struct IndexSchema: Hashable, Sendable {
        /// The fields in order. A minus sign before a name means descending.
        public var fields: [String]
        /// Whether the index is unique: no two records can have the same values in its fields.
        public var isUnique: Bool
        /// Whether the index is built. Building the index of a large type takes time.
        public var isReady: Bool
    }

    init(_ tree: JSONValue, json: Data, version: String? = nil) {
        self.json = json
        self.version = version
        types = [:]
        for member in tree["types"]?.object?.members ?? [] { types[member.key] = TypeSchema(member.value) }
    }
}

extension ContainerSchema.TypeSchema {
    init(_ tree: JSONValue) {
        fields = [:]
        // Omit fields with a type that this client does not know.
        for member in tree["fields"]?.object?.members ?? [] {
            fields[member.key] = ContainerSchema.FieldSchema(member.value)
        }
        indexes = tree["indexes"]?.array?.map(ContainerSchema.IndexSchema.init(_:)) ?? []
    }
}

extension ContainerSchema.FieldSchema {
    init?(_ tree: JSONValue) {
        guard let type = tree["type"]?.string.flatMap(FieldType.init(tag:)) else { return nil }
        let indexes = tree["indexes"]?.array?.compactMap(\.string) ?? []
        self.init(
            type: type, isQueryable: indexes.contains("QUERYABLE"), isSortable: indexes.contains("SORTABLE"),
            isSearchable: indexes.contains("SEARCHABLE"))
    }
}

extension ContainerSchema.IndexSchema {
    init(_ tree: JSONValue) {
        self.init(
            fields: tree["fields"]?.array?.compactMap(\.string) ?? [], isUnique: tree["unique"]?.bool ?? false,
            isReady: tree["state"] == nil)
    }
}
