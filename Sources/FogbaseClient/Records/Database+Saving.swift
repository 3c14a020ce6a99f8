internal import Foundation
internal import RecordWire

extension Database {
    /// Makes a new record of a model.
    ///
    /// - Parameters:
    ///   - model: The fields of the record.
    ///   - name: The record's name; `nil` makes one.
    ///   - access: Who may read and write it; `nil` is what the type's schema says.
    /// - Throws: `FogbaseError.exists` if there is a record with this name.
    @discardableResult
    public func create<Model: RecordCodable>(
        _ model: Model, named name: String? = nil, access: RecordAccess? = nil
    ) async throws -> Stored<Model> {
        var batch = Batch()
        let item = try batch.create(model, named: name, access: access)
        return try await perform(item, alone: batch)
    }

    /// Saves what an app has changed of a record.
    ///
    /// - Throws: `FogbaseError.conflict`, with the three states, if the record has changed since and the policy is
    ///   `ifUnchanged`.
    @discardableResult
    public func save<Model: RecordCodable>(
        _ stored: Stored<Model>, policy: SavePolicy = .ifUnchanged
    ) async throws -> Stored<Model> {
        var batch = Batch()
        let item = try batch.save(stored, policy: policy)
        return try await perform(item, alone: batch)
    }

    /// Saves a record; one that was not read before is made.
    @discardableResult
    public func save(_ record: Record, policy: SavePolicy = .ifUnchanged) async throws -> Record {
        var batch = Batch()
        let item = try batch.save(record, policy: policy)
        return try await perform(item, alone: batch)
    }

    /// Deletes a record, and with it what refers to it with `DELETE_SELF`.
    ///
    /// - Throws: `FogbaseError.conflict` if it has changed since it was read.
    public func delete<Model>(_ stored: Stored<Model>) async throws {
        var batch = Batch()
        let item = try batch.delete(stored)
        try await perform(item, alone: batch)
    }

    /// Deletes a record, whatever its state.
    ///
    /// - Throws: `FogbaseError.notFound` if there is none.
    public func delete(_ recordType: String, _ name: String) async throws {
        var batch = Batch()
        let item = try batch.delete(recordType, name)
        try await perform(item, alone: batch)
    }

    /// Deletes a record of a model, whatever its state.
    public func delete<Model: RecordShape>(_ type: Model.Type, _ name: String) async throws {
        try await delete(Model.recordType, name)
    }

    /// Changes fields of a record in the moment of writing: counters, lists, server times.
    ///
    /// - Returns: The record with its new values.
    /// - Throws: `FogbaseError.notFound` if there is no such record.
    @discardableResult
    public func change<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, _ name: String, _ changes: FieldChange<Model>...
    ) async throws -> Stored<Model> {
        try await change(name, changes)
    }

    /// Changes fields of a record that was read; the answer shows it as it is now.
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
