package import RecordModel
internal import RecordStorage

/// The address of a zone inside a container and an environment.
package struct DatabaseAddress: Hashable, Sendable {
    /// The public database or the private database of an account.
    package var scope: DatabaseScope
    /// The name of the zone.
    package var zone: ZoneName

    /// Creates an address. By default it names the default zone.
    package init(scope: DatabaseScope, zone: ZoneName = .defaultZone) {
        self.scope = scope
        self.zone = zone
    }

    /// The default zone of the public database.
    package static let publicDefault = DatabaseAddress(scope: .publicDatabase)

    /// The scope as numbers in the store. The first is 0 for public and 1 for private. The second is the owner of a
    /// private database, otherwise 0.
    var key: (scope: Int64, owner: UserID) {
        switch scope {
        case .publicDatabase: (0, .nobody)
        case .privateDatabase(let owner): (1, owner)
        }
    }
}

extension ZoneEntry {
    /// The address of a zone of a private database.
    var address: DatabaseAddress? {
        ZoneName(name).map { DatabaseAddress(scope: .privateDatabase(owner: owner), zone: $0) }
    }
}
