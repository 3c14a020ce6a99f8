/// The number of a place in the order of an index: near keys are near places.
///
/// The map of latitudes and longitudes is divided into 2³² rows and 2³² columns. A cell is 4.7 mm high and, at the
/// equator, 9.3 mm wide. The key is the cell's number on a Hilbert curve. It depends on no function of the C library, so
/// stored keys are the same on all machines.
package struct PlaceKey: Hashable, Comparable, Sendable {
    /// The position on the curve.
    package let code: UInt64

    /// Creates the key with a position on the curve. Each number is a valid key.
    package init(code: UInt64) {
        self.code = code
    }

    /// Creates the key of a place.
    package init(_ place: Place) {
        code = HilbertCurve.code(
            column: Self.column(longitude: place.longitude), row: Self.row(latitude: place.latitude))
    }

    /// Creates a key from its bytes, or `nil` if they are not 8.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 8 else { return nil }
        code = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The code as 8 bytes, the highest first, so that the order of the bytes is the order of the keys.
    package var bytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: code >> (56 - 8 * UInt64($0))) }
    }

    /// The cell of all places that have this key.
    package var cell: PlaceCell { PlaceCell(containing: self, level: PlaceCell.maxLevel) }

    package static func < (one: Self, other: Self) -> Bool { one.code < other.code }

    // Both functions are monotone, because each floating-point operation is. So the rows between those of two latitudes
    // contain all latitudes between them, without a margin.

    /// Returns the row of a latitude: 0 at the south pole.
    static func row(latitude: Double) -> UInt32 {
        UInt32(min((latitude + 90) * (4_294_967_296 / 180), 4_294_967_295))
    }

    /// Returns the column of a longitude: 0 at -180 degrees.
    static func column(longitude: Double) -> UInt32 {
        UInt32(min((longitude + 180) * (4_294_967_296 / 360), 4_294_967_295))
    }
}

/// A range of keys, both ends included.
package struct KeyRange: Hashable, Sendable {
    /// The first and the last key.
    package let lower, upper: PlaceKey
    /// Whether each place with a key in the range is in the region, so that no place has to be tested.
    package let isInside: Bool

    /// Creates a range.
    package init(lower: PlaceKey, upper: PlaceKey, isInside: Bool) {
        self.lower = lower
        self.upper = upper
        self.isInside = isInside
    }

    /// Returns whether the range has the key.
    package func contains(_ key: PlaceKey) -> Bool { lower <= key && key <= upper }
}
