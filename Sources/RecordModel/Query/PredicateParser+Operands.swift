/// Parsing of the two sides of a comparison.
extension PredicateParser {
    typealias Operand = PredicateSyntax.Operand

    private static let expectedOperand = "a field or a value"
    private static let functions = "a field, a value, now(), date(), CAST() or ref()"

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
            if token.isSign("("), !isEscaped { return Operand(form: try function(name, at: start), offset: start) }
            return Operand(form: .key(name), offset: start)
        }
        if token.kind == .keyPlaceholder {
            placeholders += 1
            try advance()
            return Operand(form: .keyArgument(placeholders - 1), offset: start)
        }
        return try value(Self.expectedOperand)
    }

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
        case .keyword(.self_):
            throw unavailable("SELF, which searches all texts of a record,", "a field")
        case .keyword(.subquery): throw unavailable("SUBQUERY", expected)
        case .selector: throw unavailableSelector()
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
        try advance()
        return Operand(form: form, offset: start)
    }

    private mutating func list(until end: Unicode.Scalar, _ expected: String) throws(RecordError) -> Operand {
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
        return try value("a value")
    }

    /// Parses the arguments of a function. The current token is the opening parenthesis.
    private mutating func function(_ name: String, at start: Int) throws(RecordError) -> Operand.Form {
        switch name.lowercased() {
        case "now":
            try advance()
            return .now(try durations())
        case "date": return try date()
        case "cast": return try cast()
        case "ref": return try reference()
        case "distance": throw unavailable("The distance of places", at: start, name)
        case "loc": throw unavailable("A place", at: start, name)
        default: throw unavailable("This function", at: start, name)
        }
    }

    /// Parses `)` and the durations after `now(`, such as `) - 183 days` or `)+1 day-30 minutes`.
    ///
    /// - Returns: The sum of the durations in milliseconds.
    private mutating func durations() throws(RecordError) -> Int64 {
        var sum: Int64 = 0
        lexer.readsSigns = true
        try take(")", "a closing parenthesis")
        while token.isSign("+") || token.isSign("-") {
            let (start, isNegative) = (token.start, token.isSign("-"))
            lexer.readsSigns = false
            try advance()
            guard case .integer(let count) = token.kind, count >= 0 else {
                throw unexpected("a whole number, as in now() - 183 days")
            }
            try advance()
            guard case .name(let name) = token.kind, let unit = Self.units[name.lowercased()] else {
                throw unexpected("seconds, minutes, hours, days or weeks")
            }
            let (product, isTooLong) = (isNegative ? -count : count).multipliedReportingOverflow(by: unit)
            let (total, isTooLarge) = sum.addingReportingOverflow(product)
            guard !isTooLong, !isTooLarge, total.magnitude <= Self.longestDuration else {
                throw .predicateSyntax(
                    at: start, found: String(decoding: lexer.bytes[start..<token.end], as: UTF8.self).clipped,
                    expected: "a duration of at most 10,000 years")
            }
            sum = total
            lexer.readsSigns = true
            try advance()
        }
        lexer.readsSigns = false
        return sum
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
    private static let longestDuration: UInt64 = 315_569_520_000_000

    private func unavailable(_ construct: String, at start: Int, _ name: String) -> RecordError {
        .condition(
            "\(construct) is not available in this version. Expected here: \(Self.functions)",
            at: PredicateLocation(offset: start), found: "\(name.clipped)(", expected: Self.functions)
    }

    private func unavailableSelector() -> RecordError {
        found.hasPrefix("distanceToLocation:")
            ? unavailable("The distance of places", "a field or a value")
            : unavailable("This function", "a field or a value")
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
        try take(")", "a closing parenthesis")
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
        try take(")", "a closing parenthesis")
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
        try take(")", "a closing parenthesis")
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
