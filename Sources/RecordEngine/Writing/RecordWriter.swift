internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Performs the operations of one request inside the writer's transaction.
///
/// Confined to the writer's thread and to one request.
final class RecordWriter {
    let transaction: WriteTransaction
    let caller: Caller
    let address: DatabaseAddress
    let fields: [String]?
    /// The operation for which a batch failed, and why.
    var guilty: (position: Int, error: RecordError)?
    private var zone: Int64?
    private var checks: [ReferenceCheck] = []
    /// The records that deletions of this request have taken with them.
    private var cascaded = 0

    init(_ transaction: WriteTransaction, _ request: WriteRequest) {
        self.transaction = transaction
        caller = request.caller
        address = request.address
        fields = request.fields
    }

    /// Performs one operation and appends its answer.
    ///
    /// References are checked by `checkReferences` afterwards: once per operation, or once for an atomic batch, in
    /// which a target that comes later counts.
    func perform(
        _ operation: RecordOperation, position: Int, into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        if let refusal = operation.refusal { throw refusal }
        switch operation.verb {
        case .create:
            return try create(operation, position: position, into: &answer)
        case .modify(let createsMissing, let replacesAll):
            return try modify(
                operation, createsMissing: createsMissing, replacesAll: replacesAll, position: position,
                into: &answer)
        case .delete(let forgivesMissing):
            return try delete(operation, forgivesMissing: forgivesMissing, position: position, into: &answer)
        }
    }

    // MARK: Creating

    private func create(
        _ operation: RecordOperation, position: Int, into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        let typeName = try typeNameForCreating(operation)
        let zone = try zoneForWriting()
        if let name = operation.recordName, try find(name, zone: zone) != nil { throw .recordExists }
        return try insert(operation, typeName: typeName, zone: zone, position: position, into: &answer)
    }

    /// The type of a record that the caller may create. A type that does not exist yet would get the standard grants.
    private func typeNameForCreating(_ operation: RecordOperation) throws(RecordError) -> RecordTypeName {
        guard let typeName = operation.typeName else {
            throw .badRequest("A record that may be created needs a recordType")
        }
        let type = transaction.schema[typeName]
        let decision = Authorization.authorize(
            caller, .create, in: address.scope, grants: type?.grants ?? .standard, creator: nil)
        guard decision == .allowed else { throw .refused(decision, .create) }
        if type == nil, transaction.environment == .production {
            throw .badRequest(
                "Cannot create new type \(typeName) in production schema", cause: .unknownName,
                details: [("recordType", .text(typeName.text))])
        }
        return typeName
    }

    /// Adds the row of a record whose name is free.
    private func insert(
        _ operation: RecordOperation, typeName: RecordTypeName, zone: Int64, position: Int,
        into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        let (type, resolved) = try resolve(operation, typeName: typeName)
        let merge = try merged(resolved, into: nil, replacingAll: true, record: 0)
        let sequence = try transaction.nextSequence()
        let row = RecordRow(
            id: sequence, type: type.id, sequence: sequence, revision: transaction.makeRevision(),
            creator: caller.writerID, created: transaction.now, modifier: caller.writerID,
            modified: transaction.now)
        let name = operation.recordName?.text ?? transaction.makeRecordName()
        let isNamed = operation.recordName != nil
        if isNamed || !isOneStatement(merge) { try transaction.ensureSavepoint() }
        // Composed first: nothing may fail behind the one statement of a request without a savepoint.
        try appendAnswer(row, type: type, name: name, merge: merge, to: &answer)
        try store { () throws(StoreError) in
            if isNamed {
                try transaction.records.removeTombstone(
                    zone: zone, name: name, type: type.id, creator: row.creator)
            }
            try transaction.records.insert(
                row, zone: zone, name: name, layout: merge.stored.layout, fields: merge.stored.text)
        }
        try storeLargeValues(merge, record: row.id)
        if merge.hasReferences {
            try setEdges(of: merge.stored, before: nil, record: row.id, zone: zone, position: position)
        }
        return .saved(name: name, tag: RecordTag.text(row.revision), isNew: true)
    }

