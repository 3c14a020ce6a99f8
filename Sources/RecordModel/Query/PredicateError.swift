/// The position of an error in a predicate.
struct PredicateLocation: Hashable {
    /// The offset in UTF-8 bytes from the start of the text.
    var offset: Int?
    /// The argument that contains the value: its position from 0, or its name.
    var argument: RecordError.Detail?
    /// The position of the filter, from 0.
    var filter: Int?
}

extension RecordError {
    /// An error about a part of a predicate. The message never contains values.
    static func condition(
        _ reason: String, cause: Cause? = nil, field: String? = nil, at location: PredicateLocation, found: String,
        expected: String
    ) -> RecordError {
        var details: [(key: String, value: Detail)] = []
        if let field { details.append(("field", .text(field.clipped))) }
        if let filter = location.filter { details.append(("filter", .number(Int64(filter)))) }
        if let argument = location.argument { details.append(("argument", argument)) }
        if let offset = location.offset { details.append(("offset", .number(Int64(offset)))) }
        details.append(("found", .text(found)))
        details.append(("expected", .text(expected)))
        return .badRequest(reason, cause: cause, details: details)
    }

    /// An error for text that the grammar does not allow.
    static func predicateSyntax(at offset: Int, found: String, expected: String) -> RecordError {
        .condition(
            "The condition is not well formed: expected \(expected)", at: PredicateLocation(offset: offset),
            found: found,
            expected: expected)
    }

    /// An error for a predicate that exceeds a limit.
    static func conditionTooLarge(_ reason: String, limit: Int, at location: PredicateLocation) -> RecordError {
        var error = RecordError.condition(
            reason, cause: .tooLarge, at: location, found: "more than \(limit)", expected: "\(limit) at most")
        error.details.append(("limit", .number(Int64(limit))))
        return error
    }
}

extension String {
    /// The first 64 scalars of a text from a request, for error messages.
    var clipped: String {
        utf8.count <= 64 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(64)))
    }
}
