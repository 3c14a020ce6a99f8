internal import Foundation
internal import RecordModel
internal import RecordWire

/// Several writes that go to the server at once, of any types.
///
/// ```swift
/// var batch = Batch()
/// let post = try batch.create(Post(title: "sea"))
/// try batch.create(Comment(post: post.reference(), text: "fog"))
/// try batch.delete("Draft", "d1")
/// let stored = try await database.perform(batch)[post]
/// ```
///
/// Performing a batch that was done a second time does nothing more: it bears its own idempotency key. Change it, and it is
/// another one.
public struct Batch: Sendable {
    /// An operation of a batch, whose result is asked for by it.
    public struct Item<Value: Sendable>: Hashable, Sendable {
        /// Where the operation stands in the batch, from 0.
        public let position: Int
        /// The name of its record, which the client has made if the app gave none.
        public let name: String
    }

    /// One operation as it is sent, and how its answer is read.
    struct Operation: Sendable {
        var text: [UInt8]
        var name: String
        /// Reads the record that stands for the operation in the answer.
        var read: @Sendable (inout RecordScanner) throws -> any Sendable
        /// What the app had, for a conflict.
        var client: Record?
        var ancestor: Record?
    }

    var operations: [Operation] = []
    var identity = BatchIdentity()

    /// A batch without operations; performed so, it asks the server nothing.
    public init() {}

    /// How many operations there are. An atomic batch may have 200, unless the server's limits say otherwise.
    public var count: Int { operations.count }

    /// Makes a new record of a model.
    @discardableResult
    public mutating func create<Model: RecordCodable>(
        _ model: Model, named name: String? = nil, access: RecordAccess? = nil
    ) throws -> Item<Stored<Model>> {
        let name = try name.map { try Database.checked($0) } ?? RecordNames.make()
        var writer = FieldWriter(removesAbsent: false)
        try model.encode(fields: &writer)
        return add(
            "create", Model.recordType, name, fields: writer, access: access,
            client: try? Record(Model.recordType, name: name, fields: writer)
        ) { try Stored(&$0, sent: model) }
    }

    /// Saves what an app has changed of a record.
    @discardableResult
    public mutating func save<Model: RecordCodable>(
        _ stored: Stored<Model>, policy: SavePolicy = .ifUnchanged
    ) throws -> Item<Stored<Model>> {
        var now = FieldWriter(removesAbsent: true, keepsEntries: true)
        try stored.model.encode(fields: &now)
        var before = FieldWriter(removesAbsent: true, keepsEntries: true)
        try stored.original.encode(fields: &before)
        let type = stored.metadata.recordType
        let fields = policy == .allFields ? now : now.changes(since: before)
        return add(
            policy == .ifUnchanged ? "update" : "forceUpdate", type, stored.id, fields: fields,
            version: policy == .ifUnchanged ? stored.metadata.version : nil, access: stored.metadata.access,
            client: try? Record(type, name: stored.id, fields: now),
            ancestor: try? Record(type, name: stored.id, fields: before)
        ) { try Stored(&$0, sent: stored.model) }
    }

    /// Saves a record; one that was not read before is made.
    @discardableResult
    public mutating func save(_ record: Record, policy: SavePolicy = .ifUnchanged) throws -> Item<Record> {
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
        return add(
            word, record.recordType, try Database.checked(record.name), fields: writer,
            version: policy == .ifUnchanged ? record.version : nil, access: record.access, client: record,
            ancestor: isNew ? nil : ancestor
        ) { scanner in
            guard scanner.isStub else { return Record(&scanner) }
            var saved = record
            saved.metadata = RecordMetadata(scanner.head, type: record.recordType)
            saved.original = saved.fields
            return saved
        }
    }

    /// Deletes a record, if it has not changed since it was read.
    @discardableResult
    public mutating func delete<Model>(_ stored: Stored<Model>) throws -> Item<Void> {
        add("delete", stored.metadata.recordType, stored.id, version: stored.metadata.version) { _ in () }
    }

    /// Deletes a record, whatever its state.
    @discardableResult
    public mutating func delete(_ recordType: String, _ name: String) throws -> Item<Void> {
        add("delete", recordType, try Database.checked(name)) { _ in () }
    }

    /// Deletes a record, if it still has a version.
    @discardableResult
    public mutating func delete(_ recordType: String, _ name: String, version: String) throws -> Item<Void> {
        add("delete", recordType, try Database.checked(name), version: version) { _ in () }
    }

    /// Deletes a record of whatever type, whatever its state: names are unique over all types.
    mutating func delete(named name: String) throws -> Item<Void> {
        add("delete", nil, try Database.checked(name)) { _ in () }
    }

    private mutating func add<Value: Sendable>(
        _ word: StaticString, _ type: String?, _ name: String, fields: FieldWriter? = nil, version: String? = nil,
        access: RecordAccess? = nil, client: Record? = nil, ancestor: Record? = nil,
        read: @escaping @Sendable (inout RecordScanner) throws -> Value
    ) -> Item<Value> {
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
        if let version {
            text.appendLiteral(",\"recordChangeTag\":")
            text.appendString(version)
        }
        if let access {
            text.appendLiteral(",\"acl\":")
            access.tree.write(to: &text)
        }
        if let fields {
            text.appendLiteral(",\"fields\":{")
            text.append(contentsOf: fields.text)
            text.append(UInt8(ascii: "}"))
        }
        text.appendLiteral("}}")
        operations.append(
            Operation(text: text, name: name, read: { try read(&$0) }, client: client, ancestor: ancestor))
        identity = BatchIdentity()
        return Item(position: operations.count - 1, name: name)
    }
}

extension RecordScanner {
    /// Whether the answer says no more than name, type and version: to somebody who may write a record and not read it.
    var isStub: Bool { head.created == nil }
}

extension Stored where Model: RecordDecodable {
    /// Reads the record at which a scanner stands, or takes what was sent for it where the answer does not show it.
    init(_ scanner: inout RecordScanner, sent: Model) throws {
        if scanner.isStub {
            self.init(sent, metadata: RecordMetadata(scanner.head, type: Model.recordType))
        } else {
            try self.init(&scanner)
        }
    }
}

extension Record {
    /// The record that a model's fields make.
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