    // MARK: Changing

    private func modify(
        _ operation: RecordOperation, createsMissing: Bool, replacesAll: Bool, position: Int,
        into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        guard let name = operation.recordName else { throw .badRequest("The operation needs a recordName") }
        let zone = try createsMissing ? zoneForWriting() : existingZone()
        let existing: StoredRecord? =
            if let zone { try find(name, zone: zone) } else { nil }
        guard let existing else {
            guard createsMissing, let zone else { throw try missing(operation) }
            // Rights before guards, as where the name is taken by a record that the caller may not see.
            let typeName = try typeNameForCreating(operation)
            switch operation.writeGuard {
            case .none, .absent: break
            case .tags, .exists: throw try missing(operation)
            }
            return try insert(operation, typeName: typeName, zone: zone, position: position, into: &answer)
        }
        guard let type = transaction.schema[id: existing.row.type] else { throw .recordNotFound }
        // A name of another type or of a record that the caller may not know of: in a path that is no record.
        guard operation.typeName == nil || operation.typeName == type.name, isKnown(existing.row, type) else {
            guard createsMissing else { throw try missing(operation) }
            _ = try typeNameForCreating(operation)
            switch operation.writeGuard {
            case .none, .absent: throw .recordExists
            case .tags, .exists: throw try missing(operation)
            }
        }
        try allowWriting(existing, type: type)
        try check(operation.writeGuard, existing, type: type)

        let (current, resolved) = try resolve(operation, typeName: type.name)
        let before = StoredFields(text: existing.fields, layout: existing.layout)
        let merge = try before.withView { view throws(RecordError) in
            try merged(resolved, into: view, replacingAll: replacesAll, record: existing.row.id)
        }
        var row = existing.row
        row.sequence = try transaction.nextSequence()
        row.revision += 1
        row.modifier = caller.writerID
        row.modified = transaction.now
        let hadReferences = try before.withView { view throws(RecordError) in view.hasReferences }
        if hadReferences || !isOneStatement(merge) { try transaction.ensureSavepoint() }
        try appendAnswer(row, type: current, name: name.text, merge: merge, to: &answer)
        try store { () throws(StoreError) in
            try transaction.records.update(row, layout: merge.stored.layout, fields: merge.stored.text)
        }
        try storeLargeValues(merge, record: row.id)
        if merge.hasReferences || hadReferences {
            try setEdges(of: merge.stored, before: before, record: row.id, zone: zone ?? 0, position: position)
        }
        return .saved(name: name.text, tag: RecordTag.text(row.revision), isNew: false)
    }

    // MARK: Deleting

    private func delete(
        _ operation: RecordOperation, forgivesMissing: Bool, position: Int, into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        guard let name = operation.recordName else { throw .badRequest("The operation needs a recordName") }
        guard let zone = try existingZone(), let existing = try find(name, zone: zone),
            let type = transaction.schema[id: existing.row.type],
            operation.typeName == nil || operation.typeName == type.name, isKnown(existing.row, type)
        else {
            if forgivesMissing {
                try requireSomeWriteRight(operation)
                appendDeletion(name.text, to: &answer)
                return .deleted(name: name.text)
            }
            throw try missing(operation)
        }
        try allowWriting(existing, type: type)
        try check(operation.writeGuard, existing, type: type)
        try transaction.ensureSavepoint()
        try bury(existing, zone: zone, position: position)
        appendDeletion(name.text, to: &answer)
        return .deleted(name: name.text)
    }

