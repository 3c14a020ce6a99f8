import Geography
import RecordModel
import RecordWire

/// A field that conditions and sorts of the oracle may name.
struct OracleField {
    enum Kind {
        case field(FieldType)
        /// The names of accounts.
        case user([String])
        case recordName, created, modified
    }

    var name: String
    var kind: Kind

    var type: FieldType {
        switch kind {
        case .field(let type): type
        case .user: .reference
        case .recordName: .string
        case .created, .modified: .timestamp
        }
    }

    /// Whether records store the field.
    var isStored: Bool { if case .field = kind { true } else { false } }

    var isComparable: Bool { ![.bytes, .location, .asset].contains(type.element) }

    var isSortable: Bool {
        !type.isList && [.string, .int64, .double, .timestamp].contains(type)
    }
}

/// A condition as text and the values of its placeholders.
struct OracleCondition {
    var text = ""
    var arguments: [QueryArgument] = []
}

private enum OracleForm {
    case equal, unequal, isIn, order, between, prefix, suffix, part, wildcards, expression
}

extension OracleSamples {
    mutating func condition(_ fields: [OracleField], _ records: [OracleRecord]) -> OracleCondition {
        var condition = OracleCondition()
        if chance(6) { return condition }
        append(fields, records, depth: pick([0, 0, 1, 1, 2, 3]), to: &condition)
        return condition
    }

    private mutating func append(
        _ fields: [OracleField], _ records: [OracleRecord], depth: Int, to condition: inout OracleCondition
    ) {
        guard depth > 0 else { return appendTest(pick(fields), records, to: &condition) }
        if chance(12) {
            condition.text += "NOT ("
            append(fields, records, depth: depth - 1, to: &condition)
            condition.text += ")"
            return
        }
        let word = chance(60) ? " AND " : " OR "
        for part in 0..<number(2...3) {
            if part > 0 { condition.text += word }
            condition.text += "("
            append(fields, records, depth: depth - 1, to: &condition)
            condition.text += ")"
        }
    }

    private mutating func appendSearch(_ field: String, _ operation: String, to condition: inout OracleCondition) {
        condition.text += "\(field) \(operation) %@"
        let words = (0..<number(1...3)).map { _ -> String in
            let word = pick(Self.words)
            return chance(15) ? "\"\(word) \(pick(Self.words))\"" : word + (chance(20) ? "*" : "")
        }
        condition.arguments.append(.string(words.joined(separator: " ")))
    }

    private mutating func appendTest(
        _ field: OracleField, _ records: [OracleRecord], to condition: inout OracleCondition
    ) {
        if chance(1) {
            condition.text += pick(["TRUEPREDICATE", "FALSEPREDICATE"])
            return
        }
        if hasSearches, chance(7) {
            return appendSearch("SELF", pick(["CONTAINS", "CONTAINS_ALL_TOKENS"]), to: &condition)
        }
        if field.type.element == .string, field.isStored, hasSearches, chance(18) {
            return appendSearch(
                field.name, pick(["CONTAINS_ANY_TOKENS", "CONTAINS_ALL_TOKENS", "TOKENMATCHES[cd]"]), to: &condition)
        }
        if field.type.element == .location, !chance(10) { return appendPlaceTest(field, records, to: &condition) }
        if !field.isComparable || chance(7) {
            condition.text += "\(field.name) \(pick(["==", "!="])) NULL"
            return
        }
        if field.type.isList, chance(10) {
            condition.text += "\(field.name).@count \(pick(["==", "!=", "<", ">="])) \(number(0...4))"
            return
        }
        if field.type.isList {
            let form = number(0...9)
            if form < 3 {
                condition.text += "\(field.name) CONTAINS %@"
                condition.arguments.append(operand(field, records))
                return
            }
            if form == 3 {
                condition.text += "%@ IN \(field.name)"
                condition.arguments.append(operand(field, records))
                return
            }
            condition.text += form < 5 ? "NONE " : form < 7 ? "ALL " : "ANY "
        } else if chance(8) {
            condition.text += "NOT "
        }
        condition.text += field.name
        let hasOrder = field.type.element != .reference
        var forms: [OracleForm] = [.equal, .equal, .unequal, .isIn, .isIn]
        if hasOrder { forms += [.order, .order, .between] }
        var modifiers = ""
        if field.type.element == .string {
            forms += [.prefix, .prefix, .suffix, .suffix, .part, .part, .part, .wildcards, .expression]
            modifiers = pick(["", "", "[c]", "[d]", "[cd]", "[n]"])
        }
        switch pick(forms) {
        case .equal:
            condition.text += " ==\(modifiers) "
            appendOperand(field, records, to: &condition)
        case .unequal:
            condition.text += " !=\(modifiers) "
            appendOperand(field, records, to: &condition)
        case .isIn:
            condition.text += " IN\(modifiers) %@"
            let count = chance(4) ? 300 : number(0...6)
            condition.arguments.append(.list((0..<count).map { _ in operand(field, records) }))
        case .order:
            condition.text += pick([" <", " <=", " >", " >="]) + modifiers + " "
            appendOperand(field, records, to: &condition)
        case .between:
            condition.text += " BETWEEN\(modifiers) %@"
            condition.arguments.append(.list([operand(field, records), operand(field, records)]))
        case .prefix:
            condition.text += " BEGINSWITH\(modifiers) %@"
            condition.arguments.append(prefix(of: operand(field, records)))
        case .suffix:
            condition.text += " ENDSWITH\(modifiers) %@"
            condition.arguments.append(part(of: operand(field, records), endsThere: true))
        case .part:
            condition.text += " CONTAINS\(modifiers) %@"
            condition.arguments.append(part(of: operand(field, records), endsThere: false))
        case .wildcards:
            condition.text += " LIKE\(modifiers) %@"
            condition.arguments.append(wildcards(operand(field, records)))
        case .expression:
            condition.text += " MATCHES\(modifiers) %@"
            let expressions = [
                ".*", "[a-c]+", "a.*", "caf.", "(ab|ba|b)c?", "\\w+", "[^a]*", "a{1,2}b?.*", "\\d+", ".*\\bc.*", "x*y?",
            ]
            condition.arguments.append(.string(pick(expressions)))
        }
    }

