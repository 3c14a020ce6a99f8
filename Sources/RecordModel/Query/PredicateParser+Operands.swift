/// Parsing of the two sides of a comparison.
extension PredicateParser {
    typealias Operand = PredicateSyntax.Operand

    private static let expectedOperand = "a field or a value"
    private static let functions =
        "a field, a value, now(), date(), CAST(), ref(), loc(), distance(), box(), circle() or polygon()"

    /// Parses one side of a comparison.
    ///
    /// - Parameter isList: Whether a list is expected. The list may have parentheses, as in SQL, or brackets, as in
    ///   JSON.
    mutating func operand(isList: Bool = false) throws(RecordError) -> Operand {
        if token.isSign("{") { return try list(until: "}", "a comma or a closing brace") }
        if isList, token.isSign("(") { return try list(until: ")", "a comma or a closing parenthesis") }
        if isList, token.isSign("[") { return try list(until: "]", "a comma or a closing bracket") }
        let start = token.start
        if case .name(let name) = token.kind {
            let isEscaped = lexer.bytes[start] == UInt8(ascii: "#")
            try advance()
            guard token.isSign("("), !isEscaped else { return try key(.key(name), at: start) }
            return try sum(from: Operand(form: try function(name, at: start), offset: start), Self.expectedOperand)
        }
        if token.kind == .keyPlaceholder {
            placeholders += 1
            try advance()
            return try key(.keyArgument(placeholders - 1), at: start)
        }
        return try sum(Self.expectedOperand)
    }

    /// Returns the operand for a key, which is followed by the current token.
    private mutating func key(_ form: Operand.Form, at start: Int) throws(RecordError) -> Operand {
        let form = try form.followedByPath(in: &self)
        guard case .collection(let name) = token.kind else { return Operand(form: form, offset: start) }
        guard name.lowercased() == "count" else {
            throw .condition(
                "The operator @\(name.clipped) on lists is not available; @count, the number of members, is",
                at: location, found: ".@\(name.clipped)", expected: ".@count")
        }
        try advance()
        return Operand(form: .count(form), offset: start)
    }

    // MARK: Arithmetic

    /// Parses numbers with operators between them, or another value.
    mutating func sum(_ expected: String) throws(RecordError) -> Operand {
        try sum(from: try product(expected), expected)
    }

    /// Parses the rest of a sum whose first value is known.
    private mutating func sum(from first: Operand, _ expected: String) throws(RecordError) -> Operand {
        var left = try product(from: first, expected)
        while token.isSign("+") || token.isSign("-") {
            let operation: PredicateSyntax.Arithmetic = token.isSign("+") ? .plus : .minus
            try advanceToValue()
            let right = try duration(after: try product("a number, or a duration such as 183 days"))
            left = Operand(form: .arithmetic(operation, left, right), offset: left.offset)
        }
        return left
    }

    /// Parses the unit after a number, as in `183 days`. Without a unit, returns the number.
    private mutating func duration(after number: Operand) throws(RecordError) -> Operand {
        guard case .name(let name) = token.kind else { return number }
        guard let unit = Self.units[name.lowercased()] else {
            throw unexpected("a unit: seconds, minutes, hours, days or weeks")
        }
        guard case .literal(.integer(let count)) = number.form, count >= 0 else {
            throw .predicateSyntax(
                at: number.offset,
                found: String(decoding: lexer.bytes[number.offset..<token.end], as: UTF8.self).clipped,
                expected: "a whole number before the unit, as in now() - 183 days")
        }
        let (duration, isTooLong) = count.multipliedReportingOverflow(by: unit)
        guard !isTooLong, duration <= Self.longestDuration else {
            throw .predicateSyntax(
                at: number.offset,
                found: String(decoding: lexer.bytes[number.offset..<token.end], as: UTF8.self).clipped,
                expected: "a duration of at most 10,000 years")
        }
        try advanceAfterValue()
        return Operand(form: .duration(duration), offset: number.offset)
    }

    private mutating func product(_ expected: String) throws(RecordError) -> Operand {
        try product(from: try factor(expected), expected)
    }

    private mutating func product(from first: Operand, _ expected: String) throws(RecordError) -> Operand {
        var left = first
        while token.isSign("*") || token.isSign("/") {
            let operation: PredicateSyntax.Arithmetic = token.isSign("*") ? .times : .dividedBy
            try advanceToValue()
            let right = try factor("a number")
            left = Operand(form: .arithmetic(operation, left, right), offset: left.offset)
        }
        return left
    }

