extension QueryValue {
    /// Stands in a condition for every account that is gone, as `_deleted` does in answers. No account has this number.
    package static let goneAccount = QueryValue.integer(2)
    /// Is no account's number, nor of none. A condition on it needs the index that one on others does, and finds nothing.
    fileprivate static let noAccount = QueryValue.integer(-1)
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
    package func naming(goneAccounts: [Int64]) -> Predicate {
        switch self {
        case .constant: return self
        case .not(let inner): return .not(inner.naming(goneAccounts: goneAccounts))
        case .and(let list): return .and(list.map { $0.naming(goneAccounts: goneAccounts) })
        case .or(let list): return .or(list.map { $0.naming(goneAccounts: goneAccounts) })
        case .condition(let condition):
            guard condition.namesGoneAccounts else { return self }
            var values = goneAccounts.map { QueryValue.integer($0) }
            if case .isIn(let list) = condition.test { values += list.filter { $0 != .goneAccount } }
            return .condition(Condition(condition.field, .isIn(values.isEmpty ? [.noAccount] : values)))
        }
    }
}
