internal import Calendars
import RecordModel
import RecordWire

/// The type that the cells of a column have.
struct ColumnGuess {
    /// The type.
    var type = FieldType.string
    /// The options by which the cells can be read.
    var options = CellOptions()
    /// What people should decide, as a sentence; `nil` if nothing.
    var doubt: String?

    private let cells: [String]

    /// Guesses the type of a column.
    ///
    /// Texts with leading zeros, plus signs, or more digits than the type has stay texts.
    ///
    /// - Parameters:
    ///   - cells: Cells that have a value, without spaces at their ends.
    ///   - known: The type that the column must have; `nil` for any. Then only the options are guessed.
    ///   - separator: The separator of the table: with semicolons, a comma in numbers is the decimal one.
    init(_ cells: [String], known: FieldType? = nil, separator: UInt8) {
        self.cells = cells
        if let known { type = known }
        guard !cells.isEmpty else { return }
        let wanted = known?.element
        if known?.isList ?? true, guessList(known) { return }
        if known?.isList == true {
            guessSeparator()
            return
        }
        if wanted == nil || wanted == .int64, guessWords(known) { return }
        if wanted == nil || wanted == .int64 || wanted == .double, guessNumber(known, separator) { return }
        if wanted == nil || wanted == .timestamp, guessTime(known) { return }
        if known == nil { guessOthers() }
    }

    private func all(_ condition: (String) -> Bool) -> Bool { cells.allSatisfy(condition) }

    // MARK: Numbers

    /// Recognizes words for true and false. Where no type is known, both must occur, except true and false themselves.
    private mutating func guessWords(_ known: FieldType?) -> Bool {
        let words = Set(cells.prefix(1_000).map { $0.lowercased() })
        for pair in [("true", "false"), ("t", "f"), ("yes", "no"), ("ja", "nein"), ("y", "n"), ("wahr", "falsch")] {
            guard words.isSubset(of: [pair.0, pair.1]) else { continue }
            guard known != nil || pair.0 == "true" || words.count == 2 else { continue }
            type = .int64
            options.trueWords = [pair.0]
            options.falseWords = [pair.1]
            return true
        }
        return false
    }

    private mutating func guessNumber(_ known: FieldType?, _ separator: UInt8) -> Bool {
        let plain = all { NumberShape($0) != nil }
        if plain {
            let shapes = cells.compactMap { NumberShape($0) }
            guard known != nil || shapes.allSatisfy(\.isExact) else { return true }
            if separator == UInt8(ascii: ";"), shapes.allSatisfy({ $0.fraction == 3 && $0.whole <= 3 }) {
                doubt =
                    "The points can be decimal points, or stand between thousands: name \"decimal\" or \"thousands\""
                return true
            }
            if known == nil { type = shapes.allSatisfy { $0.fraction == nil } ? .int64 : .double }
            return true
        }
        for (decimal, thousands): (Unicode.Scalar, Unicode.Scalar) in [(",", "."), (".", ","), (",", " "), (".", "'")] {
            let (decimal, thousands) = (UInt8(ascii: decimal), UInt8(ascii: thousands))
            let shapes = cells.map { NumberShape($0, decimal: decimal, thousands: thousands) }
            guard shapes.allSatisfy({ $0 != nil }) else { continue }
            let found = shapes.compactMap { $0 }
            guard known != nil || found.allSatisfy(\.isExact) else { continue }
            let groups = found.contains { $0.hasGroups }
            let hasFractions = found.contains { $0.fraction != nil }
            let isClear = found.contains { shape in
                shape.groups > 1 || (shape.hasGroups && shape.fraction != nil)
                    || (shape.fraction.map { $0 != 3 } ?? false)
            }
            guard isClear || separator == UInt8(ascii: ";") && decimal == 0x2C && !groups else {
                doubt =
                    "The signs in the numbers can be decimal, or stand between thousands: name \"decimal\" or \"thousands\""
                return known != nil
            }
            if known == nil { type = hasFractions ? .double : .int64 }
            options.decimal = decimal
            if groups { options.thousands = thousands }
            return true
        }
        return false
    }

    // MARK: Times

