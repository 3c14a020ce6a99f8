internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Executes write plans in the tables of a transaction.
///
/// All checks run before, except for the quota of assets. Plans with assets have a savepoint, since they may fail.
struct PlanWriter {
    let context: WriteContext

    private var transaction: WriteTransaction { context.transaction }

    /// Writes the row, index entries, audiences, large values, references and assets of a plan.
    ///
    /// - Parameter references: The reference changes of the plan.
    /// - Throws: QUOTA_EXCEEDED for assets.
    func write(_ plan: WritePlan, _ references: ReferenceChange) throws(RecordError) {
        try writeRow(plan)
        transaction.noteChange(in: context.address, plan.zone, of: plan.type.id)
        if plan.hasEntries { try transaction.indexes.write() }
        if plan.changesAccess { try setAudiences(plan) }
        for field in plan.removedLargeValues {
            try transaction.records.removeLargeValue(record: plan.record, field: field)
        }
        for (field, json) in plan.largeValues {
            try transaction.records.putLargeValue(record: plan.record, field: field, json: json)
        }
        for edge in references.removed {
            try transaction.records.removeEdge(
                zone: plan.zone, target: edge.target.text, source: plan.record, field: edge.field)
        }
        for (edge, action) in references.added {
            try transaction.records.addEdge(
                zone: plan.zone, target: edge.target.text, source: plan.record, field: edge.field,
                action: action.rawValue)
        }
        if plan.hasAssets { try AssetLinks(context: context).write(plan) }
    }

    private func writeRow(_ plan: WritePlan) throws(RecordError) {
        let records = transaction.records
        guard let after = plan.after else {
            guard let before = plan.before else { return }
            if StoredFieldsView.hasExternals(before.fields.layout) {
                try records.removeLargeValues(record: before.row.id)
            }
            if let tombstone = plan.tombstone {
                try records.writeTombstone(tombstone)
            } else {
                try transaction.store.removals.removeRecord(before.row.id)
            }
            return
        }
        guard plan.before == nil else {
            try records.update(after.row, layout: after.fields.layout, fields: after.fields.text)
            if plan.changesAccess { try records.setAccess(after.row) }
            return
        }
        if plan.isNamed, after.row.access == nil {
            try records.removeTombstone(
                zone: plan.zone, name: plan.name, type: plan.type.id, creator: after.row.creator)
        }
        try records.insert(
            after.row, zone: plan.zone, name: plan.name, layout: after.fields.layout, fields: after.fields.text)
        if plan.isPreserved { try records.setReceived(transaction.now, record: after.row.id) }
    }

    /// Adds a record to the audiences that may read it after the write, and removes it from all other audiences.
    private func setAudiences(_ plan: WritePlan) throws(RecordError) {
        let before = try audiences(of: plan.before, plan.zone)
        let after = try audiences(of: plan.after, plan.zone)
        if let old = plan.before?.row {
            for audience in before where !after.contains(audience) {
                try transaction.audiences.remove(old, from: audience)
            }
        }
        if let new = plan.after?.row {
            for audience in after where !before.contains(audience) { try transaction.audiences.add(new, to: audience) }
        }
    }

    private func audiences(of state: WritePlan.State?, _ zone: ZoneID) throws(RecordError) -> [AudienceID] {
        guard let state else { return [] }
        return try transaction.indexes.homes(of: state.row, zone: zone).audiences
    }
}
