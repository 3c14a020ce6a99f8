package import RecordModel

/// Finds the audiences that a caller can read. Readers use it.
///
/// Confined to the thread of its connection. Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class AudienceFinder {
    private let byKey: Statement
    private let hasRecords: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        byKey = connection.prepare("SELECT id FROM audience WHERE zone = ?1 AND principal = ?2")
        hasRecords = connection.prepare(
            "SELECT EXISTS (SELECT 1 FROM audience_record WHERE audience = ?1 AND type = ?2)")
    }

    /// Returns the audiences of a caller that contain records of a type.
    package func find(zone: ZoneID, type: TypeID, _ permitted: PermittedListedRecords) throws(RecordError)
        -> [AudienceID]
    {
        var found: [AudienceID] = []
        func look(for key: AudienceKey) throws(RecordError) {
            guard let audience: AudienceID = try byKey.with(zone, key).id() else { return }
            if try hasRecords.with(audience, type).row({ $0.next() }) ?? false { found.append(audience) }
        }
        switch permitted {
        case .none: break
        case .all: try look(for: .everything)
        case .principals(let principals): for principal in principals { try look(for: .principal(principal)) }
        }
        return found
    }
}
