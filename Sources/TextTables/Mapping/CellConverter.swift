internal import Calendars
import Encodings
import RecordModel
import RecordWire

/// A cell that does not fit its column: what was expected, as the end of a sentence.
struct CellProblem: Error {
    let expected: String
}

/// Converts the cells of one column to the JSON of values.
struct CellConverter: Sendable {
    private let type: FieldType
    private let options: CellOptions
    private let numbers: NumberText
    private var clock: LocalClock
    private let trueWords: [[UInt8]]
    private let falseWords: [[UInt8]]
    private let action: [UInt8]
    private let separator: [UInt8]

    init(_ type: FieldType, _ options: CellOptions, clock: LocalClock) {
        self.type = type
        self.options = options
        self.clock = clock
        numbers = NumberText(decimal: options.decimal, thousands: options.thousands)
        trueWords = options.trueWords.map { Array($0.lowercased().utf8) }
        falseWords = options.falseWords.map { Array($0.lowercased().utf8) }
        action = Array(",\"action\":\"\(options.action.text)\"}".utf8)
        separator = Array((options.listSeparator ?? "").utf8)
    }

    /// Appends the value of a cell.
    ///
    /// - Returns: False, with nothing appended, if the cell has no value: it is blank, and the column is no STRING.
    /// - Throws: `CellProblem` if the cell does not fit, with anything appended.
    mutating func append(_ cell: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(CellProblem) -> Bool {
        if type == .string {
            output.appendString(cell)
            return true
        }
        let text = cell.trimmed
        if text.isEmpty { return false }
        if type.isList {
            try appendList(text, to: &output)
        } else {
            // A record name is exact.
            try appendScalar(type, type == .reference ? cell : text, to: &output)
        }
        return true
    }

    /// Reads a time, for system values.
    mutating func time(_ cell: UnsafeRawBufferPointer) throws(CellProblem) -> Int64? {
        let text = cell.trimmed
        if text.isEmpty { return nil }
        guard let time = DateText.read(text, as: options.date ?? .iso, clock: &clock) else {
            throw CellProblem(expected: expectedTime(text))
        }
        return time
    }

    /// Appends two numbers as a LOCATION. Returns false if both are blank.
    func appendLocation(
        latitude: UnsafeRawBufferPointer, longitude: UnsafeRawBufferPointer, to output: inout [UInt8]
    ) throws(CellProblem) -> Bool {
        let (latitude, longitude) = (latitude.trimmed, longitude.trimmed)
        if latitude.isEmpty && longitude.isEmpty { return false }
        try appendDegrees(latitude, longitude, to: &output)
        return true
    }

    // MARK: Scalars

    private mutating func appendScalar(
        _ type: FieldType, _ text: UnsafeRawBufferPointer, to output: inout [UInt8]
    ) throws(CellProblem) {
        switch type {
        case .string: output.appendString(text)
        case .int64: try appendInteger(text, to: &output)
        case .double:
            let start = output.count
            guard numbers.append(text, to: &output) != nil, NumberText.isDouble(output[start...]) else {
                throw CellProblem(expected: "a number, such as \(example("12", "5"))")
            }
        case .timestamp:
            guard let time = DateText.read(text, as: options.date ?? .iso, clock: &clock) else {
                throw CellProblem(expected: expectedTime(text))
            }
            output.appendInteger(time)
        case .bytes: try appendBytes(text, to: &output)
        case .reference: try appendReference(text, to: &output)
        case .location: try appendPlace(text, to: &output)
        default: throw CellProblem(expected: "no column at all: a cell has no file")
        }
    }

    private func appendInteger(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(CellProblem) {
        let start = output.count
        if numbers.append(text, to: &output) != nil, NumberText.makeInteger(&output, from: start) { return }
        output.removeLast(output.count - start)
        if Self.contains(trueWords, text) {
            output.append(0x31)
        } else if Self.contains(falseWords, text) {
            output.append(0x30)
        } else {
            let words = (options.trueWords.prefix(1) + options.falseWords.prefix(1)).joined(separator: " or ")
            throw CellProblem(
                expected: "a whole number of 64 bits, such as 42" + (words.isEmpty ? "" : ", or \(words)"))
        }
    }

    private static func contains(_ words: [[UInt8]], _ text: UnsafeRawBufferPointer) -> Bool {
        words.contains { word in
            if word.count == text.count, word.elementsEqual(text.lazy.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }) {
                return true
            }
            // Words of other scripts, in any case.
            guard text.count < 64, text.contains(where: { $0 >= 0x80 }) else { return false }
            return String(decoding: text, as: UTF8.self).lowercased() == String(decoding: word, as: UTF8.self)
        }
    }

    private func appendBytes(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(CellProblem) {
        let bytes: [UInt8]?
        if text.starts(with: "\\x".utf8) {
            bytes = Hexadecimal.bytes(text.dropFirst(2))
        } else if text.count >= 3, text[0] | 0x20 == UInt8(ascii: "x"), text[1] == 0x27, text[text.count - 1] == 0x27 {
            bytes = Hexadecimal.bytes(text[2..<(text.count - 1)])
        } else if Base64.decodedCount(text) != nil {
            output.appendString(text)
            return
        } else {
            bytes = nil
        }
        guard let bytes else { throw CellProblem(expected: "base64, or hexadecimal such as \\x01ff") }
        output.append(0x22)
        Base64.encode(bytes, into: &output)
        output.append(0x22)
    }

    private func appendReference(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(CellProblem) {
        if text.first == UInt8(ascii: "{"), Self.appendCanonical(text, .reference, to: &output) { return }
        guard RecordName(String(decoding: text, as: UTF8.self)) != nil else {
            throw CellProblem(expected: "the name of a record, of 1 to 255 bytes without control characters")
        }
        output.appendLiteral("{\"recordName\":")
        output.appendString(text)
        output.append(contentsOf: action)
    }

    // MARK: Locations

    private func appendPlace(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(CellProblem) {
        if text.first == UInt8(ascii: "{") {
            guard Self.appendCanonical(text, .location, to: &output) else { throw placeProblem }
            return
        }
        if let point = Self.point(text) {
            guard let split = Self.split(point, at: [0x20]) else { throw placeProblem }
            return try appendDegrees(split.1, split.0, to: &output, numbers: NumberText())
        }
        let signs: [UInt8] = options.decimal == 0x2C ? [0x3B, 0x2F, 0x20] : [0x3B, 0x2C, 0x2F, 0x20]
        guard let split = Self.split(text, at: signs) else { throw placeProblem }
        try appendDegrees(split.0, split.1, to: &output)
    }

    /// The inside of `POINT(…)`, with or without `SRID=4326;` in front; `nil` for another text.
    private static func point(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var rest = text
        let word = { (bytes: UnsafeRawBufferPointer, word: StaticString) in
            bytes.count >= word.utf8CodeUnitCount
                && bytes.prefix(word.utf8CodeUnitCount).lazy.map { $0 & 0xDF }.elementsEqual(
                    UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount).lazy.map { $0 & 0xDF })
        }
        if word(rest, "SRID=4326;") { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(10)) }
        guard word(rest, "POINT") else { return nil }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(5)).trimmed
        guard rest.count >= 2, rest[0] == 0x28, rest[rest.count - 1] == 0x29 else { return nil }
        return UnsafeRawBufferPointer(rebasing: rest.dropFirst().dropLast()).trimmed
    }

    /// Two texts with the first of some signs between them.
    private static func split(
        _ text: UnsafeRawBufferPointer, at signs: [UInt8]
    ) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer)? {
        for sign in signs {
            guard let place = text.firstIndex(of: sign) else { continue }
            return (
                UnsafeRawBufferPointer(rebasing: text[..<place]).trimmed,
                UnsafeRawBufferPointer(rebasing: text[(place + 1)...]).trimmed
            )
        }
        return nil
    }

