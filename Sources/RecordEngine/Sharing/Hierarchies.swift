internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Hierarchies of records in a write transaction: parents, and the access lists that follow from shares.
///
/// The access list of a record in a private database names the shares whose hierarchy contains the record. It is that
/// of the parent, and the share of the record itself. So audiences, indexes and the change feed treat a shared record
/// as they treat a listed record of the public database.
struct Hierarchies {
    let writer: RecordWriter

    private var context: WriteContext { writer.context }
    var transaction: WriteTransaction { writer.transaction }
    var hierarchies: HierarchyTable { transaction.store.hierarchies }
    private var shares: ShareTable { transaction.store.shares }

    /// The longest way from a record to the top of its hierarchy.
    private static let depth = 1_000

    /// Whether the records of the request may have parents and shares: only in custom zones of private databases.
    var arePossible: Bool {
        context.address.scope != .publicDatabase && context.address.zone != .defaultZone
    }

    /// Checks that records of the request may have parents and shares.
    ///
    /// - Throws: BAD_REQUEST.
    func requirePossible() throws(RecordError) {
        guard arePossible else {
            throw .badRequest(
                "Only the records of a custom zone of a private database have parents and shares. Create a zone and save the record there",
                details: [("zoneName", .text(context.address.zone.text))])
        }
    }

    // MARK: Access lists

    /// Returns the access list of a record with a parent, or at the top of a share's hierarchy; `nil` if no share
    /// contains the record.
    func access(under parent: RecordNumber?, of record: RecordNumber) throws(RecordError) -> [UInt8]? {
        var list = AccessList()
        if let parent, let access = try transaction.records.row(id: parent)?.access {
            list = StoredAccess.decode(access)
        }
        if let share = try shares.find(root: record) { list[.share(share.id)] = .readWrite }
        return list.rights.isEmpty ? nil : StoredAccess.encode(list)
    }

    /// Returns the children of a record.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE if they are too many to be changed with it.
    func children(of record: RecordNumber) throws(RecordError) -> [RecordNumber] {
        let limit = transaction.limits.cascadeRecords
        let children = try hierarchies.children(of: record, limit: limit + 1)
        guard children.count <= limit else { throw Self.tooLarge(limit) }
        return children
    }

    /// Gives a record a new place in the change feed.
    ///
    /// - Parameter row: The new row. Its sequence number is replaced.
    /// - Returns: How the access list changes.
    @discardableResult
    func rewrite(_ record: StoredRecord, as row: inout RecordRow, zone: ZoneID) throws(RecordError) -> ListChange {
        var change = ListChange.none
        guard var type = transaction.schema[id: row.type] else { throw .recordNotFound }
        try transaction.ensureSavepoint()
        transaction.followed += 1
        row.sequence = try transaction.nextSequence()
        if row.access != record.row.access {
            let lists = AccessLists(context: context)
            if row.access != nil { try lists.note(in: &type) }
            let lost = try lostShares(from: record.row.access, to: row.access)
            change = lost.rights.isEmpty ? .widened : .narrowed
            // Nobody has rights by a share that has ended, and the feeds of its participants have been told.
            try lists.noteFormerReaders(
                &row, before: record.row.access.map { _ in StoredAccess.encode(lost) }, type: type)
        }
        let fields = StoredFields(text: record.fields, layout: record.layout)
        let plan = WritePlan(
            type, zone: zone, name: String(decoding: record.name, as: UTF8.self),
            before: WritePlan.State(row: record.row, fields: fields), after: WritePlan.State(row: row, fields: fields))
        plan.hasEntries = try writer.prepareIndexes(plan)
        try PlanWriter(context: context).write(plan, ReferenceChange())
        return change
    }

    // MARK: Parents

