import RecordWire
import TestSupport
import Testing

@testable import CloudKitImport

/// Record dictionaries of CloudKit's protocol as records of this server.
@Suite struct MappingTests {
    private func map(
        _ text: String, users: [String: String] = [:], zone: String = "Garden"
    ) throws -> SourceItem {
        let object = try #require(try JSONValue.parse(Array(text.utf8)).object)
        return RecordMapping(users: UserMap(users), zone: zone).map(object)
    }

    private func fields(_ text: String, users: [String: String] = [:]) throws -> (String, CarriedRecord) {
        let item = try map(
            #"{"recordName":"a","recordType":"T","recordChangeTag":"1","fields":\#(text)}"#, users: users)
        guard case .record(let record) = item else { throw ImportError.failed("\(item)") }
        return (String(decoding: (record.document["fields"] ?? .null).bytes, as: UTF8.self), record)
    }

    @Test(
        arguments: [
            #"{"x":{"value":"Bramley","type":"STRING"}}"#, #"{"x":{"value":9007199254740993,"type":"INT64"}}"#,
            #"{"x":{"value":3,"type":"DOUBLE"}}"#, #"{"x":{"value":1709251200000,"type":"TIMESTAMP"}}"#,
            #"{"x":{"value":"AQID","type":"BYTES"}}"#, #"{"x":{"value":[],"type":"STRING_LIST"}}"#,
            #"{"x":{"value":[1,2],"type":"INT64_LIST"}}"#, #"{"x":{"value":"untagged"}}"#,
            #"{"x":{"value":{"latitude":1.5,"longitude":2,"altitude":3},"type":"LOCATION"}}"#,
            #"{"x":{"value":{"recordName":"b","action":"VALIDATE"},"type":"REFERENCE"}}"#,
            #"{"x":{"value":[{"recordName":"b","action":"NONE"}],"type":"REFERENCE_LIST"}}"#,
            #"{"x":{"value":[],"type":"ASSETID_LIST"}}"#,
            #"{"parent":{"value":{"recordName":"b","action":"DELETE_SELF"},"type":"REFERENCE"},"share":{"value":1,"type":"INT64"}}"#,
        ])
    func `values stay as they are`(text: String) throws {
        let (mapped, record) = try fields(text)
        #expect(mapped == text && record.notes.isEmpty && record.assets.isEmpty)
    }

    @Test func `what this server does not have is left out or changed, and noted`() throws {
        let cases: [(String, String, [ImportNote.Kind])] = [
            (
                #"{"x":{"value":"s","type":"STRING","isEncrypted":true}}"#, #"{"x":{"value":"s","type":"STRING"}}"#,
                [.encrypted]
            ),
            (#"{"x":{"value":"s","type":"ENCRYPTED_STRING"}}"#, #"{"x":{"value":"s","type":"STRING"}}"#, [.encrypted]),
            (#"{"x":{"value":1,"type":"PACKAGE"}}"#, "{}", [.unknownType]),
            (#"{"x":{"value":1,"type":"INT64_LIST"}}"#, "{}", [.unknownType]),
            (#"{"x":{"value":null,"type":"STRING"},"y":{}}"#, "{}", []),
            (
                #"{"x":{"value":{"recordName":"b","action":"NONE","zoneID":{"zoneName":"Other"}},"type":"REFERENCE"}}"#,
                "{}", [.otherZone]
            ),
            (
                #"{"x":{"value":{"recordName":"b","zoneID":{"zoneName":"Garden"}},"type":"REFERENCE"}}"#,
                #"{"x":{"value":{"recordName":"b","action":"NONE"},"type":"REFERENCE"}}"#, []
            ),
            (
                #"{"x":{"value":{"recordName":"_f00"},"type":"REFERENCE"}}"#,
                #"{"x":{"value":{"recordName":"_f00","action":"NONE"},"type":"REFERENCE"}}"#, [.userReference]
            ),
            (
                #"{"x":{"value":{"recordName":"_0a1"},"type":"REFERENCE"}}"#,
                #"{"x":{"value":{"recordName":"_ada","action":"NONE"},"type":"REFERENCE"}}"#, []
            ),
        ]
        for (text, expected, kinds) in cases {
            let (mapped, record) = try fields(text, users: ["_0a1": "_ada"])
            #expect(mapped == expected && record.notes.map(\.kind) == kinds, "\(text)")
        }
    }

    @Test func `dates and users are those of the source, as far as users have accounts`() throws {
        let item = try map(
            #"""
            {"recordName":"a","recordType":"T","recordChangeTag":"1","fields":{},"parent":{"recordName":"p"},
             "created":{"timestamp":1000,"userRecordName":"_0a1","deviceID":"2"},
             "modified":{"timestamp":2000,"userRecordName":"_f00"}}
            """#, users: ["_0a1": "_ada"])
        guard case .record(let record) = item else { throw ImportError.failed("\(item)") }
        #expect(record.document["created"] == ["timestamp": 1000, "userRecordName": "_ada"])
        #expect(record.document["modified"] == ["timestamp": 2000] && record.modified == 2_000)
        #expect(record.notes == [ImportNote(.unmappedUser, subject: "_f00"), ImportNote(.parent, type: "T")])
    }

    @Test func `assets are put into their fields, lists in order`() throws {
        var (text, record) = try fields(
            #"""
            {"one":{"value":{"fileChecksum":"c1","size":1,"downloadURL":"https://x/1"},"type":"ASSETID"},
             "many":{"value":[{"fileChecksum":"c2","size":2,"downloadURL":"https://x/2"},
             {"fileChecksum":"c3","downloadURL":"https://x/3"}],"type":"ASSETID_LIST"}}
            """#)
        #expect(text == "{}" && record.assets.map(\.url) == ["https://x/1", "https://x/2", "https://x/3"])
        for place in record.assets { record.put(["fileChecksum": .string(place.checksum)], at: place) }
        let fields = record.document["fields"]
        #expect(fields?["one"] == ["value": ["fileChecksum": "c1"], "type": "ASSETID"])
        #expect(
            fields?["many"] == ["value": [["fileChecksum": "c2"], ["fileChecksum": "c3"]], "type": "ASSETID_LIST"])
    }

    @Test func `a file is compared by its size, and by its checksum if that is SHA-256`() {
        let digest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let file = StagedFile(path: "f", size: 5, digest: digest)
        func place(_ checksum: String, _ size: Int64?) -> AssetPlace {
            AssetPlace(field: "x", index: nil, checksum: checksum, size: size, url: "")
        }
        #expect(place("AbC0dEfGhIjKlMnOpQrStUvWxYz0", 5).difference(from: file) == nil)
        #expect(place(digest, 5).difference(from: file) == nil)
        #expect(place(digest, 6).difference(from: file) == "it has 5 bytes instead of 6")
        #expect(place("4" + digest.dropFirst(1).replacing("Q", with: "R"), nil).difference(from: file) != nil)
    }

    @Test func `tombstones, errors and shares are no records`() throws {
        #expect(
            try map(#"{"recordName":"a","recordType":null,"deleted":true,"recordChangeTag":"7"}"#)
                == .deleted(name: "a", tag: "7"))
        #expect(
            try map(#"{"recordName":"a","serverErrorCode":"ACCESS_DENIED","reason":"READ operation not permitted"}"#)
                == .failed(name: "a", reason: "ACCESS_DENIED, READ operation not permitted", passes: nil))
        #expect(
            try map(#"{"recordName":"a","serverErrorCode":"THROTTLED","reason":"busy","retryAfter":2.5}"#)
                == .failed(name: "a", reason: "THROTTLED, busy", passes: 2_500))
        #expect(try map(#"{"recordType":"T"}"#) == .failed(name: nil, reason: "a record without a name", passes: nil))
        guard
            case .unsupported("s", "cloudkit.share", _) = try map(#"{"recordName":"s","recordType":"cloudkit.share"}"#)
        else { throw ImportError.failed("A share is no record here") }
    }

    @Test func `a file of users has pairs, comments and empty lines`() throws {
        let pairs = try UserMap.read("# users\n\n_0a1, ada\r\n  _0b2,bob\n")
        #expect(pairs.map(\.source) == ["_0a1", "_0b2"] && pairs.map(\.account) == ["ada", "bob"])
        for (text, line) in [("_0a1", 1), ("_0a1,ada\n,bob", 2), ("_a,b,c", 1), ("_a,b\n\n_a,c", 3)] {
            let problem = #expect(throws: UserMap.Problem.self) { try UserMap.read(text) }
            #expect(problem?.line == line, "\(text)")
        }
    }

    // MARK: The order of writes

    @Test(arguments: 1...40)
    func `targets come before the records that require them`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1..<60, using: &random)
        let names = (0..<count).map { "r\($0)" }.shuffled(using: &random)
        let records = names.indices.map { index in
            var record = CarriedRecord(name: names[index], type: "T", tag: "", modified: nil, document: JSONObject())
            // Without cycles: only to records with a smaller number.
            let number = Int(names[index].dropFirst()) ?? 0
            for _ in 0..<Int.random(in: 0...2, using: &random) where number > 0 {
                record.validated.append("r\(Int.random(in: 0..<number, using: &random))")
            }
            return record
        }
        let order = WriteOrder.sorted(records)
        #expect(order.map(\.name).sorted() == names.sorted())
        var written: Set<String> = []
        for record in order {
            #expect(record.validated.allSatisfy(written.contains), "\(record.name)")
            written.insert(record.name)
        }
    }

    @Test func `a cycle keeps all of its records, and a chain may be long`() {
        func record(_ number: Int, to target: Int) -> CarriedRecord {
            var record = CarriedRecord(name: "r\(number)", type: "T", tag: "", modified: nil, document: JSONObject())
            record.validated = ["r\(target)"]
            return record
        }
        let cycle = (0..<5).map { record($0, to: ($0 + 1) % 5) }
        #expect(Set(WriteOrder.sorted(cycle).map(\.name)).count == 5)
        let chain = (0..<100_000).map { record($0, to: $0 + 1) }
        #expect(WriteOrder.sorted(chain).first?.name == "r99999")
    }
}