    private mutating func factor(_ expected: String) throws(RecordError) -> Operand {
        guard token.isSign("(") else { return try value(expected) }
        try enterGroup()
        let inner = try sum(expected)
        try takeAfterValue(")", "an operator or a closing parenthesis")
        leaveGroup()
        return inner
    }

    /// Advances over an operator. Each operator counts as a condition, which limits the work and the recursion.
    private mutating func advanceToValue() throws(RecordError) {
        try countCondition()
        try advance()
    }

    /// Advances over the last token of a value. A sign behind it is an operator, and not part of a number.
    private mutating func advanceAfterValue() throws(RecordError) {
        lexer.readsSigns = true
        defer { lexer.readsSigns = false }
        try advance()
    }

    /// Skips a required sign that ends a value.
    private mutating func takeAfterValue(_ sign: Unicode.Scalar, _ expected: String) throws(RecordError) {
        guard token.isSign(sign) else { throw unexpected(expected) }
        try advanceAfterValue()
    }

    // MARK: Values

    /// Parses a literal, a parameter or a function call.
    private mutating func value(_ expected: String) throws(RecordError) -> Operand {
        let start = token.start
        let form: Operand.Form
        switch token.kind {
        case .string(let text): form = .literal(.string(text))
        case .integer(let integer): form = .literal(.integer(integer))
        case .double(let double): form = .literal(.double(double))
        case .keyword(.true_), .keyword(.yes): form = .literal(.bool(true))
        case .keyword(.false_), .keyword(.no): form = .literal(.bool(false))
        case .keyword(.null), .keyword(.nil_): form = .literal(.null)
        case .placeholder:
            form = .argument(placeholders)
            placeholders += 1
        case .variable(let name): form = .variable(name)
        case .keyword(.self_): form = .record
        case .keyword(.subquery): throw unavailable("SUBQUERY", expected)
        case .selector:
            guard found == "distanceToLocation:fromLocation:" else {
                throw unavailable("This function", "a field or a value")
            }
            try advance()
            guard token.isSign("(") else { throw unexpected("an opening parenthesis") }
            return Operand(form: try PlaceSyntax.distance(&self), offset: start)
        case .keyword:
            throw unexpected("\(expected); a field with the name of a keyword is written with # before it")
        case .name(let name):
            try advance()
            guard token.isSign("(") else {
                throw .predicateSyntax(at: start, found: name.clipped, expected: expected)
            }
            return Operand(form: try function(name, at: start), offset: start)
        default: throw unexpected(expected)
        }
        try advanceAfterValue()
        return Operand(form: form, offset: start)
    }

    mutating func list(until end: Unicode.Scalar, _ expected: String) throws(RecordError) -> Operand {
        let start = token.start
        var items: [Operand] = []
        try advance()
        if !token.isSign(end) {
            items.append(try item())
            while token.isSign(",") {
                try advance()
                items.append(try item())
                guard items.count <= Limits.conditionListMembers else {
                    throw .conditionTooLarge(
                        "A list of the condition has too many members", limit: Limits.conditionListMembers,
                        at: PredicateLocation(offset: start))
                }
            }
        }
        try take(end, expected)
        return Operand(form: .list(items), offset: start)
    }

    private mutating func item() throws(RecordError) -> Operand {
        members += 1
        guard members <= Limits.conditionMembers else {
            throw .conditionTooLarge(
                "The lists of the condition have too many members", limit: Limits.conditionMembers, at: location)
        }
        return try PlaceSyntax.length(of: try sum("a value"), &self)
    }

    /// Parses the arguments of a function. The current token is the opening parenthesis.
    private mutating func function(_ name: String, at start: Int) throws(RecordError) -> Operand.Form {
        switch name.lowercased() {
        case "now":
            try advance()
            try takeAfterValue(")", "a closing parenthesis")
            return .now
        case "date": return try date()
        case "cast": return try cast()
        case "ref": return try reference()
        case "loc": return try PlaceSyntax.place(&self)
        case "distance": return try PlaceSyntax.distance(&self)
        case "circle", "box", "polygon":
            guard let kind = PredicateSyntax.RegionKind(rawValue: name.lowercased()) else { break }
            return try PlaceSyntax.region(kind, &self)
        default: break
        }
        throw unavailable("This function", at: start, name)
    }

