internal import Geography
internal import RecordModel

extension QueryInput {
    /// The bytes that identify the query in its cursors. They depend on type, predicate, arguments, filters and sort.
    /// They do not depend on limit, fields, cursor, count and explain.
    package var identity: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendString(recordType?.text ?? "")
        bytes.appendString(condition ?? "")
        Self.append(.list(arguments), to: &bytes)
        for name in variables.keys.sorted() {
            bytes.append(UInt8(ascii: "$"))
            bytes.appendString(name)
            Self.append(variables[name] ?? .null, to: &bytes)
        }
        for filter in filters {
            bytes.append(UInt8(ascii: "|"))
            bytes.appendString(filter.fieldName)
            bytes.appendString(filter.comparator)
            Self.append(filter.value, to: &bytes)
            if let distance = filter.distance { Self.append(distance, to: &bytes) }
        }
        for term in sort {
            bytes.append(UInt8(ascii: term.isAscending ? "<" : ">"))
            bytes.appendString(term.name)
            if let nulls = term.nulls { bytes.appendString(nulls.rawValue) }
            if let origin = term.origin { Self.append(.location(origin), to: &bytes) }
        }
        aggregate?.appendIdentity(to: &bytes)
        return bytes
    }

    /// Whether the predicate or `having` may contain `now()`. The check only searches the text for the letters `now`.
    package var mayUseNow: Bool { Self.mayHave("now", in: condition) || Self.mayHave("now", in: aggregate?.having) }

    /// Whether the predicate may contain a polygon, which takes longer to plan than other conditions. The check only
    /// searches the text for the word.
    package var mayUsePolygons: Bool { Self.mayHave("polygon", in: condition) }

    /// Returns whether a text contains a word of small letters, in any case.
    private static func mayHave(_ word: StaticString, in text: String?) -> Bool {
        guard let text, text.utf8.count >= word.utf8CodeUnitCount else { return false }
        let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        let letters = Array(text.utf8)
        return letters.indices.dropLast(word.count - 1).contains { start in
            // The bit 0x20 of a letter is its case.
            zip(letters[start...], word).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    /// Appends a letter for the enumeration case and then the value. The form of each value marks its own end.
    private static func append(_ argument: QueryArgument, to bytes: inout [UInt8]) {
        switch argument {
        case .null: bytes.appendLiteral("n")
        case .bool(let value): bytes.appendLiteral(value ? "t" : "f")
        case .integer(let value): append("i", value, to: &bytes)
        // Use the bits, because the number need not be finite here.
        case .double(let value): append("d", Int64(bitPattern: value.bitPattern), to: &bytes)
        case .timestamp(let value): append("m", value, to: &bytes)
        case .string(let value):
            bytes.appendLiteral("s")
            bytes.appendString(value)
        case .reference(let value):
            bytes.appendLiteral("r")
            bytes.appendString(value)
        case .bytes: bytes.appendLiteral("b")
        case .location(let place):
            append("l", Int64(bitPattern: place.latitude.bitPattern), to: &bytes)
            append("l", Int64(bitPattern: place.longitude.bitPattern), to: &bytes)
        case .asset: bytes.appendLiteral("a")
        case .list(let members):
            bytes.appendLiteral("[")
            for member in members { append(member, to: &bytes) }
            bytes.appendLiteral("]")
        }
    }

    private static func append(_ letter: StaticString, _ number: Int64, to bytes: inout [UInt8]) {
        bytes.appendLiteral(letter)
        bytes.appendInteger(number)
        bytes.appendLiteral(",")
    }
}
