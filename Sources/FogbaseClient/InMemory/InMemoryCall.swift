internal import RecordModel
internal import RecordWire

/// A request to a database, with its caller and the addressed database.
struct InMemoryCall {
    let request: InMemoryRequest
    let caller: Caller
    let scope: DatabaseScope
    private(set) var zone: InMemoryZoneID
    private(set) var zoneName = ZoneName.defaultZone
    /// The fields to return; `nil` is all of them.
    var fields: [String]?
    /// The user whose shared database the request addresses as a whole; `nil` for other requests.
    private(set) var sharedDatabase: UserID?

    /// Creates a call to the default zone of a database.
    init(request: InMemoryRequest, caller: Caller, scope: DatabaseScope, fields: [String]? = nil) {
        self.request = request
        self.caller = caller
        self.scope = scope
        self.fields = fields
        if case .privateDatabase(let owner) = scope {
            zone = InMemoryZoneID(owner: owner.rawValue)
        } else {
            zone = .publicDefault
        }
    }

    /// Returns the call to another zone of its database.
    ///
    /// - Throws: ZONE_NOT_FOUND.
    func addressing(_ name: ZoneName, of database: InMemoryDatabase) throws(RecordError) -> InMemoryCall {
        // A participant has rights in one zone.
        guard caller.participation == nil || name == zoneName else { throw .zoneNotFound }
        var call = self
        call.zone = try database.zones.id(of: name, owner: zone.owner)
        call.zoneName = name
        return call
    }

    func may(_ action: Action, _ record: InMemoryRecord, _ type: RecordTypeDefinition) -> Bool {
        Authorization.authorize(caller, action, in: scope, type: type, record.facts) == .allowed
    }

    /// Whether the server may reveal to the caller that the record exists.
    func knows(_ record: InMemoryRecord, _ type: RecordTypeDefinition) -> Bool {
        may(.read, record, type) || may(.write, record, type)
    }

    func permitted(_ action: Action, _ type: RecordTypeDefinition) -> PermittedRecords {
        Authorization.permitted(of: action, for: caller, in: scope, type: type)
    }

    /// Returns the record that the request's path names.
    ///
    /// - Throws: NOT_FOUND, AUTHENTICATION_REQUIRED, or BAD_REQUEST for an invalid name.
    func record(in database: InMemoryDatabase) throws(RecordError) -> InMemoryRecord {
        let typeName = try request.typeName
        let name = try request.recordName
        guard let type = database.schema[typeName] else { throw .recordNotFound }
        if caller == .anonymous, permitted(.read, type) == .none {
            throw .rejected(caller, .read, .records(typeName))
        }
        guard let record = database.find(name, zone: zone), record.type == type.id, may(.read, record, type) else {
            throw .recordNotFound
        }
        return record
    }

    /// Returns the records of a type that the caller can read, in creation order.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED if the caller cannot read any record of the type.
    func records(of type: RecordTypeDefinition, in database: InMemoryDatabase) throws(RecordError) -> [InMemoryRecord] {
        if permitted(.read, type) == .none { throw .rejected(caller, .read, .records(type.name)) }
        return database.all(of: type, zone: zone).filter { may(.read, $0, type) }
    }
}

// MARK: - Database scope

extension InMemoryCall {
    /// Creates a call from a request.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED for the private database of another user; ZONE_NOT_FOUND;
    ///   BAD_REQUEST for an invalid name of a zone.
    init(_ request: InMemoryRequest, by caller: Caller, in database: InMemoryDatabase) throws(RecordError) {
        let zone = try request["zone"].map { text throws(RecordError) -> ZoneName in
            guard let zone = ZoneName(text) else {
                throw .badRequest(ZoneName.rule, details: [("parameter", .text("zone"))])
            }
            return zone
        }
        if request["database"] == "shared" {
            self = try Self.shared(request, zone, by: caller, in: database)
            return
        }
        let call = InMemoryCall(
            request: request, caller: caller, scope: try Self.scope(of: request, for: caller, database.accounts),
            fields: request.shownFields)
        self = try zone.map { zone throws(RecordError) in try call.addressing(zone, of: database) } ?? call
    }

