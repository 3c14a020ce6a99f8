import RecordModel
import RecordWire
import TestSupport
import Testing

/// Which indexes a write may change, against the keys of the record before and after it.
@Suite struct IndexedChangesTests {
    private static let states = [
        "{}", #"{"string":"a"}"#, #"{"string":"b"}"#, #"{"string":"a","int64":1}"#, #"{"int64":1}"#,
        #"{"string":"a","int64":1,"double":1}"#, #"{"int64":2,"double":1,"stringlist":["a","b"]}"#,
        #"{"stringlist":["a"]}"#, #"{"string":"a","stringlist":["a","b"],"int64list":[1,2,3,4,5,6,7,8]}"#,
        #"{"string":"a","stringlist":["a","b"],"int64list":[1,2,3,4,5,6,7,9]}"#,
    ]

    private static func index(_ columns: IndexDefinition.Source...) -> IndexDefinition {
        IndexDefinition(id: 1, kind: .ordered, columns: columns.map { .init($0) }, state: .ready)
    }

    @Test(arguments: states, states) func `an index with a column that changes may change, and no other`(
        old: String, new: String
    ) throws {
        let types: [FieldType] = [.string, .int64, .double, .stringList, .int64List]
        try Sample.withRecord(old) { old in
            try Sample.withRecord(new) { new in
                let changes = IndexedChanges(from: old, to: new)
                for type in types {
                    let id = Int(type.rawValue)
                    let differs =
                        type.isList
                        ? try old.members(of: id) != new.members(of: id)
                        : try old.value(of: .field(id)) != new.value(of: .field(id))
                    #expect(changes.mayChange(Self.index(.field(id))) == differs)
                    let second = Self.index(.system(.createdTimestamp), .field(id))
                    #expect(changes.mayChange(second) == differs)
                }
            }
        }
    }

    @Test func `the columns of a change always may change, and those of the creation only with it`() throws {
        try Sample.withRecord("{}") { old in
            var new = old
            #expect(!IndexedChanges(from: old, to: new).mayChange(Self.index(.system(.createdTimestamp))))
            #expect(IndexedChanges(from: old, to: new).mayChange(Self.index(.system(.modifiedTimestamp))))
            #expect(IndexedChanges(from: old, to: new).mayChange(Self.index(.system(.modifiedUserRecordName))))
            new.created += 1
            #expect(IndexedChanges(from: old, to: new).mayChange(Self.index(.system(.createdTimestamp))))
            new = old
            new.creator = 17
            #expect(IndexedChanges(from: old, to: new).mayChange(Self.index(.system(.createdUserRecordName))))
        }
    }

    @Test func `fields with great numbers change together`() throws {
        func record(_ value: Int, of field: Int) -> StoredFields {
            let entry = utf8(#""f":{"value":\#(value),"type":"INT64"}"#)
            return StoredFields(
                text: entry, layout: [1, 8, 1, UInt8(field), FieldType.int64.rawValue, UInt8(entry.count), 13, 8])
        }
        for (field, other, isFound) in [(62, 63, false), (63, 100, true), (64, 63, true), (100, 62, false)] {
            try record(1, of: field).withView { old throws(RecordError) in
                try record(2, of: field).withView { new throws(RecordError) in
                    func indexed(_ view: StoredFieldsView) -> IndexedRecord {
                        IndexedRecord(
                            fields: view, name: UnsafeRawBufferPointer(start: nil, count: 0), creator: 16, created: 0,
                            modifier: 16, modified: 0)
                    }
                    let changes = IndexedChanges(from: indexed(old), to: indexed(new))
                    #expect(changes.mayChange(Self.index(.field(field))))
                    #expect(changes.mayChange(Self.index(.field(other))) == isFound)
                }
            }
        }
    }
}
