package import RecordModel

/// Converts the fields of a request to the stored form and checks them against the schema.
package enum FieldResolver {
    /// Resolves the fields of a record.
    ///
    /// - Parameters:
    ///   - type: The record's type; `nil` if the schema lacks it.
    ///   - allowsNewFields: Whether unknown fields are returned in `newFields` instead of rejected. Their types are
    ///     inferred from their values.
    ///   - limit: The maximum size of the record, in decoded bytes.
    ///   - complete: Replaces the client's metadata in an ASSET value by the metadata that the server has of the asset.
    /// - Throws: `BAD_REQUEST` with the cause `UNKNOWN_NAME`, `READ_ONLY_KEY`, `TYPE_MISMATCH` or, for a list,
    ///   `TOO_LARGE`; `QUOTA_EXCEEDED` if the values alone exceed the limit.
    package static func resolve(
        _ input: RecordInput, typeName: RecordTypeName, type: RecordTypeDefinition?, allowsNewFields: Bool,
        recordBytes limit: Int, completing complete: CanonicalValue.AssetCompletion? = nil
    ) throws(RecordError) -> ResolvedFields {
        try input.body.withUnsafeBufferPointer { buffer throws(RecordError) -> ResolvedFields in
            var resolution = Resolution(
                reader: JSONReader(UnsafeRawBufferPointer(buffer)), typeName: typeName,
                zone: input.zone ?? .defaultZone,
                unknownKeys: input.ignoresUnknownKeys ? .ignored : .rejected, complete: complete)
            guard let type else {
                try resolution.findNewFields(input.fields, allowsNewFields: allowsNewFields)
                return resolution.resolved
            }
            try resolution.findFields(input.fields, in: type, allowsNewFields: allowsNewFields)
            guard resolution.resolved.newFields.isEmpty else { return resolution.resolved }
            do throws(RecordError) {
                try resolution.writeValues(input.fields, of: type)
            } catch {
                throw error.showingWayOut(of: type)
            }
            if resolution.decodedSize > limit { throw .recordTooLarge(resolution.decodedSize, limit: limit) }
            return resolution.resolved
        }
    }
}

extension RecordError {
    /// A BAD_REQUEST error for a field that the type lacks.
    ///
    /// - Parameter offset: The position of the field's key in the body.
    package static func unknownField(_ name: FieldName, of type: RecordTypeName, offset: Int) -> RecordError {
        .badRequest(
            "Field \(name) not found in \(type)", cause: .unknownName,
            details: [("field", .text(name.text)), ("offset", .number(Int64(offset)))])
    }

    /// A QUOTA_EXCEEDED error for a record that exceeds the size limit. Sizes are in decoded bytes.
    static func recordTooLarge(_ size: Int, limit: Int) -> RecordError {
        RecordError(
            .quotaExceeded,
            "The record is larger than \(limit) bytes (limits.record_bytes). Put what is large into an ASSET",
            cause: .tooLarge,
            details: [("size", .number(Int64(size))), ("limit", .number(Int64(limit)))])
    }
}

/// The state of one call of `resolve`. All functions throw the errors of `resolve`.
private struct Resolution {
    let reader: JSONReader
    let typeName: RecordTypeName
    private let zone: ZoneName
    private let unknownKeys: CompositeReader.UnknownKeys
    private let complete: CanonicalValue.AssetCompletion?
    var resolved = ResolvedFields()
    var decodedSize = 0
    /// The known fields, in ascending order of field numbers.
    private var targets: [Target] = []

    /// The parts of a field's definition that resolving needs. Copying the whole definition would retain and release
    /// its sets of roles.
    struct Target {
        let id: Int
        let name: FieldName
        let type: FieldType
        /// The position of the field in the input.
        let index: Int
    }

    init(
        reader: JSONReader, typeName: RecordTypeName, zone: ZoneName, unknownKeys: CompositeReader.UnknownKeys,
        complete: CanonicalValue.AssetCompletion?
    ) {
        self.unknownKeys = unknownKeys
        self.reader = reader
        self.typeName = typeName
        self.zone = zone
        self.complete = complete
    }

    /// Resolves the fields of a type that does not exist yet.
    mutating func findNewFields(_ inputs: [FieldInput], allowsNewFields: Bool) throws(RecordError) {
        for input in inputs { try findNewField(input, allowsNewFields: allowsNewFields) }
    }

