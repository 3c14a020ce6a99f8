package import RecordModel

/// The fields of a record after a write, and what the side table must be told.
package struct FieldMerge: Sendable {
    package var stored: StoredFields
    /// External values to put: the JSON text under (record, field number).
    package var externalPuts: [(fieldID: Int, json: [UInt8])]
    /// External values to remove. A field that is in `externalPuts` is not in here.
    package var externalRemovals: [Int]
    /// Whether some field is REFERENCE or REFERENCE_LIST.
    package var hasReferences: Bool
}

/// Applies resolved changes to stored fields, inside the write transaction.
package enum FieldMerger {
    /// Merges changes into what is stored.
    ///
    /// - Parameters:
    ///   - existing: The record's fields so far; `nil` for a new record.
    ///   - replacingAll: Whether fields without a change are dropped. Operations see the old values all the same.
    ///   - kept: Fields that are not dropped all the same.
    ///   - now: For `serverTime`, in milliseconds since 1970.
    ///   - limit: The largest record, in decoded bytes.
    ///   - loadExternal: Gives the JSON text of an external value; called only for operations on such a field.
    /// - Throws: `RecordError`: `BAD_REQUEST` for an operation that overflows, `QUOTA_EXCEEDED` beyond the limit; or what
    ///   `loadExternal` throws.
    package static func merge(
        _ changes: ResolvedFields, into existing: StoredFieldsView?, replacingAll: Bool, keeping kept: [Int] = [],
        now: Int64, recordBytes limit: Int, loadExternal: (_ fieldID: Int) throws(RecordError) -> [UInt8]
    ) throws(RecordError) -> FieldMerge {
        var merge = FieldMergeWalk(changes: changes, existing: existing, kept: replacingAll ? kept : nil, now: now)
        if (existing?.count ?? 0) == 0, !changes.hasOperations {
            merge.takeText()
        } else {
            try merge.walk(loadExternal: loadExternal)
        }
        return try merge.finish(limit: limit)
    }
}
