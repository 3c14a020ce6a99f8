internal import RecordModel
internal import RecordWire

/// A value of a field at the source.
struct ForeignValue {
    /// What the value is.
    indirect enum Content {
        case null
        case bool(Bool)
        case integer(Int64)
        case double(Double)
        case text(String)
        /// Milliseconds since 1970.
        case date(Int64)
        /// A reference to an object of a class.
        case reference(className: String, id: String)
        case place(latitude: Double, longitude: Double)
        /// Base64.
        case bytes(String)
        /// A file by its name, and its URL if the source has it.
        case file(name: String, url: String?)
        /// The members of a relation are elsewhere.
        case relation(className: String)
        case list([ForeignValue])
        /// An object, or another value that is kept as JSON text.
        case json
        /// A value without any meaning, and why.
        case invalid(String)
    }

    let content: Content
    /// The value as the source has it.
    let source: JSONValue

    /// The value as a text: itself, or as JSON.
    var text: String {
        if case .text(let text) = content { return text }
        return String(decoding: source.bytes, as: UTF8.self)
    }
}

/// The kinds of values that a field has.
struct ValueKinds: OptionSet {
    let rawValue: UInt16

    static let bool = ValueKinds(rawValue: 1)
    static let integer = ValueKinds(rawValue: 2)
    /// An integer that no DOUBLE equals.
    static let largeInteger = ValueKinds(rawValue: 4)
    static let double = ValueKinds(rawValue: 8)
    static let text = ValueKinds(rawValue: 16)
    static let date = ValueKinds(rawValue: 32)
    static let reference = ValueKinds(rawValue: 64)
    static let place = ValueKinds(rawValue: 128)
    static let bytes = ValueKinds(rawValue: 256)
    static let file = ValueKinds(rawValue: 512)
    static let json = ValueKinds(rawValue: 1024)

    /// The type of fields with values of these kinds; `nil` if no type has them all, or if there are none.
    var type: FieldType? {
        if isEmpty { return nil }
        if isSubset(of: [.integer, .largeInteger]) { return .int64 }
        if isSubset(of: [.integer, .double]) { return .double }
        switch self {
        case .bool: return .int64
        case .text: return .string
        case .date: return .timestamp
        case .reference: return .reference
        case .place: return .location
        case .bytes: return .bytes
        case .file: return .asset
        default: return nil
        }
    }
}

extension ForeignValue {
    /// The kind of a single value; `nil` for one that makes no value here.
    var kind: ValueKinds? {
        switch content {
        case .null, .invalid, .relation: nil
        case .bool: .bool
        case .integer(let value): value.magnitude > 1 << 53 ? .largeInteger : .integer
        case .double: .double
        case .text: .text
        case .date: .date
        case .reference: .reference
        case .place: .place
        case .bytes: .bytes
        case .file: .file
        case .json, .list: .json
        }
    }
}

/// The values that the records of a class have in one field.
struct FieldTally {
    /// The kinds of single values.
    private(set) var single: ValueKinds = []
    /// The kinds of the members of lists.
    private(set) var members: ValueKinds = []
    private(set) var hasEmptyList = false
    /// The class of a relation.
    private(set) var relation: String?

    /// Adds the value of a record.
    mutating func add(_ value: ForeignValue) {
        switch value.content {
        case .list(let values):
            if values.isEmpty { hasEmptyList = true }
            // A list of more than one type has no type here. Neither has one with null.
            let kinds = values.map { $0.kind ?? .json }
            var all: ValueKinds = []
            for kind in kinds { all.formUnion(kind) }
            if !all.isEmpty { members.formUnion(all.type == nil ? .json : all) }
        case .relation(let name): relation = name
        default:
            if let kind = value.kind { single.formUnion(kind) }
        }
    }
}

/// How the values of a field become values here.
struct FieldPlan: Hashable {
    /// The type of the field.
    var type: FieldType
    /// Whether values that are no texts become JSON in a STRING.
    var isText = false
    /// What the report says about the field; `nil` for nothing.
    var note: String?
}

extension FieldTally {
    /// Returns how the values become values of one type; `nil` for a field without values.
    ///
    /// - Parameter declared: The type that the schema of the source names.
    func plan(declared: FieldType?) -> FieldPlan? {
        if relation != nil, single.isEmpty, members.isEmpty { return FieldPlan(type: .referenceList) }
        let hasLists = hasEmptyList || !members.isEmpty
        if single.isEmpty, !hasLists { return declared.map { FieldPlan(type: $0) } }
        if single.isEmpty {
            if members.isEmpty {
                let type = declared?.list ?? .stringList
                return FieldPlan(
                    type: type, note: "all lists are empty, so their members were taken for \(type.element.schemaName)")
            }
            if let type = members.type {
                return FieldPlan(type: type.list, note: members == .bool ? Self.boolNote : nil)
            }
            return FieldPlan(
                type: .string, isText: true, note: "lists whose members have no common type are kept as JSON text")
        }
        if !hasLists, let type = single.type {
            // A number that may get a fraction later.
            if declared == .double, single == .integer { return FieldPlan(type: .double) }
            return FieldPlan(type: type, note: single == .bool ? Self.boolNote : nil)
        }
        if single == .json, !hasLists || members == .json {
            return FieldPlan(type: .string, isText: true, note: "objects are kept as JSON text")
        }
        return FieldPlan(
            type: .string, isText: true,
            note: "values of several types (\(words)) became texts, those that were none as JSON")
    }

    private static let boolNote = "true and false became 1 and 0"

    private var words: String {
        var words = Self.names.filter { single.contains($0.kind) }.map(\.word)
        if hasEmptyList || !members.isEmpty { words.append("list") }
        return words.joined(separator: ", ")
    }

    private static let names: [(kind: ValueKinds, word: String)] = [
        (.bool, "Boolean"), (.integer, "integer"), (.largeInteger, "large integer"), (.double, "number"),
        (.text, "text"), (.date, "date"), (.reference, "reference"), (.place, "place"), (.bytes, "bytes"),
        (.file, "file"), (.json, "object"),
    ]
}