    private func appendDegrees(
        _ latitude: UnsafeRawBufferPointer, _ longitude: UnsafeRawBufferPointer, to output: inout [UInt8],
        numbers: NumberText? = nil
    ) throws(CellProblem) {
        let numbers = numbers ?? self.numbers
        output.appendLiteral("{\"latitude\":")
        guard append(degrees: latitude, limit: 90, numbers, to: &output) else { throw placeProblem }
        output.appendLiteral(",\"longitude\":")
        guard append(degrees: longitude, limit: 180, numbers, to: &output) else { throw placeProblem }
        output.append(UInt8(ascii: "}"))
    }

    private func append(
        degrees text: UnsafeRawBufferPointer, limit: Double, _ numbers: NumberText, to output: inout [UInt8]
    ) -> Bool {
        let start = output.count
        guard numbers.append(text, to: &output) != nil else { return false }
        return (Double(String(decoding: output[start...], as: UTF8.self))?.magnitude ?? .infinity) <= limit
    }

    private var placeProblem: CellProblem {
        let (latitude, longitude) = (example("52", "5"), example("13", "4"))
        let sign = options.decimal == 0x2C ? ";" : ","
        return CellProblem(
            expected: "latitude and longitude in degrees, such as \(latitude)\(sign)\(longitude) or POINT(13.4 52.5)")
    }

    // MARK: Lists

    private mutating func appendList(
        _ text: UnsafeRawBufferPointer, to output: inout [UInt8]
    ) throws(CellProblem) {
        if text.first == UInt8(ascii: "[") {
            if Self.appendCanonical(text, type, to: &output) { return }
            if case .array(let members)? = try? JSONValue.parse(Array(text)) {
                return try appendMembers(members, to: &output)
            }
        } else if text.first == UInt8(ascii: "{"), let members = Self.arrayMembers(text) {
            return try appendTexts(members, to: &output)
        }
        guard !separator.isEmpty else {
            throw CellProblem(
                expected:
                    "a list in JSON such as [1,2] or in PostgreSQL's form {1,2}. For others, name what is between the members, such as \"separator\":\";\""
            )
        }
        try appendTexts(Self.split(text, by: separator), to: &output)
    }

