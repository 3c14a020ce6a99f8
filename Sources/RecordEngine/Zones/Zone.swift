package import RecordWire

/// A zone of a database, as callers see it.
package struct Zone: Hashable, Sendable {
    /// The zone's name.
    package let name: String
    /// The record name of the account that owns the zone; `nil` in the public database.
    package let owner: String?
    /// When the zone was created, in milliseconds since 1970; `nil` for a default zone.
    package let created: Int64?
    /// The sync token of the zone's newest change; `nil` if the request does not ask for it.
    package var token: String?

    /// The zone as JSON: `{"zoneName","ownerRecordName"?,"created"?}`.
    package var json: JSONObject {
        var json = JSONObject([("zoneName", .string(name))])
        if let owner { json["ownerRecordName"] = .string(owner) }
        if let created { json["created"] = .integer(created) }
        return json
    }
}

/// One page of the zones of a database.
package struct ZonePage: Sendable {
    /// The zones; the default zone first, the others in the order of their names.
    package let zones: [Zone]
    /// The position of the next page; `nil` on the last page.
    package let cursor: String?
}

/// A change of a zone, for clients that follow all zones of a database.
package struct ZoneChange: Sendable {
    /// The zone.
    package let zone: Zone
    /// Whether the database no longer has the zone. The follower drops its records.
    package let isLost: Bool
    /// The sequence number of the change.
    let sequence: Int64
}

/// One page of the changes of a database's zones.
package struct ZoneChanges: Sendable {
    /// The zones that have changed, oldest change first. A zone occurs once for its newest change. A zone that was deleted
    /// and created again occurs twice.
    package let changes: [ZoneChange]
    /// The token for the next call.
    package let token: String
    /// Whether more changes exist already.
    package let moreComing: Bool
    /// The position before the first change.
    let start: SyncToken
}