    /// Returns the call to a zone that is shared with the caller, or to its shared database as a whole.
    private static func shared(
        _ request: InMemoryRequest, _ zone: ZoneName?, by caller: Caller, in database: InMemoryDatabase
    ) throws(RecordError) -> InMemoryCall {
        let signIn = "A shared database belongs to a user. Sign in first"
        guard zone != nil || request["owner"] != nil else {
            guard ["zones", "changes zones"].contains(request.path.joined(separator: " ")), request.method == "GET"
            else {
                throw .badRequest(
                    "With database=shared, name a zone and its 'owner'", details: [("parameter", .text("database"))])
            }
            guard let user = caller.userID else {
                throw RecordError(caller == .anonymous ? .authenticationRequired : .accessDenied, signIn)
            }
            var call = InMemoryCall(request: request, caller: caller, scope: .privateDatabase(owner: user))
            call.sharedDatabase = user
            return call
        }
        guard let name = request["owner"] else {
            throw .badRequest(
                "With database=shared, 'owner' is the record name of the zone's owner",
                details: [("parameter", .text("owner"))])
        }
        guard let zone, zone != .defaultZone else {
            throw .badRequest(
                "With database=shared, 'zone' names a zone. Default zones are not shared",
                details: [("parameter", .text("zone"))])
        }
        guard caller != .anonymous else { throw RecordError(.authenticationRequired, signIn) }
        guard let owner = database.accounts.id(named: name), case .user(let user, let roles) = caller,
            let id = database.zones.find(zone, owner: owner.rawValue)?.id,
            let participation = database.sharing.participation(of: user, in: id)
        else { throw .zoneNotFound }
        var call = InMemoryCall(
            request: request, caller: .participant(user, roles: roles, participation),
            scope: .privateDatabase(owner: owner), fields: request.shownFields)
        (call.zone, call.zoneName) = (id, zone)
        return call
    }

    /// Returns the database that a request names.
    private static func scope(
        of request: InMemoryRequest, for caller: Caller, _ accounts: InMemoryAccounts
    ) throws(RecordError) -> DatabaseScope {
        switch request["database"] {
        case nil, "public": return .publicDatabase
        case "private": break
        default:
            throw .badRequest("'database' is public, private or shared", details: [("parameter", .text("database"))])
        }
        if caller == .anonymous {
            throw RecordError(.authenticationRequired, "A private database belongs to a user. Sign in first")
        }
        guard let name = request["owner"] else {
            guard let owner = caller.userID else {
                throw .badRequest("An administrator names whose private database it is, with 'owner'")
            }
            return .privateDatabase(owner: owner)
        }
        let owner = accounts.id(named: name)
        guard Authorization.mayEnterPrivateDatabase(caller, of: owner ?? .nobody) else {
            throw RecordError(.accessDenied, "A private database is its owner's alone")
        }
        guard let owner else { throw RecordError(.notFound, "There is no user with this record name") }
        return .privateDatabase(owner: owner)
    }
}

// MARK: - Records in responses

extension InMemoryCall {
    /// Returns the JSON of a record for the response.
    func json(of record: InMemoryRecord, in database: InMemoryDatabase) throws(RecordError) -> [UInt8] {
        var text: [UInt8] = []
        try append(record, of: database, to: &text)
        return text
    }

    /// Appends the JSON of a record. If the caller can write but not read the record, only a stub is appended.
    func append(_ record: InMemoryRecord, of database: InMemoryDatabase, to text: inout [UInt8]) throws(RecordError) {
        guard let type = database.schema[id: record.type] else { throw .recordNotFound }
        let name = Array(record.key.name.text.utf8)
        try name.withUnsafeBufferPointer { name throws(RecordError) in
            let name = UnsafeRawBufferPointer(name)
            guard may(.read, record, type) else {
                RecordComposer.appendStub(name: name, typeName: type.name, revision: record.revision, to: &text)
                return
            }
            let accounts = database.accounts
            let header = RecordHeader(
                name: name, typeName: type.name, revision: record.revision, created: record.created,
                creator: accounts.name(of: record.creator), modified: record.modified,
                modifier: accounts.name(of: record.modifier), access: shownAccess(of: record, type, accounts))
            let selection: FieldSelection =
                fields.map { names in .only(names.compactMap { type[$0]?.id }.sorted()) } ?? .all
            try record.fields.withView { view throws(RecordError) in
                RecordComposer.append(
                    header, fields: view, selection: selection,
                    external: { field, output in output += record.externals[field] ?? [] },
                    downloadURL: { _, asset in database.files.url(of: asset) }, to: &text)
            }
            appendSharing(record, of: database, to: &text)
        }
    }

    /// Returns the record's ETag without quotes. The ETag has a suffix if the response includes the access list.
    func entityTag(of record: InMemoryRecord, in database: InMemoryDatabase) -> String {
        guard let type = database.schema[id: record.type] else { return record.tag }
        return shownAccess(of: record, type, database.accounts) == nil ? record.tag : record.tag + "-1"
    }

    /// Returns the access list in JSON; `nil` if the caller cannot change the access list.
    private func shownAccess(
        of record: InMemoryRecord, _ type: RecordTypeDefinition, _ accounts: InMemoryAccounts
    ) -> [UInt8]? {
        // In private databases, access lists name shares.
        guard scope == .publicDatabase, let access = record.access, may(.write, record, type) else { return nil }
        let list = StoredAccess.decode(access).rights.sorted { $0.key < $1.key }
        let shown = list.map { principal, rights -> (String, JSONValue) in
            if case .user(let id) = principal { (accounts.name(of: id), rights.json) } else { ("*", rights.json) }
        }
        return JSONValue.object(JSONObject(shown.filter { $0.0 != InMemoryAccounts.deletedUser })).bytes
    }
}
