package import RecordModel

/// One zone of one database of a (container, environment).
package struct DatabaseAddress: Hashable, Sendable {
    package var scope: DatabaseScope
    package var zone: ZoneName

    package init(scope: DatabaseScope, zone: ZoneName = .defaultZone) {
        self.scope = scope
        self.zone = zone
    }

    package static let publicDefault = DatabaseAddress(scope: .publicDatabase)

    /// The numbers under which storage knows the scope: 0 public, 1 private; the owner of a private database, else 0.
    var key: (scope: Int64, owner: UserID) {
        switch scope {
        case .publicDatabase: (0, .nobody)
        case .privateDatabase(let owner): (1, owner)
        }
    }
}
