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
            "SELECT EXISTS (SELECT 1 FROM audience_record WHERE audience = -?1 AND type = ?2)")
    }

    /// The numbers that stand for those audiences of some principals that have records of a type.
    ///
    /// - Parameter principals: By number; `AudienceTable.everything` for all records that have a list.
    package func numbers(zone: Int64, principals: [Int64], type: Int64) throws(RecordError) -> [Int64] {
        var found: [Int64] = []
        for principal in principals {
            ofPrincipal.bind(1, zone)
            ofPrincipal.bind(2, principal)
            let number = try ofPrincipal.step() ? -ofPrincipal.integer(0) : nil
            ofPrincipal.reset()
            guard let number else { continue }
            hasRecords.bind(1, number)
            hasRecords.bind(2, type)
            let isInUse = try hasRecords.step() && hasRecords.integer(0) != 0
            hasRecords.reset()
            if isInUse { found.append(number) }
        }
        return found
    }
}
