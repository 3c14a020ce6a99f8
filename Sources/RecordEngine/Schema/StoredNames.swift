internal import RecordModel
internal import RecordWire

/// Renames types and fields in what the database stores about them as JSON: the selections of webhooks, the definitions
/// of subscriptions, the tasks of schedules, the scopes of API keys.
///
/// All functions throw BAD_REQUEST for a condition in which a name cannot be replaced.
struct StoredNames {
    /// The new names of types, by the present ones.
    var types: [String: String] = [:]
    /// The type whose fields are renamed; `nil` for none.
    var typeOfFields: String?
    /// The new names of fields, by the present ones.
    var fields: [String: String] = [:]

    /// Returns the selection of a webhook: `{"types"?,"fields"?,"where"?,"args"?}`.
    func selection(_ selection: JSONObject) throws(RecordError) -> JSONObject {
        var selection = selection
        let chosen = (selection["types"]?.array ?? []).compactMap(\.string)
        if selection["types"] != nil { selection["types"] = .array(chosen.map { .string(types[$0] ?? $0) }) }
        guard let typeOfFields, chosen.isEmpty || chosen.contains(typeOfFields) else { return selection }
        if let names = selection["fields"] {
            // Other types may have fields with the same names.
            selection["fields"] = chosen == [typeOfFields] ? names.mapping(fields) : names.adding(fields)
        }
        if chosen == [typeOfFields] { try rename(conditionOf: &selection) }
        return selection
    }

    /// Returns the definition of a subscription.
    func definition(_ definition: JSONObject) throws(RecordError) -> JSONObject {
        var definition = definition
        let query = SubscriptionDefinition.cloudKitQuery
        if var inner = definition[query]?.object {
            let type = inner["recordType"]?.string
            rename(typeOf: &inner)
            if type == typeOfFields { inner.renameFilters(fields) }
            definition[query] = .object(inner)
            if type == typeOfFields { rename(notificationOf: &definition) }
            return definition
        }
        let type = definition["recordType"]?.string
        rename(typeOf: &definition)
        guard type != nil, type == typeOfFields else { return definition }
        definition.renameFilters(fields)
        try rename(conditionOf: &definition)
        rename(notificationOf: &definition)
        return definition
    }

    /// Returns the task of a job: `{"kind","recordType","where"?,"args"?,"fields"?,…}`.
    func task(_ task: JSONObject) throws(RecordError) -> JSONObject {
        var task = task
        let type = task["recordType"]?.string
        rename(typeOf: &task)
        // The condition may name fields of other types behind dots.
        try rename(conditionOf: &task, isOfType: type == typeOfFields)
        guard type == typeOfFields, let changes = task["fields"]?.object else { return task }
        task["fields"] = .object(
            JSONObject(changes.members.map { (fields[$0.key] ?? $0.key, $0.value.renamingSource(fields)) }))
        return task
    }

    /// Returns the scope of an API key.
    func scope(_ scope: KeyScope) -> KeyScope {
        guard let names = scope.types else { return scope }
        return KeyScope(
            types: Set(names.map { name in types[name.text].flatMap(RecordTypeName.init) ?? name }),
            permissions: scope.permissions, operations: scope.operations)
    }

    private func rename(typeOf object: inout JSONObject) {
        if let type = object["recordType"]?.string, let name = types[type] { object["recordType"] = .string(name) }
    }

    private func rename(notificationOf definition: inout JSONObject) {
        guard var notification = definition["notification"]?.object else { return }
        for key in ["additionalFields", "alertLocalizationArgs"] {
            if let names = notification[key] { notification[key] = names.mapping(fields) }
        }
        definition["notification"] = .object(notification)
    }

    /// - Parameter isOfType: Whether the condition is about the type whose fields are renamed.
    private func rename(conditionOf object: inout JSONObject, isOfType: Bool = true) throws(RecordError) {
        guard let condition = object["where"]?.string, !fields.isEmpty else { return }
        let renamed: RenamedPredicate
        do throws(RecordError) { renamed = try RenamedPredicate(condition, renaming: fields) } catch {
            guard isOfType else { return }
            throw error
        }
        if let name = renamed.pathName {
            throw .badRequest("Its condition has '\(name)' behind a dot, and may mean the field or one of another type")
        }
        guard isOfType else { return }
        object["where"] = .string(renamed.text)
        guard var arguments = object["args"]?.array else { return }
        for position in renamed.keyArguments where position < arguments.count {
            arguments[position] = arguments[position].mapping(fields)
        }
        object["args"] = .array(arguments)
    }
}

extension JSONObject {
    /// Renames the fields of `filterBy`, in the native form and in CloudKit's.
    fileprivate mutating func renameFilters(_ names: [String: String]) {
        for key in ["filterBy", "sortBy"] {
            guard let filters = self[key]?.array else { continue }
            self[key] = .array(
                filters.map { filter in
                    guard var object = filter.object, let name = object["fieldName"] else { return filter }
                    object["fieldName"] = name.mapping(names)
                    return .object(object)
                })
        }
    }
}

extension JSONValue {
    /// Returns a name or a list of names with new names.
    fileprivate func mapping(_ names: [String: String]) -> JSONValue {
        switch self {
        case .string(let name): .string(names[name] ?? name)
        case .array(let list): .array(list.map { $0.mapping(names) })
        default: self
        }
    }

    /// Returns a list of names with new names behind the present ones.
    fileprivate func adding(_ names: [String: String]) -> JSONValue {
        let list = array ?? []
        let added = list.compactMap { $0.string.flatMap { names[$0] }.map(JSONValue.string) }
        return .array(list + added.filter { !list.contains($0) })
    }

    /// Returns the change of a field with the new name of the field that it copies.
    fileprivate func renamingSource(_ names: [String: String]) -> JSONValue {
        guard var object, object.members.count == 1, let name = object["copy"] else { return self }
        object["copy"] = name.mapping(names)
        return .object(object)
    }
}
