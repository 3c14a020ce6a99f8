package import RecordModel

/// Finds the audiences that a caller belongs to, for those who read.
///
/// Confined to the thread of its connection.
package final class AudienceReading {
    private let ofPrincipal: Statement
    private let hasRecords: Statement

    package init(_ connection: Connection) throws(RecordError) {
        ofPrincipal = try connection.prepare("SELECT id FROM audience WHERE zone = ?1 AND principal = ?2")
        hasRecords = try connection.prepare(
            "SELECT EXISTS (SELECT 1 FROM audience_record WHERE audience = ?1 AND type = ?2)")
    }

    /// Those audiences of some principals that have records of a type.
    ///
    /// - Parameter principals: By number; `AudienceTable.everything` for all records that have a list.
    package func find(zone: ZoneID, principals: [Int64], type: TypeID) throws(RecordError) -> [AudienceID] {
        var found: [AudienceID] = []
        for principal in principals {
            guard let audience: AudienceID = try ofPrincipal.with(zone, principal).id() else { continue }
            if try hasRecords.with(audience, type).row({ $0.next() }) ?? false { found.append(audience) }
        }
        return found
    }
}
