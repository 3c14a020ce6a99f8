internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The route that explains why a caller has or lacks a permission. For administrators.
enum ExplainRoutes {
    static let routes: [Route] = [
        Route(
            "POST /explain/access", "explainAccess", .rights,
            "Tells what a caller may do, and by which rule (administrators)", rate: .administer, right: .readRights,
            body: .json("AccessQuestion"),
            responses: [.json(200, "AccessExplanation", "The decision and what it rests on")]
        ) { call in try await explain(&call) }
    ]

    /// `POST /explain/access` with `{"caller","action","recordType"?,"recordName"?,"field"?}`: explains a decision.
    static func explain(_ call: inout RecordCall) async throws -> HTTPResponse {
        let database = call.api.configuration.defaultDatabase
        let object = try await call.object(
            keys: ["caller", "action", "recordType", "recordName", "field"], upTo: 16_384)
        let question = AccessQuestion(
            by: call.caller, caller: try text("caller", of: object), deed: try deed(of: object),
            typeName: try typeName(of: object), recordName: try recordName(of: object),
            field: try object["field"].map { value throws(RecordError) in try text("field", value) },
            address: try call.address())
        try call.reader.refresh()
        if question.deed.action != nil, let name = question.typeName, call.reader.schema[name] == nil {
            throw unknownType(name, in: try call.query.databaseID(default: database) ?? database)
        }
        return .json(document(try call.reader.access.explain(question)))
    }

    /// Returns an error that names the container and the environment, because the type often exists in another
    /// environment.
    private static func unknownType(_ name: RecordTypeName, in database: DatabaseID) -> RecordError {
        RecordError(
            .notFound,
            "Unknown record type \(name) in the \(database.environment.rawValue) environment of container "
                + "\(database.container)", cause: .unknownName, details: [("recordType", .text(name.text))])
    }

    private static func document(_ explanation: AccessExplanation) -> JSONValue {
        let decision =
            switch explanation.decision {
            case .allowed: "ALLOWED"
            case .denied: "ACCESS_DENIED"
            case .authenticationRequired: "AUTHENTICATION_REQUIRED"
            }
        return [
            "decision": .string(decision), "rule": .string(explanation.steps.last?.rule ?? ""),
            "roles": .array(explanation.roles.map(JSONValue.string)),
            "because": .array(
                explanation.steps.map { step in
                    ["rule": .string(step.rule), "allowed": .bool(step.isAllowed), "reason": .string(step.reason)]
                }),
        ]
    }

    private static func text(_ key: String, of object: JSONObject) throws(RecordError) -> String {
        guard let value = object[key] else {
            throw .badRequest("The body needs '\(key)'", details: [("key", .text(key))])
        }
        return try text(key, value)
    }

    private static func text(_ key: String, _ value: JSONValue) throws(RecordError) -> String {
        guard let text = value.string else { throw .badRequest("'\(key)' is a string", details: [("key", .text(key))]) }
        return text
    }

    private static func deed(of object: JSONObject) throws(RecordError) -> AccessQuestion.RequestedAction {
        let text = try text("action", of: object)
        guard let deed = AccessQuestion.RequestedAction(rawValue: text) else {
            let words = AccessQuestion.RequestedAction.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest(
                "'action' is one of \(words); changing and deleting are write", details: [("key", .text("action"))])
        }
        return deed
    }

    private static func typeName(of object: JSONObject) throws(RecordError) -> RecordTypeName? {
        guard let value = object["recordType"] else { return nil }
        guard let name = RecordTypeName(try text("recordType", value)) else {
            throw .badRequest("'recordType' is the name of a record type", details: [("key", .text("recordType"))])
        }
        return name
    }

    private static func recordName(of object: JSONObject) throws(RecordError) -> RecordName? {
        guard let value = object["recordName"] else { return nil }
        guard let name = RecordName(try text("recordName", value)) else {
            throw .badRequest("'recordName' is the name of a record", details: [("key", .text("recordName"))])
        }
        return name
    }

    static let schemas: StaticString = #"""
        "AccessQuestion":{"type":"object","required":["caller","action"],"additionalProperties":false,
        "properties":{"caller":{"type":"string","description":"anonymous, administrator, administrator:role or the name or record name of a user, key:name, or the record name of a key's account"},
        "action":{"type":"string","enum":["create","read","write","query","enter","upload"]},
        "recordType":{"type":"string","description":"Absent for enter and upload, which concern a database"},
        "recordName":{"type":"string"},"field":{"type":"string"}}},
        "AccessExplanation":{"type":"object","required":["decision","rule","because"],"properties":{
        "decision":{"type":"string","enum":["ALLOWED","ACCESS_DENIED","AUTHENTICATION_REQUIRED"]},
        "rule":{"type":"string"},"roles":{"type":"array","items":{"type":"string"}},
        "because":{"type":"array","items":{"type":"object","properties":{"rule":{"type":"string"},
        "allowed":{"type":"boolean"},"reason":{"type":"string"}}}}}}
        """#
}
