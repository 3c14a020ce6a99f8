extension QueryValue {
    /// Returns the value that a user field has for an account: the account's number.
    @inlinable
    package static func account(_ id: UserID) -> QueryValue { .integer(id.rawValue) }

    /// The value that represents all deleted accounts in a condition: `_deleted`.
    package static let deletedAccount = account(.gone)
    /// A value that no user field has. A condition with this value needs the same index as others but matches nothing.
    fileprivate static let noAccount = account(UserID(rawValue: -1))
}

extension Condition {
    /// Whether the condition compares a user field with the deleted accounts.
    package var namesDeletedAccounts: Bool {
        guard field.isUser else { return false }
        switch test {
        case .equals(let value): return value == .deletedAccount
        case .isIn(let list): return list.contains(.deletedAccount)
        case .isNull, .isWithin, .hasPrefix, .contains, .matches, .isInside, .leadsTo: return false
        }
    }
}

extension Predicate {
    /// Whether any condition compares a user field with the deleted accounts.
    package var namesDeletedAccounts: Bool { deletedAccountTests > 0 }

    /// The number of conditions that compare a user field with the deleted accounts.
    package var deletedAccountTests: Int {
        switch self {
        case .constant, .search: 0
        case .condition(let condition): condition.namesDeletedAccounts ? 1 : 0
        case .and(let list), .or(let list): list.reduce(0) { $0 + $1.deletedAccountTests }
        case .not(let inner): inner.deletedAccountTests
        }
    }

    /// Returns the predicate with `_deleted` replaced by the numbers of all deleted accounts. Indexes contain these
    /// numbers, so an index scan can then find the records.
    package func naming(deletedAccounts: [UserID]) -> Predicate {
        switch self {
        case .constant, .search: return self
        case .not(let inner): return .not(inner.naming(deletedAccounts: deletedAccounts))
        case .and(let list): return .and(list.map { $0.naming(deletedAccounts: deletedAccounts) })
        case .or(let list): return .or(list.map { $0.naming(deletedAccounts: deletedAccounts) })
        case .condition(let condition):
            guard condition.namesDeletedAccounts else { return self }
            var values = deletedAccounts.map(QueryValue.account)
            if case .isIn(let list) = condition.test { values += list.filter { $0 != .deletedAccount } }
            return .condition(Condition(condition.field, .isIn(values.isEmpty ? [.noAccount] : values)))
        }
    }
}
