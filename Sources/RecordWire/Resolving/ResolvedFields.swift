package import RecordModel

/// The changes of a record's fields, resolved against the schema, with each value in its stored form.
package struct ResolvedFields: Sendable {
    /// The changes, one per field, in ascending order of field numbers. The array is empty if `newFields` is not.
    package var changes: [FieldChange]
    /// The fields that the schema lacks. After adding them to the schema, the caller must resolve the record again.
    package var newFields: [(name: FieldName, type: FieldType)]
    /// The entries of fields that are set, in order and separated by commas, as in the stored text.
    package var text: [UInt8]
    /// The JSON texts of external values.
    package var externals: [UInt8]
    /// The operands of field operations: entry heads, entries and canonical lists.
    package var operands: [UInt8]
    /// The ASSET values that are set, including the upload tokens, which the stored form does not contain.
    package var assets: [(fieldID: Int, asset: Asset)]
    /// The notices for the response if the write succeeds.
    package var notices: [WriteNotice]

    /// Creates an empty set of changes.
    package init() {
        changes = []
        newFields = []
        text = []
        externals = []
        operands = []
        assets = []
        notices = []
    }

    /// Whether any change is a field operation.
    package var hasOperations: Bool {
        changes.contains { if case .operation = $0.kind { true } else { false } }
    }
}

/// The change of one field.
package struct FieldChange: Hashable, Sendable {
    /// The number of the field.
    package let fieldID: Int
    /// The type of the field.
    package let type: FieldType
    /// The way in which the field changes.
    package let kind: Kind

    /// The way in which a field changes.
    package enum Kind: Hashable, Sendable {
        /// Sets the field to an entry in `ResolvedFields.text`.
        case set(ResolvedValue)
        case remove
        /// Applies a field operation. The head of the field's entry, `"name":{"value":`, is in
        /// `ResolvedFields.operands`.
        case operation(FieldOperation, head: Range<Int>)
    }
}

/// A value in its stored form.
package struct ResolvedValue: Hashable, Sendable {
    /// The range of the field's entry in `ResolvedFields.text`. For `setIfAbsent`, the range refers to `operands`.
    package let entry: Range<Int>
    /// The offset in bytes of the value from the start of the entry.
    package let valueOffset: Int
    /// The decoded size of the value.
    package let decodedSize: Int
    /// The range of an external value's JSON text in `ResolvedFields.externals`; `nil` if the value is not external.
    package let external: Range<Int>?
}

/// A field operation, checked against the field's type.
package enum FieldOperation: Hashable, Sendable {
    case incrementInteger(Int64)
    case incrementDouble(Double)
    /// Appends a list. The range locates the list's canonical text, including brackets, in `ResolvedFields.operands`.
    case append(Range<Int>)
    /// Appends the members of a list that the field does not contain. Members are compared as in predicates: references
    /// by record name, assets by checksum.
    case appendUnique(Range<Int>)
    /// Removes all members of the field that equal a member of the list. Members are compared as for `appendUnique`.
    case remove(Range<Int>)
    case setIfAbsent(ResolvedValue)
    case serverTime
    /// Sets the field to the value that another field of the record had before the write. `type` is the other field's
    /// type. If the record lacks the other field, nothing changes.
    case copy(from: Int, type: FieldType)
}
