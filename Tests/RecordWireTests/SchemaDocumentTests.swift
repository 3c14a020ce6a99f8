import RecordModel
import RecordWire
import TestSupport
import Testing

struct SchemaDocumentTests {
    static let document =
        #"{"types":{"Post":{"fields":{"title":{"type":"STRING"},"photos":{"type":"ASSET_LIST"}},"#
        + #""grants":{"_creator":["WRITE"],"_world":["READ"]}},"Tag":{"fields":{}}}}"#

    @Test func `a schema document reads and writes back`() throws {
        let schema = try SchemaDocument.read(utf8(Self.document))
        #expect(schema.types.map(\.name.text) == ["Post", "Tag"])
        #expect(schema.types[0].fields.map(\.type) == [.string, .assetList])
        #expect(schema.types[0].grants?[.world] == .read)
        #expect(schema.types[1].grants == nil)
        var written: [UInt8] = []
        schema.write(to: &written)
        #expect(text(written) == Self.document)
    }

    @Test func `a schema's types are written by name`() throws {
        let document = SchemaDocument(Schema(types: [try Sample.type()]))
        #expect(document.types.first?.fields.count == 16)
        #expect(try SchemaDocument.read(document.json.bytes) == document)
    }

    @Test func `indexes read and write back`() throws {
        let json =
            #"{"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"]},"#
            + #""n":{"type":"INT64"},"tags":{"type":"STRING_LIST","indexes":[]}},"#
            + #""indexes":[{"fields":["n","-createdTimestamp"]},{"fields":["title"],"unique":true}]}}}"#
        let document = try SchemaDocument.read(utf8(json))
        let type = try #require(document.types.first)
        #expect(type.fields.map(\.options) == [[.queryable, .sortable], nil, []])
        #expect(type.indexes?.map(\.isUnique) == [false, true])
        #expect(type.indexes?.first?.columns == [.init("n"), .init("createdTimestamp", isAscending: false)])
        #expect(text(document.json.bytes) == json)
        // An absent list is not an empty one.
        let silent = try SchemaDocument.read(utf8(#"{"types":{"Post":{"fields":{}}}}"#))
        #expect(silent.types.first?.indexes == nil)
    }

    @Test func `the state of an index is printed, and not read`() throws {
        var type = try Sample.type()
        let field = try #require(type["string"])
        var marked = field
        marked.options = .queryable
        type.add(marked)
        type.indexes = [
            IndexDefinition(
                id: 3, kind: .ordered, columns: [.init(.field(field.id))], isDeclared: false,
                state: .building(position: 1)),
            IndexDefinition(
                id: 4, kind: .ordered, columns: [.init(.system(.modifiedUserRecordName), isAscending: false)],
                isUnique: true, state: .failed("No")),
        ]
        let written = text(SchemaDocument.TypeEntry(type, built: [3: 7]).json.bytes)
        #expect(
            written.contains(#""string":{"type":"STRING","indexes":["QUERYABLE"],"state":"building","built":7}"#))
        #expect(
            written.contains(
                #""indexes":[{"fields":["-modifiedUserRecordName"],"unique":true,"state":"failed","reason":"No"}]"#))
        let read = try SchemaDocument.read(utf8(#"{"types":{"Post":\#(written)}}"#))
        #expect(read.types.first?.fields.contains { $0.progress != nil } == false)
        #expect(read.types.first?.indexes?.first?.progress == nil)
    }

    @Test func `a field may be named by any spelling of a system field`() throws {
        let json = #"{"types":{"A":{"indexes":[{"fields":["-creationDate","___createdBy"]}]}}}"#
        let columns = try SchemaDocument.read(utf8(json)).types.first?.indexes?.first?.columns
        #expect(columns?.map(\.name) == ["createdTimestamp", "createdUserRecordName"])
    }

    @Test(arguments: [
        (#""fields":{"a":{"type":"STRING","indexes":"QUERYABLE"}}"#, "fields.a.indexes"),
        (#""fields":{"a":{"type":"STRING","indexes":["QUICK"]}}"#, "fields.a.indexes"),
        (#""fields":{"a":{"type":"STRING","indexes":["FINDABLE"]}}"#, "fields.a.indexes"),
        (#""fields":{"a":{"type":"BYTES","indexes":["QUERYABLE"]}}"#, "fields.a.indexes"),
        (#""fields":{"a":{"type":"LOCATION_LIST","indexes":["SORTABLE"]}}"#, "fields.a.indexes"),
        (#""fields":{"a":{"type":"ASSET","indexes":["SORTABLE"]}}"#, "fields.a.indexes"),
        (#""fields":{"a":{"type":"STRING_LIST","indexes":["SORTABLE"]}}"#, "fields.a.indexes"),
        (#""indexes":{}"#, "indexes"),
        (#""indexes":[{}]"#, "indexes[0]"),
        (#""indexes":[{"fields":[],"x":1}]"#, "indexes[0].x"),
        (#""indexes":[{"fields":[]}]"#, "indexes[0].fields"),
        (#""indexes":[{"fields":["b"]}]"#, "indexes[0].fields[0]"),
        (#""indexes":[{"fields":["recordName"]}]"#, "indexes[0].fields[0]"),
        (#""indexes":[{"fields":["createdTimestamp"],"unique":1}]"#, "indexes[0].unique"),
        (#""fields":{"a":{"type":"BYTES"}},"indexes":[{"fields":["a"]}]"#, "indexes[0].fields"),
        (#""fields":{"a":{"type":"INT64"}},"indexes":[{"fields":["a","-a"]}]"#, "indexes[0].fields[1]"),
        (#""fields":{"a":{"type":"INT64"}},"indexes":[{"fields":["a"]},{"fields":["a"]}]"#, "indexes[1]"),
        (#""fields":{"a":{"type":"INT64_LIST"}},"indexes":[{"fields":["a"],"unique":true}]"#, "indexes[0].fields"),
        (
            #""fields":{"a":{"type":"INT64_LIST"}},"indexes":[{"fields":["a","createdTimestamp"]}]"#,
            "indexes[0].fields"
        ),
    ])
    func `an error in an index has its location`(type: String, path: String) {
        let bytes = utf8(#"{"types":{"A":{\#(type)}}}"#)
        let error = #expect(throws: RecordError.self) { try SchemaDocument.read(bytes) }
        #expect(error?.code == .badRequest)
        #expect(error?.detail("path") == .text("types.A.\(path)"))
    }

    @Test(arguments: [
        ("[]", ""), ("{}", ""), (#"{"types":[]}"#, "types"), (#"{"types":{},"x":1}"#, "x"),
        (#"{"types":{"1":{}}}"#, "types.1"), (#"{"types":{"A":1}}"#, "types.A"),
        (#"{"types":{"A":{"x":1}}}"#, "types.A.x"),
        (#"{"types":{"A":{"fields":{"recordName":{"type":"STRING"}}}}}"#, "types.A.fields.recordName"),
        (#"{"types":{"A":{"fields":{"a":{"type":"TEXT"}}}}}"#, "types.A.fields.a.type"),
        (#"{"types":{"A":{"fields":{"a":{}}}}}"#, "types.A.fields.a.type"),
        (#"{"types":{"A":{"fields":{"a":"STRING"}}}}"#, "types.A.fields.a"),
        (#"{"types":{"A":{"grants":{"_nobody":["READ"]}}}}"#, "types.A.grants._nobody"),
        (#"{"types":{"A":{"grants":{"_world":"READ"}}}}"#, "types.A.grants._world"),
        (#"{"types":{"A":{"grants":{"_world":["DELETE"]}}}}"#, "types.A.grants._world"),
    ])
    func `an error in a document has its location`(document: String, path: String) {
        let bytes = utf8(document)
        let error = #expect(throws: RecordError.self) { try SchemaDocument.read(bytes) }
        #expect(error?.code == .badRequest)
        #expect(error?.detail("path") == .text(path))
    }
}
