package import RecordModel
internal import RecordStorage
internal import Threads

/// The tables of callers and their permissions, in one snapshot.
protocol CallerSource {
    var accounts: AccountTable { get }
    var keys: APIKeyTable { get }
    var schemas: SchemaTable { get }
    var zones: ZoneTable { get }
    var shares: ShareTable { get }
    var administrators: Administrators? { get }
    /// The time in milliseconds since 1970.
    var now: Int64 { get }
}

extension CallerSource {
    /// Returns a caller with its current permissions. Called for requests that run long or have waited in a queue.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the account is deleted or disabled, the key is revoked or expired, or the
    ///   administrator is deleted or disabled.
    func current(_ caller: Caller) throws(RecordError) -> Caller {
        switch caller {
        case .anonymous: return caller
        case .user(let id, _):
            guard let row = try accounts.find(id: id), row.disabled == nil else { throw .tokenRejected }
            return .user(id, roles: try accounts.roles(of: id))
        case .participant(let id, _, let participation):
            guard case .user(_, let roles) = try current(.user(id, roles: [:])),
                let current = try shares.participation(of: id, in: participation.zone, owner: participation.owner)
            else { throw .zoneNotFound }
            return .participant(id, roles: roles, current.participation)
        case .service(let key):
            let row = try keys.find(account: key.account)
            guard let row, row.isAlive(at: now) else { throw .tokenRejected }
            return .service(ServiceKey(account: row.account, scope: KeyScope(stored: row.scope)))
        case .administrator(let administrator):
            guard administrator.id != 0 else { return caller }
            guard let current = administrators?.current(administrator.id) else { throw .tokenRejected }
            return .administrator(current)
        }
    }

    /// Returns a user with the rights that shares give it in another user's zone. Any other caller, and the owner, is
    /// returned as it is.
    ///
    /// - Throws: ZONE_NOT_FOUND if the zone does not exist or no share gives the user a right in it. The error does not
    ///   reveal which of both is the case.
    func participant(_ caller: Caller, in address: DatabaseAddress) throws(RecordError) -> Caller {
        guard case .privateDatabase(let owner) = address.scope else { return caller }
        switch caller.account {
        case .user(let id, let roles) where id != owner:
            let key = address.key
            guard let zone = try zones.find(scope: key.scope, owner: key.owner, name: address.zone.text),
                let found = try shares.participation(of: id, in: zone.id, owner: owner)
            else { throw .zoneNotFound }
            return .participant(id, roles: roles, found.participation)
        case let account: return account
        }
    }

    /// Returns a caller with its current permissions in a database. A user in another user's database is a participant.
    ///
    /// - Throws: The errors of `current` and `participant`.
    func current(_ caller: Caller, in address: DatabaseAddress) throws(RecordError) -> Caller {
        try participant(try current(caller.account), in: address)
    }

    /// Returns the sequence number of the last change of grants or of the caller's roles. Such a change may alter which
    /// records and fields the caller can read.
    ///
    /// - Returns: `.max` for a deleted account.
    func lastChangeOfRights(of caller: Caller, in scope: DatabaseScope) throws(RecordError) -> Int64 {
        if case .participant(let id, _, let participation) = caller {
            let zone = participation.zone
            let shared = try shares.participation(of: id, in: zone, owner: participation.owner)?.changed ?? .max
            return max(shared, try lastChangeOfRights(of: caller.account, in: .publicDatabase))
        }
        guard scope == .publicDatabase else { return 0 }
        return switch caller {
        case .participant: .max
        case .administrator: 0
        // A change of a key's scope is recorded in the row of the key's account.
        case .service(let key): try accounts.find(id: key.account)?.granted ?? .max
        case .anonymous: try schemas.lastGrantChange()
        case .user(let id, _): max(try schemas.lastGrantChange(), try accounts.find(id: id)?.granted ?? .max)
        }
    }
}

/// Checks callers in a write transaction.
struct CallerWriter: CallerSource {
    let transaction: WriteTransaction
    var accounts: AccountTable { transaction.store.accounts }
    var keys: APIKeyTable { transaction.store.keys }
    var schemas: SchemaTable { transaction.store.schemas }
    var zones: ZoneTable { transaction.store.zones }
    var shares: ShareTable { transaction.store.shares }
    var administrators: Administrators? { transaction.administrators }
    var now: Int64 { transaction.now }

    /// Checks that an actor currently has an administrator's right. The actor's key may have been revoked, or the
    /// actor's role changed, while the request was queued.
    ///
    /// - Throws: AUTHENTICATION_FAILED, AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    func require(_ operation: AdministratorOperation, of actor: AuditActor) throws(RecordError) {
        let caller = try current(actor.caller)
        guard Authorization.authorize(caller, operation) == .allowed else {
            throw RecordError(
                Authorization.rejection(of: caller) == .denied ? .accessDenied : .authenticationRequired,
                "Only administrators may do this")
        }
    }
}

/// Checks callers in a reader's snapshot.
package struct CallerReader: CallerSource {
    let reader: RecordReader
    var accounts: AccountTable { reader.store.accounts }
    var keys: APIKeyTable { reader.store.keys }
    var schemas: SchemaTable { reader.store.schemas }
    var zones: ZoneTable { reader.store.zones }
    var shares: ShareTable { reader.store.shares }
    var administrators: Administrators? { reader.database.administrators }
    var now: Int64 { WallClock.milliseconds }
}

extension RecordReader {
    /// Returns a user with the rights that shares give it in another user's zone. Any other caller, and the owner, is
    /// returned as it is.
    ///
    /// - Throws: ZONE_NOT_FOUND if the zone does not exist or no share gives the user a right in it.
    package func participant(_ caller: Caller, in address: DatabaseAddress) throws(RecordError) -> Caller {
        try callers.participant(caller, in: address)
    }
}
