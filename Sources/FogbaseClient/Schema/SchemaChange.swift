internal import RecordWire

/// The differences between the old and the new schema, also for a dry run.
public struct SchemaChange: Hashable, Sendable {
    /// The new schema; `nil` if the caller can change but not read the schema.
    public var schema: ContainerSchema?
    /// The names of changed record types.
    public var types: Names
    /// The names of changed fields, such as `Post.title`.
    public var fields: Names
    /// The names of the types whose permissions change.
    public var rights: [String]

    /// Names of types or fields, by kind of change.
    public struct Names: Hashable, Sendable {
        /// The names of added types or fields.
        public var added: [String]
        /// The names of types or fields whose definition changes.
        public var changed: [String]
        /// The names of removed types or fields.
        public var removed: [String]

        init(_ tree: JSONValue?) {
            func names(_ key: String) -> [String] { tree?[key]?.array?.compactMap(\.string) ?? [] }
            (added, changed, removed) = (names("added"), names("changed"), names("removed"))
        }
    }

    init(_ changes: JSONValue?, schema: ContainerSchema?) {
        self.schema = schema
        types = Names(changes?["types"])
        fields = Names(changes?["fields"])
        rights = changes?["rights"]?.array?.compactMap(\.string) ?? []
    }
}
