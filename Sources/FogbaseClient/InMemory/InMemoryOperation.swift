internal import RecordModel
internal import RecordWire

/// One write of one record, whichever route it came by.
struct InMemoryOperation {
    enum Verb: Equatable {
        case create
        case modify(createsMissing: Bool, replacesAll: Bool)
        case delete(forgivesMissing: Bool)
    }

    /// What must hold of a record before.
    enum WriteGuard: Equatable {
        case none
        case tags([String])
        case exists
        case absent
    }

    var verb: Verb
    var writeGuard = WriteGuard.none
    var typeName: RecordTypeName?
    var recordName: RecordName?
    var isTypeInPath = true
    var input: RecordInput

    init(_ verb: Verb, _ type: RecordTypeName, _ name: RecordName?, _ input: RecordInput) {
        self.verb = verb
        typeName = type
        recordName = name
        self.input = input
    }

    /// An item of a batch, in CloudKit's terms (CloudKit reference, "Operation types").
    ///
    /// - Throws: BAD_REQUEST if the item lacks the tag or the name that its type needs.
    init(_ item: OperationInput) throws(RecordError) {
        let record = item.record
        switch item.kind {
        case .create: verb = .create
        case .update, .replace:
            guard let tag = record.recordChangeTag else {
                throw .badRequest("The operation '\(item.kind.rawValue)' needs the recordChangeTag of the record")
            }
            writeGuard = .tags([tag])
            verb = .modify(createsMissing: false, replacesAll: item.kind == .replace)
        case .forceUpdate: verb = .modify(createsMissing: true, replacesAll: false)
        case .forceReplace: verb = .modify(createsMissing: true, replacesAll: true)
        case .delete:
            if let tag = record.recordChangeTag { writeGuard = .tags([tag]) }
            verb = .delete(forgivesMissing: false)
        case .forceDelete: verb = .delete(forgivesMissing: true)
        }
        if verb != .create, record.recordName == nil {
            throw .badRequest("The operation '\(item.kind.rawValue)' needs a recordName")
        }
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