    private mutating func guessTime(_ known: FieldType?) -> Bool {
        var clock = LocalClock(.utc)
        func all(_ style: DateStyle) -> Bool {
            self.all { text in
                Array(text.utf8).withUnsafeBytes { DateText.read($0, as: style, clock: &clock) != nil }
            }
        }
        if all(.iso) {
            type = .timestamp
            return true
        }
        let (dayFirst, monthFirst) = (all(.dayFirst), all(.monthFirst))
        if dayFirst || monthFirst {
            type = .timestamp
            if dayFirst, !monthFirst || self.all({ $0.contains(".") && !$0.contains("/") }) {
                options.date = .dayFirst
            } else if monthFirst, !dayFirst {
                options.date = .monthFirst
            } else {
                doubt = "The days can be months: name the order with \"date\", as \"day-first\" or \"month-first\""
            }
            return true
        }
        guard known != nil, all(.unixSeconds) else { return false }
        options.date = self.all { $0.utf8.count <= 11 || $0.contains(".") } ? .unixSeconds : .unixMilliseconds
        return true
    }

    // MARK: Lists and others

    private mutating func guessList(_ known: FieldType?) -> Bool {
        let isJSON = all { $0.hasPrefix("[") && $0.hasSuffix("]") }
        guard isJSON || all({ $0.hasPrefix("{") && $0.hasSuffix("}") }) else { return false }
        // Empty lists show no type.
        var members: [JSONValue] = []
        for cell in cells {
            if isJSON {
                guard case .array(let list)? = try? JSONValue.parse(Array(cell.utf8)) else { return false }
                members += list
            } else {
                guard let list = Array(cell.utf8).withUnsafeBytes({ CellConverter.arrayMembers($0) }) else {
                    return false
                }
                members += list.map { member in
                    let text = String(decoding: member, as: UTF8.self)
                    let shape = NumberShape(text)
                    return shape?.isExact == true && shape?.fraction == nil ? 0 : .string(text)
                }
            }
        }
        if known != nil { return true }
        if members.isEmpty || members.allSatisfy({ $0.string != nil }) {
            type = .stringList
        } else if members.allSatisfy({ if case .integer = $0 { true } else { false } }) {
            type = .int64List
        } else if members.allSatisfy({ $0.double != nil }) {
            type = .doubleList
        } else {
            return false
        }
        return true
    }

    private mutating func guessSeparator() {
        for separator in [";", ",", "|"] where cells.contains(where: { $0.contains(separator) }) {
            options.listSeparator = separator
            return
        }
        options.listSeparator = ","
    }

    private mutating func guessOthers() {
        func fits(_ type: FieldType) -> Bool {
            var converter = CellConverter(type, CellOptions(), clock: LocalClock(.utc))
            return all { text in
                var output: [UInt8] = []
                return Array(text.utf8).withUnsafeBytes { (try? converter.append($0, to: &output)) ?? false }
            }
        }
        if all({ $0.hasPrefix("\\x") || $0.lowercased().hasPrefix("x'") }), fits(.bytes) {
            type = .bytes
        } else if all({ $0.uppercased().hasPrefix("POINT") || Self.isPair($0) }), fits(.location) {
            type = .location
        }
    }

    /// Two numbers with fractions and a comma between them.
    private static func isPair(_ text: String) -> Bool {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmingSpaces }
        return parts.count == 2 && parts.allSatisfy { NumberShape($0)?.fraction != nil }
    }
}

/// The parts of a number.
struct NumberShape {
    /// The digits before the fraction.
    private(set) var whole = 0
    /// The digits of the fraction; `nil` if there is none.
    private(set) var fraction: Int?
    /// The groups that are separated from others.
    private(set) var groups = 0
    /// Whether nothing is lost if the text becomes a number: no plus sign, no leading zeros, not too many digits.
    private(set) var isExact = true

    var hasGroups: Bool { groups > 0 }

    /// Parses a number; `nil` if the text is none. An exponent is allowed only after a fraction: `1E5` can be a name.
    init?(_ text: String, decimal: UInt8 = 0x2E, thousands: UInt8? = nil) {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        let numbers = NumberText(decimal: decimal, thousands: thousands)
        guard bytes.withUnsafeBytes({ numbers.append($0, to: &output) }) != nil else { return nil }
        let mantissa = bytes.prefix { $0 | 0x20 != 0x65 }
        let parts = mantissa.split(separator: decimal, maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts[0].filter { $0 &- 0x30 < 10 }
        whole = digits.count
        if parts.count == 2 {
            fraction = parts[1].count
        } else if mantissa.count < bytes.count {
            return nil
        }
        if let thousands { groups = parts[0].filter { $0 == thousands }.count }
        if bytes.first == 0x2B || (digits.count > 1 && digits.first == 0x30) || bytes == [0x2D, 0x30] {
            isExact = false
        }
        if fraction == nil {
            if Int64(String(decoding: output, as: UTF8.self)) == nil { isExact = false }
        } else if whole + (fraction ?? 0) > 17 || !NumberText.isDouble(output) || whole == 0 {
            isExact = false
        }
    }
}
