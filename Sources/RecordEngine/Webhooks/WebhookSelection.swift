package import RecordModel
package import RecordWire

/// The changes that a webhook sends, as JSON: `{"types"?,"fields"?,"where"?,"args"?}`.
package struct WebhookSelection: Hashable, Sendable {
    /// The keys in the order of responses.
    package static let keys = ["types", "fields", "where", "args"]

    /// The members. A `null` value is the same as an absent key.
    package private(set) var json = JSONObject()

    /// Reads the selection among the members of an object.
    ///
    /// - Throws: BAD_REQUEST for a value in another form, or a condition without exactly one type.
    package init(_ object: JSONObject) throws(RecordError) {
        for key in Self.keys {
            if let value = object[key], value != .null { json[key] = value }
        }
        _ = try feed()
    }

    /// Reads a stored selection. It was valid when it was stored.
    init(stored text: String) throws(RecordError) {
        do throws(JSONError) { json = try JSONValue.parse(Array(text.utf8)).object ?? JSONObject() } catch {
            throw RecordError(.internalError, "A stored webhook is damaged")
        }
    }

    /// The stored form.
    var stored: String { String(decoding: JSONValue.object(json).bytes, as: UTF8.self) }

    /// Returns the selection with the keys that an object names; the value `null` removes a key.
    ///
    /// - Throws: See `init`.
    func changed(by object: JSONObject) throws(RecordError) -> WebhookSelection {
        var members = json
        for key in Self.keys {
            if let value = object[key] { members[key] = value }
        }
        return try WebhookSelection(members)
    }

    /// Returns the selection for reading the feed.
    ///
    /// - Throws: See `init`.
    func feed() throws(RecordError) -> FeedSelection {
        var selection = FeedSelection()
        if let names = try texts("types") {
            guard !names.isEmpty, names.count <= FeedSelection.maxTypes else {
                throw Self.invalid("types", "'types' has 1 to \(FeedSelection.maxTypes) names. Leave it out for all")
            }
            var types: Set<RecordTypeName> = []
            for name in names {
                guard let type = RecordTypeName(name) else {
                    throw Self.invalid("types", "A record type's name \(Identifier.rule)")
                }
                types.insert(type)
            }
            selection.types = types
        }
        if let fields = try texts("fields") {
            guard fields.count <= Limits.fieldsPerType else {
                throw Self.invalid("fields", "'fields' has more names than a record may have fields")
            }
            selection.fields = fields
        }
        guard json["where"] != nil || json["args"] != nil else { return selection }
        guard let type = selection.types?.first, selection.types?.count == 1 else {
            throw Self.invalid("where", "A condition is about the records of one type. Give one of 'types'")
        }
        guard let condition = json["where"]?.string else { throw Self.invalid("where", "'where' is a text") }
        var input = QueryInput()
        input.recordType = type
        input.condition = condition
        if let arguments = json["args"] {
            guard let arguments = arguments.array else { throw Self.invalid("args", "'args' is a list") }
            input.arguments = try QueryInput.arguments(arguments.map { String(decoding: $0.bytes, as: UTF8.self) })
        }
        selection.condition = input
        return selection
    }

    private func texts(_ key: String) throws(RecordError) -> [String]? {
        guard let value = json[key] else { return nil }
        guard let list = value.array else { throw Self.invalid(key, "'\(key)' is a list of names") }
        var texts: [String] = []
        for item in list {
            guard let text = item.string else { throw Self.invalid(key, "'\(key)' is a list of names") }
            texts.append(text)
        }
        return texts
    }

    private static func invalid(_ field: String, _ reason: String) -> RecordError {
        .badRequest(reason, details: [("field", .text(field))])
    }
}
