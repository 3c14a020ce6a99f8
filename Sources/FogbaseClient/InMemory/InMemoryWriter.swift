internal import Foundation
internal import RecordModel
internal import RecordWire

/// The writer of one request: executes operations and checks the references between records.
struct InMemoryWriter {
    let call: InMemoryCall
    private var checks: [ReferenceCheck] = []
    /// The number of records that the request's deletions have deleted with `DELETE_SELF`.
    private var cascaded = 0

    init(call: InMemoryCall) { self.call = call }

    /// Executes one operation and checks its references. If the operation or a check fails, the operation is rolled
    /// back.
    mutating func performAlone(
        _ operation: InMemoryOperation, in database: inout InMemoryDatabase
    ) throws(RecordError) -> InMemoryOutcome {
        defer { checks.removeAll() }
        return try database.transaction { database throws(RecordError) in
            let outcome = try perform(operation, position: 0, in: &database)
            if let (_, error) = brokenPromise(in: database) { throw error }
            return outcome
        }
    }

    /// Executes one operation. The caller must check the references afterwards, after each operation or once per atomic
    /// batch.
    mutating func perform(
        _ operation: InMemoryOperation, position: Int, in database: inout InMemoryDatabase
    ) throws(RecordError) -> InMemoryOutcome {
        switch operation.verb {
        case .create:
            let typeName = try typeNameForCreating(operation, in: database)
            if let name = operation.recordName, let existing = database.find(name, zone: call.zone) {
                throw exists(existing, in: database)
            }
            return try insert(operation, typeName, position: position, in: &database)
        case .modify(let createsMissing, let replacesAll):
            return try modify(
                operation, createsMissing: createsMissing, replacesAll: replacesAll, position: position, in: &database)
        case .delete(let ignoresMissing):
            return try delete(operation, ignoresMissing: ignoresMissing, position: position, in: &database)
        }
    }

    /// Returns the type of the record that the operation creates, after checking the permission.
    private func typeNameForCreating(
        _ operation: InMemoryOperation, in database: InMemoryDatabase
    ) throws(RecordError) -> RecordTypeName {
        guard let typeName = operation.typeName else {
            throw .badRequest("A record that may be created needs a recordType")
        }
        if typeName == .users {
            throw RecordError(.accessDenied, "Records of type Users are made with their accounts. Sign up instead")
        }
        if typeName == .share { try InMemoryShareWriter(call: call, input: operation.input.sharing).allow() }
        if let name = operation.recordName, call.scope == .publicDatabase, UserRecordName(name.text) != nil {
            throw .badRequest("Names of an underscore and 32 hexadecimal digits are those of user records")
        }
        let type = database.schema[typeName] ?? RecordTypeDefinition(id: .unassigned, name: typeName, grants: .standard)
        guard Authorization.authorize(call.caller, .create, in: call.scope, type: type, .new) == .allowed else {
            throw .rejected(call.caller, .create, .records(typeName))
        }
        return typeName
    }

    /// Inserts a record with an unused name.
    private mutating func insert(
        _ operation: InMemoryOperation, _ typeName: RecordTypeName, position: Int, in database: inout InMemoryDatabase
    ) throws(RecordError) -> InMemoryOutcome {
        let (type, changes) = try resolve(operation, typeName, existing: nil, in: &database)
        let merge = try merge(changes, into: nil, replacesAll: true, in: database)
        let name = operation.recordName ?? RecordName(UUID().uuidString.lowercased())
        guard let name else { throw .badRequest("The operation needs a recordName") }
        var record = InMemoryRecord(
            id: database.nextSequence(), key: RecordKey(zone: call.zone, name: name), type: type.id,
            creator: call.caller.writerID, created: database.now)
        record.access = try access(operation, of: record, in: database)
        try record.take(merge)
        let shares = InMemoryShareWriter(call: call, input: operation.input.sharing)
        if type.name == .share {
            try shares.create(&record, in: &database)
        } else {
            try shares.place(&record, isNew: true, in: &database)
        }
        try noteChecks(of: record, before: nil, position: position)
        database.keep(record, at: record.key)
        return .saved(record, isNew: true)
    }

