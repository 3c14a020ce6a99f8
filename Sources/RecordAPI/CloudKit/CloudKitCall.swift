internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The context of one request of CloudKit Web Services for a handler: the request, the caller, and the loop's reader.
///
/// The reader's snapshot stays current until the handler first suspends.
struct CloudKitCall {
    let request: HTTPRequest
    /// The container, environment and database in the URL.
    let path: CloudKitPath
    /// The parameters of the route.
    let parameters: RouteParameters
    /// The context of the loop. It also gives access to `api`.
    let context: RecordAPIContext
    let reader: RecordReader
    let credential: CloudKitCredential
    /// The caller, authenticated at `rightsVersion`.
    var caller: Caller
    var rightsVersion: UInt64
    /// The tokens that the request has taken from the rate limits.
    var rate: RateTicket
    /// The name of the operation in the audit log.
    let operation: StaticString
    /// The body, if it was read to verify a signature.
    var receivedBody: [UInt8]?

    var api: RecordAPI { context.api }
    var database: RecordDatabase { reader.database }

    /// The caller as an actor in the audit log.
    var actor: AuditActor {
        AuditActor(
            caller: caller, address: request.client.map { "\($0)" } ?? request.remoteAddress, requestID: request.id)
    }

    /// The URL of the server as the client uses it, such as `https://example.org/fog`, without a trailing slash.
    var baseURL: String { api.baseURL(for: request) }

    /// Returns the record name of the caller.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED for an API token alone.
    func callerName() throws(RecordError) -> String {
        guard let name = try recordName(of: caller) else { throw .cloudKitUserNeeded }
        return name
    }

    /// Returns the record name of a user or key; `nil` for any other caller.
    func recordName(of caller: Caller) throws(RecordError) -> String? {
        switch caller {
        case .user(let id, _), .participant(let id, _, _): try reader.accounts.user(id)?.recordName
        case .service(let key): try reader.apiKeys.key(of: key.account)?.userRecordName
        case .anonymous, .administrator: nil
        }
    }

    /// Returns the database that the URL names, if it does not depend on the zone.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED for the private database without a user; BAD_REQUEST for the shared database,
    ///   whose zones belong to the private databases of others.
    func scope() throws(RecordError) -> DatabaseScope {
        switch path.database {
        case .publicDatabase: return .publicDatabase
        case .privateDatabase:
            guard let owner = caller.userID else { throw .cloudKitUserNeeded }
            return .privateDatabase(owner: owner)
        case .sharedDatabase:
            throw .badRequest(CloudKitReason.notApplicable(in: path.database))
        }
    }

    // MARK: The body

    /// Denies an anonymous caller without any permission to write, before reading a long body; see
    /// `RecordCall.rejectAnonymousWriters`.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED.
    func rejectAnonymousWriters(in scope: DatabaseScope) throws(RecordError) {
        guard caller == .anonymous, request.body.mayBeLong else { return }
        guard !caller.mayWrite(Array(reader.schema.types.values), in: scope) else { return }
        throw .cloudKitUserNeeded
    }

    /// Returns the whole body, whatever its media type, with the caller's record name in place of `__defaultOwner__`.
    ///
    /// If reading suspends, the caller is authorized again, because its credential may have been revoked in the
    /// meantime.
    ///
    /// - Throws: `HTTPBodyError`; the errors of `reauthorize`; AUTHENTICATION_REQUIRED if the body names the calling user
    ///   and there is none.
    mutating func body() async throws -> [UInt8] {
        let bytes = try await bytes()
        return try CloudKitCurrentUser.replaced(in: bytes, by: callerName)
    }

    private mutating func bytes() async throws -> [UInt8] {
        if let receivedBody { return receivedBody }
        let limit = database.limits.bodyBytes
        switch request.body {
        case .empty: return []
        case .bytes(let bytes):
            guard bytes.count <= limit else { throw HTTPBodyError.tooLarge(limit: limit) }
            return bytes
        case .stream:
            let bytes = try await request.body.collect(upTo: limit)
            receivedBody = bytes
            try reauthorize()
            return bytes
        }
    }

    /// Returns the JSON object in the body. An empty body is an empty object. A long body is parsed on another thread.
    ///
    /// - Throws: The errors of `body`; BAD_REQUEST for anything but an object.
    mutating func object() async throws -> CloudKitObject {
        try await document { bytes throws(RecordError) in try CloudKitObject(parsing: bytes) }
    }

    /// Returns the value that `read` parses from the whole body. A long body is parsed on another thread. The caller is
    /// then authorized again, as in `body`.
    ///
    /// - Throws: The errors of `body` and of `read`.
    mutating func document<Value: Sendable>(
        _ read: @escaping @Sendable ([UInt8]) throws(RecordError) -> Value
    ) async throws -> Value {
        let bytes = try await body()
        guard bytes.count >= BodyParserThread.minimumBytes else { return try read(bytes) }
        let value = try await database.inputs.run(bytes: bytes.count) { () throws(RecordError) in try read(bytes) }
        try reauthorize()
        return value
    }

    /// Authorizes the caller again after a suspension, with a new snapshot.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED or AUTHENTICATION_FAILED if the credential has become invalid.
    mutating func reauthorize() throws {
        try reader.refresh()
        caller = try credential.caller(reader)
        rightsVersion = reader.rightsVersion
    }

    // MARK: The audit log

    /// Records in the audit log that a key was denied because of its scope.
    ///
    /// - Parameter type: The type of the requested records, if the request names it.
    func noteOutOfScope(_ key: ServiceKey, _ type: RecordTypeName?) {
        reader.auditLog.noteOutOfScope(
            key, target: type.map { "\(operation) \($0)" } ?? "\(operation)", address: actor.address,
            requestID: request.id)
    }
}