    /// Units of durations in milliseconds. Months and years have none: their lengths differ.
    private static let units: [String: Int64] = {
        var units: [String: Int64] = [:]
        let lengths: [(String, Int64)] = [
            ("second", 1_000), ("minute", 60_000), ("hour", 3_600_000), ("day", 86_400_000), ("week", 604_800_000),
        ]
        for (name, length) in lengths {
            units[name] = length
            units[name + "s"] = length
        }
        return units
    }()

    /// In milliseconds: 10,000 years.
    private static let longestDuration: Int64 = 315_569_520_000_000

    private func unavailable(_ construct: String, at start: Int, _ name: String) -> RecordError {
        .condition(
            "\(construct) is not available in this version. Expected here: \(Self.functions)",
            at: PredicateLocation(offset: start), found: "\(name.clipped)(", expected: Self.functions)
    }

    /// Parses `date('2026-03-01T12:00:00Z')`.
    private mutating func date() throws(RecordError) -> Operand.Form {
        try advance()
        let expected = "an RFC 3339 time or a date in quotes, such as '\(Timestamp.example)' or '2026-03-01'"
        guard case .string(let text) = token.kind else { throw unexpected(expected) }
        let milliseconds: Int64
        do throws(Timestamp.Problem) {
            milliseconds = try Timestamp.read(text, takesDates: true)
        } catch {
            throw unexpected("\(expected), and this is a \(error.words)")
        }
        try advance()
        try takeAfterValue(")", "a closing parenthesis")
        return .literal(.timestamp(milliseconds))
    }

    /// Parses `CAST(794059200, "NSDate")`: seconds since 2001-01-01 UTC, the form in which Foundation prints dates.
    private mutating func cast() throws(RecordError) -> Operand.Form {
        try advance()
        let milliseconds: Int64?
        switch token.kind {
        case .integer(let seconds): milliseconds = Timestamp.milliseconds(secondsSince2001: seconds)
        case .double(let seconds): milliseconds = Timestamp.milliseconds(secondsSince2001: seconds)
        default: throw unexpected("a number of seconds since 2001-01-01 UTC")
        }
        guard let milliseconds else { throw unexpected("a number of seconds that fits a timestamp") }
        try advance()
        try take(",", "a comma")
        guard case .string("NSDate") = token.kind else { throw unexpected("\"NSDate\"") }
        try advance()
        try takeAfterValue(")", "a closing parenthesis")
        return .literal(.timestamp(milliseconds))
    }

    /// Parses `ref('tree-1')`, or `ref('tree-1', '_defaultZone')` with the zone.
    private mutating func reference() throws(RecordError) -> Operand.Form {
        try advance()
        guard case .string(let text) = token.kind, RecordName(text) != nil else {
            throw unexpected("the name of a record in quotes")
        }
        try advance()
        if token.isSign(",") {
            try advance()
            guard token.kind == .string(ZoneName.defaultZone.text) else {
                throw unexpected("'\(ZoneName.defaultZone)', the only zone to which references lead")
            }
            try advance()
        }
        try takeAfterValue(")", "a closing parenthesis")
        return .literal(.reference(text))
    }
}

extension Timestamp {
    private static let secondsFrom1970To2001: Int64 = 978_307_200

    /// Converts seconds since 2001-01-01 UTC to milliseconds since 1970-01-01 UTC. The result is `nil` if it is out of
    /// range.
    static func milliseconds(secondsSince2001 seconds: Int64) -> Int64? {
        let (sum, isTooLarge) = seconds.addingReportingOverflow(secondsFrom1970To2001)
        let (product, isTooLong) = sum.multipliedReportingOverflow(by: 1_000)
        return isTooLarge || isTooLong ? nil : product
    }

    /// Converts seconds since 2001-01-01 UTC to milliseconds since 1970-01-01 UTC, rounded to the nearest. The result
    /// is `nil` if it is out of range.
    static func milliseconds(secondsSince2001 seconds: Double) -> Int64? {
        let milliseconds = (seconds + Double(secondsFrom1970To2001)) * 1_000
        guard milliseconds.magnitude < 0x1p62 else { return nil }
        return Int64(milliseconds + (milliseconds < 0 ? -0.5 : 0.5))
    }
}
