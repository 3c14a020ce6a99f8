/// The search for the ranges of keys that cover a region.
enum RegionCover {
    /// Cells per range. More cells fit the region better before the smallest gaps are closed, and cost more time: see the
    /// figures on the module's page.
    static let cellsPerRange = 4
    /// How much a range that needs no tests is worth, relative to its keys: the cost of a test, if the cost of reading a
    /// key is 1.
    private static let testCost = 0.25

    /// Returns at most `maxRanges` ranges with all places of the cells that are not outside.
    static func ranges(maxRanges: Int, relation: (PlaceCell) -> CellRelation) -> [KeyRange] {
        close(cells(atMost: cellsPerRange * maxRanges + 4, relation: relation), maxRanges: maxRanges)
    }

    /// Returns ranges of cells, divided until there are about `limit`, the largest first.
    private static func cells(atMost limit: Int, relation: (PlaceCell) -> CellRelation) -> [KeyRange] {
        var ranges: [KeyRange] = []
        // Partial cells in the order of their levels: the children of a cell come after all cells of its level.
        var queue: [PlaceCell] = []
        func add(_ cell: PlaceCell) {
            switch relation(cell) {
            case .outside: break
            case .partial: queue.append(cell)
            case .inside: ranges.append(KeyRange(cell, isInside: true))
            }
        }
        add(.root)
        var next = 0
        while next < queue.count, ranges.count + queue.count - next < limit, queue[next].level < PlaceCell.maxLevel {
            let cell = queue[next]
            next += 1
            for index in 0..<4 as Range<UInt8> { add(cell.child(index)) }
        }
        ranges += queue[next...].map { KeyRange($0, isInside: false) }
        return ranges.sorted { $0.lower < $1.lower }
    }

    /// Joins neighbors, then closes the gaps that cost least until there are at most `maxRanges` ranges.
    private static func close(_ cells: [KeyRange], maxRanges: Int) -> [KeyRange] {
        let ranges = joined(cells) { $0.gap(to: $1) == 0 && $0.isInside == $1.isInside }
        guard ranges.count > maxRanges else { return ranges }
        let costs = ranges.indices.dropFirst().map { index in
            (cost: cost(of: ranges[index - 1], ranges[index]), key: ranges[index].lower)
        }
        let closed = Set(costs.sorted { $0 < $1 }.prefix(ranges.count - maxRanges).map(\.key))
        return joined(ranges) { closed.contains($1.lower) }
    }

    private static func joined(_ ranges: [KeyRange], where belong: (KeyRange, KeyRange) -> Bool) -> [KeyRange] {
        var joined: [KeyRange] = []
        for range in ranges {
            if let last = joined.last, belong(last, range) {
                joined[joined.count - 1] = KeyRange(
                    lower: last.lower, upper: range.upper,
                    isInside: last.isInside && range.isInside && last.gap(to: range) == 0)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    /// Returns the cost of one range instead of two: keys that are read for nothing, and tests that become necessary.
    private static func cost(of one: KeyRange, _ other: KeyRange) -> Double {
        let gap = one.gap(to: other)
        if gap == 0, one.isInside == other.isInside { return 0 }
        return Double(gap) + testCost * ((one.isInside ? one.size : 0) + (other.isInside ? other.size : 0))
    }
}

extension KeyRange {
    fileprivate init(_ cell: PlaceCell, isInside: Bool) {
        self.init(lower: cell.keys.lowerBound, upper: cell.keys.upperBound, isInside: isInside)
    }

    /// The number of keys, rounded.
    fileprivate var size: Double { Double(upper.code - lower.code) + 1 }

    /// Returns the number of keys between this range and a later one.
    fileprivate func gap(to later: KeyRange) -> UInt64 { later.lower.code - upper.code - 1 }
}