    mutating func findFields(
        _ inputs: [FieldInput], in type: RecordTypeDefinition, allowsNewFields: Bool
    ) throws(RecordError) {
        targets.reserveCapacity(inputs.count)
        var isSorted = true
        var last = 0
        // Clients often send the fields in the order of the type, so the search tries the next field first.
        var guess = 0
        for index in inputs.indices {
            guard let position = type.position(of: inputs[index].name, guess: guess) else {
                let input = inputs[index]
                if let field = type.field(formerly: input.name) {
                    throw .renamedField(input.name, to: field.name, of: typeName, offset: input.offset)
                }
                if allowsNewFields, case .operation(.copy, let operand) = input.form, let name = FieldName(input.name) {
                    resolved.newFields.append((name, try source(operand, of: type).type))
                    continue
                }
                try findNewField(input, allowsNewFields: allowsNewFields)
                continue
            }
            guess = position &+ 1
            let id = type.fields[position].id
            isSorted = isSorted && id > last
            last = id
            targets.append(
                Target(id: id, name: type.fields[position].name, type: type.fields[position].type, index: index))
        }
        if !isSorted { targets.sort { $0.id < $1.id } }
    }

    private mutating func findNewField(_ input: FieldInput, allowsNewFields: Bool) throws(RecordError) {
        let details: [(key: String, value: RecordError.Detail)] = [
            ("field", .text(input.name)), ("offset", .number(Int64(input.offset))),
        ]
        guard let name = FieldName(input.name) else {
            if SystemField(input.name) != nil {
                throw .badRequest(
                    "Field '\(input.name)' belongs to the system and cannot be written", cause: .readOnlyKey,
                    details: details)
            }
            throw .badRequest(
                "A field's name \(Identifier.rule). Titles for people belong into the app",
                cause: .unknownName, details: details)
        }
        if input.isRemoval { return }
        guard allowsNewFields, typeName != .share else { throw .unknownField(name, of: typeName, offset: input.offset) }
        guard let type = try TypeInference.type(of: input, reader: reader) else { return }
        resolved.newFields.append((name, type))
        // The inferred type must not depend on the content of the first string. So a string that looks like a time
        // becomes STRING, and a notice reports that the client probably meant a time.
        if type == .string, input.tag == nil, case .value(let token) = input.form, token.kind == .string,
            Timestamp.isTime(UnsafeRawBufferPointer(rebasing: reader.bytes[token.content]))
        {
            resolved.notices.append(WriteNotice(.storedAsString, field: name, of: typeName))
        }
    }

    /// Returns the field that `copy` names.
    private func source(_ operand: JSONToken, of type: RecordTypeDefinition) throws(RecordError) -> FieldDefinition {
        let text = reader.string(operand)
        if let field = type[text] { return field }
        if let field = type.field(formerly: text) {
            throw .renamedField(text, to: field.name, of: typeName, offset: operand.start)
        }
        throw .badRequest(
            "Field \(text.prefix(Limits.identifierBytes)) not found in \(typeName)", cause: .unknownName,
            details: [
                ("field", .text(String(text.prefix(Limits.identifierBytes)))),
                ("offset", .number(Int64(operand.start))),
            ])
    }

    mutating func writeValues(_ inputs: [FieldInput], of type: RecordTypeDefinition) throws(RecordError) {
        resolved.changes.reserveCapacity(targets.count)
        // The length of the body would be a bad estimate, because all records of a batch share the body.
        resolved.text.reserveCapacity(targets.reduce(targets.count &* 64) { $0 &+ inputs[$1.index].valueBytes })
        for target in targets {
            let kind = try change(target, inputs[target.index], of: type)
            resolved.changes.append(FieldChange(fieldID: target.id, type: target.type, kind: kind))
        }
    }

    private mutating func change(
        _ field: Target, _ input: FieldInput, of type: RecordTypeDefinition
    ) throws(RecordError) -> FieldChange.Kind {
        if field.type.element == .reference { try requireZone(of: field, input) }
        switch input.form {
        case .remove: return .remove
        case .value(let token):
            try checkTag(input, field)
            if !resolved.text.isEmpty { resolved.text.append(UInt8(ascii: ",")) }
            let value = try entry(field, token)
            decodedSize &+= value.decodedSize
            switch field.type.element {
            case .double, .timestamp: noteDoubts(about: token, field)
            default: break
            }
            return .set(value)
        case .operation(let kind, let operand):
            try checkTag(input, field)
            let head = resolved.operands.count
            CanonicalValue.appendEntryHead(field.name.text, to: &resolved.operands)
            let end = resolved.operands.count
            if kind == .copy { return .operation(try copy(operand, into: field, of: type), head: head..<end) }
            return .operation(try operation(kind, operand, field), head: head..<end)
        }
    }

