internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The query parameters of a request. The route accepts each of them. All except `arg` and `type` occur at most once.
struct RequestQuery: Sendable {
    private var values: [(name: String, value: String)] = []
    private(set) var zone = ZoneName.defaultZone

    /// The scope parameters. They select the database and the zone on every route.
    static let scopeNames = ["container", "environment", "database", "zone", "owner"]

    /// The parameter of a predicate's arguments.
    static let argumentName = "arg"

    /// The parameters that may be repeated. The order of their values is kept.
    private static let repeatedNames = [argumentName, "type"]

    /// Creates an empty query.
    init() {}

    /// Parses the query parameters of a request.
    ///
    /// - Parameters:
    ///   - names: The parameters that the route accepts in addition to the scope parameters.
    ///   - options: The options of the route.
    /// - Throws: BAD_REQUEST for a parameter that is unknown, repeated or not decodable, and for an invalid name of a
    ///   zone.
    init(_ target: RequestTarget, names: [String], _ options: Route.Options) throws(RecordError) {
        guard let items = target.queryItems else {
            throw .badRequest(
                "The query has a malformed percent escape, or one that is not UTF-8. Encode it again")
        }
        for (name, value) in items {
            guard Self.scopeNames.contains(name) || names.contains(name) else {
                throw .badRequest(
                    "Unknown query parameter '\(name.prefix(64))'. This route takes "
                        + (names + Self.scopeNames).joined(separator: ", ") + Self.hint(name, names, options, target),
                    details: [
                        ("parameter", .text(String(name.prefix(64)))), ("allowed", .list(names + Self.scopeNames)),
                    ])
            }
            guard Self.repeatedNames.contains(name) || self[name] == nil else {
                throw Self.invalid(name, "Query parameter '\(name)' is given twice. Give it once")
            }
            values.append((name, value))
        }
        zone = try Self.zone(self["zone"])
    }

    /// Returns a hint for an unknown parameter: the route that accepts it, or its name on this server if other servers
    /// use another name.
    private static func hint(
        _ name: String, _ names: [String], _ options: Route.Options, _ target: RequestTarget
    ) -> String {
        let known = QueryInput.advice(for: name)
        if let known, names.contains(known.name) { return ". \(known.sentence)" }
        guard options.contains(.pointsToQueries), QueryRoutes.parameters.contains(known?.name ?? name),
            let type = target.rawPath.split(separator: "/").last
        else { return "" }
        return "; conditions and sorts go to /query/\(type)"
    }

    subscript(name: String) -> String? {
        for item in values where item.name == name { return item.value }
        return nil
    }

    /// Returns all values of a repeatable parameter in order.
    func all(_ name: String) -> [String] {
        values.filter { $0.name == name }.map(\.value)
    }

    var isEmpty: Bool { values.isEmpty }

    /// Returns whether a parameter meets a condition on its name and value.
    func contains(where condition: (String, String) -> Bool) -> Bool {
        values.contains { condition($0.name, $0.value) }
    }

