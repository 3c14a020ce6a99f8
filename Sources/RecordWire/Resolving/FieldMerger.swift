package import RecordModel

/// The fields of a record after a write, with the resulting changes of external values.
package struct FieldMerge: Sendable {
    /// The stored form of the fields after the write.
    package var stored: StoredFields
    /// The external values to write: their JSON texts by field number.
    package var externalPuts: [(fieldID: Int, json: [UInt8])]
    /// The fields whose external values are to be deleted. None of them is in `externalPuts`.
    package var externalRemovals: [Int]
    /// Whether the record has a REFERENCE or REFERENCE_LIST field.
    package var hasReferences: Bool
}

/// Applies resolved changes to stored fields, inside the write transaction.
package enum FieldMerger {
    /// Merges changes into stored fields.
    ///
    /// - Parameters:
    ///   - existing: The present fields; `nil` for a new record.
    ///   - replacingAll: Whether fields without a change are dropped. Even then, operations use the present values.
    ///   - kept: The fields that are kept even if `replacingAll` is true.
    ///   - now: The value of `serverTime`, in milliseconds since 1970-01-01 UTC.
    ///   - limit: The maximum size of the record, in decoded bytes.
    ///   - loadExternal: Returns the JSON text of an external value. The merge calls it only for operations on such a
    ///     field.
    /// - Throws: `BAD_REQUEST` if an increment overflows or a list becomes too long, `QUOTA_EXCEEDED` if the record
    ///   exceeds the limit, `INTERNAL_ERROR` if the stored fields are damaged, and any error that `loadExternal`
    ///   throws.
    package static func merge(
        _ changes: ResolvedFields, into existing: StoredFieldsView?, replacingAll: Bool, keeping kept: [Int] = [],
        now: Int64, recordBytes limit: Int, loadExternal: (_ fieldID: Int) throws(RecordError) -> [UInt8]
    ) throws(RecordError) -> FieldMerge {
        var merge = FieldMergePass(changes: changes, existing: existing, kept: replacingAll ? kept : nil, now: now)
        if (existing?.count ?? 0) == 0, !changes.hasOperations {
            merge.takeText()
        } else {
            try merge.scan(loadExternal: loadExternal)
        }
        return try merge.finish(limit: limit)
    }
}
