internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// The change of a record's parent or share by one operation.
struct Placement {
    /// The place of the record; `nil` leaves it as it is.
    var place: HierarchyTable.Place?
    /// The parent, if it does not exist yet. A later operation of the batch may create it.
    var missingParent: RecordName?
    /// The share of a share record.
    var share: ShareRow?
    /// The members of the request.
    var input: SharingInput?
    /// The access list of the record.
    var access: [UInt8]?
}

/// The parents and shares of the records that one request writes.
struct PlacementWriter {
    let writer: RecordWriter

    private var transaction: WriteTransaction { writer.transaction }
    private var context: WriteContext { writer.context }
    private var caller: Caller { writer.caller }

    /// Returns what an operation changes of its record's parent or share; `nil` for nothing.
    ///
    /// - Parameters:
    ///   - row: The record before the operation; for a new record, with its number.
    /// - Throws: BAD_REQUEST; the errors of `ShareWriter.draft`.
    func placement(
        _ operation: RecordOperation, of row: RecordRow, _ type: RecordTypeDefinition, zone: ZoneID, isNew: Bool
    ) throws(RecordError) -> Placement? {
        let input = operation.input.sharing
        if type.name == .share { return try placementOfShare(input, of: row, zone: zone, isNew: isNew) }
        guard let input else { return nil }
        guard !input.isOfShare else {
            throw .badRequest(
                "'forRecord', 'publicPermission' and 'participants' belong to records of the type \(RecordTypeName.share)",
                details: [("recordType", .text(type.name.text))])
        }
        guard input.parent != nil || input.wantsGUID else { return nil }
        let hierarchies = Hierarchies(writer: writer)
        if input.parent == .remove, !hierarchies.arePossible { return nil }
        try hierarchies.requirePossible()
        if caller.participation != nil {
            if input.wantsGUID { throw .sharesAreOwners }
            if !isNew, try transaction.store.shares.find(root: row.id) != nil { throw .rootsAreOwners }
        }
        var placement = Placement(place: try transaction.store.hierarchies.place(of: row.id), input: input)
        switch input.parent {
        case nil: break
        case .remove?: placement.place?.parent = nil
        case .record(let name)?:
            placement.place?.parent = nil
            if let found = try transaction.records.row(zone: zone, name: name.text),
                let parentType = transaction.schema[id: found.type], parentType.name != .share,
                context.visibility(of: parentType).mayRead(found.facts)
            {
                try hierarchies.requireWriting(found, parentType)
                try hierarchies.requireParent(found.id, of: row.id)
                placement.place?.parent = found.id
            } else {
                placement.missingParent = name
            }
        }
        if input.wantsGUID, placement.place?.guid == nil, try transaction.store.shares.find(root: row.id) == nil {
            placement.place?.guid = input.guid ?? ShareWriter.makeGUID()
        }
        placement.access = try hierarchies.access(under: placement.place?.parent, of: row.id)
        return placement
    }

    private func placementOfShare(
        _ input: SharingInput?, of row: RecordRow, zone: ZoneID, isNew: Bool
    ) throws(RecordError) -> Placement {
        guard input?.parent == nil || input?.parent == .remove else {
            throw .badRequest("A share has no parent", details: [("key", .text("parent"))])
        }
        var placement = Placement(input: input, access: row.access)
        if isNew {
            let share = try ShareWriter(writer: writer).draft(input, for: row.id, zone: zone)
            placement.share = share
            // The participants read the share record too.
            if share.root != nil { placement.access = StoredAccess.encode(AccessList([.share(share.id): .read])) }
        } else {
            try context.allowSharing()
            placement.share = try transaction.store.shares.find(ShareID(rawValue: row.id.rawValue))
        }
        return placement
    }

    /// Stores the parent or share of a record that was just written.
    func carryOut(_ placement: Placement, of plan: WritePlan) throws(RecordError) {
        let (record, zone) = (plan.record, plan.zone)
        if let place = placement.place {
            try Hierarchies(writer: writer).set(place, of: record)
            if let missing = placement.missingParent {
                writer.checks.append(.hasParent(missing, zone: zone, record: record, position: writer.position))
            }
            if let before = plan.before, plan.changesAccess {
                let hierarchies = Hierarchies(writer: writer)
                let lost = try hierarchies.lostShares(from: before.row.access, to: placement.access)
                try hierarchies.updateAccess(
                    below: record, after: lost.rights.isEmpty ? .widened : .narrowed, zone: zone)
            }
        }
        guard let share = placement.share else { return }
        let shares = ShareWriter(writer: writer)
        if plan.before == nil {
            try shares.add(share, placement.input)
        } else if let input = placement.input {
            try shares.change(share, input)
        }
    }

    /// Notes that a participant's record must be in a share that the participant may write, after all operations.
    func requireShared(_ record: RecordNumber) {
        guard let participation = caller.participation, !participation.whole.contains(.write) else { return }
        writer.checks.append(.isShared(record: record, position: writer.position))
    }

    /// Ends the participation of a caller that deletes a share record.
    ///
    /// - Returns: False if the caller is not a participant, or the record no share.
    func leave(_ record: StoredRecord, _ type: RecordTypeDefinition) throws(RecordError) -> Bool {
        guard type.name == .share, let participation = caller.participation, let user = caller.userID else {
            return false
        }
        let table = transaction.store.shares
        guard let share = try table.find(ShareID(rawValue: record.row.id.rawValue)), share.zone == participation.zone,
            let participant = try table.participant(user, of: share.id)
        else { throw .sharesAreOwners }
        try transaction.ensureSavepoint()
        let shares = ShareWriter(writer: writer)
        try shares.remove(participant, of: share)
        try shares.touch(share)
        return true
    }
}

extension DeferredCheck {
    /// Puts a record under a parent that a later operation of the batch has created.
    static func checkParent(
        _ name: RecordName, zone: ZoneID, record: RecordNumber, _ writer: RecordWriter
    ) throws(RecordError) {
        try Hierarchies(writer: writer).place(record, under: name, zone: zone)
    }

    /// Rejects a record of a participant that is in no share that the participant may write.
    static func checkShared(_ record: RecordNumber, _ context: WriteContext) throws(RecordError) {
        guard let row = try context.transaction.records.row(id: record), !row.isDeleted,
            let type = context.transaction.schema[id: row.type]
        else { return }
        guard context.visibility(of: type).mayWrite(row.facts) else {
            throw RecordError(
                .accessDenied,
                "Not the whole zone is shared with you. Give the record a 'parent' that is shared with you for writing",
                details: [("recordType", .text(type.name.text))])
        }
    }
}