    /// Checks that a record may become the parent of another.
    ///
    /// - Throws: BAD_REQUEST if the record is the other record or below it, or if the hierarchy becomes too deep.
    func requireParent(_ parent: RecordNumber, of record: RecordNumber) throws(RecordError) {
        var next: RecordNumber? = parent
        var steps = 0
        while let current = next {
            guard current != record else {
                throw .badRequest(
                    "A record cannot be above itself in its hierarchy. Choose another parent",
                    details: [("key", .text("parent"))])
            }
            steps += 1
            guard steps < Self.depth else {
                throw .badRequest(
                    "The hierarchy would have more than \(Self.depth) levels", cause: .tooLarge,
                    details: [("key", .text("parent")), ("limit", .number(Int64(Self.depth)))])
            }
            next = try hierarchies.place(of: current).parent
        }
    }

    /// Stores the place of a record.
    func set(_ place: HierarchyTable.Place, of record: RecordNumber) throws(RecordError) {
        transaction.noteSharing()
        try hierarchies.set(place, of: record)
    }

    /// Puts a record under a parent that was not there when the record was written.
    ///
    /// - Throws: VALIDATING_REFERENCE_ERROR if the parent does not exist.
    func place(_ record: RecordNumber, under name: RecordName, zone: ZoneID) throws(RecordError) {
        guard let row = try transaction.records.row(id: record), !row.isDeleted else { return }
        guard let parent = try transaction.records.row(zone: zone, name: name.text),
            let type = transaction.schema[id: parent.type], type.name != .share,
            context.visibility(of: type).mayRead(parent.facts)
        else { throw .missingTarget(name, field: "parent") }
        try requireWriting(parent, type)
        try requireParent(parent.id, of: record)
        var place = try hierarchies.place(of: record)
        place.parent = parent.id
        try set(place, of: record)
        try updateAccess(of: record, zone: zone)
    }

    /// Denies a participant a place under a record that it may not write. Its records would otherwise come into shares
    /// that are for reading only.
    func requireWriting(_ parent: RecordRow, _ type: RecordTypeDefinition) throws(RecordError) {
        guard context.caller.participation != nil else { return }
        try context.visibility(of: type).requireWriting(parent.facts, of: type.name)
    }

    // MARK: Deletions

    /// Removes a deleted record from its hierarchy. Its children have no parent any more, and its share ends.
    ///
    /// - Parameter isErased: Whether the whole zone is being erased. Then only the record's own row goes.
    func didRemove(_ row: RecordRow, zone: ZoneID, isErased: Bool) throws(RecordError) {
        try hierarchies.remove(row.id)
        guard !isErased else { return }
        if row.type == RecordTypeDefinition.shares.id {
            try ShareWriter(writer: writer).end(ShareID(rawValue: row.id.rawValue))
        } else if let share = try shares.find(root: row.id) {
            guard context.caller.participation == nil else { throw .rootsAreOwners }
            if let record = try transaction.records.find(id: share.record), !record.row.isDeleted {
                // This ends the share.
                _ = try writer.writeTombstoneAlone(record, zone: zone)
            }
        }
        let children = try children(of: row.id)
        try count(children.count)
        for child in children {
            var place = try hierarchies.place(of: child)
            place.parent = nil
            try hierarchies.set(place, of: child)
            guard let record = try transaction.records.find(id: child) else { continue }
            var row = record.row
            row.revision = transaction.revision(after: row.revision)
            row.access = try access(under: nil, of: child)
            try updateAccess(below: child, after: try rewrite(record, as: &row, zone: zone), zone: zone)
        }
    }

    /// Counts records that the request cannot leave to slices.
    ///
    /// - Throws: BAD_REQUEST with cause TOO_LARGE if they are too many.
    func count(_ records: Int) throws(RecordError) {
        writer.checkedBelow += records
        guard writer.checkedBelow <= transaction.limits.cascadeRecords else {
            throw Self.tooLarge(transaction.limits.cascadeRecords)
        }
    }

    private static func tooLarge(_ limit: Int) -> RecordError {
        .badRequest(
            "More than \(limit) records are below those that the request moves or deletes. End their share first, or move or delete fewer at once",
            cause: .tooLarge, details: [("limit", .number(Int64(limit)))])
    }
}
