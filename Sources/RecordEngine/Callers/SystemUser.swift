internal import RecordModel

/// The names of writers that are no accounts.
enum SystemUser {
    /// The name of an account that no longer exists.
    static let deleted = "_deleted"

    /// Whether a number is that of no account.
    static func isSpecial(_ id: UserID) -> Bool { name(id) != nil }

    static func name(_ id: UserID) -> String? {
        switch id {
        case .nobody: "_anonymous"
        case .administrator: "_administrator"
        default: nil
        }
    }
}
