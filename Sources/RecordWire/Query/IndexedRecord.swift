package import RecordModel

/// What conditions, sorts and indexes see of a record: its stored fields and the columns of its row.
package struct IndexedRecord {
    /// Borrowed, like the name.
    package var fields: StoredFieldsView
    /// The record's name in UTF-8.
    package var name: UnsafeRawBufferPointer
    /// The number of the account that made it.
    package var creator: UserID
    /// Milliseconds since 1970.
    package var created: Int64
    /// The number of the account that changed it last.
    package var modifier: UserID
    /// Milliseconds since 1970.
    package var modified: Int64

    package init(
        fields: StoredFieldsView, name: UnsafeRawBufferPointer, creator: UserID, created: Int64, modifier: UserID,
        modified: Int64
    ) {
        self.fields = fields
        self.name = name
        self.creator = creator
        self.created = created
        self.modifier = modifier
        self.modified = modified
    }

    /// The value of a scalar column; `nil` if the record does not have it.
    ///
    /// - Parameter asDouble: Whether the field is a DOUBLE, so that an INT64 from before it was widened is read as one.
    package func value(
        of source: IndexDefinition.Source, asDouble: Bool = false
    ) throws(RecordError) -> QueryValue? {
        switch source {
        case .field(let id):
            guard let entry = fields.entry(id), !entry.isExternal else { return nil }
            let value = try QueryValue(CanonicalValue.decode(fields.valueText(of: entry), as: entry.type))
            return asDouble ? value?.asDouble : value
        case .system(.createdTimestamp): return .integer(created)
        case .system(.modifiedTimestamp): return .integer(modified)
        case .system(.createdUserRecordName): return .account(creator)
        case .system(.modifiedUserRecordName): return .account(modifier)
        case .system(.recordName): return .text([UInt8](name))
        case .system: return nil
        }
    }

    /// The length of what is decoded for a value: its text in the record.
    package func bytes(of source: IndexDefinition.Source) -> Int {
        switch source {
        case .field(let id): fields.entry(id)?.value.count ?? 0
        case .system(.recordName): name.count
        case .system: 0
        }
    }

    /// The members of a list; empty if the record does not have it.
    ///
    /// - Parameter asDouble: As for `value`.
    package func members(of field: Int, asDouble: Bool = false) throws(RecordError) -> [QueryValue] {
        guard let entry = fields.entry(field), !entry.isExternal,
            case .list(_, let members) = try CanonicalValue.decode(fields.valueText(of: entry), as: entry.type)
        else { return [] }
        let values = members.compactMap(QueryValue.init)
        return asDouble ? values.map(\.asDouble) : values
    }

    /// Whether the value of an INT64 field, or each of its list, equals a DOUBLE; so it does where there is none.
    package func equalsDouble(inField id: Int) throws(RecordError) -> Bool {
        guard let entry = fields.entry(id) else { return true }
        let values = entry.type.isList ? try members(of: id) : try [value(of: .field(id))].compactMap(\.self)
        return values.allSatisfy { value in
            guard case .integer(let integer) = value else { return true }
            let double = Double(integer)
            // 2^63 is no Int64. Int64(exactly:) would need the C library's mathematics in debug builds.
            return double < 0x1p63 && Int64(double) == integer
        }
    }
}

extension QueryValue {
    /// An integer as the DOUBLE that it equals.
    var asDouble: QueryValue {
        if case .integer(let integer) = self { .double(Double(integer)) } else { self }
    }
}

extension QueryValue {
    /// The form in which conditions compare a value; `nil` for types that they cannot compare.
    package init?(_ value: FieldValue) {
        switch value {
        case .string(let text): self = .text(Array(text.utf8))
        case .int64(let integer), .timestamp(let integer): self = .integer(integer)
        case .double(let double): self = .double(double == 0 ? 0 : double)
        case .reference(let reference): self = .text(Array(reference.recordName.text.utf8))
        case .bytes, .asset, .location, .list: return nil
        }
    }
}

extension QueryField {
    /// Where its value is found in a record, whether or not an index can hold it.
    package var anySource: IndexDefinition.Source {
        switch self {
        case .field(let field): .field(field.id)
        case .system(let field): .system(field)
        }
    }
}
