internal import Geography

/// Parsing of places, distances and regions. All functions throw the errors of the parser.
enum PlaceSyntax {
    typealias Operand = PredicateSyntax.Operand

    private static let locationForms = "a location: loc(latitude, longitude), %@ or $name"

    /// Parses `loc(35.68, 139.77)`: a latitude and a longitude in degrees. The current token is the opening
    /// parenthesis.
    static func place(_ parser: inout PredicateParser) throws(RecordError) -> Operand.Form {
        let start = parser.token.start
        try parser.advance()
        let latitude = try degrees(&parser, "a latitude in degrees")
        try parser.take(",", "a comma")
        let longitude = try degrees(&parser, "a longitude in degrees")
        try parser.take(")", "a closing parenthesis")
        guard let place = Place(latitude: latitude, longitude: longitude) else {
            throw .condition(
                RegionError.degrees.description, at: PredicateLocation(offset: start), found: "another number",
                expected: "loc(latitude, longitude)")
        }
        return .literal(.location(place))
    }

    private static func degrees(_ parser: inout PredicateParser, _ expected: String) throws(RecordError) -> Double {
        let degrees: Double
        switch parser.token.kind {
        case .integer(let integer): degrees = Double(integer)
        case .double(let double): degrees = double
        default: throw parser.unexpected(expected)
        }
        try parser.advance()
        return degrees
    }

    /// Parses the arguments of `distance(place, loc(35.68, 139.77))`: a field and a location, in any order. The current
    /// token is the opening parenthesis.
    static func distance(_ parser: inout PredicateParser) throws(RecordError) -> Operand.Form {
        try parser.advance()
        let first = try fieldOrLocation(&parser)
        try parser.take(",", "a comma")
        let second = try fieldOrLocation(&parser)
        try parser.take(")", "a closing parenthesis")
        switch (first.form.isKey, second.form.isKey) {
        case (true, false): return .distance(first.form, second)
        case (false, true): return .distance(second.form, first)
        default:
            throw .condition(
                "A distance is from a field to a location", at: PredicateLocation(offset: first.offset),
                found: first.form.isKey ? "two fields" : "two locations", expected: "distance(field, location)")
        }
    }

    private static func fieldOrLocation(_ parser: inout PredicateParser) throws(RecordError) -> Operand {
        let start = parser.token.start
        switch parser.token.kind {
        case .name(let name):
            let isEscaped = parser.lexer.bytes[start] == UInt8(ascii: "#")
            try parser.advance()
            guard parser.token.isSign("("), !isEscaped else { return Operand(form: .key(name), offset: start) }
            guard name.lowercased() == "loc" else {
                throw .predicateSyntax(at: start, found: "\(name.clipped)(", expected: Self.locationForms)
            }
            return Operand(form: try place(&parser), offset: start)
        case .keyPlaceholder:
            parser.placeholders += 1
            try parser.advance()
            return Operand(form: .keyArgument(parser.placeholders - 1), offset: start)
        default: return try locationValue(&parser)
        }
    }

    /// Parses a location, or a parameter for one.
    private static func locationValue(_ parser: inout PredicateParser) throws(RecordError) -> Operand {
        let start = parser.token.start
        switch parser.token.kind {
        case .placeholder:
            parser.placeholders += 1
            try parser.advance()
            return Operand(form: .argument(parser.placeholders - 1), offset: start)
        case .variable(let name):
            try parser.advance()
            return Operand(form: .variable(name), offset: start)
        case .name(let name) where name.lowercased() == "loc":
            try parser.advance()
            guard parser.token.isSign("(") else { throw parser.unexpected("an opening parenthesis") }
            return Operand(form: try place(&parser), offset: start)
        default: throw parser.unexpected(Self.locationForms)
        }
    }

    /// Parses the arguments of `circle(location, radius)`, `box(south, west, north, east)` or `polygon({location, …})`.
    /// The current token is the opening parenthesis.
    static func region(
        _ kind: PredicateSyntax.RegionKind, _ parser: inout PredicateParser
    ) throws(RecordError) -> Operand.Form {
        let readsLengths = parser.readsLengths
        defer { parser.readsLengths = readsLengths }
        // The depth is limited because a list in a polygon could hold a region again.
        try parser.enterGroup()
        var operands: [Operand] = []
        switch kind {
        case .circle:
            operands.append(try locationValue(&parser))
            try parser.take(",", "a comma")
            parser.readsLengths = true
            operands.append(try length(of: try parser.sum("a radius in meters"), &parser))
        case .box:
            parser.readsLengths = false
            for name in ["southern", "western", "northern", "eastern"] {
                if !operands.isEmpty { try parser.take(",", "a comma") }
                operands.append(try parser.sum("the \(name) edge in degrees"))
            }
        case .polygon:
            parser.readsLengths = false
            guard parser.token.isSign("{") else {
                operands.append(try parser.sum("a list of locations in braces, %@ or $name"))
                break
            }
            operands.append(try parser.list(until: "}", "a comma or a closing brace"))
        }
        try parser.take(")", "a closing parenthesis")
        parser.leaveGroup()
        return .region(kind, operands)
    }

    /// Units of lengths in meters.
    private static let lengths: [String: QueryArgument] = [
        "m": .integer(1), "km": .integer(1_000), "mi": .double(1_609.344),
    ]

    /// Parses the unit after a number, as in `5 km`, where a length may stand. Without a unit, returns the number.
    static func length(of number: Operand, _ parser: inout PredicateParser) throws(RecordError) -> Operand {
        guard parser.readsLengths, case .name(let name) = parser.token.kind,
            let factor = Self.lengths[name.lowercased()]
        else {
            return number
        }
        let unit = Operand(form: .literal(factor), offset: parser.token.start)
        try parser.advance()
        return Operand(form: .arithmetic(.times, number, unit), offset: number.offset)
    }
}

extension PredicateSyntax {
    /// The kinds of regions, by the names of their functions.
    enum RegionKind: String, Hashable, Sendable {
        case circle, box, polygon
    }
}

extension PredicateSyntax.Operand.Form {
    /// Whether the operand names a field.
    fileprivate var isKey: Bool {
        switch self {
        case .key, .keyArgument: true
        default: false
        }
    }

    /// Whether the operand is a distance, which may be compared with a number and a unit.
    var isDistance: Bool { if case .distance = self { true } else { false } }
}
