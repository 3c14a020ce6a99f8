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

    /// Returns the paths in `expand`; empty if it is absent.
    ///
    /// - Throws: BAD_REQUEST for text that is not a list of paths; with cause TOO_LARGE for an exceeded limit.
    func expand() throws(RecordError) -> [ExpandPath] {
        guard let text = self["expand"] else { return [] }
        return try QueryInput.expand(text)
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

    /// Returns the aggregate of the query; `nil` if there is none.
    ///
    /// - Throws: As `AggregateInput.read`.
    func aggregate() throws(RecordError) -> AggregateInput? {
        try AggregateInput.read { name in self[name] }
    }
}
