import RecordModel

/// One merge of old entries and changes. The scan reads both in ascending order of field numbers.
struct FieldMergePass: ~Copyable {
    private let changes: ResolvedFields
    private let existing: StoredFieldsView?
    /// The unchanged fields that are kept; `nil` if all unchanged fields are kept.
    private let kept: [Int]?
    private let now: Int64
    private var text: [UInt8] = []
    private var layout: LayoutWriter
    private var puts: [(fieldID: Int, json: [UInt8])] = []
    private var removals: [Int] = []
    /// A range of adjacent old entries that are not copied yet.
    private var run: Range<Int>?

    init(changes: ResolvedFields, existing: StoredFieldsView?, kept: [Int]?, now: Int64) {
        self.changes = changes
        self.existing = existing
        self.kept = kept
        self.now = now
        layout = LayoutWriter(entries: changes.changes.count &+ (existing?.count ?? 0))
    }

    /// Handles a new record without operations: the resolved text becomes the stored text.
    mutating func takeText() {
        text = changes.text
        for change in changes.changes {
            guard case .set(let value) = change.kind else { continue }
            layout.append(
                fieldID: change.fieldID, type: change.type, length: value.entry.count, valueOffset: value.valueOffset,
                decodedSize: value.decodedSize, external: value.external?.count)
            if let external = value.external { puts.append((change.fieldID, Array(changes.externals[external]))) }
        }
    }

    /// Merges old entries and changes.
    ///
    /// - Throws: `BAD_REQUEST` if an operation fails, `INTERNAL_ERROR` if the stored fields are damaged, and any error
    ///   that `loadExternal` throws.
    mutating func scan(loadExternal: (Int) throws(RecordError) -> [UInt8]) throws(RecordError) {
        text.reserveCapacity((existing?.text.count ?? 0) &+ changes.text.count &+ changes.operands.count &+ 64)
        var old = existing?.entries.makeIterator()
        var entry = old?.next()
        for change in changes.changes {
            while let current = entry, current.fieldID < change.fieldID {
                pass(current)
                entry = old?.next()
            }
            var current: LayoutEntry?
            if let found = entry, found.fieldID == change.fieldID {
                current = found
                entry = old?.next()
            }
            try apply(change, to: current, loadExternal: loadExternal)
        }
        while let current = entry {
            pass(current)
            entry = old?.next()
        }
        flush()
    }

    /// Returns the merged fields.
    ///
    /// - Throws: `QUOTA_EXCEEDED` with the cause `TOO_LARGE` if the fields exceed the limit.
    consuming func finish(limit: Int) throws(RecordError) -> FieldMerge {
        if layout.decodedSize > limit { throw .recordTooLarge(layout.decodedSize, limit: limit) }
        // Limit the stored text as well, because it can be longer than its decoded size. For example, an empty string
        // in a list has the decoded size 0.
        let stored = text.count &+ layout.externalBytes
        guard stored / LayoutFormat.storedPerDecoded <= limit else { throw .recordTooLarge(stored, limit: limit) }
        return FieldMerge(
            stored: StoredFields(text: text, layout: layout.finish()), externalPuts: puts, externalRemovals: removals,
            hasReferences: layout.hasReferences)
    }

    /// Handles an old entry without a change.
    private mutating func pass(_ entry: LayoutEntry) {
        if kept?.contains(entry.fieldID) ?? true { keep(entry) } else { drop(entry) }
    }

    private mutating func keep(_ entry: LayoutEntry) {
        if let open = run, open.upperBound &+ 1 == entry.entry.lowerBound {
            run = open.lowerBound..<entry.entry.upperBound
        } else {
            flush()
            run = entry.entry
        }
        layout.append(entry)
    }

    private mutating func drop(_ entry: LayoutEntry?) {
        if let entry, entry.isExternal { removals.append(entry.fieldID) }
    }

    private mutating func flush() {
        guard let open = run, let existing else { return }
        run = nil
        separate()
        text.appendBytes(UnsafeRawBufferPointer(rebasing: existing.text[open]))
    }

    private mutating func separate() {
        if !text.isEmpty { text.append(UInt8(ascii: ",")) }
    }

    private mutating func apply(
        _ change: FieldChange, to old: LayoutEntry?, loadExternal: (Int) throws(RecordError) -> [UInt8]
    ) throws(RecordError) {
        switch change.kind {
        case .set(let value): put(change, value, from: changes.text, over: old)
        case .remove: drop(old)
        case .operation(let operation, let head):
            try apply(operation, change, head: head, to: old, loadExternal: loadExternal)
        }
    }

    private mutating func apply(
        _ operation: FieldOperation, _ change: FieldChange, head: Range<Int>, to old: LayoutEntry?,
        loadExternal: (Int) throws(RecordError) -> [UInt8]
    ) throws(RecordError) {
        if case .setIfAbsent(let value) = operation {
            if let old { keep(old) } else { put(change, value, from: changes.operands, over: nil) }
            return
        }
        if case .copy(let source, let type) = operation {
            guard let existing, let entry = existing.entry(source) else {
                if let old { keep(old) }
                return
            }
            let value = entry.isExternal ? try loadExternal(source) : Array(existing.valueText(of: entry))
            put(change, try OperationResult(copying: value, of: type, to: change.type), head: head, over: old)
            return
        }
        if old == nil, case .remove = operation { return }
        var value: [UInt8]?
        if let old, old.isExternal {
            value = try loadExternal(old.fieldID)
        } else if let old, let existing {
            value = Array(existing.valueText(of: old))
            if old.type != change.type {
                // The value was stored before the field was widened. Operations need a canonical value of the field's
                // type.
                var text: [UInt8] = []
                CanonicalValue.append(
                    try CanonicalValue.decode(existing.valueText(of: old), as: change.type), to: &text)
                value = text
            }
        }
        let result: OperationResult
        do throws(RecordError) {
            result = try OperationResult(
                of: operation, on: value, type: change.type, operands: changes.operands, now: now)
        } catch {
            let name = changes.operands[head].dropFirst().dropLast(LayoutFormat.afterName)
            var named = error
            named.details.insert(("field", .text(String(decoding: name, as: UTF8.self))), at: 0)
            throw named
        }
        put(change, result, head: head, over: old)
    }

    /// Writes an entry that the resolver prepared.
    private mutating func put(
        _ change: FieldChange, _ value: ResolvedValue, from source: [UInt8], over old: LayoutEntry?
    ) {
        flush()
        separate()
        text.append(contentsOf: source[value.entry])
        layout.append(
            fieldID: change.fieldID, type: change.type, length: value.entry.count, valueOffset: value.valueOffset,
            decodedSize: value.decodedSize, external: value.external?.count)
        if let external = value.external {
            puts.append((change.fieldID, Array(changes.externals[external])))
        } else {
            drop(old)
        }
    }

    /// Writes an entry with the result of an operation.
    private mutating func put(
        _ change: FieldChange, _ result: OperationResult, head: Range<Int>, over old: LayoutEntry?
    ) {
        flush()
        separate()
        let isExternal = change.type.element == .bytes && result.value.count > StoredFields.inlineBytes
        let start = text.count
        text.append(contentsOf: changes.operands[head])
        if !isExternal { text.append(contentsOf: result.value) }
        text.appendLiteral(change.type.entrySuffix)
        layout.append(
            fieldID: change.fieldID, type: change.type, length: text.count &- start, valueOffset: head.count,
            decodedSize: result.decodedSize, external: isExternal ? result.value.count : nil)
        if isExternal { puts.append((change.fieldID, result.value)) } else { drop(old) }
    }
}
