internal import Foundation
internal import RecordModel
internal import RecordWire

/// A zone of a container's public database, or of a user's private or shared database.
///
/// The databases of a ``Container`` are their default zones. The zones that apps create in private databases are returned
/// by `zone(_:)`. A shared database has no default zone: `zone(_:)` with the id of a zone returns the zones that other
/// users share with the signed-in user.
public struct Database: Sendable {
    /// The kinds of databases.
    public enum Scope: String, Hashable, Sendable {
        /// The database that all users share, subject to roles and grants.
        case `public`
        /// The database of one user, which other users cannot see.
        case `private`
        /// The zones of other users that are shared with one user.
        case shared
    }

    var connection: Connection
    /// The kind of the database.
    public let scope: Scope
    /// The name of the zone whose records the calls read and write.
    public internal(set) var zoneName = Zone.defaultName
    /// The record name of the user who owns the zone, in a shared database; otherwise `nil`.
    public internal(set) var zoneOwner: String?

    /// The zones of the database, of which this value addresses one.
    public var zones: DatabaseZones { DatabaseZones(connection: connection.addressing(zone: Zone.defaultName)) }

    /// Returns another zone of the same database. The call sends no request.
    ///
    /// ```swift
    /// let notebook = try container.privateDatabase.zone("Notebook")
    /// let pages = try await notebook.fetch(Query<Page>())
    /// ```
    ///
    /// If the database does not have the zone, the calls of the result throw `FogbaseError.zoneNotFound`. The public
    /// database has ``Zone/defaultName`` alone.
    ///
    /// - Parameter name: The name of the zone.
    /// - Throws: `FogbaseError.invalidArgument` if the name is not valid, and for a shared database, whose zones have
    ///   owners.
    public func zone(_ name: String) throws -> Database {
        try zone(Zone.ID(name: name))
    }

    /// Returns another zone of the same database. The call sends no request.
    ///
    /// ```swift
    /// for zone in try await container.sharedDatabase.zones.all() {
    ///     let items = try await container.sharedDatabase.zone(zone.id).fetch(Query<Item>())
    /// }
    /// ```
    ///
    /// - Parameter id: The name of the zone. In a shared database, also its owner.
    /// - Throws: `FogbaseError.invalidArgument` if the name is not valid, or for a zone of a shared database without an
    ///   owner.
    public func zone(_ id: Zone.ID) throws -> Database {
        guard scope != .shared || id.owner != nil else {
            throw FogbaseError.invalidArgument(
                "A zone of a shared database has an owner. Use zone(_:) with the id of a zone")
        }
        var database = self
        database.zoneName = try Zone.checked(id.name)
        database.zoneOwner = scope == .shared ? id.owner : nil
        database.connection = connection.addressing(zone: id.name, of: id.owner)
        return database
    }

    /// Fetches a record as a model.
    ///
    /// ```swift
    /// let post = try await database.fetch(Post.self, name)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The model. The server sends only the model's fields.
    ///   - name: The record name.
    /// - Throws: `FogbaseError.notFound` if the type has no such record, or the caller cannot read the record;
    ///   `decoding` if the record does not fit the model.
    public func fetch<Model: RecordDecodable>(
        _ type: Model.Type = Model.self, _ name: String
    ) async throws -> Stored<Model> {
        let response = try await connection.send(fetchCall(Model.recordType, name, fields: Model.desiredKeys))
        return try response.readRecord { try Stored(&$0) }
    }

    /// Fetches a record without a model.
    ///
    /// - Parameters:
    ///   - recordType: The record type.
    ///   - name: The record name.
    ///   - fields: The fields to send; `nil` requests all fields.
    /// - Throws: `FogbaseError.notFound` if the type has no such record, or the caller cannot read the record.
    public func fetch(_ recordType: String, _ name: String, fields: [String]? = nil) async throws -> Record {
        let response = try await connection.send(fetchCall(recordType, name, fields: fields))
        return try response.readRecord { Record(&$0) }
    }

    private func fetchCall(_ recordType: String, _ name: String, fields: [String]?) throws -> Call {
        var call = Call("GET", "records", recordType, try Self.checked(name))
        if let fields { call.query.append(("fields", fields.joined(separator: ","))) }
        return call
    }

    /// Checks that a text is a valid record name, and returns the text.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if `name` is not a valid record name.
    static func checked(_ name: String) throws -> String {
        guard RecordName(name) != nil else { throw FogbaseError.notRecordName(name) }
        return name
    }
}

extension RecordShape {
    /// The names of the fields to request; `nil` requests all fields.
    static var desiredKeys: [String]? { Fields.all?.map(\.rawValue) }
}

extension TransportResponse {
    /// Reads the response's body, which must be one record.
    ///
    /// - Throws: `FogbaseError.notFogbase` if the body is not valid, or the error of `body`.
    func readRecord<Value>(_ body: (inout RecordScanner) throws -> Value) throws -> Value {
        try self.body.withUnsafeBytes { bytes in
            var scanner = RecordScanner(bytes)
            do throws(JSONError) { try scanner.readDocument() } catch { throw malformed(error) }
            return try body(&scanner)
        }
    }

    /// Reads the response's body, which must be an object with a list of records. Returns the other members of the
    /// object.
    ///
    /// - Throws: `FogbaseError.notFogbase` if the body is not valid, or the error of `each`.
    func readRecords(list: StaticString, _ each: (inout RecordScanner) throws -> Void) throws -> JSONObject {
        try body.withUnsafeBytes { bytes in
            try RecordScanner.readResponse(bytes, list: list, malformed: { malformed($0) as any Error }, each: each)
        }
    }

    /// Reads the response's body as JSON without records.
    ///
    /// - Throws: `FogbaseError.notFogbase` if the body is not valid.
    func readTree() throws -> JSONValue {
        do throws(JSONError) { return try JSONValue.parse(Array(body)) } catch { throw malformed(error) }
    }

    private func malformed(_ error: JSONError) -> FogbaseError {
        .notFogbase(status: status, "\(error.reason), at byte \(error.offset)")
    }
}
