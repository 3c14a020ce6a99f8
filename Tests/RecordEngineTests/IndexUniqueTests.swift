import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@Suite struct IndexUniqueTests {
    private static let schema = #"""
        {"types":{"Post":{"fields":{"slug":{"type":"STRING"},"n":{"type":"INT64"}},
        "indexes":[{"fields":["slug","-n"],"unique":true}]}}}
        """#

    private func make(_ schema: String = schema) async throws -> TestDatabase {
        let test = try TestDatabase()
        try await test.putSchema(schema)
        return test
    }

    @Test func `a second record with the value is rejected, by field and not by record`() async throws {
        let test = try await make()
        try await test.create("first", #""slug":"a","n":1"#)
        try await test.create("other", #""slug":"a","n":2"#)
        let error = await rejection { try await test.create("second", #""slug":"a","n":1"#) }
        #expect(error?.code == .exists)
        #expect(error?.cause == .uniqueViolation)
        #expect(error?.reason.contains("'slug', 'n'") == true)
        #expect(error?.reason.contains("first") == false)
        #expect(await rejection { try await test.change("other", #""n":1"#) }?.cause == .uniqueViolation)
        // The rejected write left nothing, and a record may be written again unchanged.
        try await test.change("first", #""slug":"a","n":1"#)
        try IndexOracle(test).check()
        try await test.delete("first")
        try await test.change("other", #""n":1"#)
        try IndexOracle(test).check()
    }

    @Test func `an absent value equals nothing`() async throws {
        let test = try await make()
        for name in ["a", "b"] {
            try await test.create(name, #""slug":"x""#)
            try await test.create(name + "0", #""n":1"#)
            try await test.create(name + "1")
        }
        try IndexOracle(test).check()
    }

    @Test func `a text too long to compare is rejected`() async throws {
        let test = try await make()
        let long = String(repeating: "x", count: 1_025)
        #expect(await rejection { try await test.create("a", #""slug":"\#(long)","n":1"#) }?.cause == .tooLarge)
        try await test.create("b", #""slug":"\#(long)""#)
        try await test.create("c", #""slug":"\#(long.dropLast())","n":1"#)
        #expect(await rejection { try await test.change("b", #""n":1"#) }?.cause == .tooLarge)
    }

    @Test func `each zone has its own values`() async throws {
        let test = try await make()
        let (caller, _) = try await test.signUp("anna")
        guard case .user(let id, _) = caller else { throw RecordError.recordNotFound }
        try await test.create("a", #""slug":"x","n":1"#)
        try await test.create(
            "a", #""slug":"x","n":1"#, as: caller, in: DatabaseAddress(scope: .privateDatabase(owner: id)))
        try IndexOracle(test).check()
    }

    @Test func `in a batch the order counts, and an atomic one is undone`() async throws {
        let test = try await make()
        try await test.create("a", #""slug":"x","n":1"#)
        let handedOver = try await test.batch(
            #"""
            {"atomic":true,"operations":[
            {"operationType":"forceUpdate","record":{"recordType":"Post","recordName":"a","fields":{"slug":"y"}}},
            {"operationType":"create","record":{"recordType":"Post","recordName":"b","fields":{"slug":"x","n":1}}}]}
            """#)
        #expect(handedOver.allSatisfy { $0["serverErrorCode"] == nil })
        for isAtomic in [true, false] {
            let responses = try await test.batch(
                #"""
                {"atomic":\#(isAtomic),"operations":[
                {"operationType":"forceUpdate","record":{"recordType":"Post","recordName":"a","fields":{"slug":"z"}}},
                {"operationType":"create","record":{"recordType":"Post","recordName":"c","fields":{"slug":"x","n":1}}}]}
                """#)
            #expect(responses.last?["serverErrorCode"]?.string == "EXISTS")
            #expect(try test.read("a").fields["slug"] == .string(isAtomic ? "y" : "z"))
            try IndexOracle(test).check()
        }
    }

    @Test func `an index that fails at once is rejected, and asking again succeeds after the repair`() async throws {
        let test = try TestDatabase()
        try await test.fill(20) { #""slug":"s\#($0 == 13 ? 7 : $0)","n":1"# }
        let wanted = #"""
            {"types":{"Post":{"fields":{"slug":{"type":"STRING"},"n":{"type":"INT64"}},
            "indexes":[{"fields":["slug"],"unique":true}]}}}
            """#
        let type = try #require(RecordTypeName("Post"))
        let shape = IndexRequest.Shape(kind: .ordered, columns: [.init(.field(1))], isUnique: true)
        let admin = AuditActor(caller: .administrator(.bootstrap))
        func add() async throws {
            _ = try await test.database.indexes.add(IndexRequest(indexes: [shape]), to: type, by: admin)
        }
        let before = test.schemaText
        for _ in 0..<2 {
            let put = await rejection { try await test.putSchema(wanted) }
            let added = await rejection { try await add() }
            for error in [put, added] {
                #expect(error?.code == .conflict && error?.cause == .uniqueViolation, "\(String(describing: error))")
                #expect(error?.reason.contains("'Post7'") == true && error?.reason.contains("'Post13'") == true)
            }
            #expect(test.schemaText == before)
        }
        // Nothing pretends to reject duplicates, and nothing of the attempt is left.
        try await test.create("more", #""slug":"s7","n":1"#)
        try IndexOracle(test).check()
        try await test.delete("more")
        try await test.delete("Post13")
        try await add()
        #expect(try test.indexes().map(\.isUnique) == [true])
        #expect(await rejection { try await test.create("dup", #""slug":"s7""#) }?.cause == .uniqueViolation)
        try IndexOracle(test).check()
    }

    @Test func `an index that has failed in the background is built again by the request that made it`() async throws {
        let test = try TestDatabase(indexBuilding: .slices(of: 2))
        try await test.fill(20) { #""slug":"s\#($0 == 13 ? 7 : $0)","n":\#($0)"# }
        let type = try #require(RecordTypeName("Post"))
        let admin = AuditActor(caller: .administrator(.bootstrap))
        func add(_ column: Int) async throws -> IndexDefinition.State? {
            let shape = IndexRequest.Shape(kind: .ordered, columns: [.init(.field(column))], isUnique: true)
            _ = try await test.database.indexes.add(IndexRequest(indexes: [shape]), to: type, by: admin)
            await test.database.indexes.waitUntilBuilt()
            return try test.indexes().first { $0.shape == shape }?.state
        }
        for _ in 0..<2 {
            guard case .failed(let reason)? = try await add(1) else {
                Issue.record("\(try test.indexes())")
                return
            }
            #expect(reason.contains("'Post7'") && reason.contains("'Post13'") && reason.contains("add the index again"))
        }
        // Another index leaves it as it is.
        #expect(try await add(2) == .ready)
        #expect(try test.indexes().count(where: \.isFailed) == 1)
        try await test.delete("Post13")
        #expect(try await add(1) == .ready)
        #expect(await rejection { try await test.create("dup", #""slug":"s7""#) }?.cause == .uniqueViolation)
        try IndexOracle(test).check()
    }

    @Test func `duplicates make an index fail with a sentence, and putting the schema again retries it`() async throws {
        let test = try TestDatabase(indexBuilding: .slices(of: 2))
        try await test.fill(20) { #""slug":"s\#($0 == 13 ? 7 : $0)","n":1"# }
        let wanted = #"""
            {"types":{"Post":{"fields":{"slug":{"type":"STRING","indexes":["QUERYABLE"]},"n":{"type":"INT64"}},
            "indexes":[{"fields":["slug"],"unique":true}]}}}
            """#
        try await test.putSchema(wanted)
        await test.database.indexes.waitUntilBuilt()
        let failed = try #require(try test.indexes().first(where: \.isUnique))
        guard case .failed(let reason) = failed.state else {
            Issue.record("\(failed.state)")
            return
        }
        #expect(reason.contains("'Post7'") && reason.contains("'Post13'"))
        #expect(test.schemaText.contains(#""unique":true,"state":"failed","reason":"The records"#))
        // The field's own option does not suffer, and writes are free.
        let serving = try #require(try test.indexes().first { !$0.isUnique })
        #expect(serving.isReady && !serving.isDeclared)
        #expect(try test.indexes().count == 2)
        try IndexOracle(test).check()
        try await test.change("Post13", #""slug":"mended""#)
        // A change of another field leaves it unchanged.
        try await test.putSchema(#"{"types":{"Post":{"fields":{"slug":{"type":"STRING"},"n":{"type":"INT64"}}}}}"#)
        await test.database.indexes.waitUntilBuilt()
        #expect(try test.indexes().contains { $0.id == failed.id })
        try await test.putSchema(wanted)
        await test.database.indexes.waitUntilBuilt()
        #expect(try test.indexes().map(\.isUnique) == [true])
        #expect(await rejection { try await test.create("dup", #""slug":"s1""#) }?.cause == .uniqueViolation)
        try IndexOracle(test).check()
    }

    /// Their entries are stored under zones and audiences, and a type learns from its first access list that it has
    /// audiences.
    @Test func `a duplicate with the type's first access list is found while the index is built`() async throws {
        let type = try #require(RecordTypeName("Post"))
        let shape = IndexRequest.Shape(kind: .ordered, columns: [.init(.field(1))], isUnique: true)
        for _ in 0..<20 {
            let test = try TestDatabase(indexBuilding: .slices(of: 1, perStretch: .max))
            try await test.fill(400) { #""slug":"s\#($0)""# }
            _ = try await test.database.indexes.add(IndexRequest(indexes: [shape]), to: type)
            let body = #"{"fields":{"slug":"s399"},"acl":{"*":["read"]}}"#
            // Rejected if the build was faster.
            guard (try? await test.perform(.create, "Post", "listed", body)) != nil else { continue }
            await test.database.indexes.waitUntilBuilt()
            guard case .failed(let reason)? = try test.indexes().first?.state else {
                Issue.record("\(try test.indexes())")
                return
            }
            #expect(reason.contains("'Post399'") && reason.contains("'listed'"))
            return
        }
        Issue.record("The build was always faster")
    }

    /// A failure is reported in the slice that finds it, even if a later write removes the duplicate.
    @Test func `an index fails while its part is built, and the other indexes of the part are completed`() async throws
    {
        let long = String(repeating: "x", count: 2_000)
        let type = try #require(RecordTypeName("Post"))
        let request = IndexRequest(
            indexes: (1...2).map { .init(kind: .ordered, columns: [.init(.field($0))], isUnique: $0 == 1) })
        // A look that comes too late sees only the end, so the test tries another build.
        for _ in 0..<20 {
            let test = try TestDatabase(indexBuilding: .slices(of: 2, perStretch: .max))
            try await test.fill(400) { number in
                let slug = number == 0 ? long : "s\(number)"
                return #""slug":"\#(slug)","n":\#(number % 7)"#
            }
            _ = try await test.database.indexes.add(request, to: type)
            var seen = try test.indexes()
            while !seen.contains(where: \.isFailed) { seen = try test.indexes() }
            await test.database.indexes.waitUntilBuilt()
            #expect(try test.indexes().map(\.isReady) == [false, true])
            try IndexOracle(test).check()
            if seen.contains(where: { $0.state == .building(position: 0) }) { return }
        }
        Issue.record("The failure was never told before the other index was ready")
    }

    @Test func `a list with too many members is rejected where it is indexed`() async throws {
        let test = try await make(
            #"{"types":{"Post":{"fields":{"l":{"type":"INT64_LIST","indexes":["QUERYABLE"]},"m":{"type":"INT64_LIST"}}}}}"#
        )
        let many = (0...Limits.indexedMembers).map(String.init).joined(separator: ",")
        #expect(await rejection { try await test.create("a", #""l":[\#(many)]"#) }?.cause == .tooLarge)
        try await test.create("b", #""m":[\#(many)]"#)
        let type = try #require(RecordTypeName("Post"))
        let made = try await test.database.indexes.add(IndexRequest(options: [2: .queryable]), to: type).all
        guard case .failed(let reason)? = made.first?.state else {
            Issue.record("\(made)")
            return
        }
        #expect(reason.contains("'b'"))
        // It stays so until an administrator puts the schema: queries do not try again and again.
        #expect(try await test.database.indexes.add(IndexRequest(options: [2: .queryable]), to: type).all == made)
    }

    /// Readers and members multiply: a body of 70 KB could hold up all other writers for seconds.
    @Test func `a request adds a bounded number of entries to indexes of lists`() async throws {
        let test = try await make(
            #"{"types":{"Post":{"fields":{"l":{"type":"INT64_LIST","indexes":["QUERYABLE"]},"m":{"type":"INT64_LIST"}}}}}"#
        )
        for number in 0..<99 {
            _ = try await test.database.roles.put(try #require(RoleName("r\(number)")), members: [])
        }
        let readers = (0..<99).map { #""role:r\#($0)":["read"]"# }.joined(separator: ",")
        // With the place of all records that have a list, a hundred entries for each member.
        func record(_ field: String, _ members: Int) -> String {
            let list = (0..<members).map(String.init).joined(separator: ",")
            return #"{"acl":{\#(readers)},"fields":{"\#(field)":[\#(list)]}}"#
        }
        let most = Limits.memberEntries / 100
        try await test.perform(.create, "Post", "most", record("l", most))
        let error = await rejection { try await test.perform(.create, "Post", "more", record("l", most + 1)) }
        #expect(error?.cause == .tooLarge)
        #expect(await rejection { _ = try test.read("more") }?.code == .notFound)
        // Existing members are not counted again, and removed ones are not counted.
        try await test.change("most", #""m":[1]"#)
        try await test.delete("most")
        // All operations of a request are counted together.
        let half = record("l", most / 2 + 1)
        let operation = #"{"operationType":"create","record":{"recordType":"Post",\#(half.dropFirst())}"#
        let responses = try await test.batch(#"{"atomic":true,"operations":[\#(operation),\#(operation)]}"#)
        #expect(responses.last?["serverErrorCode"]?.string == "BAD_REQUEST")
        #expect(try test.list().names.isEmpty)
        // An index that comes later cannot have such a record either.
        try await test.perform(.create, "Post", "later", record("m", most + 1))
        let type = try #require(RecordTypeName("Post"))
        let made = try await test.database.indexes.add(IndexRequest(options: [2: .queryable]), to: type).all
        guard case .failed(let reason)? = made.first?.state else {
            Issue.record("\(made)")
            return
        }
        #expect(reason.contains("'later'"))
        try IndexOracle(test).check()
    }

    @Test func `the cost of a list does not reveal its old members to callers that may not read it`() async throws {
        let test = try TestDatabase()
        let bob = try await test.signUp("bob").session
        for number in 0..<99 {
            _ = try await test.database.roles.put(
                try #require(RoleName("r\(number)")), members: number == 0 ? [bob.user.recordName] : [])
        }
        try await test.putSchema(
            #"{"types":{"Post":{"fields":{"l":{"type":"INT64_LIST","indexes":["QUERYABLE"],"read":["r1"]}}}}}"#)
        let acl = (0..<99).map { #""role:r\#($0)":["read"\#($0 == 0 ? #","write""# : "")]"# }.joined(separator: ",")
        try await test.perform(.create, "Post", "r", #"{"acl":{\#(acl)},"fields":{"l":[5]}}"#)
        try test.reader.refresh()
        let caller = try test.caller(bob.token)
        // Of so many members, each has to be new.
        let most = Limits.memberEntries / 100
        func rejection(from first: Int, count: Int, as caller: Caller) async -> RecordError? {
            let list = (first..<first + count).map(String.init).joined(separator: ",")
            return await RecordEngineTests.rejection { try await test.change("r", #""l":[\#(list)]"#, as: caller) }
        }
        for first in [0, 1_000_000] {
            #expect(await rejection(from: first, count: most + 1, as: caller)?.cause == .tooLarge)
        }
        #expect(await rejection(from: 0, count: most + 1, as: .administrator(.bootstrap)) == nil)
        #expect(await rejection(from: 1, count: most + 1, as: caller)?.cause == .tooLarge)
        #expect(await rejection(from: 1, count: most, as: caller) == nil)
    }
}