    private mutating func modify(
        _ operation: InMemoryOperation, createsMissing: Bool, replacesAll: Bool, position: Int,
        in database: inout InMemoryDatabase
    ) throws(RecordError) -> InMemoryOutcome {
        guard let name = operation.recordName else { throw .badRequest("The operation needs a recordName") }
        let existing = database.find(name, zone: call.zone)
        guard let existing, let type = database.schema[id: existing.type],
            operation.typeName == nil || operation.typeName == type.name, call.knows(existing, type)
        else {
            guard createsMissing else { throw try missing(operation, in: database) }
            // Permissions are checked before preconditions.
            let typeName = try typeNameForCreating(operation, in: database)
            switch operation.precondition {
            case .tags, .exists: throw try missing(operation, in: database)
            case .none, .absent:
                if let existing { throw exists(existing, in: database) }
                return try insert(operation, typeName, position: position, in: &database)
            }
        }
        try allowWriting(existing, type)
        let mayRead = call.may(.read, existing, type)
        if operation.input.hasACL, !mayRead {
            throw RecordError(
                .accessDenied, "Only callers with READ for the record can change its access list. Leave 'acl' out")
        }
        try check(operation.precondition, existing, type, in: database)
        if operation.buildsOnValues, !mayRead {
            throw RecordError(.accessDenied, "A field operation needs the current value, which you may not read")
        }
        let (current, changes) = try resolve(operation, type.name, existing: existing, in: &database)
        let merge = try merge(changes, into: existing, replacesAll: replacesAll, in: database)
        var record = changed(existing, in: &database)
        record.access = try access(operation, of: existing, in: database)
        record.noteFormerReaders(before: existing.access)
        try record.take(merge)
        if current.name == .users, record.references.contains(where: { $0.reference.action == .deleteSelf }) {
            throw .badRequest("A user record goes with its account alone and has no references with DELETE_SELF")
        }
        let shares = InMemoryShareWriter(call: call, input: operation.input.sharing)
        if current.name == .share {
            try shares.change(record, in: &database)
        } else {
            try shares.place(&record, isNew: false, in: &database)
        }
        try noteChecks(of: record, before: existing, position: position)
        database.keep(record, at: record.key)
        if record.access != existing.access { database.updateSharedAccess(below: record.key) }
        return .saved(record, isNew: false)
    }

    /// Returns a copy of the record with the system fields updated for a change, such as modifier and time.
    private func changed(_ record: InMemoryRecord, in database: inout InMemoryDatabase) -> InMemoryRecord {
        var record = record
        record.change(sequence: database.nextSequence(), by: call.caller.writerID, at: database.now)
        return record
    }

    private mutating func delete(
        _ operation: InMemoryOperation, ignoresMissing: Bool, position: Int, in database: inout InMemoryDatabase
    ) throws(RecordError) -> InMemoryOutcome {
        guard let name = operation.recordName else { throw .badRequest("The operation needs a recordName") }
        guard let existing = database.find(name, zone: call.zone), let type = database.schema[id: existing.type],
            operation.typeName == nil || operation.typeName == type.name, call.knows(existing, type)
        else {
            let rejection = try missing(operation, in: database)
            if ignoresMissing { return .deleted }
            throw rejection
        }
        if try InMemoryShareWriter(call: call, input: nil).leave(existing, in: &database) { return .deleted }
        try allowWriting(existing, type)
        try check(operation.precondition, existing, type, in: database)
        guard type.name != .users || call.scope != .publicDatabase else { throw .userRecordStays }
        try writeTombstone(existing, position: position, in: &database)
        return .deleted
    }

    /// Deletes a record, and the records that refer to it with `DELETE_SELF`.
    mutating func writeTombstone(
        _ first: InMemoryRecord, position: Int, in database: inout InMemoryDatabase
    ) throws(RecordError) {
        var waiting = [first.key]
        var known: Set<RecordKey> = [first.key]
        while let key = waiting.popLast() {
            guard var record = database.find(key.name, zone: key.zone) else { continue }
            // A user record is deleted only with its account.
            if key != first.key, database.schema[id: record.type]?.name == .users { continue }
            if call.caller.participation != nil, database.sharing.share(root: key) != nil {
                throw RecordError(
                    .accessDenied, "Only the owner of the zone can move or delete the record at the top of a share")
            }
            record = changed(record, in: &database)
            record.clear()
            database.keep(record, at: key)
            if call.scope != .publicDatabase {
                database.didRemoveFromHierarchy(key, by: call.caller.writerID)
            }
            checks.append(.isNotValidated(target: key, position: position))
            let holders = (database.holders[key] ?? []).compactMap { database.records[$0] }
                .filter { $0.refers(to: key.name, with: .deleteSelf) }.sorted { $0.id < $1.id }.map(\.key)
            for holder in holders where known.insert(holder).inserted {
                cascaded += 1
                guard cascaded <= database.limits.cascadeRecords else {
                    throw .cascadeTooLarge(database.limits.cascadeRecords)
                }
                waiting.append(holder)
            }
        }
    }

