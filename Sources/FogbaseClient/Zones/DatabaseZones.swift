internal import Foundation
internal import RecordModel
internal import RecordWire

/// The zones of a database: creating, listing, deleting and following them.
///
/// ```swift
/// let database = container.privateDatabase
/// try await database.zones.create("Notebook")
/// let notebook = try database.zone("Notebook")
/// ```
///
/// ``Database/zone(_:)-(String)`` reads and writes the records of one zone.
public struct DatabaseZones: Sendable {
    /// The connection for requests to the whole database.
    let connection: Connection

    /// Creates a zone in the private database. If the zone exists, it stays as it is.
    ///
    /// - Parameter name: The name: 1 to 255 bytes without control characters. Names that begin with `_` are the
    ///   server's.
    /// - Throws: `FogbaseError.invalidArgument` if the name is not valid; `badRequest` for a name of the server's and for
    ///   the public database; `limitExceeded` if the database has as many zones as it may have.
    @discardableResult
    public func create(_ name: String) async throws -> Zone {
        var call = Call("PUT", "zones", try Zone.checked(name))
        call.isRepeatable = true
        return try await connection.send(call).readZone()
    }

    /// Fetches the description of a zone.
    ///
    /// - Throws: `FogbaseError.zoneNotFound` if the database does not have the zone; `invalidArgument` if the name is not
    ///   valid.
    public func fetch(_ name: String) async throws -> Zone {
        try await connection.send(Call("GET", "zones", try Zone.checked(name))).readZone()
    }

    /// Fetches all zones of the database: the default zone, then the others by name. A shared database has those that
    /// others share with the user, the oldest change first.
    public func all() async throws -> [Zone] {
        var zones: [Zone] = []
        var cursor: String?
        repeat {
            var call = Call("GET", "zones")
            if let cursor { call.query.append(("cursor", cursor)) }
            let response = try await connection.send(call)
            let tree = try response.readTree()
            zones += try response.zoneTrees(of: tree).map { try Zone($0, status: response.status) }
            cursor = tree["cursor"]?.string
        } while cursor != nil
        return zones
    }

    /// Deletes a zone with all its records.
    ///
    /// The zone is gone when the call returns, and its name is free. If the call throws
    /// ``FogbaseError/responseLost(_:)``, the zone may be deleted. Repeat the call then, and treat `zoneNotFound` as
    /// success. The client does not repeat the call itself, because another client may have created a new zone with this
    /// name.
    ///
    /// - Throws: `FogbaseError.zoneNotFound` if the database does not have the zone; `badRequest` for a default zone;
    ///   `invalidArgument` if the name is not valid.
    public func delete(_ name: String) async throws {
        _ = try await connection.send(Call("DELETE", "zones", try Zone.checked(name)))
    }

    /// Fetches which zones of a private or shared database have changed. ``changeFeed(since:every:atMost:fields:types:)`` also
    /// fetches what has changed in them.
    ///
    /// - Parameters:
    ///   - token: The token of the last page; `nil` starts from the beginning.
    ///   - limit: The maximum number of zones; `nil` uses the server's default.
    /// - Throws: `FogbaseError.tokenExpired` if the token is too old: start from the beginning, and delete the zones that
    ///   are not returned again. `badRequest` for the public database.
    public func changes(since token: ZoneChangeToken? = nil, limit: Int? = nil) async throws -> ZoneChangePage {
        var call = Call("GET", "changes", "zones")
        if let token { call.query.append(("since", token.text)) }
        if let limit { call.query.append(("limit", String(limit))) }
        let response = try await connection.send(call)
        let tree = try response.readTree()
        guard let next = tree["token"]?.string else {
            throw FogbaseError.notFogbase(status: response.status, "A page of changed zones has no token")
        }
        let changes = try response.zoneTrees(of: tree).map { change -> ZoneChange in
            let zone = try Zone(change, status: response.status)
            return change["deleted"]?.bool == true ? .deleted(zone) : .changed(zone)
        }
        return ZoneChangePage(
            changes: changes, token: ZoneChangeToken(next), moreComing: tree["moreComing"]?.bool ?? false)
    }

    /// Returns the changes of all zones of a private or shared database, as a sequence that ends when its task is canceled.
    ///
    /// - Parameters:
    ///   - state: The state of the last event that the app has processed; `nil` starts from the beginning.
    ///   - interval: If the feed has to poll, the polling interval right after a change.
    ///   - longestInterval: The longest polling interval, after a long time without changes.
    ///   - fields: The fields to send; `nil` requests all fields.
    ///   - types: The record types to return; `nil` returns all types. Pass the same types with each state.
    public func changeFeed(
        since state: DatabaseChangeFeed.State? = nil, every interval: Duration = .seconds(2),
        atMost longestInterval: Duration = .seconds(60), fields: [String]? = nil, types: [String]? = nil
    ) -> DatabaseChangeFeed {
        DatabaseChangeFeed(
            zones: self, selection: FeedSelection(types: types, fields: fields), state: state ?? .init(),
            interval: interval, longestInterval: max(interval, longestInterval))
    }
}

extension Connection {
    /// Returns the connection for requests to another zone of the same database.
    ///
    /// - Parameter owner: The owner of a zone in a shared database. Other databases have one owner.
    func addressing(zone name: String, of owner: String? = nil) -> Connection {
        var connection = self
        let isShared = scope.contains { $0.name == "database" && $0.value == Database.Scope.shared.rawValue }
        connection.scope.removeAll { $0.name == "zone" || isShared && $0.name == "owner" }
        if name != Zone.defaultName { connection.scope.append(("zone", name)) }
        if isShared, let owner { connection.scope.append(("owner", owner)) }
        return connection
    }
}

extension Zone {
    /// Checks that a text is a valid name of a zone, and returns the text. The rule is that of record names.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if it is not.
    static func checked(_ name: String) throws -> String {
        guard RecordName(name) != nil else { throw FogbaseError.notZoneName(name) }
        return name
    }
}

extension TransportResponse {
    fileprivate func readZone() throws -> Zone {
        try Zone(try readTree(), status: status)
    }

    fileprivate func zoneTrees(of tree: JSONValue) throws -> [JSONValue] {
        guard let zones = tree["zones"]?.array else {
            throw FogbaseError.notFogbase(status: status, "A list of zones is missing")
        }
        return zones
    }
}
