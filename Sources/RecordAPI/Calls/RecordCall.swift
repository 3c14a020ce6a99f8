internal import Cryptography
internal import HTTP
internal import RecordEngine
internal import RecordModel

/// What a route works with: the request, which database it means, the loop's reader of it, and who asks.
///
/// The reader's view is fresh up to the first suspension.
struct RecordCall {
    let request: HTTPRequest
    let parameters: RouteParameters
    let query: RequestQuery
    /// The loop's. It has whatever else there is: see `api`.
    let context: RecordAPIContext
    let reader: RecordReader
    /// Who asks, found by `rightsVersion`.
    var caller: Caller
    var rightsVersion: UInt64
    /// What the request has been counted for.
    var rate: RateTicket
    /// What the audit log calls the route.
    let operation: StaticString
    /// What the route demands that the caller may do.
    let right: AdministratorOperation?

    var api: RecordAPI { context.api }
    var database: RecordDatabase { reader.database }

    /// Who asks, for the audit log.
    var actor: AuditActor {
        let address = request.client.map { "\($0)" } ?? request.remoteAddress
        guard isFromShell else { return AuditActor(caller: caller, address: address, requestID: request.id) }
        var actor = AuditActor.shell
        actor.address = address
        actor.requestID = request.id
        return actor
    }

    /// Whether the token is that of the operator's commands.
    private var isFromShell: Bool {
        guard caller == .administrator(.bootstrap), let token = Bearer.token(request.fields) else { return false }
        return database.administrators?.isOperator(SHA256.hash(token)) ?? false
    }

    /// Rejects everybody but the operator's commands, which have the server's data directory.
    func requireOperator() throws(RecordError) {
        guard isFromShell else {
            throw RecordError(
                caller == .anonymous ? .authenticationRequired : .accessDenied,
                "Only the operator's commands do this. Run 'fogbase backup' on the server's machine")
        }
    }

    /// The server's administrators.
    func administrators() throws(RecordError) -> Administrators {
        guard let administrators = api.registry.configuration.administrators else {
            throw RecordError(.notFound, "This server has no administrators by name", cause: .unknownRoute)
        }
        return administrators
    }

    /// Where the request means. That an administrator names a user's private database is written down.
    func address() throws(RecordError) -> DatabaseAddress {
        let address = try query.address(for: caller, reader)
        if case .privateDatabase(let owner) = address.scope, caller.administrator != nil {
            reader.auditLog.noteOwner(owner, namedBy: actor)
        }
        return address
    }

    /// Notes that a key was refused for its scope.
    ///
    /// - Parameter type: Of the records that were asked for, if the request says it.
    func noteOutOfScope(_ key: ServiceKey, _ type: RecordTypeName?) {
        reader.auditLog.noteOutOfScope(
            key, target: type.map { "\(operation) \($0)" } ?? "\(operation)", address: actor.address,
            requestID: request.id)
    }

    /// The address of what a route serves, for Location: in the scope that the request named.
    func location(of path: String) -> String {
        var text = api.basePath + path
        for (index, item) in query.scopeItems.enumerated() {
            text += "\(index == 0 ? "?" : "&")\(item.name)=\(PathSegment.encode(item.value))"
        }
        return text
    }

    /// The record type in the path.
    func typeName() throws(RecordError) -> RecordTypeName {
        guard let name = RecordTypeName(parameters[0]) else {
            throw .badRequest(
                "A record type's name \(Identifier.rule)")
        }
        return name
    }

    /// The record name in the path.
    func recordName() throws(RecordError) -> RecordName {
        guard let name = RecordName(parameters[1]) else {
            throw .badRequest(
                "A record name has 1 to \(Limits.recordNameBytes) UTF-8 bytes and no control characters, and is neither . nor .."
            )
        }
        return name
    }

    /// Refuses everyone but administrators whose role covers an operation, and keys whose scope names it.
    func require(_ operation: AdministratorOperation) throws(RecordError) {
        switch Authorization.authorize(caller, operation) {
        case .allowed: return
        case .authenticationRequired:
            throw RecordError(
                .authenticationRequired, "Only administrators may do this. Send the administrator's token")
        case .denied:
            switch caller {
            case .anonymous, .user: throw RecordError(.accessDenied, "Only administrators may do this")
            case .service, .administrator:
                throw RecordError(
                    .accessDenied, "This takes the right \(operation.rawValue), which the token does not have",
                    details: [("right", .text(operation.rawValue))])
            }
        }
    }

    /// Refuses everyone who lacks the right that the route demands.
    func requireRight() throws(RecordError) {
        if let right { try require(right) }
    }

    /// Refuses a stranger who may write nothing before a long body is read, or one that does not say how long it is: reading
    /// eight megabytes of JSON keeps others waiting. A short batch is refused item by item.
    ///
    /// - Parameter type: The type in the path; `nil` asks whether there is any that the caller may write.
    func refuseStrangers(_ type: RecordTypeName?, in scope: DatabaseScope) throws(RecordError) {
        guard caller == .anonymous, case .stream(let body) = request.body,
            body.expectedLength ?? .max >= InputWorker.minimumBytes
        else { return }
        let types = type.map { [reader.schema[$0]].compactMap(\.self) } ?? Array(reader.schema.types.values)
        let mayWrite = types.contains { type in
            [Action.create, .write].contains {
                Authorization.reach(of: $0, for: caller, in: scope, type: type) != .none
            }
        }
        guard !mayWrite else { return }
        throw RecordError(
            .authenticationRequired, "Whoever is not signed in may write no such records here. Sign in first",
            details: type.map { [("recordType", .text($0.text))] } ?? [])
    }
}
