import RecordModel
import RecordWire
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
    func `an error names its place`(document: String, path: String) {
        let bytes = utf8(document)
        let error = #expect(throws: RecordError.self) { try SchemaDocument.read(bytes) }
        #expect(error?.code == .badRequest)
        #expect(error?.detail("path") == .text(path))
    }
}
