package import RecordModel

/// What a write does to the fields of a record, resolved against the schema, with every value in its stored form.
package struct ResolvedFields: Sendable {
    /// One per field, ascending by field number. Empty while `newFields` is not.
    package var changes: [FieldChange]
    /// Fields that the schema does not have yet: extend it, then resolve again.
    package var newFields: [(name: FieldName, type: FieldType)]
    /// The entries that are set, in order and separated by commas: stored text as it is.
    package var text: [UInt8]
    /// The JSON texts of external values.
    package var externals: [UInt8]
    /// What operations need: heads and entries, canonical lists.
    package var operands: [UInt8]
    /// The ASSET values that are set, with the receipts that the stored form does not keep.
    package var assets: [(fieldID: Int, asset: Asset)]
    /// Notices for the answer if the write succeeds.
    package var notices: [WriteNotice]

    package init() {
        changes = []
        newFields = []
        text = []
        externals = []
        operands = []
        assets = []
        notices = []
    }

    package var hasOperations: Bool {
        changes.contains { if case .operation = $0.kind { true } else { false } }
    }
}

/// What happens to one field.
package struct FieldChange: Hashable, Sendable {
    package let fieldID: Int
    package let type: FieldType
    package let kind: Kind

    package enum Kind: Hashable, Sendable {
        /// The entry lies in `ResolvedFields.text`.
        case set(ResolvedValue)
        case remove
        /// The entry's head, `"name":{"value":`, lies in `ResolvedFields.operands`.
        case operation(FieldOperation, head: Range<Int>)
    }
}

/// An entry in its stored form.
package struct ResolvedValue: Hashable, Sendable {
    /// In `ResolvedFields.text`, or in `operands` for `setIfAbsent`.
    package let entry: Range<Int>
    /// From the start of the entry.
    package let valueOffset: Int
    package let decodedSize: Int
    /// In `ResolvedFields.externals`, if the value is external.
    package let external: Range<Int>?
}

/// An operation on one field, checked against the field's type.
package enum FieldOperation: Hashable, Sendable {
    case incrementInteger(Int64)
    case incrementDouble(Double)
    /// The range is that of a canonical list, brackets included, in `ResolvedFields.operands`.
    case append(Range<Int>)
    /// Members that are in the list already, by their canonical text, are left out.
    case appendUnique(Range<Int>)
    /// Every member whose canonical text is in the operand goes.
    case remove(Range<Int>)
    case setIfAbsent(ResolvedValue)
    case serverTime
}