    /// A part of a text, or its end.
    private mutating func part(of operand: QueryArgument, endsThere: Bool) -> QueryArgument {
        guard case .string(let text) = operand else { return operand }
        let scalars = Array(text.unicodeScalars)
        guard !scalars.isEmpty else { return .string("b") }
        let start = number(0...scalars.count - 1)
        let end = endsThere ? scalars.count : min(scalars.count, start + pick([1, 1, 2, 3, 5, 1_100]))
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<end])
        return .string(String(view))
    }

    /// A text with some of its scalars replaced by wildcards.
    private mutating func wildcards(_ operand: QueryArgument) -> QueryArgument {
        guard case .string(let text) = operand else { return operand }
        var pattern = chance(30) ? "*" : ""
        for scalar in text.unicodeScalars.prefix(200) {
            switch number(0...9) {
            case 0: pattern += "?"
            case 1: pattern += "*"
            default:
                if ["*", "?", "\\"].contains(scalar) { pattern += "\\" }
                pattern.unicodeScalars.append(scalar)
            }
        }
        if chance(30) { pattern += "*" }
        return .string(pattern)
    }

    private mutating func prefix(of operand: QueryArgument) -> QueryArgument {
        guard case .string(let text) = operand else { return operand }
        // An empty prefix is rejected.
        if text.isEmpty { return .string("a") }
        return .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(pick([1, 1, 2, 1_023, 2_000])))))
    }

    /// Appends an operand as a placeholder, or, where that is simple, as a literal.
    private mutating func appendOperand(
        _ field: OracleField, _ records: [OracleRecord], to condition: inout OracleCondition
    ) {
        let operand = operand(field, records)
        if chance(30) {
            switch operand {
            case .integer(let integer):
                condition.text += String(integer)
                return
            case .double(let double):
                condition.text += double.description
                return
            case .string(let text) where text.utf8.allSatisfy({ (0x61...0x7A).contains($0) }):
                condition.text += "'\(text)'"
                return
            default: break
            }
        }
        condition.text += "%@"
        condition.arguments.append(operand)
    }

    mutating func sort(_ fields: [OracleField]) -> [SortInput] {
        let places = fields.filter { $0.type.element == .location }
        let able = fields.filter(\.isSortable)
        guard !able.isEmpty else { return [] }
        if !places.isEmpty, chance(25) {
            let place = place()
            let name = "distance(\(pick(places).name), \(place.latitude), \(place.longitude))"
            let term = SortInput(
                name: name, isAscending: chance(60), nulls: chance(30) ? pick([.first, .last]) : nil)
            return [term] + (chance(30) ? [SortInput(name: pick(able).name, isAscending: chance(50))] : [])
        }
        return (0..<pick([0, 1, 1, 1, 2, 2, 3])).map { _ in
            let field = pick(able)
            let form = field.type == .string && chance(40) ? pick(["[c]", "[d]", "[cd]"]) : ""
            return SortInput(
                name: field.name + form, isAscending: chance(50), nulls: chance(20) ? pick([.first, .last]) : nil)
        }
    }
}
