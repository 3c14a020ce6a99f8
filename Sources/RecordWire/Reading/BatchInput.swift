package import RecordModel

/// The seven operation types of CloudKit (CloudKit Web Services Reference, "records/modify").
package enum OperationKind: String, Hashable, Sendable, CaseIterable {
    case create, update, forceUpdate, replace, forceReplace, delete, forceDelete
}

/// One operation of a batch.
package struct OperationInput: Sendable {
    /// The operation type.
    package var kind: OperationKind
    /// The record to write.
    package var record: RecordInput

    /// Creates an operation on a record.
    package init(kind: OperationKind, record: RecordInput) {
        self.kind = kind
        self.record = record
    }
}

/// The body of a batch: `{"operations":[{"operationType","record"}],"atomic"?,"desiredKeys"?,"preserve"?}`.
package struct BatchInput: Sendable {
    /// The operations, in order.
    package var operations: [OperationInput]
    /// Whether the batch is atomic; true if the request does not set it.
    package var atomic: Bool
    /// The zone of the records that name no zone; `nil` for the zone that the request addresses.
    package var zone: ZoneName?
    /// The fields that the response contains; `nil` for all.
    package var desiredKeys: [String]?
    /// The system fields of new records that are set from the request instead of by the server.
    package var preserves: PreservedMetadata = []

    /// Creates a batch from its operations.
    package init(operations: [OperationInput], atomic: Bool = true, desiredKeys: [String]? = nil) {
        self.operations = operations
        self.atomic = atomic
        self.desiredKeys = desiredKeys
    }

    /// Reads a batch. `operations` may be a single object, as in CloudKit. Unknown keys are ignored.
    ///
    /// - Throws: `BAD_REQUEST`; cause `TOO_LARGE` for more than `maxOperations`.
    package static func read(_ body: [UInt8], maxOperations: Int) throws(RecordError) -> BatchInput {
        var batch = BatchInput(operations: [])
        try body.withUnsafeBufferPointer { buffer throws(RecordError) in
            var reader = try RequestReader(UnsafeRawBufferPointer(buffer))
            try batch.read(&reader, body: body, maxOperations: maxOperations)
            try reader.finish()
        }
        return batch
    }

    private mutating func read(
        _ reader: inout RequestReader, body: [UInt8], maxOperations: Int
    ) throws(RecordError) {
        try reader.enterObject("The body")
        var keys = JSONKeySet()
        var hasOperations = false
        while let key = try reader.nextKey(&keys) {
            if reader.json.string(key, is: "operations") {
                hasOperations = true
                try readOperations(&reader, body: body, maxOperations: maxOperations)
            } else if reader.json.string(key, is: "atomic") {
                let token = try reader.value()
                switch token.kind {
                case .trueWord, .null: atomic = true
                case .falseWord: atomic = false
                default: throw Self.malformed("'atomic' must be a Boolean", token)
                }
            } else if reader.json.string(key, is: "desiredKeys") {
                let token = try reader.value()
                desiredKeys = try Self.strings(token, of: reader, "desiredKeys")
            } else if reader.json.string(key, is: "preserve") {
                let token = try reader.value()
                preserves = try PreservedMetadata(words: Self.strings(token, of: reader, "preserve") ?? [])
            } else if reader.json.string(key, is: "zoneID") {
                zone = try reader.zone()
            } else {
                try reader.skipUnknown(key, meaning: Self.keys)
            }
        }
        if !hasOperations { throw .badRequest("A batch needs 'operations'") }
    }

    private static let keys = ["operations", "atomic", "desiredKeys", "preserve", "zoneID"]

    private mutating func readOperations(
        _ reader: inout RequestReader, body: [UInt8], maxOperations: Int
    ) throws(RecordError) {
        guard reader.json.next == UInt8(ascii: "[") else {
            operations = [try OperationInput(reading: &reader, body: body)]
            return
        }
        try reader.enterList()
        var isFirst = true
        while try reader.nextElement(&isFirst) {
            if operations.count == maxOperations {
                throw .badRequest(
                    "A batch has more operations than allowed", cause: .tooLarge,
                    details: [("limit", .number(Int64(maxOperations)))])
            }
            operations.append(try OperationInput(reading: &reader, body: body))
        }
    }

    private static func strings(
        _ token: JSONToken, of reader: RequestReader, _ name: String
    ) throws(RecordError) -> [String]? {
        if token.kind == .null { return nil }
        var strings: [String] = []
        var list = JSONReader(reader.json.bytes, at: token)
        var isFirst = true
        do {
            guard token.kind == .array else { throw malformed("'\(name)' must be a list of strings", token) }
            try list.enter()
            while try list.nextElement(&isFirst) {
                let key = try list.value()
                guard key.isString else { throw malformed("'\(name)' must be a list of strings", token) }
                // The limit bounds the work, because each record of the response looks up each name.
                guard strings.count < Limits.fieldsPerType else {
                    throw RecordError.badRequest(
                        "'\(name)' has more members than a record may have fields", cause: .tooLarge,
                        details: [("limit", .number(Int64(Limits.fieldsPerType)))])
                }
                strings.append(list.string(key))
            }
        } catch let error as RecordError {
            throw error
        } catch {
            throw malformed("'\(name)' must be a list of strings", token)
        }
        return strings
    }

    private static func malformed(_ reason: String, _ token: JSONToken) -> RecordError {
        .badRequest(reason, details: [("offset", .number(Int64(token.start)))])
    }
}

extension OperationInput {
    init(reading reader: inout RequestReader, body: [UInt8]) throws(RecordError) {
        let start = reader.json.position
        var kind: OperationKind?
        var record: RecordInput?
        var keys = JSONKeySet()
        try reader.enterObject("An operation")
        while let key = try reader.nextKey(&keys) {
            if reader.json.string(key, is: "operationType") {
                let offset = reader.json.position
                let word = try reader.optionalString("operationType")
                kind = word.flatMap(OperationKind.init(rawValue:))
                if kind == nil {
                    throw .badRequest(
                        "Unknown operationType; use \(OperationKind.allCases.map(\.rawValue).joined(separator: ", "))",
                        details: [("offset", .number(Int64(offset)))])
                }
            } else if reader.json.string(key, is: "record") {
                record = try RecordInput(reading: &reader, body: body)
            } else {
                try reader.skipUnknown(key, meaning: ["operationType", "record"])
            }
        }
        guard let kind, let record else {
            throw .badRequest(
                "An operation needs 'operationType' and 'record'", details: [("offset", .number(Int64(start)))])
        }
        self.init(kind: kind, record: record)
    }
}
