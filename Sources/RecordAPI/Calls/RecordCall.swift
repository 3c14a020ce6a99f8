internal import Cryptography
internal import HTTP
internal import RecordEngine
internal import RecordModel

/// The context of one request for a route handler: the request, the caller, and the loop's database reader.
///
/// The reader's snapshot stays current until the handler first suspends.
struct RecordCall {
    let request: HTTPRequest
    let parameters: RouteParameters
    let query: RequestQuery
    /// The context of the loop. It also gives access to `api`.
    let context: RecordAPIContext
    let reader: RecordReader
    /// The caller, authenticated at `rightsVersion`.
    var caller: Caller
    /// The administrator who reads as the caller; `nil` if the caller sent the request itself.
    var administrator: Caller?
    var rightsVersion: UInt64
    /// The tokens that the request has taken from the rate limits.
    var rate: RateTicket
    /// The name of the route in the audit log.
    let operation: StaticString
    /// The administrative operation for which the route requires permission; `nil` if it requires none.
    let right: AdministratorOperation?

    var api: RecordAPI { context.api }
    var database: RecordDatabase { reader.database }

    /// The network of the client, which tells anonymous callers apart.
    var network: ClientNetwork? { request.clientNetwork }

    /// Who sent the request: the caller, or the administrator who reads as the caller.
    private var sender: Caller { administrator ?? caller }

    /// The sender as an actor in the audit log.
    var actor: AuditActor {
        let address = request.client.map { "\($0)" } ?? request.remoteAddress
        guard isFromShell else { return AuditActor(caller: sender, address: address, requestID: request.id) }
        var actor = AuditActor.shell
        actor.address = address
        actor.requestID = request.id
        return actor
    }

    /// Whether the request's token is the token of the operator's commands.
    private var isFromShell: Bool {
        guard sender == .administrator(.bootstrap), let token = Bearer.token(request.fields) else { return false }
        return database.administrators?.isOperator(SHA256.hash(token)) ?? false
    }

    /// Denies all callers except the operator's commands. Only these have access to the server's data directory.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    func requireOperator() throws(RecordError) {
        guard isFromShell else {
            throw RecordError(
                caller == .anonymous ? .authenticationRequired : .accessDenied,
                "Only the operator's commands do this. Run 'fogbase backup' on the server's machine")
        }
    }

    /// The server's administrators.
    ///
    /// - Throws: NOT_FOUND if the server has no named administrators.
    func administrators() throws(RecordError) -> Administrators {
        guard let administrators = api.registry.configuration.administrators else {
            throw RecordError(.notFound, "This server has no administrators by name", cause: .unknownRoute)
        }
        return administrators
    }

    /// The database and zone that the request addresses. If an administrator names a user's private database, the audit
    /// log records the access.
    ///
    /// - Throws: The errors of `RequestQuery.address`.
    func address() throws(RecordError) -> DatabaseAddress {
        let address = try query.address(for: caller, reader)
        if case .privateDatabase(let owner) = address.scope, sender.administrator != nil {
            reader.auditLog.noteOwner(owner, namedBy: actor)
        }
        return address
    }

    /// Records in the audit log that a key was denied because of its scope.
    ///
    /// - Parameter type: The type of the requested records, if the request names it.
    func noteOutOfScope(_ key: ServiceKey, _ type: RecordTypeName?) {
        reader.auditLog.noteOutOfScope(
            key, target: type.map { "\(operation) \($0)" } ?? "\(operation)", address: actor.address,
            requestID: request.id)
    }

    /// Returns the path of a resource for the Location field, with the scope parameters of the request.
    func location(of path: String) -> String {
        var text = api.basePath + path
        for (index, item) in query.scopeItems.enumerated() {
            text += "\(index == 0 ? "?" : "&")\(item.name)=\(PathSegment.encode(item.value))"
        }
        return text
    }

    /// The record type in the path.
    ///
    /// - Throws: BAD_REQUEST for an invalid name.
    func typeName() throws(RecordError) -> RecordTypeName {
        guard let name = RecordTypeName(parameters[0]) else {
            throw .badRequest(
                "A record type's name \(Identifier.rule)")
        }
        return name
    }

    /// The record name in the path.
    ///
    /// - Throws: BAD_REQUEST for an invalid name.
    func recordName() throws(RecordError) -> RecordName {
        guard let name = RecordName(parameters[1]) else {
            throw .badRequest(
                "A record name has 1 to \(Limits.recordNameBytes) UTF-8 bytes and no control characters, and is neither . nor .."
            )
        }
        return name
    }

    /// Denies all callers except administrators whose role covers the operation, and keys whose scope contains it.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    func require(_ operation: AdministratorOperation) throws(RecordError) {
        switch Authorization.authorize(caller, operation) {
        case .allowed: return
        case .authenticationRequired:
            throw RecordError(
                .authenticationRequired, "Only administrators may do this. Send the administrator's token")
        case .denied:
            switch caller {
            case .anonymous, .user, .participant:
                throw RecordError(.accessDenied, "Only administrators may do this")
            case .service, .administrator:
                throw RecordError(
                    .accessDenied, "This takes the right \(operation.rawValue), which the token does not have",
                    details: [("right", .text(operation.rawValue))])
            }
        }
    }

    /// Denies a caller without the permission that the route requires.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or ACCESS_DENIED.
    func requireRight() throws(RecordError) {
        if let right { try require(right) }
    }

    /// Denies an anonymous caller without any permission to write, before reading a body that is long or of unknown
    /// length. Parsing 8 MB of JSON would delay other requests. In a short batch, each item is denied separately.
    ///
    /// - Parameter type: The type in the path; `nil` to check whether the caller may write any type.
    /// - Throws: AUTHENTICATION_REQUIRED.
    func rejectAnonymousWriters(_ type: RecordTypeName?, in scope: DatabaseScope) throws(RecordError) {
        guard caller == .anonymous, request.body.mayBeLong else { return }
        let types = type.map { [reader.schema[$0]].compactMap(\.self) } ?? Array(reader.schema.types.values)
        guard !caller.mayWrite(types, in: scope) else { return }
        throw RecordError(
            .authenticationRequired, "Callers that are not signed in cannot write these records. Sign in first",
            details: type.map { [("recordType", .text($0.text))] } ?? [])
    }
}

extension Caller {
    /// Returns whether the caller may create or write records of any of these types.
    func mayWrite(_ types: [RecordTypeDefinition], in scope: DatabaseScope) -> Bool {
        types.contains { type in
            [Action.create, .write].contains {
                Authorization.permitted(of: $0, for: self, in: scope, type: type) != .none
            }
        }
    }
}

extension HTTPRequestBody {
    /// Whether the body is still arriving, and is long or of unknown length.
    var mayBeLong: Bool {
        guard case .stream(let body) = self else { return false }
        return body.expectedLength ?? .max >= BodyParserThread.minimumBytes
    }
}
