package import RecordModel

/// One column has both: the number of a zone as it is, and that of an audience below zero. Only here is this sign made
/// and read.
extension RowHome: Bindable, ColumnValue {
    /// What stands in the column.
    @inline(__always)
    package var column: Int64 {
        switch self {
        case .zone(let id): id.rawValue
        case .audience(let id): 0 &- id.rawValue
        }
    }

    @inline(__always)
    package init(column: Int64) {
        self = column < 0 ? .audience(AudienceID(rawValue: 0 &- column)) : .zone(ZoneID(rawValue: column))
    }

    /// No column has less: where a walk through a whole table begins.
    package static let belowAllColumns = Int64.min

    @inline(__always)
    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, column) }

    @inline(__always)
    package init(_ statement: Statement, column: Int32) { self.init(column: statement.integer(column)) }

    /// The number of the zone or of the audience, for tables that have one of the two.
    @inline(__always)
    var number: Int64 {
        switch self {
        case .zone(let id): id.rawValue
        case .audience(let id): id.rawValue
        }
    }
}

/// In the order of the tables.
extension RowHome: Comparable {
    @inline(__always)
    package static func < (left: RowHome, right: RowHome) -> Bool { left.column < right.column }
}
