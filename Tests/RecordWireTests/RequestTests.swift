import RecordModel
import RecordWire
import Testing

/// The bodies of single writes and batches.
struct RequestTests {
    static func rejection(_ body: String) -> RecordError? {
        do throws(RecordError) {
            _ = try RecordInput.readSingle(utf8(body))
            return nil
        } catch { return error }
    }

    static func batchRefusal(_ body: String, maxOperations: Int = 3) -> RecordError? {
        do throws(RecordError) {
            _ = try BatchInput.read(utf8(body), maxOperations: maxOperations)
            return nil
        } catch { return error }
    }

    @Test func `a single write has fields, a name, a type and an ACL`() throws {
        let input = try RecordInput.readSingle(
            utf8("{\"fields\":{\"a\":1,\"\\u0062\":null},\"recordName\":\"n\",\"recordType\":\"Post\",\"acl\":{}}"))
        #expect(input.recordName?.text == "n")
        #expect(input.recordType?.text == "Post")
        #expect(input.hasACL)
        #expect(input.fields.map(\.name) == ["a", "b"])
        #expect(input.fields.map(\.offset) == [11, 17])
        #expect(input.fields[1].form == .remove)
        #expect(try RecordInput.readSingle(utf8("{}")).fields.isEmpty)
        #expect(try RecordInput.readSingle(utf8("{\"fields\":null,\"recordName\":null}")).recordName == nil)
    }

    @Test(arguments: [
        "created", "modified", "recordChangeTag", "deleted", "pluginFields", "zoneID", "title", "field", "",
    ])
    func `any other key of a single write is rejected by name`(key: String) {
        let error = Self.rejection("{\"fields\":{},\"\(key)\":1}")
        #expect(error?.code == .badRequest)
        #expect(error?.cause == .readOnlyKey)
        #expect(error?.detail("key") == .text(key))
    }

    @Test(arguments: [
        "[]", "1", "\"a\"", "{\"fields\":[]}", "{\"fields\":1}", "{\"recordName\":1}", "{\"recordName\":\"\"}",
        "{\"recordType\":\"1\"}", "{\"recordType\":{}}", "{\"fields\":{}} x", "{\"fields\":{},\"fields\":{}}",
        "{\"fields\":{\"a\":1,\"a\":1}}", "",
    ])
    func `a body of another shape is rejected`(body: String) {
        #expect(Self.rejection(body)?.code == .badRequest)
    }

    @Test func `the error of malformed JSON has its location`() {
        let error = Self.rejection("{\"fields\":{\"a\":tru}}")
        #expect(error?.cause == .malformedJSON)
        #expect(error?.reason == "The JSON is not well formed: a value was expected.")
        #expect(error?.detail("offset") == .number(15))
    }

