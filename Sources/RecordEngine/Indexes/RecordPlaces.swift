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
