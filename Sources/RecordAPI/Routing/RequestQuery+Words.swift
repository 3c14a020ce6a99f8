internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The parameters of queries.
extension RequestQuery {
    /// Whether a parameter that is a word says yes; absent, it says no.
    ///
    /// - Throws: BAD_REQUEST for anything but `true` and `false`.
    func word(_ name: String) throws(RecordError) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        default: throw Self.invalid(name, "'\(name)' is true or false")
        }
    }

    /// A number that is not negative; `nil` if it is not given.
    func count(_ name: String) throws(RecordError) -> Int? {
        guard let text = self[name] else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
            throw Self.invalid(name, "'\(name)' is a number from 0 on")
        }
        return number
    }

    /// What `where` and `arg` say of the records of a type.
    ///
    /// - Throws: BAD_REQUEST for an `arg` that is no JSON value, with its position, from 0, in `argument`; with cause
    ///   TOO_LARGE for too many of them.
    func condition(on type: RecordTypeName) throws(RecordError) -> QueryInput {
        var input = QueryInput()
        // A cursor leads on, whichever route made it.
        input.recordType = type
        input.condition = self["where"]
        do throws(RecordError) {
            input.arguments = try QueryInput.arguments(all(Self.repeatedName))
        } catch {
            var error = error
            error.details.append(("parameter", .text(Self.repeatedName)))
            throw error
        }
        return input
    }
}
