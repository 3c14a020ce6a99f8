internal import Foundation
internal import RecordModel
internal import RecordWire

/// Several operations on records of any type, for one request.
///
/// ```swift
/// var batch = Batch()
/// let post = try batch.create(Post(title: "sea"))
/// try batch.create(Comment(post: post.reference(), text: "fog"))
/// try batch.delete("Draft", "d1")
/// let stored = try await database.perform(batch)[post]
/// ```
///
/// All records are in the zone of the ``Database`` that performs the batch, unless an operation names another zone of it.
/// A batch over several zones is atomic in each of them; see ``Database/performInZones(_:)``.
///
/// A batch has an idempotency key. If a batch is performed again after a lost response, the server executes it only
/// once. Adding an operation gives the batch a new key.
public struct Batch: Sendable {
    /// A handle of an operation in a batch. It gives access to the operation's result in the ``BatchOutcome``.
    public struct Item<Value: Sendable>: Hashable, Sendable {
        /// The index of the operation in the batch, from 0.
        public let position: Int
        /// The name of the operation's record. If the app gave no name, the client generated it.
        public let name: String
    }

    /// One operation in the format of the request, with the function that reads the operation's result.
    struct Operation: Sendable {
        var text: [UInt8]
        var name: String
        /// The index in the batch.
        var position: Int
        /// The zone of the record; `nil` for the zone of the database that performs the batch.
        var zone: String?
        /// Reads the operation's record from the response.
        var read: @Sendable (inout RecordScanner) throws -> any Sendable
        /// The record that the app tries to save, for ``Conflict/client``.
        var client: Record?
        var ancestor: Record?
    }

    var operations: [Operation] = []
    var identity = BatchIdentity()

    /// Creates a batch without operations. Performing an empty batch sends no request.
    public init() {}

    /// The number of operations. By default, the server allows 200 operations in an atomic batch
    /// (``ServerLimits/batchOperations``).
    public var count: Int { operations.count }

    /// Adds an operation that creates a record from a model.
    ///
    /// - Parameters:
    ///   - model: The fields of the record.
    ///   - name: The record name; `nil` generates one.
    ///   - access: The access list of the record; `nil` uses the default of the record type.
    ///   - parent: The name of the record's parent in its zone; `nil` for none.
    ///   - zone: The name of the record's zone; `nil` uses the zone of the database that performs the batch.
    /// - Throws: `FogbaseError.invalidArgument` if the name of the record or zone is not valid, or a number is not finite.
    @discardableResult
    public mutating func create<Model: RecordCodable>(
        _ model: Model, named name: String? = nil, access: RecordAccess? = nil, under parent: String? = nil,
        zone: String? = nil
    ) throws -> Item<Stored<Model>> {
        let name = try name.map { try Database.checked($0) } ?? RecordNames.make()
        var writer = FieldWriter(removesAbsent: false)
        try model.encode(fields: &writer)
        return try add(
            "create", zone, Model.recordType, name, fields: writer, access: access, parent: parent.map(Self.link),
            client: try? Record(Model.recordType, name: name, fields: writer)
        ) { try Stored(&$0, sent: model) }
    }

    /// Adds an operation that saves the changes of a record.
    ///
    /// - Parameters:
    ///   - stored: The record.
    ///   - policy: The handling of a record that has changed since it was read.
    ///   - zone: The name of the record's zone; `nil` uses the zone of the database that performs the batch.
    /// - Throws: `FogbaseError.invalidArgument` if the name of the zone is not valid, or a number is not finite.
    @discardableResult
    public mutating func save<Model: RecordCodable>(
        _ stored: Stored<Model>, policy: SavePolicy = .ifUnchanged, zone: String? = nil
    ) throws -> Item<Stored<Model>> {
        var now = FieldWriter(removesAbsent: true, keepsEntries: true)
        try stored.model.encode(fields: &now)
        var before = FieldWriter(removesAbsent: true, keepsEntries: true)
        try stored.original.encode(fields: &before)
        let type = stored.metadata.recordType
        let fields = policy == .allFields ? now : now.changes(since: before)
        return try add(
            policy == .ifUnchanged ? "update" : "forceUpdate", zone, type, stored.id, fields: fields,
            version: policy == .ifUnchanged ? stored.metadata.version : nil, access: stored.metadata.access,
            client: try? Record(type, name: stored.id, fields: now),
            ancestor: try? Record(type, name: stored.id, fields: before)
        ) { try Stored(&$0, sent: stored.model) }
    }

    /// Adds an operation that saves a record. A record without ``Record/metadata`` is created.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - policy: The handling of a record that has changed since it was read.
    ///   - zone: The name of the record's zone; `nil` uses the zone of the database that performs the batch.
    /// - Throws: `FogbaseError.invalidArgument` if the name of the record or zone is not valid, or a number is not finite.
    @discardableResult
    public mutating func save(
        _ record: Record, policy: SavePolicy = .ifUnchanged, zone: String? = nil
    ) throws -> Item<Record> {
        let isNew = record.metadata == nil
        var writer = FieldWriter(removesAbsent: !isNew)
        let names = policy == .allFields ? Set(record.fields.keys).union(record.changedFields) : record.changedFields
        for name in names.sorted() {
            if let value = record.fields[name] {
                try writer.encode(value: value, for: name)
            } else {
                try writer.encode(String?.none, for: name)
            }
        }
        var ancestor = record
        ancestor.fields = record.original
        let word: StaticString = policy != .ifUnchanged ? "forceUpdate" : isNew ? "create" : "update"
        return try add(
            word, zone, record.recordType, try Database.checked(record.name), fields: writer,
            version: policy == .ifUnchanged ? record.version : nil, access: record.access,
            parent: record.parent == record.metadata?.parent ? nil : record.parent.map(Self.link) ?? .null,
            client: record,
            ancestor: isNew ? nil : ancestor
        ) { scanner in
            guard scanner.isStub else { return Record(&scanner) }
            var saved = record
            saved.metadata = RecordMetadata(scanner.head, type: record.recordType)
            saved.original = saved.fields
            return saved
        }
    }

