/// Which identifiers occur in more than one class, and which occur twice in one.
///
/// Record names are unique in a database here, while other servers have identifiers that are unique in a class only.
/// Eight bytes are remembered of each identifier.
struct IdentifierSets {
    private var hashes: [[Int]] = []

    /// Adds a class. Returns its number.
    mutating func addClass() -> Int {
        hashes.append([])
        return hashes.count - 1
    }

    /// Adds an identifier of a class.
    mutating func add(_ id: String, of number: Int) {
        hashes[number].append(id.hashValue)
    }

    /// Ends adding.
    ///
    /// - Returns: The classes of which an identifier occurs in an earlier class too, and the hashes of identifiers that
    ///   occur twice in one class.
    mutating func finish() -> (overlapping: Set<Int>, doubled: [Int: Set<Int>]) {
        var overlapping: Set<Int> = []
        var doubled: [Int: Set<Int>] = [:]
        var seen: [Int] = []
        for number in hashes.indices {
            hashes[number].sort()
            let sorted = hashes[number]
            for (left, right) in zip(sorted, sorted.dropFirst()) where left == right {
                doubled[number, default: []].insert(left)
            }
            let (merged, hasCommon) = Self.merge(seen, sorted)
            if hasCommon { overlapping.insert(number) } else { seen = merged }
            hashes[number] = []
        }
        return (overlapping, doubled)
    }

    private static func merge(_ left: [Int], _ right: [Int]) -> (merged: [Int], hasCommon: Bool) {
        var merged: [Int] = []
        merged.reserveCapacity(left.count + right.count)
        var (index, other, hasCommon) = (0, 0, false)
        while index < left.count || other < right.count {
            if other == right.count || (index < left.count && left[index] < right[other]) {
                merged.append(left[index])
                index += 1
            } else {
                if index < left.count, left[index] == right[other] { hasCommon = true }
                merged.append(right[other])
                other += 1
            }
        }
        return (merged, hasCommon)
    }
}
