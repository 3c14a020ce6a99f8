package import RecordModel

/// The rule that selects the records of an audience. A zone and a key together identify an audience.
package enum AudienceKey: Hashable, Sendable {
    /// All records with an access list.
    case everything
    /// The records whose access list lets a principal read.
    case principal(Principal)
}

/// The key as an integer column.
///
/// ```
/// column (Int64): Principal.number | Int64.max for `everything`
/// ```
extension AudienceKey: Bindable {
    /// The value of the column.
    var column: Int64 {
        switch self {
        case .everything: .max
        case .principal(let principal): principal.number
        }
    }

    /// Decodes the column; `nil` if no key has this number.
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
