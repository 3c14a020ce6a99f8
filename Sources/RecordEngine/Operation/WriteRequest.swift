package import RecordModel
package import RecordWire

/// One request that writes records: a single operation or a batch.
package struct WriteRequest: Sendable {
    package enum Shape: Hashable, Sendable {
        /// One operation, whose refusal is the answer.
        case single
        /// Operations with a result each. Atomic: all or nothing.
        case batch(isAtomic: Bool)
    }

    package var caller: Caller
    /// The version of rights by which the caller was found (`RecordReader.rightsVersion`): if there is another when the
    /// writer comes to the request, it is found anew. `nil` takes it as it is.
    package var rightsVersion: UInt64?
    package var address: DatabaseAddress
    package var shape: Shape
    package var operations: [RecordOperation]
    /// The fields that answers show; `nil` means all.
    package var fields: [String]?
    package var idempotency: IdempotencyKey?
    /// What new records keep of what the operations say, for callers with the right to it.
    package var preserves: PreservedMetadata = []
    /// Who asks, for the audit log: needed where something is preserved.
    package var actor: AuditActor?
    let opening: StaticString

    /// - Parameter opening: What the protocol puts in front of the records in the answer to a batch.
    package init(
        caller: Caller, rightsVersion: UInt64? = nil, address: DatabaseAddress, shape: Shape,
        operations: [RecordOperation], fields: [String]? = nil, idempotency: IdempotencyKey? = nil,
        opening: StaticString = ""
    ) {
        self.caller = caller
        self.rightsVersion = rightsVersion
        self.address = address
        self.shape = shape
        self.operations = operations
        self.fields = fields
        self.idempotency = idempotency
        self.opening = opening
    }
}

/// A client's promise that requests with one key are one request, sent again.
package struct IdempotencyKey: Hashable, Sendable {
    /// 1 to 255 visible ASCII characters.
    package let text: String
    /// A hash of what else makes up the request: method, target and body.
    package let request: [UInt8]

    /// Creates a key, or `nil` if `text` is empty, too long, or not visible ASCII.
    package init?(_ text: String, request: [UInt8]) {
        let bytes = text.utf8
        guard (1...255).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.text = text
        self.request = request
    }
}

/// What became of one operation.
package enum OperationResult: Hashable, Sendable {
    case saved(name: String, tag: String, isNew: Bool)
    case deleted(name: String)
    case failed(RecordError, name: String?)
}

/// The answer to a `WriteRequest`.
package struct WriteAnswer: Hashable, Sendable {
    /// What kind of answer the route makes of it; raw values are stored with idempotency keys.
    package enum Outcome: Int64, Hashable, Sendable {
        case created = 1
        case updated = 2
        case deleted = 3
        case batch = 4
        /// A change of all records that match a condition.
        case set = 5
        /// How far such a change is, as long as it is not done.
        case setBegun = 6
    }

    package var outcome: Outcome
    /// The record's name and tag, for `Location` and `ETag`; empty for a batch.
    package var name = ""
    package var tag = ""
    /// For a single operation the record dictionary alone, nothing for a deletion; for a batch a member for each operation,
    /// in order.
    package var records = RecordList()
    /// The whole body of an answer that shows no records, and of one to a batch that an earlier version has remembered.
    package var document: [UInt8] = []
    /// What a write tells besides the records, as a JSON list; empty for nothing, and for a single record in an answer that
    /// is given again.
    package var notices: [UInt8] = []
    /// This is the first answer to an idempotency key, given again.
    package var isReplay = false
    /// The types of items of a batch that a key was refused for its scope: for the audit log, not for the client.
    package var typesBeyondScope: Set<RecordTypeName?> = []
}
