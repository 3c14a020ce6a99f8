import RecordModel
import RecordWire
import TestSupport
import Testing

func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

/// A type `Post` with one field per field type: `string1`, `int64List18`, … numbered by raw value.
enum Sample {
    static func fieldName(_ type: FieldType) -> String {
        type.schemaName.lowercased().replacing("_", with: "")
    }

    static func type() throws -> RecordTypeDefinition {
        guard let name = RecordTypeName("Post") else { throw RecordError.recordNotFound }
        var fields: [FieldDefinition] = []
        for type in FieldType.allCases {
            guard let field = FieldName(fieldName(type)) else { throw RecordError.recordNotFound }
            fields.append(FieldDefinition(id: Int(type.rawValue), name: field, type: type))
        }
        return RecordTypeDefinition(id: 1, name: name, grants: .standard, fields: fields)
    }

    /// Reads and resolves `{"fields":…}`.
    static func resolve(_ fields: String, limit: Int = 1 << 20) throws -> ResolvedFields {
        let type = try type()
        let input = try RecordInput.readSingle(utf8("{\"fields\":\(fields)}"))
        return try FieldResolver.resolve(
            input, typeName: type.name, type: type, allowsNewFields: false, recordBytes: limit)
    }

    /// The stored form of a new record.
    static func store(_ fields: String) throws -> FieldMerge {
        try merge(fields, into: nil)
    }

    /// Calls `body` with a new record as indexes and conditions see it.
    static func withRecord<Value>(_ fields: String, _ body: (IndexedRecord) throws -> Value) throws -> Value {
        let stored = try store(fields).stored
        return try stored.text.withUnsafeBytes { text in
            try stored.layout.withUnsafeBytes { layout in
                try body(
                    IndexedRecord(
                        fields: try StoredFieldsView(text: text, layout: layout),
                        name: UnsafeRawBufferPointer(start: nil, count: 0), creator: 16, created: 1_000, modifier: 0,
                        modified: -5))
            }
        }
    }

    static func merge(
        _ fields: String, into old: StoredFields?, replacingAll: Bool = false, limit: Int = 1 << 20,
        externals: [Int: [UInt8]] = [:]
    ) throws -> FieldMerge {
        try merge(try resolve(fields), into: old, replacingAll: replacingAll, limit: limit, externals: externals)
    }

    static func merge(
        _ changes: ResolvedFields, into old: StoredFields?, replacingAll: Bool = false, limit: Int = 1 << 20,
        externals: [Int: [UInt8]] = [:]
    ) throws -> FieldMerge {
        let load = { (fieldID: Int) throws(RecordError) -> [UInt8] in
            guard let json = externals[fieldID] else { throw .recordNotFound }
            return json
        }
        guard let old else {
            return try FieldMerger.merge(
                changes, into: nil, replacingAll: replacingAll, now: now, recordBytes: limit, loadExternal: load)
        }
        return try old.text.withUnsafeBytes { text in
            try old.layout.withUnsafeBytes { layout in
                try FieldMerger.merge(
                    changes, into: try StoredFieldsView(text: text, layout: layout), replacingAll: replacingAll,
                    now: now, recordBytes: limit, loadExternal: load)
            }
        }
    }

    static let now: Int64 = 1_772_366_400_123

    /// The response for a record with these fields.
    static func compose(
        _ stored: StoredFields, selection: FieldSelection = .all, externals: [Int: [UInt8]] = [:],
        name: String = "tree-1", downloadURL: ((Int, Asset) -> String?)? = nil
    ) throws -> [UInt8] {
        var response: [UInt8] = []
        let typeName = try type().name
        try stored.withView { view throws(RecordError) in
            let name = utf8(name)
            try name.withUnsafeBufferPointer { bytes throws(RecordError) in
                let header = RecordHeader(
                    name: UnsafeRawBufferPointer(bytes), typeName: typeName, revision: 37, created: 1_000,
                    creator: "_0f6d", modified: 2_000, modifier: "_0f6e")
                try RecordComposer.append(
                    header, fields: view, selection: selection,
                    external: { fieldID, text throws(RecordError) in
                        guard let json = externals[fieldID] else { throw .recordNotFound }
                        text += json
                    }, downloadURL: downloadURL, to: &response)
            }
        }
        return response
    }

    /// The response for a record with a plain layout, appended to text that stays unchanged.
    static func compose(
        plain text: [UInt8], layout: [UInt8], selection: FieldSelection = .all, access: [UInt8]? = nil,
        creator: String = "_0f6d"
    ) throws -> [UInt8] {
        let typeName = try type().name
        let before = utf8("[")
        var response = before
        let name = utf8("tree-1")
        do {
            try name.withUnsafeBytes { name in
                try text.withUnsafeBytes { text in
                    try layout.withUnsafeBytes { layout in
                        let header = RecordHeader(
                            name: name, typeName: typeName, revision: 37, created: 1_000, creator: creator,
                            modified: 2_000, modifier: "_0f6e", access: access)
                        try RecordComposer.append(
                            header, plainFields: text, layout: layout, selection: selection, to: &response)
                    }
                }
            }
        } catch {
            #expect(response == before)
            throw error
        }
        return Array(response.dropFirst())
    }

    /// The value of one field after all steps: input, stored form, response, decoding.
    static func roundTrip(_ field: FieldType, _ value: String) throws -> FieldValue? {
        let merge = try store("{\"\(fieldName(field))\":\(value)}")
        try merge.stored.withView { view throws(RecordError) in try view.check() }
        let externals = Dictionary(uniqueKeysWithValues: merge.externalPuts.map { ($0.fieldID, $0.json) })
        return try RecordDictionary.decode(try compose(merge.stored, externals: externals)).fields[fieldName(field)]
    }

    /// The error with which a value is rejected.
    static func rejection(_ fields: String) throws -> RecordError? {
        do {
            _ = try store(fields)
            return nil
        } catch let error as RecordError {
            return error
        }
    }
}

extension RecordError {
    func detail(_ key: String) -> Detail? { details.first { $0.key == key }?.value }
}