    @Test(
        arguments: [
            ([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], "it is UTF-16; send UTF-8"),
            ([0xFE, 0xFF, 0, 0x7B, 0, 0x7D], "it is UTF-16; send UTF-8"),
            ([0xFF, 0xFE, 0, 0, 0x7B, 0, 0, 0, 0x7D, 0, 0, 0], "it is UTF-32; send UTF-8"),
            ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x7B, 0, 0, 0, 0x7D], "it is UTF-32; send UTF-8"),
            // Without a mark, the places of zeros show the encoding (RFC 4627 §3).
            ([0x7B, 0, 0x7D, 0], "it is UTF-16; send UTF-8"), ([0, 0x7B, 0, 0x7D], "it is UTF-16; send UTF-8"),
            ([0x7B, 0, 0x22, 0, 0x42, 0x30, 0x22, 0], "it is UTF-16; send UTF-8"),
            ([0, 0x22, 0x30, 0x42, 0, 0x22], "it is UTF-16; send UTF-8"),
            ([0x20, 0, 0x7B, 0, 0x7D, 0], "it is UTF-16; send UTF-8"), ([0x31, 0], "it is UTF-16; send UTF-8"),
            ([0x7B, 0, 0, 0, 0x7D, 0, 0, 0], "it is UTF-32; send UTF-8"),
            ([0, 0, 0, 0x7B, 0, 0, 0, 0x7D], "it is UTF-32; send UTF-8"),
            ([0xEF, 0xBB, 0xBF, 0x7B, 0x7D], "it begins with a byte order mark; send UTF-8 without it"),
        ] as [([UInt8], String)])
    func `the encoding of a file from Windows is named`(bytes: [UInt8], reason: String) {
        for read in [{ _ = try JSONValue.parse(bytes) }, { _ = try RecordInput.readSingle(bytes) }]
            as [() throws -> Void]
        {
            do {
                try read()
                Issue.record("It was accepted")
            } catch {
                let text = (error as? RecordError)?.reason ?? (error as? JSONError)?.reason ?? ""
                #expect(text.contains(reason), "\(text)")
            }
        }
    }

    @Test(arguments: [[0], [0x7B], [0, 0], [0, 0, 0], [0, 0, 0, 0], [0x7B, 0x22, 0, 0x22], [0xFE], [0xFF, 0xFF]])
    func `zeros elsewhere are an error too`(bytes: [UInt8]) {
        #expect(throws: (any Error).self) { try JSONValue.parse(bytes) }
        #expect(throws: (any Error).self) { try RecordInput.readSingle(bytes) }
    }

    @Test func `all forms of a field are distinguished`() throws {
        let body = """
            {"fields":{"a":"x","b":{"value":1,"type":"DOUBLE"},"c":{},"d":{"value":null},"e":{"increment":2},
            "f":{"append":[]},"g":{"appendUnique":[]},"h":{"remove":[]},"i":{"setIfAbsent":{"value":1,"type":"INT64"}},
            "j":{"serverTime":true},"k":{"latitude":1,"longitude":2},"l":{"value":[],"type":"LIST"},
            "m":{"setIfAbsent":5},"n":{"append":[1],"type":"INT64_LIST"}}}
            """
        let fields = try RecordInput.readSingle(utf8(body)).fields
        let kinds = fields.map { field -> String in
            switch field.form {
            case .remove: "remove"
            case .value(let token): "value \(token.kind)"
            case .operation(let kind, let token): "\(kind.rawValue) \(token.kind)"
            }
        }
        #expect(
            kinds == [
                "value string", "value integer", "remove", "remove", "increment integer", "append array",
                "appendUnique array", "remove array", "setIfAbsent integer", "serverTime trueWord", "value object",
                "value array", "setIfAbsent integer", "append array",
            ])
        #expect(fields[1].tag == .type(.double))
        #expect(fields[8].tag == .type(.int64))
        #expect(fields[11].tag == .anyList)
        #expect(fields[13].tag == .type(.int64List))
    }

    /// A record whose `Fields` were passed over would be replaced by one without any.
    @Test(arguments: [
        (#"{"operations":[{"operationType":"forceReplace","record":{"recordType":"A","Fields":{"s":1}}}]}"#, "fields"),
        (#"{"operations":[{"operationType":"create","record":{"recordType":"A","field":{"s":1}}}]}"#, "fields"),
        (#"{"operations":[{"operationType":"create","record":{"recordname":"a"}}]}"#, "recordName"),
        (#"{"operations":[{"operationType":"create","record":{},"Record":{}}]}"#, "record"),
        (#"{"operations":[],"Atomic":false}"#, "atomic"), (#"{"operation":[],"operations":[]}"#, "operations"),
    ])
    func `a misspelled key in a batch is rejected with a suggestion`(body: String, meant: String) {
        let rejected = #expect(throws: RecordError.self) { try BatchInput.read(utf8(body), maxOperations: 7) }
        #expect(rejected?.cause == .readOnlyKey && rejected?.reason.hasSuffix("Write '\(meant)'") == true)
    }

    @Test func `a batch has operations in order, and is atomic unless it says otherwise`() throws {
        let operations = OperationKind.allCases.map {
            "{\"operationType\":\"\($0.rawValue)\",\"record\":{\"recordName\":\"\($0.rawValue)\",\"created\":{\"timestamp\":1},\"recordChangeTag\":\"a\"}}"
        }
        let body =
            "{\"operations\":[\(operations.joined(separator: ","))],\"desiredKeys\":[\"a\"],\"numbersAsStrings\":false}"
        let batch = try BatchInput.read(utf8(body), maxOperations: 7)
        #expect(batch.operations.map(\.kind) == OperationKind.allCases)
        #expect(batch.operations.map { $0.record.recordName?.text } == OperationKind.allCases.map(\.rawValue))
        #expect(batch.operations[0].record.recordChangeTag == "a")
        #expect(batch.atomic)
        #expect(batch.desiredKeys == ["a"])
        let single = try BatchInput.read(
            utf8(
                "{\"operations\":{\"operationType\":\"create\",\"record\":{}},\"atomic\":false,\"zoneID\":{\"zoneName\":\"_defaultZone\"}}"
            ),
            maxOperations: 1)
        #expect(single.operations.count == 1)
        #expect(!single.atomic)
        #expect(single.desiredKeys == nil)
    }

    @Test(arguments: [
        "{}", "[]", "{\"operations\":1}", "{\"operations\":[1]}", "{\"operations\":[{}]}",
        "{\"operations\":[{\"operationType\":\"create\"}]}", "{\"operations\":[{\"record\":{}}]}",
        "{\"operations\":[{\"operationType\":\"upsert\",\"record\":{}}]}",
        "{\"operations\":[{\"operationType\":\"create\",\"record\":[]}]}", "{\"operations\":[],\"atomic\":1}",
        "{\"operations\":[],\"desiredKeys\":[1]}", "{\"operations\":[],\"desiredKeys\":\"a\"}",
    ])
    func `a batch of another shape is rejected`(body: String) {
        #expect(Self.batchRefusal(body)?.code == .badRequest)
    }

    @Test func `one operation more than allowed is rejected with the limit`() {
        let operation = "{\"operationType\":\"forceDelete\",\"record\":{\"recordName\":\"a\"}}"
        let body = { (count: Int) in
            "{\"operations\":[" + repeatElement(operation, count: count).joined(separator: ",") + "]}"
        }
        #expect(Self.batchRefusal(body(3)) == nil)
        let error = Self.batchRefusal(body(4))
        #expect(error?.cause == .tooLarge)
        #expect(error?.detail("limit") == .number(3))
    }

    @Test func `a batch and its records name zones`() throws {
        let body = """
            {"zoneID":{"zoneName":"south"},"operations":[
            {"operationType":"create","record":{"zoneID":{"zoneName":"north"}}},
            {"operationType":"create","record":{"zoneID":null}}]}
            """
        let batch = try BatchInput.read(Array(body.utf8), maxOperations: 3)
        #expect(batch.zone == ZoneName("south"))
        #expect(batch.operations.map(\.record.zone) == [ZoneName("north"), nil])
        for zone in ["\"north\"", "7", "{\"zoneName\":7}", "{\"zoneName\":\"\"}", "[]"] {
            #expect(Self.batchRefusal("{\"operations\":[],\"zoneID\":\(zone)}")?.code == .badRequest, "\(zone)")
            let record = "{\"operations\":[{\"operationType\":\"create\",\"record\":{\"zoneID\":\(zone)}}]}"
            #expect(Self.batchRefusal(record)?.code == .badRequest, "\(zone)")
        }
    }
}