    /// Adds an operation that deletes a record. The operation fails if the record has changed since it was read.
    ///
    /// - Parameters:
    ///   - stored: The record.
    ///   - zone: The name of the record's zone; `nil` uses the zone of the database that performs the batch.
    /// - Throws: `FogbaseError.invalidArgument` if the name of the zone is not valid.
    @discardableResult
    public mutating func delete<Model>(_ stored: Stored<Model>, zone: String? = nil) throws -> Item<Void> {
        try add("delete", zone, stored.metadata.recordType, stored.id, version: stored.metadata.version) { _ in () }
    }

    /// Adds an operation that deletes a record, even if the record has changed since it was read.
    ///
    /// - Parameters:
    ///   - recordType: The record type.
    ///   - name: The record name.
    ///   - zone: The name of the record's zone; `nil` uses the zone of the database that performs the batch.
    /// - Throws: `FogbaseError.invalidArgument` if the name of the record or zone is not valid.
    @discardableResult
    public mutating func delete(_ recordType: String, _ name: String, zone: String? = nil) throws -> Item<Void> {
        try add("delete", zone, recordType, try Database.checked(name)) { _ in () }
    }

    /// Adds an operation that deletes a record. The operation fails if the record's change tag differs from `version`.
    ///
    /// - Parameters:
    ///   - recordType: The record type.
    ///   - name: The record name.
    ///   - version: The change tag that the record must have.
    ///   - zone: The name of the record's zone; `nil` uses the zone of the database that performs the batch.
    /// - Throws: `FogbaseError.invalidArgument` if the name of the record or zone is not valid.
    @discardableResult
    public mutating func delete(
        _ recordType: String, _ name: String, version: String, zone: String? = nil
    ) throws -> Item<Void> {
        try add("delete", zone, recordType, try Database.checked(name), version: version) { _ in () }
    }

    /// Adds an operation that deletes a record by its name. The type is not needed, because record names are unique
    /// over all types of a zone.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if the name is not a valid record name.
    mutating func delete(named name: String, zone: String? = nil) throws -> Item<Void> {
        try add("delete", zone, nil, try Database.checked(name)) { _ in () }
    }

    /// Returns a parent in the form of requests.
    static func link(_ name: String) -> JSONValue { ["recordName": .string(name)] }

    private mutating func add<Value: Sendable>(
        _ word: StaticString, _ zone: String?, _ type: String?, _ name: String, fields: FieldWriter? = nil,
        version: String? = nil,
        access: RecordAccess? = nil, parent: JSONValue? = nil, client: Record? = nil, ancestor: Record? = nil,
        read: @escaping @Sendable (inout RecordScanner) throws -> Value
    ) throws -> Item<Value> {
        let zone = try zone.map { try Zone.checked($0) }
        var text: [UInt8] = []
        text.reserveCapacity((fields?.text.count ?? 0) + 160)
        text.appendLiteral("{\"operationType\":\"")
        text.appendLiteral(word)
        text.appendLiteral("\",\"record\":{\"recordName\":")
        text.appendString(name)
        if let type {
            text.appendLiteral(",\"recordType\":")
            text.appendString(type)
        }
        if let zone {
            text.appendLiteral(",\"zoneID\":{\"zoneName\":")
            text.appendString(zone)
            text.append(UInt8(ascii: "}"))
        }
        if let version {
            text.appendLiteral(",\"recordChangeTag\":")
            text.appendString(version)
        }
        if let access {
            text.appendLiteral(",\"acl\":")
            access.tree.write(to: &text)
        }
        if let parent {
            text.appendLiteral(",\"parent\":")
            parent.write(to: &text)
        }
        if let fields {
            text.appendLiteral(",\"fields\":{")
            text.append(contentsOf: fields.text)
            text.append(UInt8(ascii: "}"))
        }
        text.appendLiteral("}}")
        operations.append(
            Operation(
                text: text, name: name, position: operations.count, zone: zone, read: { try read(&$0) }, client: client,
                ancestor: ancestor))
        identity = BatchIdentity()
        return Item(position: operations.count - 1, name: name)
    }
}

extension RecordScanner {
    /// Whether the response has only the name, type and change tag of the record, because the caller can write but not
    /// read the record.
    var isStub: Bool { head.created == nil }
}

extension Stored where Model: RecordDecodable {
    /// Reads the scanner's current record. If the response has no fields, the result contains the model that was sent.
    ///
    /// - Throws: `FogbaseError.decoding` if the record does not fit the model.
    init(_ scanner: inout RecordScanner, sent: Model) throws {
        if scanner.isStub {
            self.init(sent, metadata: RecordMetadata(scanner.head, type: Model.recordType))
        } else {
            try self.init(&scanner)
        }
    }
}

extension Record {
    /// Creates a record from the fields of a model.
    ///
    /// - Throws: `JSONError` if the writer's text is not valid JSON.
    package init(_ type: String, name: String, fields writer: FieldWriter) throws {
        self.init(type, name: name)
        let text = Array("{\"fields\":{".utf8) + writer.text + Array("}}".utf8)
        let values = try text.withUnsafeBytes { bytes in
            var scanner = RecordScanner(bytes)
            try scanner.readDocument()
            return Record(&scanner).fields
        }
        fields = values
    }
}
