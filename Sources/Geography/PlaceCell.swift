/// A rectangle of latitudes and longitudes, whose places have consecutive keys.
///
/// The cell of level 0 is the whole map. Each cell has four children of the next level. A cell of level 32 has one key.
package struct PlaceCell: Hashable, Sendable {
    /// The level of the smallest cells.
    package static let maxLevel = 32
    /// The cell that contains all places.
    package static let root = PlaceCell(level: 0, column: 0, row: 0, code: 0, orientation: 0)

    /// The level, 0 to 32.
    package let level: Int
    // The first column, the first row and the first key.
    let column: UInt32
    let row: UInt32
    let code: UInt64
    let orientation: UInt8

    init(level: Int, column: UInt32, row: UInt32, code: UInt64, orientation: UInt8) {
        self.level = level
        self.column = column
        self.row = row
        self.code = code
        self.orientation = orientation
    }

    /// Creates the cell of a level that contains a key.
    ///
    /// - Precondition: The level is 0 to 32.
    package init(containing key: PlaceKey, level: Int) {
        precondition((0...Self.maxLevel).contains(level), "a cell has a level from 0 to 32")
        var cell = Self.root
        while cell.level < level {
            cell = cell.child(UInt8(truncatingIfNeeded: key.code >> (62 - 2 * UInt64(cell.level))) & 3)
        }
        self = cell
    }

    /// The first and the last key of the cell.
    package var keys: ClosedRange<PlaceKey> {
        PlaceKey(code: code)...PlaceKey(code: code | (UInt64.max >> (2 * UInt64(level))))
    }

    /// The four cells of the next level in the order of their keys; none at level 32.
    package var children: [PlaceCell] {
        level == Self.maxLevel ? [] : (0..<4).map { child($0) }
    }

    /// Returns a child by its index in the order of keys. The level must be less than 32.
    func child(_ index: UInt8) -> PlaceCell {
        let (columnBit, rowBit) = HilbertCurve.position(ofChild: index, orientation: orientation)
        let shift = 31 - UInt32(level)
        return PlaceCell(
            level: level + 1, column: column | UInt32(columnBit) << shift, row: row | UInt32(rowBit) << shift,
            code: code | UInt64(index) << (62 - 2 * UInt64(level)),
            orientation: HilbertCurve.orientation(ofChild: index, in: orientation))
    }

    /// The last column and the last row.
    var lastColumn: UInt32 { column | lowBits }
    var lastRow: UInt32 { row | lowBits }
    private var lowBits: UInt32 { level == Self.maxLevel ? 0 : UInt32.max >> UInt32(level) }

    /// The edges of the cell in degrees. Rounding moves them by less than 1e-12 degrees.
    var rectangle: DegreeRectangle {
        DegreeRectangle(
            south: Double(row) * (180 / 4_294_967_296) - 90, west: Double(column) * (360 / 4_294_967_296) - 180,
            north: (Double(lastRow) + 1) * (180 / 4_294_967_296) - 90,
            east: (Double(lastColumn) + 1) * (360 / 4_294_967_296) - 180)
    }

    /// The lowest latitude in degrees.
    package var south: Double { rectangle.south }
    /// The lowest longitude in degrees.
    package var west: Double { rectangle.west }
    /// The highest latitude in degrees.
    package var north: Double { rectangle.north }
    /// The highest longitude in degrees.
    package var east: Double { rectangle.east }
}

/// Latitudes and longitudes in degrees; `west` is at most `east`.
struct DegreeRectangle {
    var south, west, north, east: Double
}
