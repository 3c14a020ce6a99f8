internal import RecordWire

/// The shares of a zone: creating, changing, leaving and ending them.
public struct ZoneShares: Sendable {
    let database: Database

    private var connection: Connection { database.connection }

    /// Shares a record with everything below it.
    ///
    /// - Parameters:
    ///   - record: The record at the top of the hierarchy.
    ///   - title: A title for people.
    ///   - publicPermission: The permission of everyone who joins by the link.
    ///   - participants: The users that may join.
    /// - Throws: `FogbaseError.exists` if the record is shared already; `badRequest` if the zone is shared as a whole, if it
    ///   is a default zone, or for an unknown user.
    @discardableResult
    public func create<Model>(
        for record: Stored<Model>, title: String? = nil, publicPermission: Share.Permission = .none,
        participants: [Share.Participant] = []
    ) async throws -> Share {
        try await create(Share(rootName: record.id), title, publicPermission, participants)
    }

    /// Shares all records of the zone, also those to come.
    ///
    /// - Throws: `FogbaseError.exists` if the zone is shared already; `badRequest` if parts of the zone are shared, if it is
    ///   a default zone, or for an unknown user.
    @discardableResult
    public func createForZone(
        title: String? = nil, publicPermission: Share.Permission = .none, participants: [Share.Participant] = []
    ) async throws -> Share {
        try await create(Share(), title, publicPermission, participants)
    }

    private func create(
        _ share: Share, _ title: String?, _ permission: Share.Permission, _ participants: [Share.Participant]
    ) async throws -> Share {
        var share = share
        (share.title, share.publicPermission, share.participants) = (title, permission, participants)
        return try await save(share)
    }

    /// Saves a share: its title, its public permission, and its participants. A share that was never saved is created.
    ///
    /// ```swift
    /// share.participants.append(.invitation("grandma@example.org"))
    /// share.participants.removeAll { $0.user == bob.recordName }
    /// share = try await lists.shares.save(share)
    /// ```
    ///
    /// - Throws: `FogbaseError.conflict` if the share has changed since it was read, for example because a participant has
    ///   joined; `exists`; `accessDenied` for a participant.
    @discardableResult
    public func save(_ share: Share) async throws -> Share {
        var call = Call(
            share.version == nil ? "PUT" : "PATCH", "records", Share.recordType, try Database.checked(share.id))
        call.fields.append(share.version.map { ("If-Match", "\"\($0)\"") } ?? ("If-None-Match", "*"))
        call.idempotencyKey = RecordNames.make()
        call.setJSON(share.body)
        return try await read(call)
    }

    /// Fetches a share by the name of its record.
    ///
    /// - Throws: `FogbaseError.notFound` if the zone has no such share, or the user does not take part in it.
    public func fetch(_ id: String) async throws -> Share {
        try await read(Call("GET", "records", Share.recordType, try Database.checked(id)))
    }

    /// Fetches the share that begins with a record; `nil` if there is none.
    ///
    /// - Parameter record: The record, read after it was shared.
    public func fetch<Model>(for record: Stored<Model>) async throws -> Share? {
        guard let name = record.metadata.share else { return nil }
        return try await fetch(name)
    }

    /// Fetches all shares of the zone that the user takes part in.
    public func all() async throws -> [Share] {
        var shares: [Share] = []
        var cursor: String?
        repeat {
            var call = Call("GET", "records", Share.recordType)
            if let cursor { call.query.append(("cursor", cursor)) }
            let response = try await connection.send(call)
            let tree = try response.readTree()
            guard let records = tree["records"]?.array else {
                throw FogbaseError.notFogbase(status: response.status, "A list of shares is missing")
            }
            shares += try records.map { try Share($0, status: response.status) }
            cursor = tree["cursor"]?.string
        } while cursor != nil
        return shares
    }

    /// Ends a share for all participants. The records stay.
    ///
    /// - Throws: `FogbaseError.notFound` if the share does not exist any more.
    public func delete(_ share: Share) async throws {
        try await database.delete(Share.recordType, share.id)
    }

    /// Leaves a share, in a zone of the shared database. If it is the last one in its zone, the user loses the zone.
    ///
    /// - Throws: `FogbaseError.zoneNotFound` or `notFound` if the user does not take part any more.
    public func leave(_ share: Share) async throws {
        try await database.delete(Share.recordType, share.id)
    }

    /// Moves a record with everything below it to another parent in its zone, and so into the shares of this parent and out of
    /// the earlier ones.
    ///
    /// - Parameters:
    ///   - stored: The record.
    ///   - parent: The name of the new parent; `nil` for none.
    /// - Throws: `FogbaseError.notFound` if the record does not exist; `referenceViolation` if the parent does not exist;
    ///   `badRequest` if the parent is below the record, and in a default zone; `accessDenied` for a participant at the top
    ///   of a share.
    @discardableResult
    public func move<Model: RecordDecodable>(
        _ stored: Stored<Model>, under parent: String?
    ) async throws -> Stored<Model> {
        var call = Call("PATCH", "records", Model.recordType, try Database.checked(stored.id))
        call.isRepeatable = true
        call.setJSON(["fields": .object(JSONObject()), "parent": parent.map(Batch.link) ?? .null])
        return try await connection.send(call).readRecord { try Stored(&$0) }
    }

    private func read(_ call: Call) async throws -> Share {
        let response = try await connection.send(call)
        return try Share(try response.readTree(), status: response.status)
    }
}

extension Database {
    /// The shares of the zone.
    public var shares: ZoneShares { ZoneShares(database: self) }
}

extension Container {
    /// Shows what the link of a share leads to.
    ///
    /// - Throws: `FogbaseError.notFound` if no share has the link, or the share neither names the user nor is public.
    public func share(at link: String) async throws -> Share.Invitation {
        try await invitation(Call("GET", "shares", link))
    }

    /// Joins a share. Its zone is then in ``sharedDatabase``. Does nothing if the user has joined already, or is the owner.
    ///
    /// ```swift
    /// let joined = try await container.acceptShare(link)
    /// let items = try await container.sharedDatabase.zone(joined.zone).fetch(Query<Item>())
    /// ```
    ///
    /// - Parameter link: ``Share/link`` of the share, or the link of an invitation.
    /// - Throws: `FogbaseError.notFound` if no share has the link, or the share neither names the user nor is public.
    @discardableResult
    public func acceptShare(_ link: String) async throws -> Share.Invitation {
        var call = Call("POST", "shares", link, "accept")
        call.isRepeatable = true
        return try await invitation(call)
    }

    private func invitation(_ call: Call) async throws -> Share.Invitation {
        let response = try await connection.send(call)
        return try Share.Invitation(try response.readTree(), status: response.status)
    }
}
