package import RecordModel

/// The columns of indexes that may have other values after a write of a record. An index without such a column keeps its
/// entries, and a write need not compute their keys.
package struct IndexedChanges {
    /// One bit for each field; the last bit is for all fields with greater numbers.
    private var fields: UInt64 = 0
    private let creation: Bool

    /// Compares two states of a record. The texts of values are compared: a field whose text has not changed has the same
    /// value, and other fields may have the same value.
    package init(from old: IndexedRecord, to new: IndexedRecord) {
        creation = old.created != new.created || old.creator != new.creator
        var before = old.fields.entries.makeIterator()
        var after = new.fields.entries.makeIterator()
        var (left, right) = (before.next(), after.next())
        while left != nil || right != nil {
            let (leftID, rightID) = (left?.fieldID ?? .max, right?.fieldID ?? .max)
            if let left, let right, leftID == rightID {
                if left.type != right.type || left.isExternal || right.isExternal
                    || !old.fields.valueText(of: left).hasSameBytes(as: new.fields.valueText(of: right))
                {
                    insert(leftID)
                }
            } else {
                insert(min(leftID, rightID))
            }
            if leftID <= rightID { left = before.next() }
            if rightID <= leftID { right = after.next() }
        }
    }

    private static func bit(_ field: Int) -> UInt64 { 1 &<< UInt64(min(field, 63)) }

    private mutating func insert(_ field: Int) { fields |= Self.bit(field) }

    /// Returns whether any column of an index may have another value.
    package func mayChange(_ index: IndexDefinition) -> Bool { index.columns.contains { mayChange($0.source) } }

    private func mayChange(_ source: IndexDefinition.Source) -> Bool {
        switch source {
        case .field(let id): fields & Self.bit(id) != 0
        case .system(.createdTimestamp), .system(.createdUserRecordName): creation
        case .system: true
        }
    }
}
