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
    case equal, unequal, isIn, order, between, prefix
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

    private mutating func appendTest(
        _ field: OracleField, _ records: [OracleRecord], to condition: inout OracleCondition
    ) {
        if chance(1) {
            condition.text += pick(["TRUEPREDICATE", "FALSEPREDICATE"])
            return
        }
        if !field.isComparable || chance(7) {
            condition.text += "\(field.name) \(pick(["==", "!="])) NULL"
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
            condition.text += form < 5 ? "NONE " : "ANY "
        } else if chance(8) {
            condition.text += "NOT "
        }
        condition.text += field.name
        let hasOrder = field.type.element != .reference
        var forms: [OracleForm] = [.equal, .equal, .unequal, .isIn, .isIn]
        if hasOrder { forms += [.order, .order, .between] }
        if field.type.element == .string { forms.append(.prefix) }
        switch pick(forms) {
        case .equal:
            condition.text += " == "
            appendOperand(field, records, to: &condition)
        case .unequal:
            condition.text += " != "
            appendOperand(field, records, to: &condition)
        case .isIn:
            condition.text += " IN %@"
            let count = chance(4) ? 300 : number(0...6)
            condition.arguments.append(.list((0..<count).map { _ in operand(field, records) }))
        case .order:
            condition.text += pick([" < ", " <= ", " > ", " >= "])
            appendOperand(field, records, to: &condition)
        case .between:
            condition.text += " BETWEEN %@"
            condition.arguments.append(.list([operand(field, records), operand(field, records)]))
        case .prefix:
            condition.text += " BEGINSWITH %@"
            condition.arguments.append(prefix(of: operand(field, records)))
        }
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
        let able = fields.filter(\.isSortable)
        guard !able.isEmpty else { return [] }
        return (0..<pick([0, 1, 1, 1, 2, 2, 3])).map { _ in
            SortInput(name: pick(able).name, isAscending: chance(50))
        }
    }
}
