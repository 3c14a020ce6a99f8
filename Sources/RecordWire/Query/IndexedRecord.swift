package import Geography
package import RecordModel

/// The form of a record that predicates, sorts and indexes read: the stored fields and the columns of the record's row.
package struct IndexedRecord {
    /// The stored fields. Their memory is borrowed, like that of `name`.
    package var fields: StoredFieldsView
    /// The record's name in UTF-8.
    package var name: UnsafeRawBufferPointer
    /// The account that created the record.
    package var creator: UserID
    /// The time of creation, in milliseconds since 1970-01-01 UTC.
    package var created: Int64
    /// The account that last changed the record.
    package var modifier: UserID
    /// The time of the last change, in milliseconds since 1970-01-01 UTC.
    package var modified: Int64

    /// Creates a record from its stored fields and the columns of its row.
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

    /// Returns the value of a scalar column; `nil` if the record lacks it.
    ///
    /// - Parameter asDouble: Whether the field is a DOUBLE. An INT64 that was stored before the field was widened is
    ///   then returned as a DOUBLE.
    /// - Throws: `INTERNAL_ERROR` if the stored fields are damaged.
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

    /// Returns the length in bytes of the text that must be decoded to read a column.
    package func bytes(of source: IndexDefinition.Source) -> Int {
        switch source {
        case .field(let id): fields.entry(id)?.value.count ?? 0
        case .system(.recordName): name.count
        case .system: 0
        }
    }

    /// Returns the number of members of a list of any type; 0 if the record lacks it.
    ///
    /// - Throws: `INTERNAL_ERROR` if the stored fields are damaged.
    package func memberCount(of field: Int) throws(RecordError) -> Int {
        guard let entry = fields.entry(field), !entry.isExternal,
            case .list(_, let members) = try CanonicalValue.decode(fields.valueText(of: entry), as: entry.type)
        else { return 0 }
        return members.count
    }

    /// Returns the members of a list; empty if the record lacks it.
    ///
    /// - Parameter asDouble: Whether the field is a DOUBLE_LIST. Integers that were stored before the field was widened
    ///   are then returned as DOUBLE.
    /// - Throws: `INTERNAL_ERROR` if the stored fields are damaged.
    package func members(of field: Int, asDouble: Bool = false) throws(RecordError) -> [QueryValue] {
        guard let entry = fields.entry(field), !entry.isExternal,
            case .list(_, let members) = try CanonicalValue.decode(fields.valueText(of: entry), as: entry.type)
        else { return [] }
        let values = members.compactMap(QueryValue.init)
        return asDouble ? values.map(\.asDouble) : values
    }

    /// Returns the places of a LOCATION or LOCATION_LIST; empty if the record lacks it.
    ///
    /// - Throws: `INTERNAL_ERROR` if the stored fields are damaged.
    package func places(of field: Int) throws(RecordError) -> [Place] {
        guard let entry = fields.entry(field), !entry.isExternal else { return [] }
        return try CanonicalValue.decode(fields.valueText(of: entry), as: entry.type).places
    }

    /// Returns the value of a scalar field, or the distance of the nearest place; `nil` if the record lacks it.
    ///
    /// - Throws: `INTERNAL_ERROR` if the stored fields are damaged.
    package func value(of field: QueryField) throws(RecordError) -> QueryValue? {
        guard case .distance(let definition, let origin) = field else {
            return try value(of: field.anySource, asDouble: field.type == .double)
        }
        return QueryValue(distanceFrom: origin, to: try places(of: definition.id))
    }

    /// Returns whether the value of an INT64 field, or each member of an INT64_LIST field, equals a DOUBLE. The result
    /// is true if the record lacks the field.
    ///
    /// - Throws: `INTERNAL_ERROR` if the stored fields are damaged.
    package func equalsDouble(inField id: Int) throws(RecordError) -> Bool {
        guard let entry = fields.entry(id) else { return true }
        let values = entry.type.isList ? try members(of: id) : try [value(of: .field(id))].compactMap(\.self)
        return values.allSatisfy { value in
            guard case .integer(let integer) = value else { return true }
            let double = Double(integer)
            // 2^63 is not an Int64. Int64(exactly:) would need the C math library in debug builds.
            return double < 0x1p63 && Int64(double) == integer
        }
    }
}

extension QueryValue {
    /// The value with an integer converted to DOUBLE. The integer must equal a DOUBLE.
    var asDouble: QueryValue {
        if case .integer(let integer) = self { .double(Double(integer)) } else { self }
    }
}

extension QueryValue {
    /// Converts a field value to the form that predicates compare. The result is `nil` for types that predicates cannot
    /// compare.
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
    /// The source of the field's value in a record. An index need not be able to contain this field.
    package var anySource: IndexDefinition.Source {
        switch self {
        case .field(let field), .distance(let field, _): .field(field.id)
        case .system(let field): .system(field)
        case .rank: preconditionFailure("The rank is no value of a record")
        }
    }
}
