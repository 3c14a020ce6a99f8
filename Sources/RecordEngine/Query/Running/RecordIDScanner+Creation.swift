internal import RecordModel
internal import RecordStorage

/// Finds ids by creation time, in databases where creation times ascend with ids.
extension RecordIDScanner {
    /// Returns the range of ids of the records created within a time range. Runs two binary searches, because creation
    /// times ascend with ids.
    func ids(createdWithin range: ValueRange) throws(RecordError) -> IDRange {
        var ids = IDRange()
        if case .integer(let time)? = range.lower?.value {
            let isInclusive = range.lower?.isInclusive ?? true
            let first = try firstID { isInclusive ? $0 >= time : $0 > time }
            ids.above = first.previous
        }
        if case .integer(let time)? = range.upper?.value {
            let isInclusive = range.upper?.isInclusive ?? true
            ids.below = try firstID { isInclusive ? $0 > time : $0 >= time }
        }
        return ids
    }

    /// The id of the first record, of any type, whose creation time satisfies `isReached`. All later records must
    /// satisfy `isReached` too.
    private func firstID(_ isReached: (Int64) -> Bool) throws(RecordError) -> RecordNumber {
        var low: Int64 = 1
        var high = Int64.max
        // Ids are sequence numbers, so doubling a probe finds the last id in a few lookups.
        var probe: Int64 = 1 << 10
        while true {
            let at = probe
            let row = try creation(at: RecordNumber(rawValue: at))
            guard let row else {
                high = probe
                break
            }
            if isReached(row.created) {
                high = row.id.rawValue
                break
            }
            low = row.id.rawValue + 1
            guard probe < 1 << 61 else { break }
            probe = max(probe, row.id.rawValue) * 2
        }
        while low < high {
            let middle = low + (high - low) / 2
            let row = try creation(at: RecordNumber(rawValue: middle))
            guard let row, row.id.rawValue < high else {
                high = middle
                continue
            }
            if isReached(row.created) { high = middle } else { low = row.id.rawValue + 1 }
        }
        return RecordNumber(rawValue: low)
    }
}