    private mutating func appendTexts(_ members: [[UInt8]], to output: inout [UInt8]) throws(CellProblem) {
        try checkCount(members.count)
        output.append(UInt8(ascii: "["))
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            try appendMember(member, to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    private mutating func appendMember(_ member: [UInt8], to output: inout [UInt8]) throws(CellProblem) {
        let element = type.element
        try member.withUnsafeBufferPointer { bytes throws(CellProblem) in
            try appendScalar(element, UnsafeRawBufferPointer(bytes), to: &output)
        }
    }

    private mutating func appendMembers(_ members: [JSONValue], to output: inout [UInt8]) throws(CellProblem) {
        try checkCount(members.count)
        output.append(UInt8(ascii: "["))
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            switch (member, type.element) {
            case (.string(let text), _): try appendMember(Array(text.utf8), to: &output)
            default:
                let isAppended = member.bytes.withUnsafeBytes {
                    Self.appendCanonical($0, type.element, to: &output)
                }
                guard isAppended else {
                    throw CellProblem(expected: "a list whose members are all \(type.element.schemaName)")
                }
            }
        }
        output.append(UInt8(ascii: "]"))
    }

    private func checkCount(_ count: Int) throws(CellProblem) {
        if count > Limits.listMembers {
            throw CellProblem(expected: "a list of at most \(Limits.listMembers) members")
        }
    }

    private static func split(_ text: UnsafeRawBufferPointer, by separator: [UInt8]) -> [[UInt8]] {
        var members: [[UInt8]] = []
        var (start, index) = (0, 0)
        func add(_ end: Int) {
            let member = UnsafeRawBufferPointer(rebasing: text[start..<end]).trimmed
            if !member.isEmpty { members.append(Array(member)) }
        }
        while index + separator.count <= text.count {
            if text[index] == separator[0], text[index...].starts(with: separator) {
                add(index)
                index += separator.count
                start = index
            } else {
                index += 1
            }
        }
        add(text.count)
        return members
    }

    /// The members of PostgreSQL's `{a,"b c"}`; `nil` for another text, for a NULL and for an array of arrays.
    static func arrayMembers(_ text: UnsafeRawBufferPointer) -> [[UInt8]]? {
        guard text.count >= 2, text.last == UInt8(ascii: "}") else { return nil }
        let inside = UnsafeRawBufferPointer(rebasing: text.dropFirst().dropLast())
        if inside.trimmed.isEmpty { return [] }
        var members: [[UInt8]] = []
        var member: [UInt8] = []
        var (wasQuoted, inQuotes) = (false, false)
        func end() -> Bool {
            let plain = wasQuoted ? member : member.withUnsafeBytes { Array($0.trimmed) }
            guard wasQuoted || (!plain.isEmpty && !plain.elementsEqual("NULL".utf8)) else { return false }
            members.append(plain)
            member = []
            wasQuoted = false
            return true
        }
        var index = 0
        while index < inside.count {
            let byte = inside[index]
            index += 1
            if byte == UInt8(ascii: "\\") {
                guard index < inside.count else { return nil }
                member.append(inside[index])
                index += 1
            } else if byte == UInt8(ascii: "\"") {
                if !wasQuoted, !member.withUnsafeBytes({ $0.trimmed.isEmpty }) { return nil }
                if !wasQuoted { member = [] }
                inQuotes.toggle()
                wasQuoted = true
            } else if inQuotes {
                member.append(byte)
            } else if byte == UInt8(ascii: ",") {
                if !end() { return nil }
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") {
                return nil
            } else if !wasQuoted {
                member.append(byte)
            } else if byte != 0x20 {
                return nil
            }
        }
        return !inQuotes && end() ? members : nil
    }

    // MARK: Parts

    /// Appends a JSON text as a value of a type, in the form that the server writes. Returns false, with nothing
    /// appended, if it is not one.
    private static func appendCanonical(
        _ text: UnsafeRawBufferPointer, _ type: FieldType, to output: inout [UInt8]
    ) -> Bool {
        guard let value = try? CanonicalValue.decode(text, as: type) else { return false }
        CanonicalValue.append(value, to: &output)
        return true
    }

    private func example(_ whole: String, _ fraction: String) -> String {
        whole + String(UnicodeScalar(options.decimal)) + fraction
    }

    private mutating func expectedTime(_ text: UnsafeRawBufferPointer) -> String {
        switch options.date ?? .iso {
        case .iso:
            let isOther = [DateStyle.dayFirst, .monthFirst].contains {
                DateText.read(text, as: $0, clock: &clock) != nil
            }
            return isOther
                ? "a time with the year first. For others, name the order: \"date\":\"day-first\" or \"date\":\"month-first\""
                : "a time, such as 2026-11-29T14:00:00Z or 2026-11-29 14:00"
        case .dayFirst: return "a time with the day first, such as 29.11.2026 14:00"
        case .monthFirst: return "a time with the month first, such as 11/29/2026 2:00 PM"
        case .unixSeconds: return "seconds since 1970-01-01 UTC, such as 1796047200"
        case .unixMilliseconds: return "milliseconds since 1970-01-01 UTC, such as 1796047200000"
        }
    }
}