    /// Adds a notice for a number that is stored otherwise than it was sent, or probably meant otherwise.
    private mutating func noteDoubts(about token: JSONToken, _ field: Target) {
        if field.type.element == .double, CanonicalValue.isRounded(token, of: reader) {
            resolved.notices.append(WriteNotice(.numberRounded, field: field.name, of: typeName))
        }
        if field.type.element == .timestamp, CanonicalValue.isProbablySeconds(token, of: reader) {
            resolved.notices.append(WriteNotice(.timeInSeconds, field: field.name, of: typeName))
        }
    }

    /// Checks that references stay within the zone of the record.
    private func requireZone(of field: Target, _ input: FieldInput) throws(RecordError) {
        let token: JSONToken
        switch input.form {
        case .remove: return
        case .value(let value): token = value
        case .operation(_, let operand): token = operand
        }
        // A copied reference is in the zone already.
        if case .operation(.copy, _) = input.form { return }
        do throws(ValueMismatch) {
            guard token.kind == .array else { return try CompositeReader.requireZone(zone, of: token, in: reader) }
            try CanonicalValue.forEachMember(token, of: reader) { member throws(ValueMismatch) in
                try CompositeReader.requireZone(zone, of: member, in: reader)
            }
        } catch {
            throw error.error(field: field.name.text, expected: field.type)
        }
    }

    private func checkTag(_ input: FieldInput, _ field: Target) throws(RecordError) {
        let found: String
        switch input.tag {
        case nil: return
        case .type(let type):
            // Accept an INT64 tag for a DOUBLE field, because records from before the field was widened have this tag.
            if type.stands(in: field.type) { return }
            found = type.schemaName
        case .anyList:
            if field.type.isList { return }
            found = "LIST"
        }
        throw .badRequest(
            "invalid attempt to set value type \(found) for field '\(field.name)' for type '\(typeName)', "
                + "defined to be: \(field.type.schemaName)",
            cause: .typeMismatch,
            details: [
                ("field", .text(field.name.text)), ("expected", .text(field.type.schemaName)), ("found", .text(found)),
                ("offset", .number(Int64(input.offset))),
            ])
    }

    /// Appends an entry to `text`. The JSON text of a long BYTES value is appended to `externals` instead.
    private mutating func entry(
        _ field: Target, _ token: JSONToken
    ) throws(RecordError) -> ResolvedValue {
        let start = resolved.text.count
        CanonicalValue.appendEntryHead(field.name.text, to: &resolved.text)
        let valueStart = resolved.text.count
        let size: Int
        do throws(ValueMismatch) {
            size = try CanonicalValue.append(
                token, of: reader, as: field.type, to: &resolved.text, unknownKeys: unknownKeys, completing: complete)
        } catch {
            throw error.error(field: field.name.text, expected: field.type)
        }
        var external: Range<Int>?
        if field.type.element == .bytes, resolved.text.count &- valueStart > StoredFields.inlineBytes {
            let first = resolved.externals.count
            resolved.externals.append(contentsOf: resolved.text[valueStart...])
            external = first..<resolved.externals.count
            resolved.text.removeLast(resolved.text.count &- valueStart)
        }
        resolved.text.appendLiteral(field.type.entrySuffix)
        if field.type.element == .asset { try collectAssets(field, token) }
        return ResolvedValue(
            entry: start..<resolved.text.count, valueOffset: valueStart &- start, decodedSize: size, external: external)
    }

    private mutating func collectAssets(_ field: Target, _ token: JSONToken) throws(RecordError) {
        do throws(ValueMismatch) {
            let assets: [FieldValue] =
                switch try CanonicalValue.decode(token, of: reader, as: field.type, unknownKeys: unknownKeys) {
                case .list(_, let members): members
                case let single: [single]
                }
            for case .asset(let asset) in assets { resolved.assets.append((field.id, asset)) }
        } catch {
            throw error.error(field: field.name.text, expected: field.type)
        }
    }

