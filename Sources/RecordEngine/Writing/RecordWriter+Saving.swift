internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Creates and changes records.
extension RecordWriter {
    /// Creates the record of an operation and appends the response.
    func create(_ operation: RecordOperation, into response: inout [UInt8]) throws(RecordError) -> OperationResult {
        let (typeName, type) = try typeForCreating(operation)
        let zone = try zoneForWriting()
        if let name = operation.recordName, let existing = try find(name, zone: zone) { throw exists(existing.row) }
        return try insert(operation, typeName, type, zone: zone, into: &response)
    }

    /// Checks that the caller may create a record, and returns the record's type. A type that does not exist yet is
    /// checked with the standard grants.
    ///
    /// - Throws: ACCESS_DENIED or AUTHENTICATION_REQUIRED without CREATE; BAD_REQUEST for an unknown type in
    ///   production.
    func typeForCreating(
        _ operation: RecordOperation
    ) throws(RecordError) -> (name: RecordTypeName, known: RecordTypeDefinition?) {
        guard let typeName = operation.typeName else {
            throw .badRequest("A record that may be created needs a recordType")
        }
        try context.allowMaking(typeName, named: operation.recordName)
        if let known = transaction.schema[typeName] {
            try allowCreating(known)
            return (typeName, known)
        }
        try transaction.schema.rejectFormerName(typeName)
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
        guard decision == .allowed else { throw .rejected(caller, .create, .records(type.name)) }
    }

    /// Creates a record with the fields that the caller may write. The name of the record must be free.
    ///
    /// - Parameter known: The type; `nil` if the schema does not have the type yet.
    func insert(
        _ operation: RecordOperation, _ typeName: RecordTypeName, _ known: RecordTypeDefinition?, zone: ZoneID,
        into response: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        var operation = operation
        if let known,
            let allowed = try operation.allowed(
                by: context.visibility(of: known).fields, of: known, isOwn: caller.userID != nil,
                in: transaction.environment)
        {
            operation = allowed
        }
        return try carryOut(try planCreation(operation, typeName, known, zone: zone), into: &response)
    }

    private func planCreation(
        _ operation: RecordOperation, _ typeName: RecordTypeName, _ known: RecordTypeDefinition?, zone: ZoneID
    ) throws(RecordError) -> WritePlan {
        var (type, resolved, claims) = try resolve(operation, typeName, known, record: nil)
        let merge = try merged(resolved, into: nil, replacingAll: true, record: .unassigned)
        let sequence = try transaction.nextSequence()
        var row = RecordRow(
            id: RecordNumber(rawValue: sequence), type: type.id, sequence: sequence,
            revision: transaction.makeRevision(), creator: caller.writerID, created: transaction.now,
            modifier: caller.writerID, modified: transaction.now)
        var isPreserved = false
        if operation.input.hasStamps {
            isPreserved = try RecordStamps(context: context, preserves: preserves, isRestoring: isRestoring).take(
                of: operation, into: &row)
            preserved += 1
        }
        if isPreserved, !type.hasPreservedDates {
            try transaction.ensureSavepoint()
            try transaction.preservedDates.note(in: type)
            if let noted = transaction.schema[typeName] { type = noted }
        }
        let lists = AccessLists(context: context, isRestoring: isRestoring)
        row.access = try lists.access(operation, of: row, type, isNew: true)
        let placement = try placements.placement(operation, of: row, type, zone: zone, isNew: true)
        if let placement { row.access = placement.access }
        if row.access != nil {
            try transaction.ensureSavepoint()
            try lists.note(in: &type)
        }
        let plan = WritePlan(
            consume type, zone: zone, name: operation.recordName?.text ?? transaction.makeRecordName(),
            after: WritePlan.State(row: row, fields: merge.stored))
        plan.take(merge, claims, resolved.notices)
        plan.placement = placement
        plan.isNamed = operation.recordName != nil
        plan.isPreserved = isPreserved
        return plan
    }

    /// Executes a plan and appends the response.
    ///
    /// The response is built before the plan runs. In a request of one statement without a savepoint, nothing may fail
    /// after the statement.
    private func carryOut(_ plan: WritePlan, into response: inout [UInt8]) throws(RecordError) -> OperationResult {
        plan.hasEntries = try prepareIndexes(plan)
        // The record of a participant is checked after it is written.
        if !plan.isOneStatement || caller.participation != nil { try transaction.ensureSavepoint() }
        try context.noteUsage(of: plan)
        if plan.placement == nil { try responses.append(plan, to: &response) }
        let references = try plan.references()
        try PlanWriter(context: context).write(plan, references)
        if let placement = plan.placement {
            try placements.carryOut(placement, of: plan)
            try responses.append(plan, to: &response)
        }
        if plan.before == nil || plan.placement != nil { placements.requireShared(plan.record) }
        // The target may come later in the file, and two records may name each other.
        for edge in references.validated where !isRestoring {
            checks.append(
                .targetExists(
                    zone: plan.zone, target: edge.target, field: edge.field, source: plan.record, position: position))
        }
        if !plan.notices.isEmpty { responses.note(plan.notices, of: plan.name) }
        return .saved(
            name: plan.name, tag: plan.after.map { RecordTag.text($0.row.revision) } ?? "", isNew: plan.before == nil)
    }