    /// Turns a record and those that go with it (DELETE_SELF) into tombstones.
    private func bury(_ first: StoredRecord, zone: Int64, position: Int) throws(RecordError) {
        // Numbers, not records: ten thousand that wait would be as many megabytes.
        var waiting: [Int64] = []
        var known: Set<Int64> = [first.row.id]
        var next: StoredRecord? = first
        let records = transaction.records
        while let record = next {
            var row = record.row
            row.sequence = try transaction.nextSequence()
            row.revision += 1
            row.modifier = caller.writerID
            row.modified = transaction.now
            let name = String(decoding: record.name, as: UTF8.self)
            let fields = StoredFields(text: record.fields, layout: record.layout)
            let (references, hasExternals) = try fields.withView {
                view throws(RecordError) -> ([(fieldID: Int, reference: Reference)], Bool) in
                (view.hasReferences ? try view.references(includingNone: false) : [], view.hasExternals)
            }
            try store { () throws(StoreError) in
                for (field, reference) in references {
                    try records.removeEdge(
                        zone: zone, target: reference.recordName.text, source: row.id, field: field)
                }
                if hasExternals { try records.removeLargeValues(record: row.id) }
                try records.bury(row)
            }
            checks.append(.nobodyValidates(zone: zone, target: name, position: position))
            // One more than may be taken along: so many are either new, or known and counted.
            let limit = transaction.limits.cascadeRecords
            let sources = try store { () throws(StoreError) in
                try records.sources(
                    zone: zone, target: name, action: ReferenceAction.deleteSelf.rawValue, limit: limit + 1)
            }
            for source in sources where known.insert(source).inserted {
                cascaded += 1
                guard cascaded <= limit else { throw .cascadeTooLarge(limit) }
                waiting.append(source)
            }
            next = nil
            while next == nil, let id = waiting.popLast() {
                let child = try store { () throws(StoreError) in try records.find(id: id) }
                if let child, !child.row.isDeleted { next = child }
            }
        }
    }

    // MARK: Rights and guards

    /// Refuses callers who may not change a record that they know of.
    private func allowWriting(_ record: StoredRecord, type: RecordTypeDefinition) throws(RecordError) {
        let decision = authorizeWriting(record.row, type)
        if decision != .allowed { throw .refused(decision, .write) }
    }

    private func authorizeWriting(_ row: RecordRow, _ type: RecordTypeDefinition) -> Decision {
        Authorization.authorize(caller, .write, in: address.scope, grants: type.grants, creator: row.creator)
    }

    /// Whether a record exists for the caller. What it may neither read nor write answers as a missing one does, in
    /// every detail: status, order of checks, conditions.
    private func isKnown(_ row: RecordRow, _ type: RecordTypeDefinition) -> Bool {
        mayRead(row, type) || authorizeWriting(row, type) == .allowed
    }

    func mayRead(_ row: RecordRow, _ type: RecordTypeDefinition) -> Bool {
        Authorization.authorize(caller, .read, in: address.scope, grants: type.grants, creator: row.creator)
            == .allowed
    }

    /// What a caller learns who names a record that is not there: the same as of one that it may not see.
    private func missing(_ operation: RecordOperation) throws(RecordError) -> RecordError {
        try requireSomeWriteRight(operation)
        if case .tags = operation.writeGuard, operation.isTypeInPath { return .preconditionFailed(nil) }
        if case .exists = operation.writeGuard { return .preconditionFailed(nil) }
        return .recordNotFound
    }

    /// Refuses callers who could not write the record whoever had created it, so that they cannot tell which names exist.
    private func requireSomeWriteRight(_ operation: RecordOperation) throws(RecordError) {
        guard let typeName = operation.typeName, let type = transaction.schema[typeName] else { return }
        if Authorization.reach(of: .write, for: caller, in: address.scope, grants: type.grants) == .none,
            caller == .anonymous
        {
            throw .refused(.authenticationRequired, .write)
        }
    }