    /// Numbers can also be copied into a STRING, which then has their JSON text.
    private func copy(
        _ operand: JSONToken, into field: Target, of type: RecordTypeDefinition
    ) throws(RecordError) -> FieldOperation {
        let source = try source(operand, of: type)
        let isText = field.type == .string && (source.type == .int64 || source.type == .double)
        guard source.type.stands(in: field.type) || isText else {
            throw .badRequest(
                "Field '\(source.name)' is \(source.type.schemaName) and cannot be copied into '\(field.name)', which is \(field.type.schemaName)",
                cause: .typeMismatch,
                details: [
                    ("field", .text(field.name.text)), ("expected", .text(field.type.schemaName)),
                    ("found", .text(source.type.schemaName)), ("offset", .number(Int64(operand.start))),
                ])
        }
        return .copy(from: source.id, type: source.type)
    }

    private mutating func operation(
        _ kind: FieldOperationKind, _ operand: JSONToken, _ field: Target
    ) throws(RecordError) -> FieldOperation {
        do throws(ValueMismatch) {
            switch kind {
            case .increment where field.type == .int64:
                return .incrementInteger(try CanonicalValue.integer(operand, of: reader))
            case .increment where field.type == .double:
                return .incrementDouble(try CanonicalValue.double(operand, of: reader))
            case .serverTime where field.type == .timestamp: return .serverTime
            case .setIfAbsent, .copy: break
            case .append where field.type.isList: return .append(try listOperand(operand, field, isAdded: true))
            case .appendUnique where field.type.isList:
                return .appendUnique(try listOperand(operand, field, isAdded: true))
            case .remove where field.type.isList: return .remove(try listOperand(operand, field, isAdded: false))
            case .increment, .serverTime, .append, .appendUnique, .remove:
                throw ValueMismatch.operation(kind, at: operand.start)
            }
        } catch {
            throw error.error(field: field.name.text, expected: field.type)
        }
        // Write the entry of setIfAbsent into the operands, because the merge may discard the entry.
        swap(&resolved.text, &resolved.operands)
        defer { swap(&resolved.text, &resolved.operands) }
        return .setIfAbsent(try entry(field, operand))
    }

    private mutating func listOperand(
        _ operand: JSONToken, _ field: Target, isAdded: Bool
    ) throws(ValueMismatch) -> Range<Int> {
        let start = resolved.operands.count
        _ = try CanonicalValue.append(
            operand, of: reader, as: field.type, to: &resolved.operands, completing: isAdded ? complete : nil)
        if isAdded, field.type.element == .asset {
            try CanonicalValue.forEachMember(operand, of: reader) { member throws(ValueMismatch) in
                resolved.assets.append((field.id, try CompositeReader.asset(member, of: reader)))
            }
        }
        return start..<resolved.operands.count
    }
}

extension RecordError {
    /// Returns the error for a value of another type, extended by the request that would change the field's type. If no
    /// such request exists, the error is unchanged.
    fileprivate func showingWayOut(of type: RecordTypeDefinition) -> RecordError {
        guard cause == .typeMismatch, case .text(let name)? = details.first(where: { $0.key == "field" })?.value,
            case .text(let found)? = details.first(where: { $0.key == "found" })?.value, let field = type[name]
        else { return self }
        let request = { (type: RecordTypeDefinition, wanted: String) in
            "PATCH /schema/types/\(type.name)/fields/\(name) and {\"type\":\"\(wanted)\"}"
        }
        var error = self
        let tag = FieldType(tag: found)
        if let wide = field.type.widened, tag == wide || found.hasPrefix("number that is no 64-bit") {
            error.reason +=
                type.check(ofField: field.id).map { !$0.isFailed } ?? false
                ? ". The field is becoming a \(wide.schemaName): send the value again when GET /schema/types/\(type.name) shows it as one"
                : ". An administrator makes the field a \(wide.schemaName) with \(request(type, wide.schemaName))"
        } else if let tag, !reason.hasPrefix("Field") {
            error.reason +=
                ". A field keeps its type while there are records. Send \(field.type.schemaName), take another field, or delete the records of the type; then an administrator changes it with \(request(type, tag.schemaName))"
        }
        return error
    }
}

extension RecordTypeDefinition {
    /// Returns the position of a field in `fields`. Tries `guess` first, then looks up the name.
    fileprivate func position(of name: String, guess: Int) -> Int? {
        if guess < fields.count, fields[guess].name.text == name { return guess }
        guard let id = self[name]?.id else { return nil }
        // Numbers usually ascend without gaps, so the position is seldom far below the number.
        return fields.prefix(id).lastIndex { $0.id == id } ?? fields.firstIndex { $0.id == id }
    }
}
