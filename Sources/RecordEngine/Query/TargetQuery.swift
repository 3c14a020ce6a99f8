internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The queries for one test of another record, such as `author.name == 'ada'`: one query for each type to which the
/// reference may lead. They run with the caller's permissions, so a target that the caller may not read is not found.
///
/// The test is then replaced by `author IN {…}` with the names found, for which there is an index. For a test that an
/// absent target passes, such as `author.name != 'ada'`, the queries find the targets that fail it, and `NOT` precedes
/// the replacement.
struct TargetQuery {
    /// The query of one type.
    struct Branch {
        let request: QueryRequest
        let query: PreparedQuery
    }

    /// The condition of the predicate to replace.
    let condition: Condition
    let test: TargetTest
    let branches: [Branch]
    /// The number of records found; `nil` before the queries have run.
    var found: Int?

    /// Returns the replacement of a condition with the names of the records found.
    static func replacement(_ condition: Condition, _ test: TargetTest, names: [QueryValue]) -> Predicate {
        let isOne = Predicate.condition(Condition(condition.field, .isIn(names)))
        return test.holdsIfAbsent ? .not(isOne) : isOne
    }

    /// Returns a replacement with some names, for the question which indexes a query needs.
    static func placeholder(_ condition: Condition, _ test: TargetTest) -> Predicate {
        replacement(condition, test, names: [.text([0x61]), .text([0x62])])
    }

    /// The text of the condition.
    private var conditionText: String { Predicate.condition(condition).text(limit: 512) }

    /// The line of the plan's text.
    var text: String {
        let types = branches.map(\.request.typeName.text).joined(separator: ", ")
        let found = found.map { " \($0)" } ?? ""
        return "targets\(found) of \(types) that \(test.holdsIfAbsent ? "fail" : "pass"): \(conditionText)"
    }

    /// The test in the JSON of the plan.
    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("condition", .string(conditionText)),
            ("recordTypes", .array(branches.map { .string($0.request.typeName.text) })),
            ("isNegated", .bool(test.holdsIfAbsent)),
        ]
        if let found { members.append(("records", .integer(Int64(found)))) }
        return .object(JSONObject(members))
    }
}

/// Prepares and runs the queries for the tests of other records in a predicate.
struct TargetResolver {
    let queries: QueryReader
    let request: QueryRequest

    /// The work of planning a query, in the unit of `QueryBudget.spend`.
    private static let planningWork = 20_000

    /// The types with a field of a name whose records the caller may read, without the fields that it may not read.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE for too many types.
    func types(with name: String) throws(RecordError) -> [RecordTypeDefinition] {
        let isSystem = SystemField(name) != nil
        var found: [RecordTypeDefinition] = []
        for type in queries.schema.types.values where isSystem || type[name] != nil {
            guard Visibility(of: type, for: request.caller, in: request.address.scope).reads != .none else { continue }
            let readable = request.readable(type)
            guard isSystem || readable[name] != nil else { continue }
            found.append(readable)
            guard found.count <= Limits.targetTypes else { throw .tooManyTargetTypes(name) }
        }
        return found.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// Prepares the queries for the tests of other records.
    ///
    /// - Throws: The errors of binding a query.
    func queries(of predicate: Predicate) throws(RecordError) -> [TargetQuery] {
        var targets: [TargetQuery] = []
        for condition in predicate.targetConditions {
            guard case .leadsTo(let test) = condition.test else { continue }
            var branches: [TargetQuery.Branch] = []
            for branch in test.branches {
                let predicate = test.holdsIfAbsent ? Predicate.not(branch.predicate) : branch.predicate
                let inner = QueryRequest(
                    caller: request.caller, address: request.address, typeName: branch.typeName, input: QueryInput())
                let known = BoundQuery(predicate: predicate.simplified())
                guard let query = try queries.bind(inner, keepsWords: false, known: known) else { continue }
                branches.append(TargetQuery.Branch(request: inner, query: query))
            }
            targets.append(TargetQuery(condition: condition, test: test, branches: branches))
        }
        return targets
    }

    /// Finds the records that the tests of other records mean, and replaces the tests by their names.
    ///
    /// - Throws: As `QueryBudget.match`; BAD_REQUEST with cause QUERY_TOO_EXPENSIVE for too many records.
    static func resolve(
        _ query: PreparedQuery, by queries: QueryReader, _ budget: QueryBudget
    ) throws(RecordError) -> PreparedQuery {
        guard !query.targets.isEmpty else { return query }
        var resolved = query
        var replacements: [Condition: Predicate] = [:]
        var left = queries.database.limits.targetNames
        for (number, target) in query.targets.enumerated() {
            let names = try names(of: target, limit: left, by: queries, budget)
            left -= names.count
            resolved.targets[number].found = names.count
            replacements[target.condition] = TargetQuery.replacement(target.condition, target.test, names: names)
        }
        func replace(_ condition: Condition, _ test: TargetTest) -> Predicate {
            replacements[condition] ?? .constant(false)
        }
        resolved.predicate = query.predicate.replacingTargetTests(replace).simplified()
        resolved.condition = query.condition.replacingTargetTests(replace).simplified()
        return resolved
    }

    private static func names(
        of target: TargetQuery, limit: Int, by queries: QueryReader, _ budget: QueryBudget
    ) throws(RecordError) -> [QueryValue] {
        var names: [QueryValue] = []
        for branch in target.branches {
            guard let zone = branch.query.zone else { continue }
            try budget.spend(planningWork)
            try queries.runner(of: branch.query, zone: zone, sort: [], limit: limit + 1, budget)
                .forEach(after: nil, limit: limit + 1) { cursor, _ throws(RecordError) in
                    guard names.count < limit else {
                        throw .tooManyTargets(target, limit: queries.database.limits.targetNames)
                    }
                    let name = [UInt8](cursor.name)
                    try budget.didCopy(name.count)
                    names.append(.text(name))
                    return true
                }
        }
        return names
    }
}

extension RecordError {
    fileprivate static func tooManyTargetTypes(_ name: String) -> RecordError {
        .badRequest(
            "More than \(Limits.targetTypes) types have a field '\(name.prefix(64))'. Query the right type, and use IN with the names of its records",
            cause: .tooLarge,
            details: [("field", .text(String(name.prefix(64)))), ("limit", .number(Int64(Limits.targetTypes)))])
    }

    fileprivate static func tooManyTargets(_ target: TargetQuery, limit: Int) -> RecordError {
        .badRequest(
            "More than \(limit) records \(target.test.holdsIfAbsent ? "fail" : "pass") the test of the record to which '\(target.condition.field.name)' refers. Narrow that test, or query the other type and use IN with the names of its records",
            cause: .queryTooExpensive,
            details: [
                ("field", .text(target.condition.field.name)), ("limit", .number(Int64(limit))),
            ])
    }

    static func targetInFeed(_ target: TargetQuery) -> RecordError {
        .badRequest(
            "'where' of a feed tests only fields of the record itself. A change of the record to which '\(target.condition.field.name)' refers would not be noticed. Test '\(target.condition.field.name)' itself",
            details: [("field", .text(target.condition.field.name))])
    }
}
