internal import RecordModel
internal import RecordStorage
internal import Threads

/// What tells who callers are and what they may do, in one view of the file.
protocol CallerSource {
    var accounts: AccountTable { get }
    var keys: KeyTable { get }
    var schemas: SchemaTable { get }
    var administrators: Administrators? { get }
    /// Milliseconds since 1970.
    var now: Int64 { get }
}

extension CallerSource {
    /// A caller with the rights that it has now: what it asked for may take its time, or have waited for its turn.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the account is gone or disabled, the key revoked or expired, the administrator gone or
    ///   disabled.
    func current(_ caller: Caller) throws(RecordError) -> Caller {
        switch caller {
        case .anonymous: return caller
        case .user(let id, _):
            guard let row = try accounts.find(id: id), row.disabled == nil else { throw .tokenRejected }
            return .user(id, roles: try accounts.roles(of: id))
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

    /// The number of the last change of grants, or of the caller's roles: what it could see before may differ.
    ///
    /// - Returns: `.max` for an account that is gone.
    func lastChangeOfRights(of caller: Caller, in scope: DatabaseScope) throws(RecordError) -> Int64 {
        guard scope == .publicDatabase else { return 0 }
        return switch caller {
        case .administrator: 0
        // A key's scope stands with its account.
        case .service(let key): try accounts.find(id: key.account)?.granted ?? .max
        case .anonymous: try schemas.lastGrantChange()
        case .user(let id, _): max(try schemas.lastGrantChange(), try accounts.find(id: id)?.granted ?? .max)
        }
    }
}

/// Callers as the writer finds them.
struct CallerWriter: CallerSource {
    let transaction: WriteTransaction
    var accounts: AccountTable { transaction.store.accounts }
    var keys: KeyTable { transaction.store.keys }
    var schemas: SchemaTable { transaction.store.schemas }
    var administrators: Administrators? { transaction.administrators }
    var now: Int64 { transaction.now }

    /// Refuses callers without an administrator's right, as they are now: while the request waited, a key may have been
    /// revoked, or a role changed.
    func require(_ operation: AdministratorOperation, of actor: AuditActor) throws(RecordError) {
        let caller = try current(actor.caller)
        guard Authorization.authorize(caller, operation) == .allowed else {
            throw RecordError(
                Authorization.refusal(of: caller) == .denied ? .accessDenied : .authenticationRequired,
                "Only administrators may do this")
        }
    }
}

/// Callers as a reader finds them.
package struct CallerReader: CallerSource {
    let reader: RecordReader
    var accounts: AccountTable { reader.store.accounts }
    var keys: KeyTable { reader.store.keys }
    var schemas: SchemaTable { reader.store.schemas }
    var administrators: Administrators? { reader.database.administrators }
    var now: Int64 { WallClock.milliseconds }
}