    private func check(
        _ writeGuard: WriteGuard, _ record: StoredRecord, type: RecordTypeDefinition
    ) throws(RecordError) {
        let holds: Bool
        switch writeGuard {
        case .none, .exists: holds = true
        case .absent: holds = false
        case .tags(let tags): holds = tags.contains(RecordTag.text(record.row.revision))
        }
        if holds { return }
        throw .preconditionFailed(try dictionary(of: record, type))
    }

    /// A record as the transaction has it now; `nil` if there is none that the caller may read.
    func readableRecord(_ name: RecordName) throws(RecordError) -> [UInt8]? {
        guard let zone = try existingZone(), let record = try find(name, zone: zone),
            let type = transaction.schema[id: record.row.type]
        else { return nil }
        return try dictionary(of: record, type)
    }

    private func dictionary(of record: StoredRecord, _ type: RecordTypeDefinition) throws(RecordError) -> [UInt8]? {
        guard mayRead(record.row, type) else { return nil }
        var json: [UInt8] = []
        try append(
            record.row, type: type, name: record.name,
            fields: StoredFields(text: record.fields, layout: record.layout), to: &json)
        return json
    }

    // MARK: Storage

    func store<Value>(_ body: () throws(StoreError) -> Value) throws(RecordError) -> Value {
        try transaction.store(body)
    }

    private func find(_ name: RecordName, zone: Int64) throws(RecordError) -> StoredRecord? {
        try store { () throws(StoreError) in try transaction.records.find(zone: zone, name: name.text) }
    }

    /// The zone of the request, made if it is the first write to a private database.
    private func zoneForWriting() throws(RecordError) -> Int64 {
        if let zone = try existingZone() { return zone }
        guard address.zone == .defaultZone, case .privateDatabase = address.scope else { throw .zoneNotFound }
        try transaction.ensureSavepoint()
        let key = address.key
        let generation = try transaction.nextSequence()
        let added = try store { () throws(StoreError) in
            try transaction.zones.add(
                scope: key.scope, owner: key.owner, name: address.zone.text, generation: generation)
        }
        zone = added.id
        return added.id
    }

    private func existingZone() throws(RecordError) -> Int64? {
        if let zone { return zone }
        if address == .publicDefault {
            zone = ZoneTable.publicDefault
        } else {
            guard address.zone == .defaultZone else { throw .zoneNotFound }
            let key = address.key
            zone = try store { () throws(StoreError) in
                try transaction.zones.find(scope: key.scope, owner: key.owner, name: address.zone.text)?.id
            }
        }
        return zone
    }

    /// The operation's fields against the schema as it is now, extended just in time where that is allowed.
    private func resolve(
        _ operation: RecordOperation, typeName: RecordTypeName
    ) throws(RecordError) -> (RecordTypeDefinition, ResolvedFields) {
        if let resolved = operation.resolved, operation.resolvedVersion == transaction.schema.version,
            !transaction.rightsChanged, resolved.newFields.isEmpty, let type = transaction.schema[typeName]
        {
            return (type, resolved)
        }
        let resolved = try resolveNow(operation, typeName)
        if let type = transaction.schema[typeName], resolved.newFields.isEmpty { return (type, resolved) }
        try transaction.extendSchema(typeName, with: resolved.newFields)
        guard let type = transaction.schema[typeName] else { throw .recordNotFound }
        return (type, try resolveNow(operation, typeName))
    }

    private func resolveNow(
        _ operation: RecordOperation, _ typeName: RecordTypeName
    ) throws(RecordError) -> ResolvedFields {
        try FieldResolver.resolve(
            operation.input, typeName: typeName, type: transaction.schema[typeName],
            allowsNewFields: transaction.environment == .development, recordBytes: transaction.limits.recordBytes)
    }

