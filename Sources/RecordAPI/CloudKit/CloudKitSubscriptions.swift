internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The subscriptions operations of CloudKit Web Services.
///
/// A subscription belongs to the calling user or server-to-server key.
enum CloudKitSubscriptions {
    static let routes: [CloudKitRoute] = [
        CloudKitRoute(
            "GET /database/1/{container}/{environment}/{database}/subscriptions/list", "subscriptions/list",
            rate: .read, callers: .usersAndKeys
        ) { call in try list(call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/subscriptions/list", "subscriptions/list",
            rate: .read, callers: .usersAndKeys
        ) { call in try list(call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/subscriptions/lookup", "subscriptions/lookup",
            rate: .read, callers: .usersAndKeys
        ) { call in try await lookUp(&call) },
        CloudKitRoute(
            "POST /database/1/{container}/{environment}/{database}/subscriptions/modify", "subscriptions/modify",
            rate: .write, callers: .usersAndKeys
        ) { call in try await modify(&call) },
    ]

    // MARK: Operations

    /// `subscriptions/list`: all subscriptions of the caller in the database.
    static func list(_ call: CloudKitCall) throws -> HTTPResponse {
        let (database, owner) = try database(call)
        let found = try call.reader.subscriptions.list(in: database, for: call.caller)
        return respond(found.map { document($0, owner: owner) })
    }

    /// `subscriptions/lookup`: subscriptions by their IDs, in order.
    static func lookUp(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.object()
        let wanted = try body.required("subscriptions", try body.objects("subscriptions"))
        try CloudKitZones.requireFew(wanted.count, "subscriptions")
        let (database, owner) = try database(call)
        var results: [JSONObject] = []
        for entry in wanted {
            let id = try entry.required("subscriptionID", try entry.string("subscriptionID"))
            do throws(RecordError) {
                let found = try call.reader.subscriptions.find(id, in: database, for: call.caller)
                results.append(document(found, owner: owner))
            } catch {
                guard error.code == .notFound else { throw error }
                results.append(failure(error, of: id, call))
            }
        }
        return respond(results)
    }

    /// `subscriptions/modify`: creates, updates and deletes subscriptions. Each operation succeeds or fails alone.
    static func modify(_ call: inout CloudKitCall) async throws -> HTTPResponse {
        let body = try await call.object()
        let operations = try body.required("operations", try body.objects("operations"))
        try CloudKitZones.requireFew(operations.count, "operations")
        // The request has already been counted as one operation.
        try call.rate.take(operations.count - 1, after: 1)
        var results: [JSONObject] = []
        for operation in operations {
            let subscription = try operation.required("subscription", try operation.object("subscription"))
            let id = try subscription.string("subscriptionID")
            let kind = try operation.string("operationType")
            do throws(RecordError) {
                results.append(try await perform(kind, subscription, id, call))
            } catch {
                guard error.code != .internalError, error.code != .tryAgainLater else { throw error }
                results.append(failure(error, of: id, call))
            }
        }
        return respond(results)
    }

    /// Returns the database that the URL names, and the record name of its owner; `nil` for the public and the shared
    /// database.
    private static func database(
        _ call: CloudKitCall
    ) throws(RecordError) -> (FollowedDatabase, owner: String?) {
        guard call.path.database != .sharedDatabase else { return (.shared, nil) }
        let scope = try call.scope()
        return (.scope(scope), try call.ownerName(of: scope))
    }

    private static func perform(
        _ kind: String?, _ subscription: CloudKitObject, _ id: String?, _ call: CloudKitCall
    ) async throws(RecordError) -> JSONObject {
        let (database, owner) = try database(call)
        switch kind {
        case "create", "update":
            let definition = try SubscriptionDefinition(native(subscription, call))
            try call.reader.refresh()
            try call.reader.subscriptions.check(definition, in: database, for: call.caller)
            let (stored, _) = try await call.database.subscriptions.put(
                id ?? AssetReader.makeRecordName().text, definition, in: database, kind == "create" ? .create : .update,
                by: call.caller, rightsVersion: call.rightsVersion)
            return document(stored, owner: owner)
        case "delete":
            let id = try subscription.required("subscriptionID", id)
            try await call.database.subscriptions.remove(
                id, in: database, by: call.caller, rightsVersion: call.rightsVersion)
            return JSONObject([("subscriptionID", .string(id)), ("deleted", .bool(true))])
        default:
            throw .badRequest("'operationType' of a subscription is create, update or delete")
        }
    }

    // MARK: Dictionaries

    /// Returns a subscription dictionary in the form of `SubscriptionDefinition`. Keys that do not go with its type are
    /// ignored, because clients send them.
    ///
    /// - Throws: BAD_REQUEST; ZONE_NOT_FOUND for a zone of another owner.
    private static func native(_ object: CloudKitObject, _ call: CloudKitCall) throws(RecordError) -> JSONObject {
        let kind = try object.required("subscriptionType", try object.string("subscriptionType"))
        var json = JSONObject([("type", .string(kind))])
        let zone = try object.object("zoneID").map { id throws(RecordError) in try CloudKitZones.zoneID(id) }
        if let zone, kind != SubscriptionDefinition.Kind.database.rawValue {
            if call.path.database != .sharedDatabase {
                guard try call.isOwner(zone.ownerRecordName, of: try call.scope()) else { throw .zoneNotFound }
            } else if kind == SubscriptionDefinition.Kind.zone.rawValue {
                guard let owner = zone.ownerRecordName.flatMap(UserRecordName.init) else { throw .zoneNotFound }
                json["owner"] = .string(owner.text)
            }
            json["zone"] = .string(zone.zoneName)
        }
        if let info = try object.object("notificationInfo") {
            var known = JSONObject()
            for key in SubscriptionDefinition.notificationKeys { known[key] = info[key] }
            json["notification"] = .object(known)
        }
        guard kind == SubscriptionDefinition.Kind.query.rawValue else { return json }
        // The name of a zone takes precedence over `zoneWide`.
        if zone == nil, try object.bool("zoneWide") == false { json["zone"] = .string(ZoneName.defaultZone.text) }
        let query = try object.required("query", object["query"])
        json[SubscriptionDefinition.cloudKitQuery] = try CloudKitCurrentUser.replaced(
            inQuery: query, by: call.callerName)
        for key in ["firesOn", "firesOnce"] { json[key] = object[key] }
        return json
    }

    /// Returns the dictionary of a subscription.
    private static func document(_ subscription: Subscription, owner: String?) -> JSONObject {
        let definition = subscription.definition
        var json = JSONObject([
            ("subscriptionID", .string(subscription.name)), ("subscriptionType", .string(definition.kind.rawValue)),
        ])
        if definition.kind == .query {
            json["query"] = query(definition)
            json["zoneWide"] = .bool(definition.zone == nil)
            json["firesOn"] = subscription.json["firesOn"]
            json["firesOnce"] = .bool(definition.firesOnce)
        }
        if let zone = definition.zone {
            let id = CloudKitZoneID(zoneName: zone.text, ownerRecordName: definition.owner?.text ?? owner).json
            json["zoneID"] = try? JSONValue.parse(id)
        }
        if let notification = definition.notification { json["notificationInfo"] = .object(notification) }
        return json
    }

    /// Returns the query as it was sent. The predicate of a subscription that was made by the native interface has its
    /// own keys, which clients ignore.
    private static func query(_ definition: SubscriptionDefinition) -> JSONValue {
        if let query = definition.json[SubscriptionDefinition.cloudKitQuery] { return query }
        var query = JSONObject()
        for key in ["recordType", "where", "args", "filterBy"] { query[key] = definition.json[key] }
        if query["filterBy"] == nil { query["filterBy"] = .array([]) }
        return .object(query)
    }

    private static func failure(_ error: RecordError, of id: String?, _ call: CloudKitCall) -> JSONObject {
        CloudKitErrors.item(error, key: id.map { ("subscriptionID", .string($0)) }, requestID: call.request.id)
    }

    private static func respond(_ subscriptions: [JSONObject]) -> HTTPResponse {
        .cloudKit(JSONObject([("subscriptions", .array(subscriptions.map(JSONValue.object)))]))
    }
}
