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
    let reader: RecordReader
    /// Who asks, found by `rightsVersion`.
    var caller: Caller
    var rightsVersion: UInt64
    /// What the request has been counted for.
    var rate: RateTicket
    /// What stands before the paths of routes for clients: see `RecordAPI.basePath`.
    let basePath: String

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

    /// Where the request means. That an administrator names a user's private database is written down.
    func address() throws(RecordError) -> DatabaseAddress {
        let address = try query.address(for: caller, reader)
        if case .privateDatabase(let owner) = address.scope, caller.administrator != nil {
            reader.noteOwner(owner, namedBy: actor)
        }
        return address
    }

    /// Notes that a key was refused for its scope.
    func noteOutOfScope(_ key: ServiceKey, _ endpoint: Endpoint, _ type: RecordTypeName?) {
        reader.noteOutOfScope(
            key, target: type.map { "\(endpoint) \($0)" } ?? "\(endpoint)", address: actor.address,
            requestID: request.id)
    }

    /// The address of what a route serves, for Location: in the scope that the request named.
    func location(of path: String) -> String {
        var text = basePath + path
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

    /// The whole body, which is JSON.
    ///
    /// The caller was judged before, so that a stranger's body never crosses the network, and is judged again behind a
    /// body that took its time: the token may have been revoked meanwhile.
    ///
    /// - Parameter limit: The most bytes, where the route can do with less than any body may have.
    mutating func body(upTo limit: Int = .max) async throws -> [UInt8] {
        let limit = min(limit, database.limits.bodyBytes)
        try requireJSONBody(request.fields)
        switch request.body {
        case .empty: return []
        case .bytes(let bytes):
            guard bytes.count <= limit else { throw HTTPBodyError.tooLarge(limit: limit) }
            return bytes
        case .stream:
            let bytes = try await request.body.collect(upTo: limit)
            try judgeAgain()
            return bytes
        }
    }

    /// What the whole body says, such as a schema: a long one is read on another thread, and its caller judged again behind
    /// that, as in `body`.
    ///
    /// - Parameter limit: The most bytes, where the route can do with less than any body may have.
    mutating func document<Value: Sendable>(
        upTo limit: Int = .max, _ read: @escaping @Sendable ([UInt8]) throws(RecordError) -> Value
    ) async throws -> Value {
        let bytes = try await body(upTo: limit)
        guard bytes.count >= InputWorker.minimumBytes else { return try read(bytes) }
        return try await readElsewhere(bytes.count) { () throws(RecordError) in try read(bytes) }
    }

    /// Reads a long body on the thread for those of writes, and judges the caller again behind that.
    ///
    /// - Parameter bytes: How long it is.
    mutating func readElsewhere<Value: Sendable>(
        _ bytes: Int, _ read: @escaping @Sendable () throws(RecordError) -> Value
    ) async throws -> Value {
        let value = try await database.inputs.run(bytes: bytes, read)
        try judgeAgain()
        return value
    }

    /// Reads the long body of a query among long queries, of which no more may wait than of these.
    ///
    /// - Parameter limit: The most bytes.
    mutating func readersDocument<Value: Sendable>(
        upTo limit: Int, _ read: @escaping @Sendable ([UInt8]) throws(RecordError) -> Value
    ) async throws -> Value {
        let bytes = try await body(upTo: limit)
        guard bytes.count >= InputWorker.minimumBytes else { return try read(bytes) }
        let value = try await reader.onPool { () throws(RecordError) in try read(bytes) }
        try judgeAgain()
        return value
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

    /// After a suspension the view is a new one, and the token may have been revoked.
    mutating func judgeAgain() throws {
        try reader.refresh()
        caller = try Bearer.authenticate(request.fields, with: reader)
        rightsVersion = reader.rightsVersion
    }
}