    private func merged(
        _ changes: ResolvedFields, into existing: StoredFieldsView?, replacingAll: Bool, record: Int64
    ) throws(RecordError) -> FieldMerge {
        // Without uploads there are no receipts, and without a receipt a checksum proves nothing: whoever knows one would
        // own the bytes as soon as somebody uploads them.
        guard changes.assets.isEmpty else { throw .assetsUnavailable }
        let records = transaction.records
        return try FieldMerger.merge(
            changes, into: existing, replacingAll: replacingAll, now: transaction.now,
            recordBytes: transaction.limits.recordBytes,
            loadExternal: { field throws(RecordError) in
                try store { () throws(StoreError) in try records.largeValue(record: record, field: field) }
            })
    }

    /// Whether storing the merge takes one statement: no large values, no edges.
    private func isOneStatement(_ merge: FieldMerge) -> Bool {
        merge.externalPuts.isEmpty && merge.externalRemovals.isEmpty && !merge.hasReferences
    }

    private func storeLargeValues(_ merge: FieldMerge, record: Int64) throws(RecordError) {
        guard !merge.externalPuts.isEmpty || !merge.externalRemovals.isEmpty else { return }
        try store { () throws(StoreError) in
            for field in merge.externalRemovals {
                try transaction.records.removeLargeValue(record: record, field: field)
            }
            for (field, json) in merge.externalPuts {
                try transaction.records.putLargeValue(record: record, field: field, json: json)
            }
        }
    }

    // MARK: References

    /// Brings the edges of a record from its old references to its new ones, and notes what must be checked.
    private func setEdges(
        of fields: StoredFields, before: StoredFields?, record: Int64, zone: Int64, position: Int
    ) throws(RecordError) {
        let old = try before?.withView { view throws(RecordError) in try view.references(includingNone: false) } ?? []
        let new = try fields.withView { view throws(RecordError) in try view.references(includingNone: false) }
        let oldEdges = Self.edges(old)
        let newEdges = Self.edges(new)
        for edge in oldEdges.keys where newEdges[edge] == nil {
            try store { () throws(StoreError) in
                try transaction.records.removeEdge(
                    zone: zone, target: edge.target.text, source: record, field: edge.field)
            }
        }
        for (edge, action) in newEdges where oldEdges[edge] != action {
            try store { () throws(StoreError) in
                try transaction.records.addEdge(
                    zone: zone, target: edge.target.text, source: record, field: edge.field, action: action.rawValue)
            }
            // One that stood before has protected its target ever since, and is not this caller's to answer for.
            guard action == .validate else { continue }
            checks.append(
                .targetExists(
                    zone: zone, target: edge.target, field: edge.field, source: record, position: position))
        }
    }

    /// A field that refers to a target. Two references of one list to one target are one edge, with the stronger action:
    /// VALIDATE before DELETE_SELF, since it keeps the target from being deleted at all.
    private struct Edge: Hashable {
        let field: Int
        let target: RecordName
    }

    private static func edges(_ references: [(fieldID: Int, reference: Reference)]) -> [Edge: ReferenceAction] {
        Dictionary(
            references.map { (Edge(field: $0.fieldID, target: $0.reference.recordName), $0.reference.action) },
            uniquingKeysWith: { $0.rawValue > $1.rawValue ? $0 : $1 })
    }

    /// Checks what the operations so far have promised: VALIDATE references have targets, and deleted records have none.
    func checkReferences() throws(RecordError) {
        defer { checks.removeAll() }
        for check in checks {
            do throws(RecordError) {
                try self.check(check)
            } catch {
                guilty = (check.position, error)
                throw error
            }
        }
    }

    /// Forgets what an operation left behind that was undone.
    func undo() {
        checks.removeAll()
        // It may have made the zone.
        zone = nil
    }

