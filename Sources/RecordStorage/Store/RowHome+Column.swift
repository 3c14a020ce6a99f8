package import RecordModel

/// A zone or an audience in one column. Only this file encodes and decodes it.
///
/// ```
/// column (Int64): zone ID | audience ID, negated
/// ```
extension RowHome: Bindable, ColumnValue {
    /// The value of the column.
    @inline(__always)
    package var column: Int64 {
        switch self {
        case .zone(let id): id.rawValue
        case .audience(let id): 0 &- id.rawValue
        }
    }

    /// Decodes a column.
    @inline(__always)
    package init(column: Int64) {
        self = column < 0 ? .audience(AudienceID(rawValue: 0 &- column)) : .zone(ZoneID(rawValue: column))
    }

    /// A number less than the columns of all homes, for the start of a scan of a whole table.
    package static let belowAllColumns = Int64.min

    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, column) }

    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self.init(column: statement.integer(column)) }

    /// The ID of the zone or the audience. Use it for tables that contain only zones or only audiences.
    @inline(__always)
    var number: Int64 {
        switch self {
        case .zone(let id): id.rawValue
        case .audience(let id): id.rawValue
        }
    }
}

/// Homes are ordered by their columns, as rows in the tables are.
extension RowHome: Comparable {
    @inline(__always)
    package static func < (left: RowHome, right: RowHome) -> Bool { left.column < right.column }
}
