package import RecordModel

/// Which records of a zone an audience has: by this it is found.
package enum AudienceKey: Hashable, Sendable {
    /// All that have an access list.
    case everything
    /// Those whose list lets a principal read.
    case principal(Principal)
}

/// One column has both: a principal's number, and the greatest that there is for everything.
extension AudienceKey: Bindable {
    /// What stands in the column.
    var column: Int64 {
        switch self {
        case .everything: .max
        case .principal(let principal): principal.number
        }
    }

    /// - Returns: `nil` for what no audience has there.
    init?(column: Int64) {
        if column == .max {
            self = .everything
        } else if let principal = Principal(number: column) {
            self = .principal(principal)
        } else {
            return nil
        }
    }

    package func bind(to statement: Statement, _ index: Int32) { statement.bind(index, column) }
}
