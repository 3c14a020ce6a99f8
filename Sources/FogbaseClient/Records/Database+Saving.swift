internal import Foundation
internal import RecordWire

extension Database {
    /// Creates a record from a model.
    ///
    /// ```swift
    /// let post = try await database.create(Post(title: "sea"))
    /// ```
    ///
    /// - Parameters:
    ///   - model: The fields of the record.
    ///   - name: The record name; `nil` generates one.
    ///   - access: The access list of the record; `nil` uses the default of the record type.
    ///   - parent: The name of the record's parent, in a zone of a private or shared database; `nil` for none.
    /// - Throws: `FogbaseError.exists` if a record has this name; `accessDenied` if the caller lacks the permission;
    ///   `invalidArgument` if the name is not a valid record name, or a number is not finite.
    @discardableResult
    public func create<Model: RecordCodable>(
        _ model: Model, named name: String? = nil, access: RecordAccess? = nil, under parent: String? = nil
    ) async throws -> Stored<Model> {
        var batch = Batch()
        let item = try batch.create(model, named: name, access: access, under: parent)
        return try await perform(item, alone: batch)
    }

    /// Saves the changes of a record.
    ///
    /// ```swift
    /// post.title = "fog"
    /// post = try await database.save(post)
    /// ```
    ///
    /// - Throws: `FogbaseError.conflict`, with three states of the record, if the record has changed since it was read
    ///   and the policy is ``SavePolicy/ifUnchanged``; `notFound` if the record was deleted; `accessDenied` if the
    ///   caller lacks the permission.
    @discardableResult
    public func save<Model: RecordCodable>(
        _ stored: Stored<Model>, policy: SavePolicy = .ifUnchanged
    ) async throws -> Stored<Model> {
        var batch = Batch()
        let item = try batch.save(stored, policy: policy)
        return try await perform(item, alone: batch)
    }

    /// Saves a record. A record without ``Record/metadata`` is created.
    ///
    /// - Throws: `FogbaseError.conflict` if the record has changed since it was read and the policy is
    ///   ``SavePolicy/ifUnchanged``; `exists` if a new record has the name of an existing record; `notFound` if the
    ///   record was deleted.
    @discardableResult
    public func save(_ record: Record, policy: SavePolicy = .ifUnchanged) async throws -> Record {
        var batch = Batch()
        let item = try batch.save(record, policy: policy)
        return try await perform(item, alone: batch)
    }

    /// Deletes a record, and all records that refer to it with `DELETE_SELF`.
    ///
    /// - Throws: `FogbaseError.conflict` if the record has changed since it was read; `notFound` if the record does not
    ///   exist.
    public func delete<Model>(_ stored: Stored<Model>) async throws {
        var batch = Batch()
        let item = try batch.delete(stored)
        try await perform(item, alone: batch)
    }

    /// Deletes a record, even if the record has changed since it was read.
    ///
    /// - Throws: `FogbaseError.notFound` if the record does not exist.
    public func delete(_ recordType: String, _ name: String) async throws {
        var batch = Batch()
        let item = try batch.delete(recordType, name)
        try await perform(item, alone: batch)
    }

    /// Deletes a record of a model's type, even if the record has changed since it was read.
    ///
    /// - Throws: `FogbaseError.notFound` if the record does not exist.
    public func delete<Model: RecordShape>(_ type: Model.Type, _ name: String) async throws {
        try await delete(Model.recordType, name)
    }

    /// Changes fields of a record with operations that the server executes, such as incrementing a counter.
    ///
    /// Concurrent changes of other clients are not lost, and no conflict can occur.
    ///
    /// ```swift
    /// let post = try await database.change(Post.self, name, .increment(.good), .appendUnique(.topics, ["sea"]))
    /// ```
    ///
    /// - Returns: The record with its new values.
    /// - Throws: `FogbaseError.notFound` if the record does not exist; `invalidArgument` if two changes have the same
    ///   field.
    @discardableResult
    public func change<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, _ name: String, _ changes: FieldChange<Model>...
    ) async throws -> Stored<Model> {
        try await change(name, changes)
    }

    /// Changes fields of a record with operations that the server executes.
    ///
    /// - Returns: The current record on the server. It includes changes that other clients have made since the record
    ///   was read.
    /// - Throws: `FogbaseError.notFound` if the record does not exist; `invalidArgument` if two changes have the same
    ///   field.
    @discardableResult
    public func change<Model: RecordDecodable>(
        _ stored: Stored<Model>, _ changes: FieldChange<Model>...
    ) async throws -> Stored<Model> {
        try await change(stored.id, changes)
    }

    private func change<Model: RecordDecodable>(
        _ name: String, _ changes: [FieldChange<Model>]
    ) async throws -> Stored<Model> {
        var call = Call("PATCH", "records", Model.recordType, try Self.checked(name))
        call.idempotencyKey = RecordNames.make()
        var fields = JSONObject()
        for change in changes {
            guard fields[change.field] == nil else {
                throw FogbaseError.invalidArgument("Field '\(change.field)' is changed twice in one call")
            }
            fields[change.field] = change.operation
        }
        call.setJSON(["fields": .object(fields)])
        return try await connection.send(call).readRecord { try Stored(&$0) }
    }
}
