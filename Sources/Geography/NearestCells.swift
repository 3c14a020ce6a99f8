import Containers

/// The cells around a place, from the nearest to the farthest: the search for nearest neighbors in an index of keys.
///
/// Scan the keys of each cell and hold the found places. Those whose distance is at most ``minimumDistance`` come before
/// all places of later cells:
///
/// ```swift
/// var cells = NearestCells(from: origin)
/// while let cell = cells.next() {
///     held += scan(cell.keys)
///     emit(&held, upTo: cells.minimumDistance)
/// }
/// ```
///
/// The cells do not overlap, and together they contain all places of the search. Each is as large as its distance allows,
/// so there are a few hundred for the whole earth. If a scan finds too many places, ``divide(_:)`` replaces the cell by
/// its parts. Memory is bounded by the number of calls: each step holds at most three more cells.
package struct NearestCells: Sequence, IteratorProtocol, Sendable {
    private let distances: DistanceBounds
    private let after, upTo: Double
    private let region: PreparedRegion?
    private let finest: Double
    private var heap = Heap<NearestCell>()

    /// Starts a search.
    ///
    /// - Parameters:
    ///   - origin: The place to which distances are measured.
    ///   - after: Cells that are wholly nearer than this many meters are left out: the distance of a cursor.
    ///   - upTo: Cells that are wholly farther than this many meters are left out.
    ///   - region: If given, cells wholly outside of the region are left out.
    ///   - finest: The size in meters below which a cell is not divided without ``divide(_:)``.
    package init(
        from origin: Place, after: Double = 0, upTo: Double = .infinity, in region: PreparedRegion? = nil,
        finest: Double = 500
    ) {
        distances = DistanceBounds(from: origin)
        self.after = after
        self.upTo = upTo
        self.region = region
        self.finest = finest
        add(.root, minimumDistance: 0, isInside: region == nil)
    }

    /// A distance in meters that no place in the cells to come is less than; infinity if there are no more cells.
    package var minimumDistance: Double { heap.min?.minimumDistance ?? .infinity }

    /// The number of cells in memory.
    package var heldCells: Int { heap.count }

    /// Returns the next cell; `nil` after the last one. Its minimum distance is not less than that of the one before it,
    /// unless that was divided.
    package mutating func next() -> NearestCell? {
        while let cell = heap.popMin(by: NearestCell.precedes) {
            guard isDivided(cell) else { return cell }
            addChildren(of: cell)
        }
        return nil
    }

    /// Puts the four parts of a returned cell back into the search. The caller drops what it has found in the cell.
    ///
    /// - Returns: False if the cell has a single key and cannot be divided.
    package mutating func divide(_ cell: NearestCell) -> Bool {
        guard cell.cell.level < PlaceCell.maxLevel else { return false }
        addChildren(of: cell)
        return true
    }

    private mutating func addChildren(of cell: NearestCell) {
        for child in cell.cell.children {
            add(child, minimumDistance: cell.minimumDistance, isInside: cell.isInside)
        }
    }

    private mutating func add(_ cell: PlaceCell, minimumDistance: Double, isInside: Bool) {
        // A part is not nearer than the whole, whatever is rounded.
        let minimum = Swift.max(minimumDistance, distances.minimum(to: cell))
        guard minimum <= upTo, after <= 0 || after <= distances.maximum(to: cell) else { return }
        var isInside = isInside
        if !isInside, let region {
            let relation = region.relation(to: cell)
            if relation == .outside { return }
            isInside = relation == .inside
        }
        heap.insert(
            NearestCell(cell: cell, minimumDistance: minimum, isInside: isInside), by: NearestCell.precedes)
    }

    /// Returns whether a cell is too large for its distance.
    private func isDivided(_ cell: NearestCell) -> Bool {
        guard cell.cell.level < PlaceCell.maxLevel else { return false }
        let rectangle = cell.cell.rectangle
        let nearestToEquator = Swift.max(0, rectangle.south, -rectangle.north)
        let height = (rectangle.north - rectangle.south) * radiansPerDegree * Place.earthRadius
        let width = 2 * height * cosine(nearestToEquator * radiansPerDegree)
        // At a pole, all cells have the same distance and their number doubles with each level: keep them long.
        guard width * 8 >= height else { return false }
        return Swift.max(height, width) > Swift.max(finest, cell.minimumDistance, after)
    }
}

/// A cell of a search for nearest neighbors.
package struct NearestCell: Hashable, Sendable {
    /// The cell.
    package let cell: PlaceCell
    /// A distance in meters that no place in the cell is less than.
    package let minimumDistance: Double
    /// Whether all places in the cell are in the region of the search; true if it has none.
    package let isInside: Bool

    /// The keys of the cell.
    package var keys: ClosedRange<PlaceKey> { cell.keys }

    static func precedes(_ one: NearestCell, _ other: NearestCell) -> Bool {
        (one.minimumDistance, one.cell.code) < (other.minimumDistance, other.cell.code)
    }
}
