internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Creating and changing records.
extension RecordWriter {
    func create(
        _ operation: RecordOperation, position: Int, into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        let (typeName, type) = try typeForCreating(operation)
        let zone = try zoneForWriting()
        if let name = operation.recordName, let existing = try find(name, zone: zone) { throw exists(existing.row) }
        return try insert(operation, typeName, type, zone: zone, position: position, into: &answer)
    }

    /// The type of a record that the caller may create. One that does not exist yet would get the standard grants.
    func typeForCreating(
        _ operation: RecordOperation
    ) throws(RecordError) -> (name: RecordTypeName, known: RecordTypeDefinition?) {
        guard let typeName = operation.typeName else {
            throw .badRequest("A record that may be created needs a recordType")
        }
        try allowMaking(typeName, named: operation.recordName)
        if let known = transaction.schema[typeName] {
            try allowCreating(known)
            return (typeName, known)
        }
        try allowCreating(RecordTypeDefinition(id: .unassigned, name: typeName, grants: .standard))
        if transaction.environment == .production {
            throw .badRequest(
                "Cannot create new type \(typeName) in production schema", cause: .unknownName,
                details: [("recordType", .text(typeName.text))])
        }
        return (typeName, nil)
    }

    private func allowCreating(_ type: RecordTypeDefinition) throws(RecordError) {
        let decision = Authorization.authorize(caller, .create, in: address.scope, type: type, .new)
        guard decision == .allowed else { throw .refused(caller, .create, .records(type.name)) }
    }

    /// Adds the row of a record whose name is free, with the fields that the caller may write.
    ///
    /// - Parameter known: The type, if the schema has it.
    func insert(
        _ operation: RecordOperation, _ typeName: RecordTypeName, _ known: RecordTypeDefinition?, zone: ZoneID,
        position: Int, into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        if let known,
            let allowed = try operation.allowed(
                by: visibility(of: known).fields, of: known, isOwn: caller.userID != nil, in: transaction.environment)
        {
            return try insertAllowed(allowed, typeName, known, zone: zone, position: position, into: &answer)
        }
        return try insertAllowed(operation, typeName, known, zone: zone, position: position, into: &answer)
    }

    private func insertAllowed(
        _ operation: RecordOperation, _ typeName: RecordTypeName, _ known: RecordTypeDefinition?, zone: ZoneID,
        position: Int, into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        var (type, resolved) = try resolve(operation, typeName, known, record: nil)
        let merge = try merged(resolved, into: nil, replacingAll: true, record: .unassigned)
        let sequence = try transaction.nextSequence()
        var row = RecordRow(
            id: RecordNumber(rawValue: sequence), type: type.id, sequence: sequence,
            revision: transaction.makeRevision(),
            creator: caller.writerID, created: transaction.now, modifier: caller.writerID,
            modified: transaction.now)
        let isPreserved = operation.input.hasStamps ? try takeStamps(of: operation, into: &row) : false
        if isPreserved, !type.hasPreservedDates {
            try transaction.ensureSavepoint()
            try transaction.notePreservedDates(of: type)
            if let noted = transaction.schema[typeName] { type = noted }
        }
        row.access = try access(operation, of: row, type, isNew: true)
        if row.access != nil {
            try transaction.ensureSavepoint()
            try noteAccessLists(of: &type)
        }
        let name = operation.recordName?.text ?? transaction.makeRecordName()
        let isNamed = operation.recordName != nil
        let hasEntries = try prepareIndexes(type, zone: zone, old: nil, new: (row, merge.stored))
        if isNamed || hasEntries || isPreserved || !isOneStatement(merge) { try transaction.ensureSavepoint() }
        try noteUsage(of: row, from: nil, to: merge.stored)
        // Composed first: nothing may fail behind the one statement of a request without a savepoint.
        try appendAnswer(row, type: type, name: name, merge: merge, to: &answer)
        if isNamed, row.access == nil {
            try transaction.records.removeTombstone(
                zone: zone, name: name, type: type.id, creator: row.creator)
        }
        try transaction.records.insert(
            row, zone: zone, name: name, layout: merge.stored.layout, fields: merge.stored.text)
        if isPreserved { try transaction.records.setReceived(transaction.now, record: row.id) }
        if hasEntries { try writeIndexes() }
        if row.access != nil { try setAudiences(from: nil, to: row, zone: zone) }
        try storeLargeValues(merge, record: row.id)
        if merge.hasReferences {
            try setEdges(of: merge.stored, before: nil, record: row.id, zone: zone, position: position)
        }
        if StoredFieldsView.hasAssets(merge.stored.layout) {
            try setLinks(of: merge.stored, before: nil, record: row)
        }
        if !resolved.notices.isEmpty { note(resolved.notices, of: name) }
        return .saved(name: name, tag: RecordTag.text(row.revision), isNew: true)
    }

