internal import RecordModel
internal import RecordStorage

/// The homes of a record's rows in tables that start with a zone column. A record without an access list has its zone
/// as home. A record with an access list has each of its audiences as home.
struct RecordHomes: Hashable, Sendable {
    private let first: RowHome
    private let others: [RowHome]

    /// Creates the home of a record without an access list.
    init(zone: ZoneID) {
        first = .zone(zone)
        others = []
    }

    /// Creates the homes of a record with an access list.
    ///
    /// - Parameters:
    ///   - everything: The audience of all records of the zone that have an access list.
    ///   - readers: The audiences of the principals that may read the record.
    init(everything: AudienceID, readers: [AudienceID]) {
        first = .audience(everything)
        others = readers.map(RowHome.audience).sorted()
    }

    func forEach<Failure: Error>(_ body: (RowHome) throws(Failure) -> Void) throws(Failure) {
        try body(first)
        for home in others { try body(home) }
    }

    /// The number of homes.
    var count: Int { 1 + others.count }

    func contains(_ home: RowHome) -> Bool {
        home == first || others.contains(home)
    }

    /// The audiences of a record with an access list. Empty for other records.
    var audiences: [AudienceID] { ([first] + others).compactMap(\.audience) }
}
