package import RecordModel
package import RecordWire

/// A request that writes records, as a single operation or as a batch.
package struct WriteRequest: Sendable {
    /// Whether the request is a single operation or a batch.
    package enum Shape: Hashable, Sendable {
        /// One operation. If it fails, its error is the response.
        case single
        /// Several operations with one result each. An atomic batch executes all operations or none.
        case batch(isAtomic: Bool)
    }

    /// The sender of the request.
    package var caller: Caller
    /// The rights version with which the caller was authenticated (`RecordReader.rightsVersion`). If the version has
    /// changed when the write executes, the caller is authenticated again. `nil` skips this check.
    package var rightsVersion: UInt64?
    /// The zone of the records.
    package var address: DatabaseAddress
    /// Whether the request is a single operation or a batch.
    package var shape: Shape
    /// The operations, in the order of execution.
    package var operations: [RecordOperation]
    /// The fields that the response shows; `nil` for all.
    package var fields: [String]?
    /// The idempotency key of the request.
    package var idempotency: IdempotencyKey?
    /// The metadata, such as creation times, that new records take from their operations. Only callers that may change
    /// rights can set it.
    package var preserves: PreservedMetadata = []
    /// Whether the records come from the file of a container, which an owner imports: references and files are taken as
    /// the file has them, and dates and users in any case.
    var isRestoring = false
    /// Whether the audit log gets an entry about records with preserved metadata.
    package var auditsPreserved = true
    /// The caller for the audit log. Required if `preserves` is not empty and the audit log gets an entry.
    package var actor: AuditActor?
    /// The protocol of the response.
    package var face = RecordFace.native
    let opening: StaticString

    /// - Parameter opening: The text that the protocol writes before the records in the response to a batch.
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

extension WriteRequest {
    /// Consecutive operations of a batch in one zone.
    struct Run {
        let address: DatabaseAddress
        /// The positions of the operations in the request.
        let operations: Range<Int>
    }

    /// Returns the runs of a batch, in order.
    ///
    /// - Throws: BAD_REQUEST if an atomic batch has more than one run for a zone, because each run is atomic by itself.
    func runs(isAtomic: Bool) throws(RecordError) -> [Run] {
        var runs: [Run] = []
        var start = 0
        var address = address
        func zone(_ position: Int) -> ZoneName { operations[position].input.zone ?? self.address.zone }
        for position in operations.indices {
            let zone = zone(position)
            guard zone != address.zone else { continue }
            if position > start { runs.append(Run(address: address, operations: start..<position)) }
            start = position
            address.zone = zone
        }
        runs.append(Run(address: address, operations: start..<operations.count))
        if isAtomic, Set(runs.map(\.address.zone)).count < runs.count {
            throw .badRequest(
                "An atomic batch is atomic in each zone. Put the operations of a zone one after the other",
                details: [("path", .text("operations"))])
        }
        return runs
    }
}

/// An idempotency key. With the key, a client promises that all requests with this key are the same request.
package struct IdempotencyKey: Hashable, Sendable {
    /// The key as the client sent it: 1 to 255 visible ASCII characters.
    package let text: String
    /// The SHA-256 digest of the request's method, target and body.
    package let request: [UInt8]

    /// Creates a key; `nil` if `text` is empty, too long or not visible ASCII.
    package init?(_ text: String, request: [UInt8]) {
        let bytes = text.utf8
        guard (1...255).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.text = text
        self.request = request
    }
}

/// The result of one operation.
package enum OperationResult: Hashable, Sendable {
    case saved(name: String, tag: String, isNew: Bool)
    case deleted(name: String)
    case failed(RecordError, name: String?)
}

/// The response to a `WriteRequest` or a `BulkRequest`.
package struct WriteResponse: Hashable, Sendable {
    /// The kind of response. The store keeps the raw values with idempotency keys.
    package enum Outcome: Int64, Hashable, Sendable {
        case created = 1
        case updated = 2
        case deleted = 3
        case batch = 4
        /// The response of a completed bulk change.
        case set = 5
        /// The progress of an unfinished bulk change.
        case bulkChangeStarted = 6
        /// The job of a bulk change; `name` is the job's.
        case job = 7
    }

    /// An item of a batch that failed.
    package struct Failure: Hashable, Sendable {
        /// The position of the item's operation in the request.
        let position: Int
        let error: RecordError
    }

    /// The kind of response.
    package var outcome: Outcome
    /// The record's name for the `Location` header; empty for a batch.
    package var name = ""
    /// The record's change tag for the `ETag` header; empty for a batch.
    package var tag = ""
    /// For a single operation, only the record; empty for a deletion. For a batch, one member per operation, in the
    /// same order.
    package var records = RecordList()
    /// The whole body of a response without records, or of a batch response that an earlier version has stored.
    package var document: [UInt8] = []
    /// The notices as a JSON list. Empty if there are none, or if this replays the response to a single operation.
    package var notices: [UInt8] = []
    /// Whether this repeats the first response to an idempotency key.
    package var isReplay = false
    /// The number of records that a bulk change has deleted or rewritten beside those that it matched. Only for rate
    /// limits.
    package var followed = 0
    /// The items of a batch that failed, in order.
    package var failures: [Failure] = []
    /// The types of the batch items that an API key's scope denied. Only for the audit log.
    package var typesBeyondScope: Set<RecordTypeName?> = []
}
