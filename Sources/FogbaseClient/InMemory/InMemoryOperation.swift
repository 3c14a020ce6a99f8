internal import RecordModel
internal import RecordWire

/// One write of one record, whichever route it came by.
struct InMemoryOperation {
    var verb: WriteVerb
    var writeGuard = WriteGuard.none
    var typeName: RecordTypeName?
    var recordName: RecordName?
    var isTypeInPath = true
    var input: RecordInput

    init(_ verb: WriteVerb, _ type: RecordTypeName, _ name: RecordName?, _ input: RecordInput) {
        self.verb = verb
        typeName = type
        recordName = name
        self.input = input
    }

    /// An item of a batch, in CloudKit's terms (CloudKit reference, "Operation types").
    ///
    /// - Throws: BAD_REQUEST if the item lacks the tag or the name that its type needs.
    init(_ item: OperationInput) throws(RecordError) {
        (verb, writeGuard) = try item.write()
        let record = item.record
        typeName = record.recordType
        recordName = record.recordName
        isTypeInPath = false
        input = record
    }

    /// Whether its outcome depends on the values so far.
    var buildsOnValues: Bool {
        input.fields.contains { field in
            if case .operation(let kind, _) = field.form { kind != .serverTime } else { false }
        }
    }
}

/// A promise that an operation made, to be looked at when its request is done, or it alone.
enum ReferenceCheck {
    case targetExists(target: RecordName, field: Int, holder: RecordKey, position: Int)
    case nobodyValidates(target: RecordKey, position: Int)

    var position: Int {
        switch self {
        case .targetExists(_, _, _, let position), .nobodyValidates(_, let position): position
        }
    }
}
