internal import RecordModel
internal import RecordWire

/// The identity of a zone. A zone that is deleted and created again gets another one.
struct InMemoryZoneID: Hashable, CustomStringConvertible {
    /// The user ID of the database's owner; 0 for the public database.
    let owner: Int64
    /// The sequence number of the zone's creation; 0 for a default zone.
    var number: Int64 = 0

    /// The default zone of the public database.
    static let publicDefault = InMemoryZoneID(owner: 0)

    var isDefault: Bool { number == 0 }
    var description: String { "\(owner).\(number)" }
}

/// A custom zone of a private database.
struct InMemoryZone {
    let id: InMemoryZoneID
    let name: ZoneName
    /// In milliseconds since 1970.
    let created: Int64
}

/// The custom zones of all private databases.
struct InMemoryZones {
    /// A zone that was deleted.
    struct Lost {
        /// The sequence number of the deletion.
        let sequence: Int64
        let owner: Int64
        let name: ZoneName
    }

    private var zones: [Int64: [ZoneName: InMemoryZone]] = [:]
    private(set) var lost: [Lost] = []

    /// Returns the identity of a zone.
    ///
    /// - Parameter owner: The user ID of the database's owner; 0 for the public database.
    /// - Throws: ZONE_NOT_FOUND.
    func id(of name: ZoneName, owner: Int64) throws(RecordError) -> InMemoryZoneID {
        if name == .defaultZone { return InMemoryZoneID(owner: owner) }
        guard let zone = find(name, owner: owner) else { throw .zoneNotFound }
        return zone.id
    }

    /// Returns a custom zone; `nil` if there is none.
    func find(_ name: ZoneName, owner: Int64) -> InMemoryZone? { zones[owner]?[name] }

    /// Returns the custom zones of a private database, in the order of the bytes of their names.
    func all(of owner: Int64) -> [InMemoryZone] {
        (zones[owner] ?? [:]).values.sorted { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
    }

    mutating func add(_ zone: InMemoryZone) {
        zones[zone.id.owner, default: [:]][zone.name] = zone
    }

    /// Removes a custom zone, and keeps its loss for the followers of the database.
    mutating func remove(_ zone: InMemoryZone, sequence: Int64) {
        zones[zone.id.owner]?[zone.name] = nil
        lost.append(Lost(sequence: sequence, owner: zone.id.owner, name: zone.name))
    }

    /// Removes everything of a deleted account.
    mutating func removeAll(of owner: Int64) {
        zones[owner] = nil
        lost.removeAll { $0.owner == owner }
    }
}
