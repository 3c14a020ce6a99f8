internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// A check that runs after an operation: at the end of an atomic batch, otherwise at the end of the operation.
enum DeferredCheck {
    case targetExists(zone: ZoneID, target: RecordName, field: Int, source: RecordNumber, position: Int)
    case isNotValidated(zone: ZoneID, target: String, position: Int)
    /// A UNIQUE value that another record had when the operation was executed. Only in atomic batches.
    case isUnique(IndexMaintainer.Duplicate, zone: ZoneID, record: RecordNumber, position: Int)
    /// The parent of a record, which did not exist when the record was written.
    case hasParent(RecordName, zone: ZoneID, record: RecordNumber, position: Int)
    /// A participant's record must be in a share.
    case isShared(record: RecordNumber, position: Int)

    var position: Int {
        switch self {
        case .targetExists(_, _, _, _, let position), .isNotValidated(_, _, let position),
            .isUnique(_, _, _, let position), .hasParent(_, _, _, let position), .isShared(_, let position):
            position
        }
    }

    /// - Throws: VALIDATING_REFERENCE_ERROR; EXISTS with cause UNIQUE_VIOLATION; ACCESS_DENIED for a record in no share.
    func run(_ writer: RecordWriter) throws(RecordError) {
        let (context, transaction) = (writer.context, writer.transaction)
        switch self {
        case .hasParent(let parent, let zone, let record, _):
            try Self.checkParent(parent, zone: zone, record: record, writer)
        case .isShared(let record, _): try Self.checkShared(record, context)
        case .isUnique(let duplicate, let zone, let record, _):
            try Self.checkUnique(duplicate, zone: zone, record: record, context)
        case .targetExists(let zone, let target, let field, let source, _):
            // A record that a later operation of the batch deletes needs no target.
            let records = transaction.records
            guard let holder = try records.row(id: source), !holder.isDeleted
            else { return }
            if let found = try records.row(zone: zone, name: target.text),
                let type = transaction.schema[id: found.type], context.visibility(of: type).mayRead(found.facts)
            {
                return
            }
            throw .missingTarget(target, field: Self.fieldName(field, of: holder.type, transaction.schema))
        case .isNotValidated(let zone, let target, _):
            let records = transaction.records
            guard try records.row(zone: zone, name: target) == nil else {
                return
            }
            let blocker = try records.firstEdge(
                zone: zone, target: target, action: ReferenceAction.validate.rawValue)
            guard let blocker,
                let holder = try transaction.records.find(id: blocker.source)
            else { return }
            // If the caller may not read the blocking record or field, the error must not contain the record's name.
            let isReadable =
                transaction.schema[id: holder.row.type].map { type in
                    context.visibility(of: type).mayRead(field: blocker.field, of: holder.row.facts)
                } ?? false
            throw .stillReferenced(
                by: isReadable ? String(decoding: holder.name, as: UTF8.self) : nil,
                field: isReadable ? Self.fieldName(blocker.field, of: holder.row.type, transaction.schema) : nil)
        }
    }

    private static func fieldName(_ field: Int, of type: TypeID, _ schema: Schema) -> String {
        schema[id: type]?[id: field]?.name.text ?? ""
    }

    /// Rejects a duplicate key of a UNIQUE index, if the record and any other record have the key at the end of the
    /// batch.
    private static func checkUnique(
        _ duplicate: IndexMaintainer.Duplicate, zone: ZoneID, record: RecordNumber, _ context: WriteContext
    ) throws(RecordError) {
        let (transaction, index) = (context.transaction, duplicate.index)
        let found = try transaction.records.find(id: record)
        guard let found, !found.row.isDeleted, let type = transaction.schema[id: found.row.type] else { return }
        var key: [UInt8] = []
        try StoredFields(text: found.fields, layout: found.layout).withView { view throws(RecordError) in
            _ = try IndexedRecord(view, name: UnsafeRawBufferPointer(start: nil, count: 0), found.row)
                .appendKey(of: index, to: &key)
        }
        guard key == duplicate.key else { return }
        let other = try key.withUnsafeBufferPointer { key throws(RecordError) in
            try transaction.indexes.otherRecord(
                zone: zone, key: UnsafeRawBufferPointer(key), than: record, in: index.id, of: type)
        }
        guard other != nil else { return }
        throw context.withoutHiddenFields(
            .uniqueViolation(type.columnNames(of: index), type: type.name), of: found.row, type)
    }
}
