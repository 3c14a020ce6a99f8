internal import Foundation
internal import RecordModel
internal import RecordWire

/// A database of a container, in its default zone.
public struct Database: Sendable {
    /// Whose records a database holds.
    public enum Scope: String, Hashable, Sendable {
        /// What all users share, as roles and grants allow.
        case `public`
        /// One user's own, which nobody else sees.
        case `private`
    }

    var connection: Connection
    /// Which of both this is.
    public let scope: Scope

    /// Reads one record as a model.
    ///
    /// - Parameters:
    ///   - type: The model; its fields are the only ones that are sent.
    ///   - name: The record's name.
    /// - Throws: `FogbaseError.notFound` if there is no such record of this type, or the caller may not know of it.
    public func fetch<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, _ name: String
    ) async throws -> Stored<Model> {
        let response = try await connection.send(fetchCall(Model.recordType, name, fields: Model.desiredKeys))
        return try response.readRecord { try Stored(&$0) }
    }

    /// Reads one record.
    ///
    /// - Parameters:
    ///   - recordType: The record's type.
    ///   - name: The record's name.
    ///   - fields: The fields to send; `nil` is all of them.
    public func fetch(_ recordType: String, _ name: String, fields: [String]? = nil) async throws -> Record {
        let response = try await connection.send(fetchCall(recordType, name, fields: fields))
        return try response.readRecord { Record(&$0) }
    }

    private func fetchCall(_ recordType: String, _ name: String, fields: [String]?) throws -> Call {
        var call = Call("GET", "records", recordType, try Self.checked(name))
        if let fields { call.query.append(("fields", fields.joined(separator: ","))) }
        return call
    }

    /// Refuses what cannot stand in a path as the name of a record.
    static func checked(_ name: String) throws -> String {
        guard RecordName(name) != nil else { throw FogbaseError.notRecordName(name) }
        return name
    }
}

extension RecordShape {
    /// The names of the fields to ask for; `nil` is all of them.
    static var desiredKeys: [String]? { Fields.all?.map(\.rawValue) }
}

extension TransportResponse {
    /// Reads a body that is one record.
    func readRecord<Value>(_ body: (inout RecordScanner) throws -> Value) throws -> Value {
        try self.body.withUnsafeBytes { bytes in
            var scanner = RecordScanner(bytes)
            do throws(JSONError) { try scanner.readDocument() } catch { throw malformed(error) }
            return try body(&scanner)
        }
    }

    /// Reads a body that has records in a list, and returns its other members.
    func readRecords(list: StaticString, _ each: (inout RecordScanner) throws -> Void) throws -> JSONObject {
        try body.withUnsafeBytes { bytes in
            try RecordScanner.readAnswer(bytes, list: list, malformed: { malformed($0) as any Error }, each: each)
        }
    }

    /// Reads a body that has no records.
    func readTree() throws -> JSONValue {
        do throws(JSONError) { return try JSONValue.parse(Array(body)) } catch { throw malformed(error) }
    }

    private func malformed(_ error: JSONError) -> FogbaseError {
        .notFogbase(status: status, "\(error.reason), at byte \(error.offset)")
    }
}
