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

    /// What `where` and `arg` say.
    ///
    /// - Throws: BAD_REQUEST for an `arg` that is no JSON value, with its place in `argument`, counted from 1; with cause
    ///   TOO_LARGE for too many of them.
    func condition() throws(RecordError) -> QueryInput {
        var input = QueryInput()
        input.condition = self["where"]
        let texts = all(Endpoint.repeatedParameter)
        guard texts.count <= Limits.queryArguments else {
            throw .badRequest(
                "'arg' comes more than \(Limits.queryArguments) times. Give a list as one argument: IN %@",
                cause: .tooLarge,
                details: [("parameter", .text("arg")), ("limit", .number(Int64(Limits.queryArguments)))])
        }
        for (index, text) in texts.enumerated() {
            do throws(RecordError) {
                input.arguments.append(try QueryInput.argument(text))
            } catch {
                throw error.locating(argument: index + 1)
            }
        }
        return input
    }
}

extension RecordError {
    /// The error with the place of the argument that it is about, and the name of the parameter.
    fileprivate func locating(argument position: Int) -> RecordError {
        var error = self
        error.details.removeAll { $0.key == "argument" }
        error.details.append(("argument", .number(Int64(position))))
        if !error.details.contains(where: { $0.key == "parameter" }) {
            error.details.append(("parameter", .text(Endpoint.repeatedParameter)))
        }
        return error
    }
}
