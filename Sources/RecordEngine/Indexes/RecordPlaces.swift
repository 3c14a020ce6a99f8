internal import RecordModel
internal import RecordStorage

/// Where a record stands in tables that lead with a zone: under its zone, or, if it has an access list, under each of its
/// audiences.
struct RecordPlaces: Hashable, Sendable {
    private let first: RowHome
    private let others: [RowHome]

    /// A record without an access list.
    init(zone: ZoneID) {
        first = .zone(zone)
        others = []
    }

    /// A record with one.
    ///
    /// - Parameters:
    ///   - everything: The audience of all records of the zone that have a list.
    ///   - readers: Those of the principals that may read it.
    init(everything: AudienceID, readers: [AudienceID]) {
        first = .audience(everything)
        others = readers.map(RowHome.audience).sorted()
    }

    func forEach<Failure: Error>(_ body: (RowHome) throws(Failure) -> Void) throws(Failure) {
        try body(first)
        for home in others { try body(home) }
    }

    /// How many there are.
    var count: Int { 1 + others.count }

    func contains(_ home: RowHome) -> Bool {
        home == first || others.contains(home)
    }

    /// The audiences: none of a record without a list.
    var audiences: [AudienceID] { ([first] + others).compactMap(\.audience) }
}

extension WriteTransaction {
    /// Where a record stands, or will stand; audiences that it is the first of are made.
    func places(of row: RecordRow, zone: ZoneID) throws(RecordError) -> RecordPlaces {
        guard let access = row.access else { return RecordPlaces(zone: zone) }
        return RecordPlaces(
            everything: try audiences.ensure(zone: zone, .everything),
            readers: try StoredAccess.readers(access).map { reader throws(RecordError) in
                try audiences.ensure(zone: zone, .principal(reader))
            })
    }

    /// Some other record of a zone that has a key, with or without an access list.
    func otherRecord(
        zone: ZoneID, key: UnsafeRawBufferPointer, than record: RecordNumber, in index: IndexID,
        of type: RecordTypeDefinition
    ) throws(RecordError) -> RecordNumber? {
        if let other = try indexes.table.otherRecord(home: .zone(zone), key: key, than: record, in: index) {
            return other
        }
        guard type.hasAccessLists,
            let listed = try audiences.find(zone: zone, .everything)
        else { return nil }
        return try indexes.table.otherRecord(home: .audience(listed), key: key, than: record, in: index)
    }
}
