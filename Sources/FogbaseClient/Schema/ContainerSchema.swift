public import Foundation
public import RecordModel
internal import RecordWire

/// The record types of a container, as a document and as values.
public struct ContainerSchema: Hashable, Sendable {
    /// The document, in JSON; grants, roles and access lists are in it too.
    public var json: Data
    /// The state of the schema, for `Container.putSchema(_:ifUnchanged:)`.
    public var version: String?
    /// The record types, by name.
    public var types: [String: TypeSchema]

    /// A record type.
    public struct TypeSchema: Hashable, Sendable {
        /// The fields of the type, by name.
        public var fields: [String: FieldSchema]
        /// The indexes over several fields, and those that are unique.
        public var indexes: [IndexSchema]
    }

    /// A field of a record type.
    public struct FieldSchema: Hashable, Sendable {
        /// The type of the field's values, which never changes.
        public var type: FieldType
        /// Whether conditions may ask for it.
        public var isQueryable: Bool
        /// Whether queries may sort by it.
        public var isSortable: Bool
    }

    /// An index of a record type.
    public struct IndexSchema: Hashable, Sendable {
        /// Its fields in order; one with a minus before it descends.
        public var fields: [String]
        /// Whether a value may be there once.
        public var isUnique: Bool
        /// Whether it is ready; one of a large type takes its time.
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
        // A type of a later version of the server is not among these.
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
        self.init(type: type, isQueryable: indexes.contains("QUERYABLE"), isSortable: indexes.contains("SORTABLE"))
    }
}

extension ContainerSchema.IndexSchema {
    init(_ tree: JSONValue) {
        self.init(
            fields: tree["fields"]?.array?.compactMap(\.string) ?? [], isUnique: tree["unique"]?.bool ?? false,
            isReady: tree["state"] == nil)
    }
}