    /// Changes the record of an operation, or creates it, and appends the response.
    ///
    /// - Parameters:
    ///   - createsMissing: Whether a missing record is created.
    ///   - replacesAll: Whether to remove fields that the operation does not name.
    func modify(
        _ operation: RecordOperation, createsMissing: Bool, replacesAll: Bool, into response: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        guard let name = operation.recordName else { throw .badRequest("The operation needs a recordName") }
        let zone = try createsMissing ? zoneForWriting() : existingZone()
        guard let zone else { throw try missing(operation) }
        guard let existing = try find(name, zone: zone) else {
            guard createsMissing else { throw try missing(operation) }
            // Check permissions before preconditions, in the same order as for a record that the caller may not see.
            let (typeName, type) = try typeForCreating(operation)
            switch operation.precondition {
            case .none, .absent: break
            case .tags, .exists: throw try missing(operation)
            }
            return try insert(operation, typeName, type, zone: zone, into: &response)
        }
        guard let type = transaction.schema[id: existing.row.type] else { throw .recordNotFound }
        // A record of another type counts as missing, and so does a record whose existence the caller may not know.
        let visibility = context.visibility(of: type)
        let facts = existing.row.facts
        guard operation.typeName == nil || operation.typeName == type.name, visibility.knows(facts) else {
            guard createsMissing else { throw try missing(operation) }
            _ = try typeForCreating(operation)
            switch operation.precondition {
            case .none, .absent: throw exists(existing.row)
            case .tags, .exists: throw try missing(operation)
            }
        }
        try visibility.requireWriting(facts, of: type.name)
        try allowChangingAccess(operation, of: existing.row, visibility)
        if operation.input.hasStamps, !isRestoring {
            try RecordStamps(context: context, preserves: preserves).check(of: operation, on: existing.row, visibility)
        }
        try check(operation.precondition, existing, type: type)
        let isOwn = existing.row.creator == caller.userID
        let allowed =
            try operation.allowed(by: visibility.fields, of: type, isOwn: isOwn, in: transaction.environment)
            ?? operation
        try allowed.requireReadable(visibility, existing.row, type)
        let plan = try planChange(
            allowed, of: existing, type, visibility, zone: zone, name: name.text, replacesAll: replacesAll)
        return try carryOut(plan, into: &response)
    }

    private func planChange(
        _ operation: RecordOperation, of existing: StoredRecord, _ known: RecordTypeDefinition,
        _ visibility: Visibility, zone: ZoneID, name: String, replacesAll: Bool
    ) throws(RecordError) -> WritePlan {
        var (type, resolved, claims) = try resolve(operation, known.name, known, record: existing)
        let before = StoredFields(text: existing.fields, layout: existing.layout)
        let merge: FieldMerge
        do throws(RecordError) {
            merge = try before.withView { view throws(RecordError) in
                try merged(
                    resolved, into: view, replacingAll: replacesAll,
                    // A caller that may not write a field may not remove it either.
                    keeping: context.visibility(of: type).unwritable(creator: existing.row.creator),
                    record: existing.row.id)
            }
        } catch {
            throw error.code == .quotaExceeded ? context.withoutSize(error, of: existing.row, type: type) : error
        }
        var row = existing.row
        row.sequence = try transaction.nextSequence()
        row.revision = transaction.revision(after: row.revision)
        row.modifier = caller.writerID
        row.modified = transaction.now
        if operation.input.hasStamps,
            try RecordStamps(context: context, preserves: preserves, isRestoring: isRestoring).takeModification(
                of: operation, into: &row)
        {
            preserved += 1
        }
        let lists = AccessLists(context: context, isRestoring: isRestoring)
        row.access = try lists.access(operation, of: existing.row, type, isNew: false)
        let placement = try placements.placement(
            operation, of: existing.row, type, zone: zone, isNew: false)
        if let placement { row.access = placement.access }
        if row.access != existing.row.access {
            try transaction.ensureSavepoint()
            if row.access != nil { try lists.note(in: &type) }
            try lists.noteFormerReaders(&row, before: existing.row.access, type: type)
        }
        if type.name == .users, merge.hasReferences { try context.checkUserRecord(merge.stored) }
        let plan = WritePlan(
            consume type, zone: zone, name: name, before: WritePlan.State(row: existing.row, fields: before),
            after: WritePlan.State(row: row, fields: merge.stored))
        plan.take(merge, claims, resolved.notices)
        plan.placement = placement
        if plan.type.hasMemberIndexes || merge.hasReferences {
            plan.unread = visibility.unread(resolved, in: existing.row)
        }
        return plan
    }
}

extension WritePlan {
    /// Copies the results of field resolution into the plan.
    fileprivate func take(_ merge: FieldMerge, _ claims: [AssetLinks.Claim], _ notices: [WriteNotice]) {
        largeValues = merge.externalPuts
        removedLargeValues = merge.externalRemovals
        self.claims = claims
        self.notices = notices
    }
}
