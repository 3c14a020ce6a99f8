internal import RecordModel

/// The names of creators and modifiers without an account.
enum SystemUser {
    /// The name that replaces the record name of a deleted account.
    static let deleted = "_deleted"

    /// Returns whether a user number is reserved for a creator or modifier without an account.
    static func isSpecial(_ id: UserID) -> Bool { name(id) != nil }

    /// Returns the name for a reserved user number; `nil` for the number of an account.
    static func name(_ id: UserID) -> String? {
        switch id {
        case .nobody: "_anonymous"
        case .administrator: "_administrator"
        default: nil
        }
    }
}