    /// The approximate size in memory.
    var bytes: Int { values.reduce(0) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count } }

    /// The scope parameters, for URLs in responses.
    var scopeItems: [(name: String, value: String)] {
        values.filter { Self.scopeNames.contains($0.name) }
    }

    static func invalid(_ name: String, _ reason: String) -> RecordError {
        .badRequest(reason, details: [("parameter", .text(name))])
    }

    // MARK: The parameters of routes

    /// Returns the field names in `fields`; `nil` means all fields.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE for more names than a record may have fields. Each name is looked up
    ///   for each record of the response, so their number must be limited.
    func fields() throws(RecordError) -> [String]? { try names("fields") }

    /// Returns the field names in a parameter; `nil` if it is absent.
    ///
    /// - Throws: As `fields`.
    func names(_ parameter: String) throws(RecordError) -> [String]? {
        guard let text = self[parameter] else { return nil }
        let names = text.split(separator: ",")
        guard names.count <= Limits.fieldsPerType else {
            throw .badRequest(
                "'\(parameter)' has more names than a record may have fields", cause: .tooLarge,
                details: [("parameter", .text(parameter)), ("limit", .number(Int64(Limits.fieldsPerType)))])
        }
        return names.map(String.init)
    }

    /// Returns the metadata that a new record takes from its body instead of the server.
    ///
    /// - Throws: BAD_REQUEST for an unknown word.
    func preserves() throws(RecordError) -> PreservedMetadata {
        guard let text = self["preserve"] else { return [] }
        return try PreservedMetadata(words: text.split(separator: ",").map(String.init))
    }

    /// Returns the maximum number of records on a page.
    ///
    /// - Throws: BAD_REQUEST for a number out of range.
    func limit(_ limits: DatabaseLimits) throws(RecordError) -> Int {
        guard let text = self["limit"] else { return min(limits.defaultPageSize, limits.pageSize) }
        guard let limit = Int(text), (1...limits.pageSize).contains(limit) else {
            throw Self.invalid("limit", "'limit' is a number from 1 to \(limits.pageSize)")
        }
        return limit
    }

    /// Returns these parameters with the position of a client that continues.
    ///
    /// - Parameter other: The parameters of the client: a ticket and `since`.
    /// - Throws: BAD_REQUEST for other parameters than these and the container.
    func resumed(by other: RequestQuery) throws(RecordError) -> RequestQuery {
        var query = self
        for (name, value) in other.values {
            switch name {
            case "ticket": continue
            case "since":
                query.values.removeAll { $0.name == name }
                query.values.append((name, value))
            default:
                guard self[name] == value else {
                    throw Self.invalid(
                        name, "The ticket has the parameters of the stream. Leave out '\(name.prefix(64))'")
                }
            }
        }
        return query
    }

    // MARK: The scope

    /// Returns the database that the request names; `nil` for the default database.
    ///
    /// - Throws: BAD_REQUEST for an invalid name.
    func databaseID(default standard: DatabaseID) throws(RecordError) -> DatabaseID? {
        if values.isEmpty { return nil }
        let container = self["container"]
        let environment = self["environment"]
        if container == nil, environment == nil { return nil }
        var id = standard
        if let container {
            guard let name = ContainerName(container) else {
                throw Self.invalid(
                    "container", "A container's name is a letter, then letters, digits, dots, hyphens and underscores")
            }
            id = DatabaseID(container: name, environment: id.environment)
        }
        if let environment {
            guard let known = RecordEnvironment(rawValue: environment) else {
                throw Self.invalid("environment", "'environment' is development or production")
            }
            id = DatabaseID(container: id.container, environment: known)
        }
        return id
    }

    /// Whether the request names a zone other than the default zone.
    var namesCustomZone: Bool { zone != .defaultZone }

    /// Returns the zone that the request addresses.
    ///
    /// - Throws: BAD_REQUEST for unknown values; AUTHENTICATION_REQUIRED for an anonymous caller that names a private
    ///   database; ACCESS_DENIED for a user that names another user's private database; NOT_FOUND for an unknown owner;
    ///   ZONE_NOT_FOUND for a zone that the database does not have.
    func address(for caller: Caller, _ reader: RecordReader) throws(RecordError) -> DatabaseAddress {
        if values.isEmpty { return .publicDefault }
        let address = DatabaseAddress(scope: try scope(for: caller, reader), zone: zone)
        // Every route rejects an unknown zone, even routes without records, because a response from another zone would
        // be misleading.
        try reader.requireZone(address)
        return address
    }

    /// Returns the zone that a request names.
    ///
    /// - Throws: BAD_REQUEST for an invalid name.
    private static func zone(_ text: String?) throws(RecordError) -> ZoneName {
        guard let text else { return .defaultZone }
        guard let zone = ZoneName(text) else {
            throw invalid(
                "zone", "A zone's name has 1 to \(Limits.recordNameBytes) UTF-8 bytes and no control characters")
        }
        return zone
    }

    private func scope(for caller: Caller, _ reader: RecordReader) throws(RecordError) -> DatabaseScope {
        switch self["database"] {
        case nil, "public":
            guard self["owner"] == nil else {
                throw Self.invalid("owner", "'owner' goes with database=private; the public database has none")
            }
            return .publicDatabase
        case "private":
            return .privateDatabase(owner: try owner(for: caller, reader))
        case "shared":
            guard let participation = caller.participation else {
                throw Self.invalid("database", "With database=shared, name a zone and its 'owner'")
            }
            return .privateDatabase(owner: participation.owner)
        default:
            throw Self.invalid("database", "'database' is public, private or shared")
        }
    }

    private static let notTheOwner = RecordError(.accessDenied, "A private database is its owner's alone")

    private func owner(for caller: Caller, _ reader: RecordReader) throws(RecordError) -> UserID {
        if caller == .anonymous {
            throw RecordError(.authenticationRequired, "A private database belongs to a user. Sign in first")
        }
        guard let text = self["owner"] else {
            switch Authorization.privatePermitted(of: caller) {
            case .own(let id): return id
            case .all: throw Self.invalid("owner", "An administrator names whose private database it is, with 'owner'")
            case .none: throw Self.notTheOwner
            }
        }
        guard let name = UserRecordName(text) else {
            throw Self.invalid("owner", "'owner' is the record name of a user: _ and 32 hexadecimal digits")
        }
        let found = try reader.accounts.id(of: name)
        // The error does not reveal whether the user exists: no account has the number of `nobody`.
        guard Authorization.mayEnterPrivateDatabase(caller, of: found ?? .nobody) else { throw Self.notTheOwner }
        guard let found else {
            throw RecordError(.notFound, "There is no user with this record name", details: [("owner", .text(text))])
        }
        return found
    }
}
