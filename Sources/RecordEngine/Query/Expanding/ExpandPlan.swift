internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The paths of `expand`, bound to the schema and to the permissions of the caller.
struct ExpandPlan {
    /// A set of positions in `secondFields`.
    typealias Fields = Set<Int>

    /// A reference field of the page's records.
    struct Forward {
        let field: QueryField
        /// The fields to follow from the records found.
        var second: Fields = []
    }

    /// The records of another type that refer to the page's records.
    struct Backward {
        let step: BackwardStep
        /// The query for the records that refer to one record. Each record of the page replaces the value of its one
        /// filter.
        let request: QueryRequest
        var second: Fields = []
    }

    var forward: [Forward] = []
    var backward: [Backward] = []
    /// The names of the fields to follow from the records that the first steps find. Those records can have any type.
    var secondFields: [String] = []
    /// The sender of the request.
    let caller: Caller
    /// The database that contains the records.
    let address: DatabaseAddress
}

extension QueryReader {
    /// Binds the paths of a request.
    ///
    /// - Parameter type: The type of the page's records without the fields that the caller may not read.
    /// - Returns: `nil` for a request without `expand`.
    /// - Throws: BAD_REQUEST with cause UNKNOWN_NAME for a field that the type lacks, with cause TYPE_MISMATCH for a
    ///   field that is not a reference; for a backward step, the errors of a query by its field.
    func expandPlan(
        _ request: QueryRequest, of type: RecordTypeDefinition
    ) throws(RecordError) -> ExpandPlan? {
        guard !request.input.expand.isEmpty else { return nil }
        var plan = ExpandPlan(caller: request.caller, address: request.address)
        for path in request.input.expand {
            let second: ExpandPlan.Fields
            if let name = path.second {
                guard isReferenceOfSomeType(name, request) else { throw .fieldToExpandNotFound(name, in: nil) }
                second = [plan.number(of: name)]
            } else {
                second = []
            }
            switch path.first {
            case .forward(let name):
                let field = try self.field(named: name, of: type, request)
                if let known = plan.forward.firstIndex(where: { $0.field == field }) {
                    plan.forward[known].second.formUnion(second)
                } else {
                    plan.forward.append(ExpandPlan.Forward(field: field, second: second))
                }
            case .backward(let step):
                if let known = plan.backward.firstIndex(where: { $0.step.name == step.name }) {
                    plan.backward[known].second.formUnion(second)
                } else {
                    plan.backward.append(try backward(step, second: second, request))
                }
            }
        }
        return plan
    }

    private func field(
        named name: String, of type: RecordTypeDefinition, _ request: QueryRequest
    ) throws(RecordError) -> QueryField {
        if let system = SystemField(name), ExpandPlan.users.contains(system) { return .system(system) }
        guard let field = type[name] else {
            let isType = schema.types[name].map {
                Visibility(of: $0, for: request.caller, in: request.address.scope).reads != .none
            }
            throw .fieldToExpandNotFound(name, in: type.name, isType: isType ?? false)
        }
        guard field.type.isReference else { throw .fieldIsNoReference(name, of: type.name, field.type) }
        return .field(field)
    }

    /// Whether the caller may read a reference field with this name in records of some type.
    private func isReferenceOfSomeType(_ name: String, _ request: QueryRequest) -> Bool {
        if let system = SystemField(name), ExpandPlan.users.contains(system) { return true }
        return schema.types.values.contains { type in
            guard let field = type[name], field.type.isReference else { return false }
            let visibility = Visibility(of: type, for: request.caller, in: request.address.scope)
            return visibility.reads != .none
                && !(visibility.fields?.unreadable(isOwn: visibility.reads.isOwn).contains(field.id) ?? false)
        }
    }

    /// Binds a backward step. Checks it like a query by its field.
    private func backward(
        _ step: BackwardStep, second: ExpandPlan.Fields, _ request: QueryRequest
    ) throws(RecordError) -> ExpandPlan.Backward {
        var query = QueryRequest(
            caller: request.caller, address: request.address, typeName: step.typeName, input: QueryInput())
        query.input.recordType = step.typeName
        query.input.limit = step.limit
        // Check the permission to query the type before the names of its fields.
        guard try bind(query, keepsWords: false) != nil, let type = schema[step.typeName] else {
            // An unknown type has no records in development.
            return ExpandPlan.Backward(step: step, request: query, second: second)
        }
        let field = try self.field(named: step.field, of: request.readable(type), request)
        query.input.filters = [
            FilterSyntax(
                fieldName: step.field, comparator: field.type.isList ? "LIST_CONTAINS" : "EQUALS",
                value: .reference("_"))
        ]
        query.input.sort = step.sort
        query.input.condition = step.condition
        if try bind(query, keepsWords: false)?.targets.isEmpty == false { throw .expandedThroughReferences }
        return ExpandPlan.Backward(step: step, request: query, second: second)
    }
}

extension QueryRequest {
    /// A type without the fields that a condition of the caller may not name.
    func readable(_ type: RecordTypeDefinition) -> RecordTypeDefinition {
        let visibility = Visibility(of: type, for: caller, in: address.scope)
        return type.without(visibility.fields?.unreadable(isOwn: visibility.reads.isOwn) ?? [])
    }
}

extension ExpandPlan {
    /// The system fields that refer to user records.
    static let users: Set<SystemField> = [.createdUserRecordName, .modifiedUserRecordName]

    /// The position of a name in `secondFields`, to which the name is added if it is missing.
    fileprivate mutating func number(of name: String) -> Int {
        if let known = secondFields.firstIndex(of: name) { return known }
        secondFields.append(name)
        return secondFields.count - 1
    }
}

extension RecordError {
    /// - Parameters:
    ///   - type: The type that lacks the field; `nil` if all types do.
    ///   - isType: Whether the name is the name of a type whose records the caller may read.
    fileprivate static func fieldToExpandNotFound(
        _ name: String, in type: RecordTypeName?, isType: Bool = false
    ) -> RecordError {
        let clipped = String(name.prefix(64))
        let place = type.map { "in \($0)" } ?? "as a reference in any type"
        let hint =
            isType
            ? ". For the records of type \(clipped) that refer to these, name their field: \(clipped).field()" : ""
        return .badRequest(
            "Field \(clipped) not found \(place)\(hint)", cause: .unknownName,
            details: [("path", .text("expand")), ("field", .text(clipped))])
    }

    fileprivate static func fieldIsNoReference(
        _ name: String, of type: RecordTypeName, _ found: FieldType
    ) -> RecordError {
        .badRequest(
            "Field '\(name)' of \(type) is no reference, so it leads to no record", cause: .typeMismatch,
            details: [("path", .text("expand")), ("field", .text(name)), ("type", .text(found.schemaName))])
    }

    fileprivate static let expandedThroughReferences = RecordError.badRequest(
        "The condition of a path of 'expand' names fields of other records, which only the condition of the query may do",
        details: [("path", .text("expand"))])

    static let tooManyExpanded = RecordError.badRequest(
        "The paths of 'expand' lead to too many records. Ask for a shorter page, or for fewer paths", cause: .tooLarge,
        details: [("limit", .number(Int64(Limits.expandedRecords)))])

    static func expandedTooLong(limit: Int) -> RecordError {
        .badRequest(
            "The records that 'expand' adds are too long for one response. Ask for a shorter page, or for fewer paths",
            cause: .tooLarge, details: [("limitBytes", .number(Int64(limit)))])
    }
}
