/// The order of the cells: a Hilbert curve through the map of latitudes and longitudes.
///
/// Each cell has four children. In the base orientation the curve visits them in the order south-west, north-west,
/// north-east, south-east. In other orientations the axes are swapped (bit 0) or both reversed (bit 1).
/// Neighbors on the curve are neighbors on the map, so a region needs fewer ranges than with a Z-order curve.
enum HilbertCurve {
    /// Returns the column bit and row bit of the child at `index` (0 to 3) in an orientation.
    static func position(ofChild index: UInt8, orientation: UInt8) -> (column: UInt8, row: UInt8) {
        let reversed = orientation >> 1
        let column = (index >> 1) ^ reversed
        let row = ((index >> 1) ^ (index & 1)) ^ reversed
        return orientation & 1 == 0 ? (column, row) : (row, column)
    }

    /// Returns the index of the child at a column bit and a row bit: the inverse of `position`.
    static func index(column: UInt8, row: UInt8, orientation: UInt8) -> UInt8 {
        let reversed = orientation >> 1
        let (first, second) = orientation & 1 == 0 ? (column, row) : (row, column)
        return 3 &* (first ^ reversed) ^ (second ^ reversed)
    }

    /// Returns the orientation inside the child at `index`: swapped in the first one, swapped and reversed in the last.
    static func orientation(ofChild index: UInt8, in orientation: UInt8) -> UInt8 {
        orientation ^ (index == 0 ? 1 : index == 3 ? 3 : 0)
    }

    /// Returns the code of a column and a row.
    static func code(column: UInt32, row: UInt32) -> UInt64 {
        var code: UInt64 = 0
        var orientation: UInt8 = 0
        var bit: UInt32 = 32
        while bit > 0 {
            bit -= 1
            let index = index(
                column: UInt8(truncatingIfNeeded: column >> bit) & 1, row: UInt8(truncatingIfNeeded: row >> bit) & 1,
                orientation: orientation)
            code = code << 2 | UInt64(index)
            orientation = Self.orientation(ofChild: index, in: orientation)
        }
        return code
    }
}
