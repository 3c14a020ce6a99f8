extension QueryValue {
    /// As the user fields of the system have it.
    @inlinable
    package static func account(_ id: UserID) -> QueryValue { .integer(id.rawValue) }

    /// Stands in a condition for every account that is gone.
    package static let goneAccount = account(.gone)
    /// Is no account's number, nor of none. A condition on it needs the index that one on others does, and finds nothing.
    fileprivate static let noAccount = account(UserID(rawValue: -1))
}

extension Condition {
    /// Whether it compares a user with the accounts that are gone.
    package var namesGoneAccounts: Bool {
        guard field.isUser else { return false }
        switch test {
        case .equals(let value): return value == .goneAccount
        case .isIn(let list): return list.contains(.goneAccount)
        case .isNull, .isWithin, .hasPrefix: return false
        }
    }
}

extension Predicate {
    /// Whether some part of it compares a user with the accounts that are gone.
    package var namesGoneAccounts: Bool { goneAccountTests > 0 }

    /// The tests that compare a user with the accounts that are gone.
    package var goneAccountTests: Int {
        switch self {
        case .constant: 0
        case .condition(let condition): condition.namesGoneAccounts ? 1 : 0
        case .and(let list), .or(let list): list.reduce(0) { $0 + $1.goneAccountTests }
        case .not(let inner): inner.goneAccountTests
        }
    }

    /// The same condition with the numbers of all accounts that are gone in the place of the one value that stands for
    /// them, so that indexes, which hold numbers, find their records.
    package func naming(goneAccounts: [UserID]) -> Predicate {
        switch self {
        case .constant: return self
        case .not(let inner): return .not(inner.naming(goneAccounts: goneAccounts))
        case .and(let list): return .and(list.map { $0.naming(goneAccounts: goneAccounts) })
        case .or(let list): return .or(list.map { $0.naming(goneAccounts: goneAccounts) })
        case .condition(let condition):
            guard condition.namesGoneAccounts else { return self }
            var values = goneAccounts.map(QueryValue.account)
            if case .isIn(let list) = condition.test { values += list.filter { $0 != .goneAccount } }
            return .condition(Condition(condition.field, .isIn(values.isEmpty ? [.noAccount] : values)))
        }
    }
}
