internal import RecordModel
internal import RecordStorage

/// Where a record stands in tables that lead with a zone: under its zone, or, if it has an access list, under each of its
/// audiences.
struct RecordPlaces: Hashable, Sendable {
    private let first: Int64
    private let others: [Int64]

    /// A record without an access list.
    init(zone: Int64) {
        first = zone
        others = []
    }

    /// A record with one.
    ///
    /// - Parameters:
    ///   - everything: The audience of all records of the zone that have a list.
    ///   - readers: Those of the principals that may read it.
    init(everything: Int64, readers: [Int64]) {
        first = everything
        others = readers.sorted()
    }

    func forEach<Failure: Error>(_ body: (Int64) throws(Failure) -> Void) throws(Failure) {
        try body(first)
        for place in others { try body(place) }
    }

    /// How many there are.
    var count: Int { 1 + others.count }

    func contains(_ place: Int64) -> Bool {
        place == first || others.contains(place)
    }

    /// The audiences: none of a record without a list.
    var audiences: [Int64] { first < 0 ? [first] + others : [] }
}

extension WriteTransaction {
    /// Where a record stands, or will stand; audiences that it is the first of are made.
    func places(of row: RecordRow, zone: Int64) throws(RecordError) -> RecordPlaces {
        guard let access = row.access else { return RecordPlaces(zone: zone) }
        return RecordPlaces(
            everything: try audiences.ensure(zone: zone, principal: AudienceTable.everything),
            readers: try StoredAccess.readers(access).map { reader throws(RecordError) in
                try audiences.ensure(zone: zone, principal: reader)
            })
    }

    /// Some other record of a zone that has a key, with or without an access list.
    func otherRecord(
        zone: Int64, key: UnsafeRawBufferPointer, than record: Int64, in index: IndexID, of type: RecordTypeDefinition
    ) throws(RecordError) -> Int64? {
        if let other = try indexes.table.otherRecord(zone: zone, key: key, than: record, in: index) { return other }
        guard type.hasAccessLists,
            let listed = try audiences.number(zone: zone, principal: AudienceTable.everything)
        else { return nil }
        return try indexes.table.otherRecord(zone: listed, key: key, than: record, in: index)
    }
}
