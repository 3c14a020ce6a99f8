internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension StoredCaller {
    /// The kinds of callers in the store.
    private enum Kind: Int64 {
        case server = 0
        case user = 1
        case key = 2
        case administrator = 3
    }

    /// The server itself, for jobs that no caller has started.
    static let server = StoredCaller(kind: Kind.server.rawValue, number: 0, actorKind: "server", actor: "")

    /// Describes a caller that may own jobs; `nil` for anonymous callers.
    init?(_ caller: Caller, actorKind: String, actor: String) {
        let (kind, number): (Kind, Int64)
        switch caller {
        case .anonymous: return nil
        case .user(let id, _), .participant(let id, _, _): (kind, number) = (.user, id.rawValue)
        case .service(let key): (kind, number) = (.key, key.account.rawValue)
        case .administrator(let administrator): (kind, number) = (.administrator, administrator.id)
        }
        self.init(kind: kind.rawValue, number: number, actorKind: actorKind, actor: actor)
    }

    /// The caller without its permissions, which `CallerSource.current` adds; `nil` for the server.
    var caller: Caller? {
        switch Kind(rawValue: kind) {
        case .user: .user(UserID(rawValue: number), roles: [:])
        case .key: .service(ServiceKey(account: UserID(rawValue: number), scope: KeyScope(permissions: [])))
        // The role of the bootstrap token never changes.
        case .administrator:
            .administrator(number == 0 ? .bootstrap : Administrator(id: number, role: .viewer))
        case .server, nil: nil
        }
    }

    /// The account of a user or an API key; `nil` for others.
    var account: UserID? {
        switch Kind(rawValue: kind) {
        case .user, .key: UserID(rawValue: number)
        case .administrator, .server, nil: nil
        }
    }

    /// Whether the job belongs to a caller.
    func belongs(to caller: Caller) -> Bool {
        guard let other = StoredCaller(caller, actorKind: "", actor: "") else { return false }
        return (kind, number) == (other.kind, other.number)
    }
}

extension StoredAddress {
    init(_ address: DatabaseAddress) {
        let key = address.key
        self.init(scope: key.scope, owner: key.owner, zone: address.zone.text)
    }

    /// The address; `nil` if the zone's name is invalid.
    var address: DatabaseAddress? {
        ZoneName(zone).map {
            DatabaseAddress(scope: scope == 0 ? .publicDatabase : .privateDatabase(owner: owner), zone: $0)
        }
    }
}

/// The database and zone of a job or a schedule, as callers see it.
struct JobPlace: Hashable, Sendable {
    private let address: StoredAddress
    /// The record name of the owner of a private database; `nil` in the public database, and for a deleted owner.
    private let owner: String?

    /// - Throws: The store's error.
    init(_ address: StoredAddress, _ accounts: AccountTable) throws(RecordError) {
        self.address = address
        owner = address.scope == 0 ? nil : try accounts.find(id: address.owner)?.recordName
    }

    /// Adds the members `database`, `owner` and `zone`. The default zone has no member.
    ///
    /// - Parameters:
    ///   - creator: Who has decided on the work.
    ///   - caller: Who reads. The names of zones of a private database are content: other callers see them only if they
    ///     may enter it.
    func describe(to object: inout JSONObject, of creator: StoredCaller, for caller: Caller) {
        let isCreator = creator.belongs(to: caller)
        object["database"] = address.scope == 0 ? "public" : "private"
        if isCreator || caller.administrator != nil, let owner { object["owner"] = .string(owner) }
        if address.zone != ZoneName.defaultZone.text, isCreator || mayEnter(caller) {
            object["zone"] = .string(address.zone)
        }
    }

    /// Whether a caller may enter the database.
    func mayEnter(_ caller: Caller) -> Bool {
        address.scope == 0 || Authorization.mayEnterPrivateDatabase(caller, of: address.owner)
    }
}
