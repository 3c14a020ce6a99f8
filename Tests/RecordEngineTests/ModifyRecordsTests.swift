import Encodings
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct ModifyRecordsTests {
    @Test func `a created record is read back as it was written`() async throws {
        let test = try TestDatabase()
        let response = try await test.create("a", #""title":"sea","likes":3,"ratio":1.5"#)
        #expect(response.outcome == .created)
        let record = try test.read("a")
        #expect(record.fields == ["title": .string("sea"), "likes": .int64(3), "ratio": .double(1.5)])
        #expect(record.recordChangeTag == response.tag)
        #expect(try RecordDictionary.decode(response.records.json) == record)
    }

    @Test func `a record without a name gets a time-ordered one`() async throws {
        let test = try TestDatabase()
        let response = try await test.create(nil, #""n":1"#)
        #expect(response.name.utf8.count == 36)
        #expect(try test.read(response.name).fields["n"] == .int64(1))
    }

    @Test func `a taken name is rejected, and a deleted one is free again`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""n":1"#)
        let first = try test.read("a")
        #expect(await rejection { try await test.create("a") }?.code == .exists)
        try await test.delete("a")
        #expect(await rejection { _ = try test.read("a") } == .recordNotFound)
        try await test.create("a", #""n":2"#)
        let second = try test.read("a")
        #expect(second.fields["n"] == .int64(2))
        #expect(second.recordChangeTag != first.recordChangeTag)
    }

    @Test func `a change keeps the other fields, a replacement does not`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""x":1,"y":"two","z":3.5"#)
        try await test.change("a", #""y":"zwei","x":null"#)
        #expect(try test.read("a").fields == ["y": .string("zwei"), "z": .double(3.5)])
        try await test.perform(
            .modify(createsMissing: true, replacesAll: true), "Post", "a", #"{"fields":{"x":9}}"#)
        #expect(try test.read("a").fields == ["x": .int64(9)])
    }

    @Test func `field operations are evaluated in the transaction`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""likes":1,"tags":["x"]"#)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask { [database = test.database] in
                    let input = try? RecordInput.readSingle(Array(#"{"fields":{"likes":{"increment":1}}}"#.utf8))
                    guard let input else { return }
                    let operation = RecordOperation(
                        .modify(createsMissing: false, replacesAll: false), typeName: RecordTypeName("Post"),
                        isTypeInPath: true, recordName: RecordName("a"), input: input)
                    _ = try? await database.modify(
                        WriteRequest(
                            caller: .administrator(.bootstrap), address: .publicDefault, shape: .single,
                            operations: [operation]))
                }
            }
        }
        #expect(try test.read("a").fields["likes"] == .int64(41))
        try await test.change("a", #""tags":{"appendUnique":["x","y"]},"seen":{"serverTime":true}"#)
        let record = try test.read("a")
        #expect(record.fields["tags"] == .list(element: .string, [.string("x"), .string("y")]))
        guard case .timestamp(let time) = record.fields["seen"] else {
            Issue.record("serverTime did not make a timestamp")
            return
        }
        #expect(time == record.modified?.timestamp)
    }

    @Test func `preconditions compare tags`() async throws {
        let test = try TestDatabase()
        let created = try await test.create("a", #""n":1"#)
        let change = #"{"fields":{"n":2}}"#
        let patch = RecordOperation.Verb.modify(createsMissing: false, replacesAll: false)
        let stale = await rejection {
            try await test.perform(patch, "Post", "a", change, guard: .tags(["nonsense"]))
        }
        #expect(stale?.code == .conflict)
        #expect(stale?.cause == .preconditionFailed)
        let server = try RecordDictionary.decode(try #require(stale?.serverRecord))
        #expect(server.fields["n"] == .int64(1))
        let updated = try await test.perform(patch, "Post", "a", change, guard: .tags(["x", created.tag]))
        #expect(updated.tag != created.tag)
        let absent = await rejection {
            try await test.perform(
                .modify(createsMissing: true, replacesAll: true), "Post", "a", change, guard: .absent)
        }
        #expect(absent?.cause == .preconditionFailed)
    }

    @Test func `an increment that overflows changes nothing`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""n":9223372036854775807"#)
        let before = try test.read("a")
        #expect(await rejection { try await test.change("a", #""n":{"increment":1}"#) }?.code == .badRequest)
        #expect(try test.read("a") == before)
    }

    @Test func `a large value is stored outside its record and survives other changes`() async throws {
        let test = try TestDatabase()
        let bytes = [UInt8]((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let base64 = Base64.encode(bytes)
        try await test.create("a", #""image":{"value":"\#(base64)","type":"BYTES"},"likes":0"#)
        try await test.change("a", #""likes":{"increment":1}"#)
        let record = try test.read("a")
        #expect(record.fields["image"] == .bytes(bytes))
        #expect(record.fields["likes"] == .int64(1))
        let name = try #require(RecordName("a"))
        let type = try #require(RecordTypeName("Post"))
        let content = try test.reader.content(
            of: "image", index: 0, in: name, type: type, at: .publicDefault, for: .administrator(.bootstrap))
        guard case .bytes(let found, _) = content else {
            Issue.record("Not what a field of type BYTES has: \(content)")
            return
        }
        #expect(found == bytes)
        try await test.change("a", #""image":null"#)
        #expect(try test.read("a").fields == ["likes": .int64(1)])
    }

    @Test func `an idempotency key gives the first response again`() async throws {
        let test = try TestDatabase()
        let key = IdempotencyKey("k1", request: [1, 2, 3])
        let first = try await test.perform(.create, "Post", nil, #"{"fields":{"n":1}}"#, key: key)
        let second = try await test.perform(.create, "Post", nil, #"{"fields":{"n":1}}"#, key: key)
        #expect(second.isReplay)
        #expect(second.records.json == first.records.json)
        #expect(try test.list().names == [first.name])
        let other = IdempotencyKey("k1", request: [9])
        #expect(
            await rejection { try await test.perform(.create, "Post", nil, "{}", key: other) }?.cause
                == .idempotencyMismatch)
    }

    @Test func `the number of binding references of a record is limited`() async throws {
        let test = try TestDatabase()
        func references(_ count: Int, _ action: String) -> String {
            (0..<count).map { #"{"recordName":"t\#($0)","action":"\#(action)"}"# }.joined(separator: ",")
        }
        try await test.create("a", #""list":[\#(references(Limits.bindingReferences, "DELETE_SELF"))]"#)
        try await test.create("b", #""list":[\#(references(Limits.bindingReferences + 1, "NONE"))]"#)
        let rejected = await rejection {
            try await test.create("c", #""list":[\#(references(Limits.bindingReferences + 1, "DELETE_SELF"))]"#)
        }
        #expect(rejected?.cause == .tooLarge)
    }

    @Test func `a private database does not teach a public type new fields`() async throws {
        let test = try TestDatabase()
        let alice = try await test.signUp("alice").caller
        let hers = DatabaseAddress(scope: .privateDatabase(owner: try #require(alice.userID)))
        try await test.create("a", #""n":1"#)
        let type = try #require(RecordTypeName("Post"))
        try await test.database.schemas.setGrants(Grants([.world: .read]), of: type)
        #expect(await rejection { try await test.create("x", #""m":1"#, as: alice, in: hers) }?.code == .accessDenied)
        try await test.create("x", #""n":1"#, as: alice, in: hers)
        try await test.create("y", #""m":1"#, type: "Hers", as: alice, in: hers)
    }

    @Test func `an unknown zone is reported as missing on every verb`() async throws {
        let test = try TestDatabase()
        let elsewhere = DatabaseAddress(scope: .publicDatabase, zone: try #require(ZoneName("elsewhere")))
        for verb: RecordOperation.Verb in [
            .create, .modify(createsMissing: false, replacesAll: false), .delete(ignoresMissing: false),
            .delete(ignoresMissing: true),
        ] {
            #expect(await rejection { try await test.perform(verb, "Post", "a", in: elsewhere) }?.code == .zoneNotFound)
        }
    }
}

@Suite struct BatchTests {
    @Test func `an atomic batch is all or nothing and names the failed operation`() async throws {
        let test = try TestDatabase()
        try await test.create("taken")
        let results = try await test.batch(
            """
            {"operations":[
            {"operationType":"create","record":{"recordType":"Post","recordName":"a","fields":{"n":1}}},
            {"operationType":"create","record":{"recordType":"Post","recordName":"taken"}},
            {"operationType":"create","record":{"recordType":"Post","recordName":"b"}}]}
            """)
        #expect(results.map { $0["serverErrorCode"]?.string } == ["ATOMIC_ERROR", "EXISTS", "ATOMIC_ERROR"])
        #expect(results.map { $0["recordName"]?.string } == ["a", "taken", "b"])
        #expect(try test.list().names == ["taken"])
        #expect(try test.changes().changes.count == 1)
    }

    @Test func `a batch that is not atomic executes each valid operation`() async throws {
        let test = try TestDatabase()
        try await test.create("taken")
        let results = try await test.batch(
            """
            {"atomic":false,"operations":[
            {"operationType":"create","record":{"recordType":"Post","recordName":"a","fields":{"n":1}}},
            {"operationType":"create","record":{"recordType":"Post","recordName":"taken"}},
            {"operationType":"forceUpdate","record":{"recordType":"Post","recordName":"b","fields":{"n":2}}},
            {"operationType":"forceDelete","record":{"recordName":"taken"}},
            {"operationType":"delete","record":{"recordName":"missing"}},
            {"operationType":"forceDelete","record":{"recordName":"missing"}}]}
            """)
        #expect(
            results.map { $0["serverErrorCode"]?.string } == [nil, "EXISTS", nil, nil, "NOT_FOUND", nil])
        #expect(try test.list().names == ["a", "b"])
    }

    @Test func `operations on one record apply in order`() async throws {
        let test = try TestDatabase()
        let results = try await test.batch(
            """
            {"operations":[
            {"operationType":"create","record":{"recordType":"Post","recordName":"a","fields":{"n":1}}},
            {"operationType":"forceUpdate","record":{"recordName":"a","recordType":"Post","fields":{"n":{"increment":5}}}},
            {"operationType":"forceReplace","record":{"recordName":"a","recordType":"Post","fields":{"m":1}}}]}
            """)
        #expect(results.allSatisfy { $0["serverErrorCode"] == nil })
        #expect(try test.read("a").fields == ["m": .int64(1)])
        #expect(try test.changes().changes.count == 1)
    }
}

@Suite struct ReferenceTests {
    @Test func `deleting a target deletes the records that ask for it`() async throws {
        let test = try TestDatabase()
        try await test.create("thread")
        try await test.create("post", #""thread":{"recordName":"thread","action":"DELETE_SELF"}"#, type: "Reply")
        try await test.create("comment", #""thread":{"recordName":"post","action":"DELETE_SELF"}"#, type: "Reply")
        try await test.create("free", #""thread":{"recordName":"thread","action":"NONE"}"#, type: "Reply")
        let before = try test.changes().token
        try await test.delete("thread")
        #expect(try test.list(type: "Reply").names == ["free"])
        let changes = try test.changes(since: before).changes
        #expect(Set(changes.compactMap { $0["recordName"]?.string }) == ["thread", "post", "comment"])
        #expect(changes.allSatisfy { $0["deleted"]?.bool == true })
    }

    @Test func `a validating reference needs its target and protects it`() async throws {
        let test = try TestDatabase()
        let reference = #""target":{"recordName":"t","action":"VALIDATE"}"#
        #expect(await rejection { try await test.create("a", reference) }?.code == .validatingReferenceError)
        #expect(try test.list().names.isEmpty)
        try await test.create("t")
        try await test.create("a", reference)
        let rejected = await rejection { try await test.delete("t") }
        #expect(rejected?.code == .validatingReferenceError)
        #expect(try test.list().names == ["t", "a"])
        try await test.change("a", #""target":null"#)
        try await test.delete("t")
    }

    @Test func `in an atomic batch a target may follow its reference, and both may be deleted`() async throws {
        let test = try TestDatabase()
        let made = try await test.batch(
            """
            {"operations":[
            {"operationType":"create","record":{"recordType":"Post","recordName":"a","fields":{"t":{"recordName":"t","action":"VALIDATE"}}}},
            {"operationType":"create","record":{"recordType":"Post","recordName":"t"}}]}
            """)
        #expect(made.allSatisfy { $0["serverErrorCode"] == nil })
        let gone = try await test.batch(
            """
            {"operations":[{"operationType":"forceDelete","record":{"recordName":"t"}},
            {"operationType":"forceDelete","record":{"recordName":"a"}}]}
            """)
        #expect(gone.allSatisfy { $0["serverErrorCode"] == nil })
        #expect(try test.list().names.isEmpty)
    }
}
