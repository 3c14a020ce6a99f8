internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Deleting records, and what goes with them.
extension RecordWriter {
    func delete(
        _ operation: RecordOperation, forgivesMissing: Bool, position: Int, into answer: inout [UInt8]
    ) throws(RecordError) -> OperationResult {
        guard let name = operation.recordName else { throw .badRequest("The operation needs a recordName") }
        guard let zone = try existingZone(), let existing = try find(name, zone: zone),
            let type = transaction.schema[id: existing.row.type],
            operation.typeName == nil || operation.typeName == type.name, case let visibility = visibility(of: type),
            visibility.knows(existing.row.facts)
        else {
            if forgivesMissing {
                try requireSomeWriteRight(operation)
                appendDeletion(name.text, to: &answer)
                return .deleted(name: name.text)
            }
            throw try missing(operation)
        }
        try visibility.requireWriting(existing.row.facts)
        try check(operation.writeGuard, existing, type: type)
        if try isUserRecord(existing, type) { throw .userRecordStays }
        try transaction.ensureSavepoint()
        try bury(existing, zone: zone, position: position)
        appendDeletion(name.text, to: &answer)
        return .deleted(name: name.text)
    }

    /// Turns a record and those that go with it (DELETE_SELF) into tombstones.
    func bury(_ first: StoredRecord, zone: ZoneID, position: Int) throws(RecordError) {
        // Numbers, not records: ten thousand that wait would be as many megabytes.
        var waiting: [RecordNumber] = []
        var known: Set<RecordNumber> = [first.row.id]
        var next: StoredRecord? = first
        let records = transaction.records
        while let record = next {
            let name = try buryAlone(record, zone: zone)
            checks.append(.nobodyValidates(zone: zone, target: name, position: position))
            // One more than may be taken along: so many are either new, or known and counted.
            let limit = transaction.limits.cascadeRecords
            let sources = try records.sources(
                zone: zone, target: name, action: ReferenceAction.deleteSelf.rawValue, limit: limit + 1)
            for source in sources where known.insert(source).inserted {
                cascaded += 1
                guard cascaded <= limit else { throw .cascadeTooLarge(limit) }
                waiting.append(source)
            }
            next = nil
            while next == nil, let id = waiting.popLast() {
                let child = try records.find(id: id)
                if let child, !child.row.isDeleted, try !staysWithAccount(child) { next = child }
            }
        }
    }

    /// Whether a record that would go with another is a user record, which goes with its account alone.
    private func staysWithAccount(_ record: StoredRecord) throws(RecordError) -> Bool {
        guard let type = transaction.schema[id: record.row.type] else { return false }
        return try isUserRecord(record, type)
    }

    /// Turns one record into a tombstone, whatever refers to it.
    ///
    /// - Returns: Its name.
    func buryAlone(_ record: StoredRecord, zone: ZoneID) throws(RecordError) -> String {
        var row = record.row
        row.sequence = try transaction.nextSequence()
        row.revision = transaction.revision(after: row.revision)
        row.modifier = caller.writerID
        row.modified = transaction.now
        try clear(record, zone: zone, now: row.modified)
        let buried = row
        try transaction.records.bury(buried)
        return String(decoding: record.name, as: UTF8.self)
    }

    /// Takes away all that belongs to a record but its row: entries of indexes and audiences, edges, large values, links.
    ///
    /// - Parameter now: Since when nobody has its assets.
    func clear(_ record: StoredRecord, zone: ZoneID, now: Int64) throws(RecordError) {
        let row = record.row
        let records = transaction.records
        let fields = StoredFields(text: record.fields, layout: record.layout)
        let (references, hasExternals, hasAssets) = try fields.withView {
            view throws(RecordError) -> ([(fieldID: Int, reference: Reference)], Bool, Bool) in
            (view.hasReferences ? try view.references(includingNone: false) : [], view.hasExternals, view.hasAssets)
        }
        try noteUsage(of: row, from: fields, to: nil)
        if hasAssets {
            let bytes = try transaction.assets.linkedBytes(of: row.id)
            try noteUsage(of: row, assetBytes: -bytes)
        }
        if let type = transaction.schema[id: row.type],
            try prepareIndexes(type, zone: zone, old: (row, fields), new: nil)
        {
            try writeIndexes()
        }
        let recordOwner = owner(of: row)
        let claimsEnd = now + transaction.limits.unreferencedAssetSeconds * 1_000
        for (field, reference) in references {
            try records.removeEdge(
                zone: zone, target: reference.recordName.text, source: row.id, field: field)
        }
        if hasExternals { try records.removeLargeValues(record: row.id) }
        if hasAssets { try transaction.assets.unlinkAll(record: row.id, of: recordOwner, now: now, end: claimsEnd) }
        if row.access != nil { try setAudiences(from: row, to: nil, zone: zone) }
    }
}