    private func check(_ check: ReferenceCheck) throws(RecordError) {
        switch check {
        case .targetExists(let zone, let target, let field, let source, _):
            // A record that goes later in the same batch needs no target.
            let records = transaction.records
            guard let holder = try store({ () throws(StoreError) in try records.row(id: source) }), !holder.isDeleted
            else { return }
            if let found = try store({ () throws(StoreError) in try records.row(zone: zone, name: target.text) }),
                let type = transaction.schema[id: found.type], mayRead(found, type)
            {
                return
            }
            throw .missingTarget(target, field: fieldName(field, of: holder.type))
        case .nobodyValidates(let zone, let target, _):
            let records = transaction.records
            guard try store({ () throws(StoreError) in try records.row(zone: zone, name: target) }) == nil else {
                return
            }
            let blocker = try store { () throws(StoreError) in
                try transaction.records.firstEdge(
                    zone: zone, target: target, action: ReferenceAction.validate.rawValue)
            }
            guard let blocker,
                let holder = try store({ () throws(StoreError) in try transaction.records.find(id: blocker.source) })
            else { return }
            // Who may not read the record that blocks does not learn its name.
            let isReadable = transaction.schema[id: holder.row.type].map { mayRead(holder.row, $0) } ?? false
            throw .stillReferenced(
                by: isReadable ? String(decoding: holder.name, as: UTF8.self) : nil,
                field: isReadable ? fieldName(blocker.field, of: holder.row.type) : nil)
        }
    }

    private func fieldName(_ field: Int, of type: Int64) -> String {
        transaction.schema[id: type]?[id: field]?.name.text ?? ""
    }

    // MARK: Answers

    /// Appends the saved record, or a stub for writers who may not read it.
    private func appendAnswer(
        _ row: RecordRow, type: RecordTypeDefinition, name: String, merge: FieldMerge, to answer: inout [UInt8]
    ) throws(RecordError) {
        guard mayRead(row, type) else {
            var copy = name
            copy.withUTF8 {
                RecordComposer.appendStub(
                    name: UnsafeRawBufferPointer($0), typeName: type.name, revision: row.revision, to: &answer)
            }
            return
        }
        try append(
            row, type: type, name: Array(name.utf8), fields: merge.stored, unsaved: merge.externalPuts, to: &answer)
    }

    private func append(
        _ row: RecordRow, type: RecordTypeDefinition, name: [UInt8], fields: StoredFields,
        unsaved: [(fieldID: Int, json: [UInt8])] = [], to answer: inout [UInt8]
    ) throws(RecordError) {
        let creator = try transaction.userName(row.creator)
        let modifier = row.modifier == row.creator ? creator : try transaction.userName(row.modifier)
        let selection = FieldSelection(self.fields, of: type)
        let records = transaction.records
        try name.withUnsafeBufferPointer { name throws(RecordError) in
            try fields.withView { view throws(RecordError) in
                let header = RecordHeader(
                    name: UnsafeRawBufferPointer(name), typeName: type.name, revision: row.revision,
                    created: row.created, creator: creator, modified: row.modified, modifier: modifier)
                try RecordComposer.append(
                    header, fields: view, selection: selection,
                    external: { field, output throws(RecordError) in
                        if let value = unsaved.first(where: { $0.fieldID == field }) {
                            output.append(contentsOf: value.json)
                            return
                        }
                        output.append(
                            contentsOf: try store { () throws(StoreError) in
                                try records.largeValue(record: row.id, field: field)
                            })
                    }, to: &answer)
            }
        }
    }

    private func appendDeletion(_ name: String, to answer: inout [UInt8]) {
        answer.appendLiteral("{\"recordName\":")
        answer.appendString(name)
        answer.appendLiteral(",\"deleted\":true}")
    }
}

/// A promise that an operation made and that is looked at when its request, or it alone, is done.
private enum ReferenceCheck {
    case targetExists(zone: Int64, target: RecordName, field: Int, source: Int64, position: Int)
    case nobodyValidates(zone: Int64, target: String, position: Int)

    var position: Int {
        switch self {
        case .targetExists(_, _, _, _, let position), .nobodyValidates(_, _, let position): position
        }
    }
}
