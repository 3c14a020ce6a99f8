internal import HTTP
internal import RecordEngine
internal import RecordModel

/// The caller to whom a request is answered.
extension RequestQuery {
    /// Whether the request names the shared database.
    var isShared: Bool { self["database"] == "shared" }

    /// Whether the request names another database than the public one, or a zone, which only others have.
    var namesPrivateDatabase: Bool {
        contains { (name, value) in
            switch name {
            case "database": value != "public"
            case "zone", "owner": true
            default: false
            }
        }
    }

    /// Whether an administrator names the caller whose response it wants.
    var namesCaller: Bool { self["as"] != nil }

    /// Returns the caller whose rights decide about the response: the sender, or the caller that an administrator names
    /// with `as`. A user in another user's zone has the rights that the zone's share gives.
    ///
    /// - Throws: ACCESS_DENIED for `as` from anybody else; BAD_REQUEST and NOT_FOUND for an unknown caller; the errors of
    ///   `participant`.
    func caller(of sender: Caller, _ reader: RecordReader) throws(RecordError) -> Caller {
        try participant(try named(by: sender, reader), reader)
    }

    private func named(by sender: Caller, _ reader: RecordReader) throws(RecordError) -> Caller {
        guard let name = self["as"] else { return sender }
        let isPublic = self["database"] == nil || self["database"] == "public"
        guard Authorization.mayReadAsOthers(sender, inPublicDatabase: isPublic) else {
            throw RecordError(
                Authorization.rejection(of: sender) == .denied ? .accessDenied : .authenticationRequired,
                isPublic
                    ? "Only administrators read as somebody else, with 'as'"
                    : "Only owners read private databases as somebody else, with 'as'",
                details: [("parameter", .text("as"))])
        }
        return try reader.access.caller(named: name, for: sender)
    }

    /// Returns the caller with its rights in the shared zone that the request names. Without a zone, and in other
    /// databases, the caller is returned as it is.
    ///
    /// - Throws: BAD_REQUEST for a zone without an owner; AUTHENTICATION_REQUIRED; ZONE_NOT_FOUND for a zone that is not
    ///   shared with the caller.
    private func participant(_ caller: Caller, _ reader: RecordReader) throws(RecordError) -> Caller {
        guard isShared, self["owner"] != nil || namesCustomZone else { return caller }
        guard let text = self["owner"], let name = UserRecordName(text) else {
            throw Self.invalid("owner", "With database=shared, 'owner' is the record name of the zone's owner")
        }
        guard namesCustomZone else {
            throw Self.invalid("zone", "With database=shared, 'zone' names a zone. Default zones are not shared")
        }
        guard caller != .anonymous else {
            throw RecordError(.authenticationRequired, "A shared database belongs to a user. Sign in first")
        }
        guard let id = try reader.accounts.id(of: name) else { throw .zoneNotFound }
        let participant = try reader.participant(
            caller, in: DatabaseAddress(scope: .privateDatabase(owner: id), zone: zone))
        // The caller's own zones are in its private database.
        guard participant.participation != nil else { throw .zoneNotFound }
        return participant
    }
}

extension RequestTarget {
    /// As `RequestQuery.namesPrivateDatabase`, for a target that no route has read. True for a malformed query, and for
    /// what looks like the path of a zone, which only private databases have.
    var mayNamePrivateDatabase: Bool {
        if (0..<min(3, segmentCount)).contains(where: { segment($0)?.lowercased() == "zones" }) { return true }
        guard hasQuery else { return false }
        guard let items = queryItems else { return true }
        return items.contains { name, value in
            switch name.lowercased() {
            case "database": value != "public"
            case "zone", "owner": true
            default: false
            }
        }
    }
}