    func modify(
        _ operation: RecordOperation, createsMissing: Bool, replacesAll: Bool, position: Int,
        into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        guard let name = operation.recordName else { throw .badRequest("The operation needs a recordName") }
        let zone = try createsMissing ? zoneForWriting() : existingZone()
        let existing: StoredRecord? =
            if let zone { try find(name, zone: zone) } else { nil }
        guard let zone, let existing else {
            guard createsMissing, let zone else { throw try missing(operation) }
            // Rights before guards, as where the name is taken by a record that the caller may not see.
            let (typeName, type) = try typeForCreating(operation)
            switch operation.writeGuard {
            case .none, .absent: break
            case .tags, .exists: throw try missing(operation)
            }
            return try insert(operation, typeName, type, zone: zone, position: position, into: &answer)
        }
        guard let type = transaction.schema[id: existing.row.type] else { throw .recordNotFound }
        // A name of another type or of a record that the caller may not know of: in a path that is no record.
        let visibility = visibility(of: type)
        let facts = existing.row.facts
        guard operation.typeName == nil || operation.typeName == type.name, visibility.knows(facts) else {
            guard createsMissing else { throw try missing(operation) }
            _ = try typeForCreating(operation)
            switch operation.writeGuard {
            case .none, .absent: throw exists(existing.row)
            case .tags, .exists: throw try missing(operation)
            }
        }
        try visibility.requireWriting(facts)
        try allowChangingAccess(operation, of: existing.row, visibility)
        if operation.input.hasStamps { try checkStamps(of: operation, on: existing.row, visibility) }
        try check(operation.writeGuard, existing, type: type)

        let isOwn = existing.row.creator == caller.userID
        let operation =
            try operation.allowed(by: visibility.fields, of: type, isOwn: isOwn, in: transaction.environment)
            ?? operation
        try allowOperations(of: operation, on: existing.row, type, visibility)
        var (current, resolved) = try resolve(operation, type.name, type, record: existing)
        let before = StoredFields(text: existing.fields, layout: existing.layout)
        let merge: FieldMerge
        do throws(RecordError) {
            merge = try before.withView { view throws(RecordError) in
                try merged(
                    resolved, into: view, replacingAll: replacesAll,
                    // Whoever may not write fields may not take them away either.
                    keeping: self.visibility(of: current).unwritable(creator: existing.row.creator),
                    record: existing.row.id)
            }
        } catch {
            throw error.code == .quotaExceeded ? withoutSize(error, of: existing.row, type: current) : error
        }
        var row = existing.row
        row.sequence = try transaction.nextSequence()
        row.revision = transaction.revision(after: row.revision)
        row.modifier = caller.writerID
        row.modified = transaction.now
        row.access = try access(operation, of: existing.row, current, isNew: false)
        let changesAccess = row.access != existing.row.access
        if changesAccess {
            try transaction.ensureSavepoint()
            if row.access != nil { try noteAccessLists(of: &current) }
            try noteFormerReaders(&row, before: existing.row.access, type: current)
        }
        if current.name == .users, merge.hasReferences { try checkUserRecord(merge.stored) }
        let hadReferences = try before.withView { view throws(RecordError) in view.hasReferences }
        let hasEntries = try prepareIndexes(
            current, zone: zone, old: (existing.row, before), new: (row, merge.stored),
            unread: current.hasMemberIndexes ? unread(of: resolved, in: existing.row, visibility) : [])
        let hadAssets = StoredFieldsView.hasAssets(before.layout)
        if hadReferences || hadAssets || hasEntries || !isOneStatement(merge) { try transaction.ensureSavepoint() }
        try noteUsage(of: existing.row, from: before, to: merge.stored)
        try appendAnswer(row, type: current, name: name.text, merge: merge, to: &answer)
        try transaction.records.update(row, layout: merge.stored.layout, fields: merge.stored.text)
        if changesAccess { try transaction.records.setAccess(row) }
        if hasEntries { try writeIndexes() }
        if changesAccess { try setAudiences(from: existing.row, to: row, zone: zone) }
        try storeLargeValues(merge, record: row.id)
        if merge.hasReferences || hadReferences {
            let unconfirmed = merge.hasReferences ? unread(of: resolved, in: existing.row, visibility) : []
            try setEdges(
                of: merge.stored, before: before, record: row.id, zone: zone, position: position,
                unconfirmed: unconfirmed)
        }
        if hadAssets || StoredFieldsView.hasAssets(merge.stored.layout) {
            try setLinks(of: merge.stored, before: before, record: row)
        }
        if !resolved.notices.isEmpty { note(resolved.notices, of: name.text) }
        return .saved(name: name.text, tag: RecordTag.text(row.revision), isNew: false)
    }
}
