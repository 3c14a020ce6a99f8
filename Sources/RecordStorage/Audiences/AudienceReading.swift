package import RecordModel

/// Finds the audiences that a caller belongs to, for those who read.
///
/// Confined to the thread of its connection.
package final class AudienceReading {
    private let byKey: Statement
    private let hasRecords: Statement

    package init(_ connection: Connection) {
        byKey = connection.prepare("SELECT id FROM audience WHERE zone = ?1 AND principal = ?2")
        hasRecords = connection.prepare(
            "SELECT EXISTS (SELECT 1 FROM audience_record WHERE audience = ?1 AND type = ?2)")
    }

    /// The audiences that have the records of a type within a reach; none of those without records.
    package func find(zone: ZoneID, type: TypeID, _ reach: ListedReach) throws(RecordError) -> [AudienceID] {
        var found: [AudienceID] = []
        func look(for key: AudienceKey) throws(RecordError) {
            guard let audience: AudienceID = try byKey.with(zone, key).id() else { return }
            if try hasRecords.with(audience, type).row({ $0.next() }) ?? false { found.append(audience) }
        }
        switch reach {
        case .none: break
        case .all: try look(for: .everything)
        case .principals(let principals): for principal in principals { try look(for: .principal(principal)) }
        }
        return found
    }
}