    // MARK: Permissions and preconditions

    /// Returns the error for a record name that is in use. The error has the existing record's type if the caller can
    /// read that record.
    private func exists(_ record: InMemoryRecord, in database: InMemoryDatabase) -> RecordError {
        guard let type = database.schema[id: record.type], call.may(.read, record, type) else { return .recordExists }
        return .recordExists(as: type.name)
    }

    private func allowWriting(_ record: InMemoryRecord, _ type: RecordTypeDefinition) throws(RecordError) {
        if !call.may(.write, record, type) { throw .rejected(call.caller, .write, .record(type.name)) }
    }

    private func check(
        _ precondition: WritePrecondition, _ record: InMemoryRecord, _ type: RecordTypeDefinition,
        in database: InMemoryDatabase
    ) throws(RecordError) {
        switch precondition {
        case .none, .exists: return
        case .tags(let tags) where tags.contains(record.tag): return
        case .absent, .tags:
            let json = try call.may(.read, record, type) ? call.json(of: record, in: database) : nil
            throw .preconditionFailed(json, wantsNone: precondition == .absent)
        }
    }

    /// Returns the error for a missing record. A hidden record causes the same error, so that the error does not reveal
    /// its existence.
    private func missing(
        _ operation: InMemoryOperation, in database: InMemoryDatabase
    ) throws(RecordError) -> RecordError {
        if call.caller == .anonymous, let typeName = operation.typeName, let type = database.schema[typeName],
            call.permitted(.write, type) == .none
        {
            throw .rejected(call.caller, .write, .record(typeName))
        }
        switch operation.precondition {
        case .tags where operation.isTypeInPath: return .preconditionOnMissing
        case .exists: return .preconditionOnMissing
        default: return .recordNotFound
        }
    }

    // MARK: References

    /// Adds a check for each new reference with `VALIDATE`.
    private mutating func noteChecks(
        of record: InMemoryRecord, before: InMemoryRecord?, position: Int
    ) throws(RecordError) {
        guard record.references.count <= Limits.bindingReferences else {
            throw .badRequest(
                "A record has at most \(Limits.bindingReferences) references with DELETE_SELF or VALIDATE",
                cause: .tooLarge)
        }
        for (field, reference) in record.references where reference.action == .validate {
            let stood = before?.references.contains { $0.field == field && $0.reference == reference } ?? false
            if stood { continue }
            checks.append(
                .targetExists(target: reference.recordName, field: field, holder: record.key, position: position))
        }
        // The records of a participant are in shares that it may write.
        if call.caller.participation?.whole.contains(.write) == false {
            checks.append(.isShared(record.key, position: position))
        }
    }

    /// Returns the error of the first failed check, and the index of its operation.
    func brokenPromise(in database: InMemoryDatabase) -> (position: Int, error: RecordError)? {
        for check in checks {
            if let error = error(of: check, in: database) { return (check.position, error) }
        }
        return nil
    }

    private func error(of check: ReferenceCheck, in database: InMemoryDatabase) -> RecordError? {
        switch check {
        case .targetExists(let target, let field, let key, _):
            guard let holder = database.records[key], !holder.isDeleted else { return nil }
            if let found = database.find(target, zone: key.zone), let type = database.schema[id: found.type],
                call.may(.read, found, type)
            {
                return nil
            }
            return .missingTarget(target, field: database.fieldName(field, of: holder))
        case .isShared(let key, _):
            guard let record = database.find(key.name, zone: key.zone), let type = database.schema[id: record.type],
                !call.may(.write, record, type)
            else { return nil }
            return RecordError(
                .accessDenied,
                "Not the whole zone is shared with you. Give the record a 'parent' that is shared with you for writing",
                details: [("recordType", .text(type.name.text))])
        case .isNotValidated(let target, _):
            guard database.find(target.name, zone: target.zone) == nil else { return nil }
            let holder = database.holders[target]?.compactMap { database.records[$0] }
                .filter { $0.refers(to: target.name, with: .validate) }.min { $0.id < $1.id }
            guard let holder, let type = database.schema[id: holder.type],
                let field = holder.references.first(where: { $0.reference.recordName == target.name })?.field
            else { return nil }
            guard call.may(.read, holder, type) else { return .stillReferenced(by: nil, field: nil) }
            return .stillReferenced(by: holder.key.name.text, field: database.fieldName(field, of: holder))
        }
    }
}

/// The result of an operation.
enum InMemoryOutcome {
    case saved(InMemoryRecord, isNew: Bool)
    case deleted
}
