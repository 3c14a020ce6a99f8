/// A JSON document as a tree, for administration: schema, grants, users, settings. Reads and writes of records do not
/// build such a tree.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent.
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// Parses a document by the rules of `JSONReader`. An integer outside Int64 becomes a double.
    ///
    /// - Throws: `JSONError` if the document is malformed or a number is too large.
    package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { buffer throws(JSONError) -> JSONValue in
            var reader = JSONReader(UnsafeRawBufferPointer(buffer))
            try reader.beginDocument()
            let value = try read(&reader)
            try reader.endDocument()
            return value
        }
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> JSONValue {
        switch reader.next {
        case UInt8(ascii: "{"):
            try reader.enter()
            var keys = JSONKeySet()
            var object = JSONObject()
            while let key = try reader.nextKey(&keys) {
                object.append(reader.string(key), try read(&reader))
            }
            return .object(object)
        case UInt8(ascii: "["):
            try reader.enter()
            var isFirst = true
            var array: [JSONValue] = []
            while try reader.nextElement(&isFirst) { array.append(try read(&reader)) }
            return .array(array)
        default:
            let token = try reader.value()
            switch token.kind {
            case .string, .escapedString: return .string(reader.string(token))
            case .trueWord: return .bool(true)
            case .falseWord: return .bool(false)
            case .integer:
                if let integer = reader.int64(token) { return .integer(integer) }
            case .fraction: break
            case .null, .object, .array: return .null
            }
            guard let double = reader.double(token) else {
                throw JSONError("a number is too large", at: token.start)
            }
            return .double(double)
        }
    }

    /// Appends the value as JSON without spaces. Doubles must be finite.
    package func write(to text: inout [UInt8]) {
        switch self {
        case .null: text.appendLiteral("null")
        case .bool(let value): text.appendLiteral(value ? "true" : "false")
        case .integer(let value): text.appendInteger(value)
        case .double(let value): text.appendDouble(value)
        case .string(let value): text.appendString(value)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                value.write(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let object):
            text.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                text.appendString(member.key)
                text.append(UInt8(ascii: ":"))
                member.value.write(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// The value as JSON without spaces. Doubles must be finite.
    package var bytes: [UInt8] {
        var text: [UInt8] = []
        write(to: &text)
        return text
    }
}

extension JSONValue {
    /// Whether the value is `null`.
    package var isNull: Bool { self == .null }

    /// The value of a boolean; `nil` for other kinds.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The value of an integer, or of a double without a fraction (`3.0`); `nil` for other kinds.
    package var integer: Int64? {
        switch self {
        case .integer(let value): value
        // Int64(exactly:) would need the C math library in debug builds.
        case .double(let value) where value >= -0x1p63 && value < 0x1p63 && Double(Int64(value)) == value: Int64(value)
        default: nil
        }
    }

    /// The value of a number; `nil` for other kinds.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The value of a string; `nil` for other kinds.
    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements of a list; `nil` for other kinds.
    package var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The members of an object; `nil` for other kinds.
    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The value of an object's member; `nil` if the value is no object or has no such key.
    package subscript(key: String) -> JSONValue? { object?[key] }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}

/// The members of a JSON object, in order. Lookups are linear up to eight members, then by hash.
package struct JSONObject: Hashable, Sendable {
    /// A member of an object.
    package struct Member: Hashable, Sendable {
        /// The name of the member.
        package let key: String
        /// The value of the member.
        package var value: JSONValue
    }

    /// The members, in order.
    package private(set) var members: [Member] = []
    private var positions: [String: Int] = [:]

    /// Creates an empty object.
    package init() {}

    /// Creates an object from its members. The keys must differ.
    package init(_ members: [(String, JSONValue)]) {
        for (key, value) in members { append(key, value) }
    }

    /// The number of members.
    package var count: Int { members.count }
    /// The keys, in order.
    package var keys: [String] { members.map(\.key) }

    /// The value of a member. Setting it to `nil` removes the member.
    package subscript(key: String) -> JSONValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            if let position = position(of: key) {
                if let newValue {
                    members[position].value = newValue
                } else {
                    members.remove(at: position)
                    positions = [:]
                    if members.count > 8 {
                        for (index, member) in members.enumerated() { positions[member.key] = index }
                    }
                }
            } else if let newValue {
                append(key, newValue)
            }
        }
    }

    /// Appends a member. The object must not contain the key.
    fileprivate mutating func append(_ key: String, _ value: JSONValue) {
        members.append(Member(key: key, value: value))
        if members.count == 9 {
            for (index, member) in members.enumerated() { positions[member.key] = index }
        } else if members.count > 9 {
            positions[key] = members.count - 1
        }
    }

    private func position(of key: String) -> Int? {
        members.count > 8 ? positions[key] : members.firstIndex { $0.key == key }
    }

    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members == right.members
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(members)
    }
}
