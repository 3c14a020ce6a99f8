internal import RecordModel
internal import RecordStorage

/// The check of audiences. Each record with an access list must be in the audiences of its readers, and in no others.
struct AudienceCheck {
    private let label: String
    private let table: AudienceTable
    private let inspection: InspectionTable

    private static let slice = 1_000

    /// - Returns: `nil` if the file has no audience tables. The current version may not have opened the file yet.
    init?(_ store: StoreInspector, label: String) throws {
        guard try store.records.hasAccessLists() else { return nil }
        self.label = label
        inspection = store.records
        table = store.audiences
    }

    /// Returns the homes of a record's index entries: its zone or its audiences.
    func places(of row: RecordRow, zone: ZoneID) throws -> [RowHome] {
        guard let access = row.access else { return [.zone(zone)] }
        return try Self.keys(access).compactMap {
            try table.find(zone: zone, $0).map(RowHome.audience)
        }
    }

    /// Returns the keys of the audiences that a record with this access list belongs to.
    private static func keys(_ access: [UInt8]) -> [AudienceKey] {
        [.everything] + StoredAccess.readers(access).map(AudienceKey.principal)
    }

    /// Checks that a record is in its audiences.
    func examine(_ row: RecordRow, zone: ZoneID, _ place: String, _ found: inout DoctorReport) throws {
        guard let access = row.access else { return }
        for key in Self.keys(access) {
            let audience = try table.find(zone: zone, key)
            guard let audience, try table.contains(row, in: audience) else {
                found.problem(
                    "\(place) is missing in an audience of its access list.", remedy: Self.remedy,
                    sort: label + " audience")
                return
            }
        }
    }

    /// Checks that each audience contains only records that the audience's principal may read.
    func examineMembers(_ found: inout DoctorReport, progress: (_ done: Int) throws -> Void) throws {
        var last: AudienceTable.Member?
        var done = 0
        while true {
            try progress(done)
            let members = try inspection.withView { () -> [AudienceTable.Member] in
                let members = try table.members(after: last, limit: Self.slice)
                for member in members where try !isBacked(member) {
                    found.problem(
                        "\(label): An audience has an entry that does not match its record (record number \(member.record)).",
                        remedy: Self.remedy, sort: label + " orphan audience")
                }
                return members
            }
            guard let next = members.last else { return }
            last = next
            done += members.count
        }
    }

    private func isBacked(_ member: AudienceTable.Member) throws -> Bool {
        guard let audience = try table.audience(member.audience) else { return false }
        return try inspection.withRecord(member.record) { cursor, zone in
            guard let row = cursor?.row, !row.isDeleted, row.type == member.type, row.creator == member.creator,
                zone == audience.zone, let access = row.access
            else { return false }
            return Self.keys(access).contains(audience.key)
        }
    }

    private static let remedy = "Remove the access list of the record with PATCH, then set it again."
}
