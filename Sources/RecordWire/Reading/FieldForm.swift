import RecordModel

/// The members of a JSON object that represents a field. The first matching form applies: `value`, a field operation,
/// or an object that is itself the value.
struct FieldForm {
    private let object: JSONToken
    private var value: JSONToken?
    private var tag: TypeTag?
    private var operation: (kind: FieldOperationKind, operand: JSONToken)?
    /// The key of a second operation, or a key that is allowed only in a bare object.
    private var stray: JSONToken?
    private var isEmpty = true

    /// Reads the object at the current position.
    ///
    /// - Throws: `BAD_REQUEST` for malformed JSON; cause `TYPE_MISMATCH` for an invalid combination of keys.
    init(reading reader: inout RequestReader, field: String) throws(RecordError) {
        let start = reader.json.position
        let json = reader.json
        var keys = JSONKeySet()
        var typeToken: JSONToken?
        var encryption: JSONToken?
        try reader.enterObject("A field")
        while let key = try reader.nextKey(&keys) {
            isEmpty = false
            let token = try reader.value()
            if json.string(key, is: "value") {
                value = token
            } else if json.string(key, is: "type") {
                typeToken = token
            } else if json.string(key, is: "isEncrypted") {
                encryption = token
            } else if let kind = Self.operation(key, json) {
                if operation == nil { operation = (kind, token) } else { stray = stray ?? key }
            } else {
                stray = stray ?? key
            }
        }
        object = JSONToken(kind: .object, start: start, end: reader.json.position)
        guard value != nil || operation != nil else { return }
        if let stray {
            throw Self.rejection(field, "has the unknown key '\(json.string(stray).prefix(64))'", at: stray)
        }
        if value != nil, let operation {
            throw Self.rejection(field, "has both a value and an operation", at: operation.operand)
        }
        if let encryption, encryption.kind != .falseWord, encryption.kind != .null {
            throw Self.rejection(field, "is marked as encrypted; encrypted fields are not supported", at: encryption)
        }
        if let typeToken, typeToken.kind != .null { tag = try Self.typeTag(typeToken, json, field) }
    }

    func input(name: String, offset: Int, reader: RequestReader) throws(RecordError) -> FieldInput {
        if let value {
            return FieldInput(name: name, form: value.kind == .null ? .remove : .value(value), tag: tag, offset: offset)
        }
        if let operation {
            return try input(operation.kind, operation.operand, name: name, offset: offset, json: reader.json)
        }
        return FieldInput(name: name, form: isEmpty ? .remove : .value(object), tag: nil, offset: offset)
    }

    private func input(
        _ kind: FieldOperationKind, _ operand: JSONToken, name: String, offset: Int, json: JSONReader
    ) throws(RecordError) -> FieldInput {
        var operand = operand
        var tag = tag
        switch kind {
        case .increment:
            guard operand.kind == .integer || operand.kind == .fraction else {
                throw Self.rejection(name, "needs a number to increment by", at: operand)
            }
        case .append, .appendUnique, .remove:
            guard operand.kind == .array else {
                throw Self.rejection(name, "needs a list for '\(kind.rawValue)'", at: operand)
            }
        case .serverTime:
            guard operand.kind == .trueWord else {
                throw Self.rejection(name, "must say true for 'serverTime'", at: operand)
            }
        case .copy:
            guard operand.isString else {
                throw Self.rejection(name, "needs the name of a field for 'copy'", at: operand)
            }
        case .setIfAbsent:
            // The operand may have any form of a field, but must not be another operation.
            var nested = try RequestReader(json, at: operand)
            let inner = try nested.field(named: name, at: offset)
            guard case .value(let token) = inner.form else {
                throw Self.rejection(name, "needs a value for 'setIfAbsent'", at: operand)
            }
            operand = token
            tag = inner.tag ?? tag
        }
        return FieldInput(name: name, form: .operation(kind, operand), tag: tag, offset: offset)
    }

    private static func operation(_ key: JSONToken, _ json: JSONReader) -> FieldOperationKind? {
        FieldOperationKind(rawValue: json.string(key))
    }

    private static func typeTag(
        _ token: JSONToken, _ json: JSONReader, _ field: String
    ) throws(RecordError) -> TypeTag {
        guard token.isString else { throw rejection(field, "has a type that is no string", at: token) }
        if let type = FieldType(token, of: json) { return .type(type) }
        if json.string(token, is: "LIST") { return .anyList }
        throw rejection(field, "has an unknown type '\(json.string(token).prefix(64))'. \(FieldType.rule)", at: token)
    }

    private static func rejection(_ field: String, _ problem: String, at token: JSONToken) -> RecordError {
        .badRequest(
            "Field '\(field.prefix(Limits.identifierBytes))' \(problem)", cause: .typeMismatch,
            details: [("field", .text(field)), ("offset", .number(Int64(token.start)))])
    }
}

extension RequestReader {
    /// Creates a reader of a value that was scanned before.
    init(_ reader: JSONReader, at token: JSONToken) throws(RecordError) {
        json = JSONReader(reader.bytes, at: token)
    }
}

extension FieldType {
    /// Reads a type tag. Common tags are recognized without creating a string.
    init?(_ token: JSONToken, of json: JSONReader) {
        if json.string(token, is: "STRING") {
            self = .string
        } else if json.string(token, is: "INT64") {
            self = .int64
        } else if json.string(token, is: "DOUBLE") {
            self = .double
        } else if json.string(token, is: "TIMESTAMP") {
            self = .timestamp
        } else if json.string(token, is: "REFERENCE") {
            self = .reference
        } else if json.string(token, is: "STRING_LIST") {
            self = .stringList
        } else {
            self.init(tag: json.string(token))
        }
    }
}
