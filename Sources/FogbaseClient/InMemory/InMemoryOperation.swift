internal import RecordModel
internal import RecordWire

/// A write of one record. All write routes create such operations.
struct InMemoryOperation {
    var verb: WriteVerb
    var precondition = WritePrecondition.none
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

    /// Creates an operation from a batch item with CloudKit's operation types (CloudKit reference, "Operation types").
    ///
    /// - Throws: BAD_REQUEST if the item lacks the change tag or the name that its type requires.
    init(_ item: OperationInput) throws(RecordError) {
        (verb, precondition) = try item.write()
        let record = item.record
        typeName = record.recordType
        recordName = record.recordName
        isTypeInPath = false
        input = record
    }

    /// Whether the result of the operation depends on the stored values of the record.
    var buildsOnValues: Bool {
        input.fields.contains { field in
            if case .operation(let kind, _) = field.form { kind != .serverTime } else { false }
        }
    }
}

/// A check of a reference. It is executed after the operation, or at the end of an atomic batch.
enum ReferenceCheck {
    case targetExists(target: RecordName, field: Int, holder: RecordKey, position: Int)
    case isNotValidated(target: RecordKey, position: Int)
    case isShared(RecordKey, position: Int)

    var position: Int {
        switch self {
        case .targetExists(_, _, _, let position), .isNotValidated(_, let position), .isShared(_, let position):
            position
        }
    }
}
