internal import Geography

extension Predicate {
    /// Returns the predicate as text for query plans, such as `threadname == "a" AND good > 3`. The text can be parsed
    /// again, except a truncated text or a text with `?` for a user.
    ///
    /// - Parameter limit: The maximum length in UTF-8 bytes. A longer text is truncated and ends in `…`.
    package func text(limit: Int = 1_024) -> String {
        var writer = PredicateTextWriter(limit: limit, showsValues: true)
        writer.append(self, inside: nil)
        return writer.finished
    }

    /// The predicate with `?` instead of values, for statistics. Predicates that differ only in values have one shape.
    package var shape: String {
        var writer = PredicateTextWriter(limit: Limits.conditionBytes, showsValues: false)
        writer.append(self, inside: nil)
        return writer.finished
    }
}

/// Writes predicates as text, up to a limit.
private struct PredicateTextWriter {
    enum Connective {
        case and, or
    }

    private var text: [UInt8] = []
    private let limit: Int
    private let showsValues: Bool
    /// The text before the names of fields: the reference and a dot, for a field of another record.
    private var prefix = ""

    init(limit: Int, showsValues: Bool) {
        self.limit = max(limit, 0)
        self.showsValues = showsValues
    }

    private var isFull: Bool { text.count > limit }

    /// The text of the predicate. A text beyond the limit is truncated at a scalar boundary.
    var finished: String {
        guard isFull else { return String(decoding: text, as: UTF8.self) }
        let mark: [UInt8] = limit >= 3 ? [0xE2, 0x80, 0xA6] : []
        var end = limit - mark.count
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: text[..<end] + mark, as: UTF8.self)
    }

    mutating func append(_ predicate: Predicate, inside outer: Connective?) {
        if isFull { return }
        switch predicate {
        case .constant(let value): text += (value ? "TRUEPREDICATE" : "FALSEPREDICATE").utf8
        case .condition(let condition): append(condition, isNegated: false, needsGroup: outer != nil)
        case .search(let search): append(search)
        case .and(let parts): append(parts, .and, needsGroup: false)
        case .or(let parts): append(parts, .or, needsGroup: outer == .and)
        case .not(let part): append(negated: part)
        }
    }

    private mutating func append(_ parts: [Predicate], _ connective: Connective, needsGroup: Bool) {
        guard parts.count > 1 else {
            if let part = parts.first {
                append(part, inside: needsGroup ? .and : nil)
            } else {
                append(.constant(connective == .and), inside: nil)
            }
            return
        }
        if needsGroup { text.append(UInt8(ascii: "(")) }
        for (index, part) in parts.enumerated() {
            if isFull { return }
            if index > 0 { text += (connective == .and ? " AND " : " OR ").utf8 }
            append(part, inside: connective)
        }
        if needsGroup { text.append(UInt8(ascii: ")")) }
    }

    private mutating func append(negated part: Predicate) {
        if case .condition(let condition) = part,
            condition.subject == .value || condition.subject == .memberCount || condition.test == .isNull
        {
            switch condition.test {
            case .isNull, .equals: return append(condition, isNegated: true, needsGroup: false)
            default: break
            }
        }
        text += "NOT (".utf8
        append(part, inside: nil)
        text.append(UInt8(ascii: ")"))
    }

    private mutating func append(_ search: SearchCondition) {
        if search.isOfRecord {
            text += "SELF".utf8
        } else if let field = search.fields.first {
            append(.field(field))
        }
        text += (search.needsAll ? " CONTAINS_ALL_TOKENS " : " CONTAINS_ANY_TOKENS ").utf8
        append(.text(Array(search.text.utf8)), of: search.fields.first.map(QueryField.field) ?? .system(.recordName))
    }

    private mutating func append(_ condition: Condition, isNegated: Bool, needsGroup: Bool) {
        let field = condition.field
        switch condition.test {
        case .isNull:
            append(field)
            text += (isNegated ? " != NULL" : " == NULL").utf8
        case .equals(let value): append(condition, isNegated ? " !=" : " ==", value)
        case .isIn(let values):
            append(head: condition)
            append(" IN", condition)
            text += " {".utf8
            append(values, of: field)
            text.append(UInt8(ascii: "}"))
        case .isWithin(let range): append(condition, range, needsGroup: needsGroup)
        case .hasPrefix(let prefix) where condition.form.isReversed:
            append(condition, " ENDSWITH", .text(prefix.reversed()))
        case .hasPrefix(let prefix): append(condition, " BEGINSWITH", .text(prefix))
        case .contains(let part): append(condition, " CONTAINS", .text(part))
        case .matches(let pattern):
            append(condition, pattern.language == .wildcards ? " LIKE" : " MATCHES", .text(Array(pattern.text.utf8)))
        case .isInside(let area):
            append(head: condition)
            text += " IN ".utf8
            append(area.region)
        case .leadsTo(let target):
            // The tests of the types differ only in the types of their fields.
            guard let branch = target.branches.first else {
                return append(.constant(target.holdsIfAbsent), inside: nil)
            }
            prefix = "\(PredicateKeyword.isReserved(field.name) ? "#" : "")\(field.name)."
            append(branch.predicate, inside: needsGroup ? .and : nil)
            prefix = ""
        }
    }

    private mutating func append(_ condition: Condition, _ range: ValueRange, needsGroup: Bool) {
        switch (range.lower, range.upper) {
        case (let lower?, let upper?) where lower.isInclusive && upper.isInclusive:
            append(head: condition)
            append(" BETWEEN", condition)
            text += " {".utf8
            append(lower.value, of: condition.field)
            text += ", ".utf8
            append(upper.value, of: condition.field)
            text.append(UInt8(ascii: "}"))
        case (let lower?, let upper?):
            if needsGroup { text.append(UInt8(ascii: "(")) }
            append(condition, lower.isInclusive ? " >=" : " >", lower.value)
            text += " AND ".utf8
            append(condition, upper.isInclusive ? " <=" : " <", upper.value)
            if needsGroup { text.append(UInt8(ascii: ")")) }
        case (let lower?, nil): append(condition, lower.isInclusive ? " >=" : " >", lower.value)
        case (nil, let upper?): append(condition, upper.isInclusive ? " <=" : " <", upper.value)
        case (nil, nil):
            append(head: condition)
            text += " != NULL".utf8
        }
    }

    private mutating func append(_ condition: Condition, _ operation: String, _ value: QueryValue) {
        append(head: condition)
        append(operation, condition)
        text.append(UInt8(ascii: " "))
        append(value, of: condition.field)
    }

    private mutating func append(head condition: Condition) {
        switch condition.subject {
        case .anyMember: text += "ANY ".utf8
        case .everyMember: text += "ALL ".utf8
        case .value, .memberCount: break
        }
        append(condition.field)
        if condition.subject == .memberCount { text += ".@count".utf8 }
    }

    /// Appends an operator with the modifiers of the condition.
    private mutating func append(_ operation: String, _ condition: Condition) {
        text += operation.utf8
        text += condition.form.folding.modifiers.utf8
    }

    private mutating func append(_ field: QueryField) {
        if field.origin != nil { text += "distance(".utf8 }
        text += prefix.utf8
        if PredicateKeyword.isReserved(field.name) { text.append(UInt8(ascii: "#")) }
        text += field.name.utf8
        guard let origin = field.origin else { return }
        text += ", ".utf8
        append(origin)
        text.append(UInt8(ascii: ")"))
    }

    private mutating func append(_ place: Place) {
        text += showsValues ? "loc(\(place.latitude), \(place.longitude))".utf8 : "?".utf8
    }

    private mutating func append(_ region: Region) {
        switch region {
        case .circle(let circle):
            text += "circle(".utf8
            append(circle.center)
            text += showsValues ? ", \(circle.radius))".utf8 : ", ?)".utf8
        case .box(let box):
            text += (showsValues ? "box(\(box.south), \(box.west), \(box.north), \(box.east))" : "box(?)").utf8
        case .polygon(let polygon):
            text += "polygon({".utf8
            for (index, corner) in (showsValues ? polygon.corners : [polygon.corners[0]]).enumerated() {
                if isFull { return }
                if index > 0 { text += ", ".utf8 }
                append(corner)
            }
            text += "})".utf8
        }
    }

    private mutating func append(_ values: [QueryValue], of field: QueryField) {
        guard showsValues else { return text.append(UInt8(ascii: "?")) }
        for (index, value) in values.enumerated() {
            if isFull { return }
            if index > 0 { text += ", ".utf8 }
            append(value, of: field)
        }
    }

    private mutating func append(_ value: QueryValue, of field: QueryField) {
        // Account numbers are internal and not shown.
        guard showsValues, !field.isUser else { return text.append(UInt8(ascii: "?")) }
        switch value {
        case .integer(let integer): text += String(integer).utf8
        case .double(let double): text += double.description.utf8
        case .text(let bytes): append(quoted: bytes)
        }
    }

    private mutating func append(quoted bytes: [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in bytes {
            if isFull { return }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x0A: text += "\\n".utf8
            case 0x0D: text += "\\r".utf8
            case 0x09: text += "\\t".utf8
            case 0..<0x20, 0x7F:
                text += "\\u00".utf8
                text += [Self.hex(byte >> 4), Self.hex(byte & 0x0F)]
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func hex(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
