/// Where the part of a condition stands that an error is about.
struct PredicatePlace: Hashable {
    /// UTF-8 bytes from the start of the text.
    var offset: Int?
    /// The argument that the value comes from: its position from 0, or its name.
    var argument: RecordError.Detail?
    /// The position of the filter, from 0.
    var filter: Int?
}

extension RecordError {
    /// The refusal of a part of a condition. Its sentence never quotes values.
    static func condition(
        _ reason: String, cause: Cause? = nil, field: String? = nil, at place: PredicatePlace, found: String,
        expected: String
    ) -> RecordError {
        var details: [(key: String, value: Detail)] = []
        if let field { details.append(("field", .text(field.clipped))) }
        if let filter = place.filter { details.append(("filter", .number(Int64(filter)))) }
        if let argument = place.argument { details.append(("argument", argument)) }
        if let offset = place.offset { details.append(("offset", .number(Int64(offset)))) }
        details.append(("found", .text(found)))
        details.append(("expected", .text(expected)))
        return .badRequest(reason, cause: cause, details: details)
    }

    /// A text that the grammar does not have.
    static func conditionSyntax(at offset: Int, found: String, expected: String) -> RecordError {
        .condition(
            "The condition is not well formed: expected \(expected)", at: PredicatePlace(offset: offset), found: found,
            expected: expected)
    }

    /// A bound of conditions that was passed.
    static func conditionTooLarge(_ reason: String, limit: Int, at place: PredicatePlace) -> RecordError {
        var error = RecordError.condition(
            reason, cause: .tooLarge, at: place, found: "more than \(limit)", expected: "\(limit) at most")
        error.details.append(("limit", .number(Int64(limit))))
        return error
    }
}

extension String {
    /// The beginning of a name or text that a request chose, for an error.
    var clipped: String {
        utf8.count <= 64 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(64)))
    }
}
