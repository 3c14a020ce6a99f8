internal import RecordModel
internal import RecordStorage

extension QueryRequest {
    /// The most custom zones that one query searches. Each of them is planned and scanned by itself.
    private static let mostZones = 1_000

    /// Returns the zones that the query searches. A default zone that has never had a write is none of them.
    ///
    /// - Throws: ZONE_NOT_FOUND; BAD_REQUEST with cause TOO_LARGE for a database with too many zones.
    func zones(by reader: RecordReader) throws(RecordError) -> [ZoneID] {
        let first = try reader.zoneID(address)
        guard isZoneWide, case .privateDatabase(let owner) = address.scope else { return [first].compactMap(\.self) }
        let custom = try reader.store.zones.custom(of: owner, after: nil, limit: Self.mostZones + 1).map(\.id)
        guard custom.count <= Self.mostZones else { throw .tooManyZones(Self.mostZones) }
        return [first].compactMap(\.self) + custom.filter { $0 != first }
    }
}
