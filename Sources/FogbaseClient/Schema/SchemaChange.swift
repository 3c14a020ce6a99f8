internal import RecordWire

/// What putting a schema has changed, or would.
public struct SchemaChange: Hashable, Sendable {
    /// The schema as it is now, or would be; `nil` for callers who may change and not read it.
    public var schema: ContainerSchema?
    /// What becomes of record types, by name.
    public var types: Names
    /// Fields as `Post.title`.
    public var fields: Names
    /// The types whose rights are others now.
    public var rights: [String]

    /// Names that are new, other than before, or gone.
    public struct Names: Hashable, Sendable {
        /// What is new.
        public var added: [String]
        /// What is there and becomes different.
        public var changed: [String]
        /// What is there and goes.
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
