internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Parses the values of query parameters.
extension RequestQuery {
    /// Returns a boolean parameter; `false` if it is absent.
    ///
    /// - Throws: BAD_REQUEST for a value other than `true` and `false`.
    func word(_ name: String) throws(RecordError) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        default: throw Self.invalid(name, "'\(name)' is true or false")
        }
    }

    /// Returns a parameter that is a non-negative integer; `nil` if it is absent.
    ///
    /// - Throws: BAD_REQUEST for a value that is not a non-negative integer.
    func count(_ name: String) throws(RecordError) -> Int? {
        guard let text = self[name] else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
            throw Self.invalid(name, "'\(name)' is a number from 0 on")
        }
        return number
    }

    /// Returns the predicate in `where` and `arg`, for the records of a type.
    ///
    /// - Throws: BAD_REQUEST for an `arg` that is not a JSON value; `argument` in the details is its position from 0.
    ///   BAD_REQUEST with cause TOO_LARGE for too many arguments.
    func condition(on type: RecordTypeName) throws(RecordError) -> QueryInput {
        var input = QueryInput()
        // Set the type even without `where`, so that a cursor of another route works.
        input.recordType = type
        input.condition = self["where"]
        do throws(RecordError) {
            input.arguments = try QueryInput.arguments(all(Self.argumentName))
        } catch {
            var error = error
            error.details.append(("parameter", .text(Self.argumentName)))
            throw error
        }
        return input
    }

    /// Returns the aggregate in `aggregate`, `groupBy`, `distinct`, `having` and `timeZone`; `nil` without one of the
    /// first three. `sort` and `limit` are then those of the groups.
    ///
    /// - Throws: BAD_REQUEST for `having` or `timeZone` without an aggregate, and for a `limit` that is no number.
    func aggregate() throws(RecordError) -> AggregateInput? {
        var input = AggregateInput()
        let (values, keys, distinct) = (self["aggregate"], self["groupBy"], self["distinct"])
        guard values != nil || keys != nil || distinct != nil else {
            for name in ["having", "timeZone"] where self[name] != nil {
                throw Self.invalid(name, "'\(name)' is a part of an aggregate; give 'aggregate' or 'groupBy' too")
            }
            return nil
        }
        if let values { input.values = AggregateInput.terms(values) }
        if let keys { input.groupBy = AggregateInput.terms(keys) }
        if let distinct { try input.setDistinct(AggregateInput.terms(distinct)) }
        input.having = self["having"]
        if let sort = self["sort"] { input.sort = try QueryInput.sort(sort) }
        if let text = self["limit"] {
            guard let limit = Int(text), (1...Aggregation.maxLimit).contains(limit) else {
                throw Self.invalid(
                    "limit", "'limit' of an aggregate is a number from 1 to \(Aggregation.maxLimit)")
            }
            input.limit = limit
        }
        input.timeZone = self["timeZone"]
        return input
    }
}
