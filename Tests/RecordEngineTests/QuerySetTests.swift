import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing

/// Bulk updates and deletions, compared with filtering all records.
@Suite struct QuerySetTests {
    private static let fields =
        #""g":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]},"n":{"type":"INT64"},"to":{"type":"REFERENCE"}"#

    private static func filled(_ count: Int = 40, limits: DatabaseLimits = DatabaseLimits()) async throws
        -> TestDatabase
    {
        let test = try TestDatabase(.production, limits: limits)
        try await test.putType(
            fields: fields, indexes: #"[{"fields":["n"]},{"fields":["to"]}]"#,
            grants: #"{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}"#)
        try await test.createAll((0..<count).map { ("r\($0)", #""g":\#($0 % 4),"n":\#($0 % 7)"#) })
        return test
    }

    /// Performs a bulk change and returns its counts.
    private static func perform(
        _ test: TestDatabase, _ condition: String, _ arguments: [QueryArgument] = [], change: String? = nil,
        as caller: Caller = .administrator(.bootstrap), all: Bool = false, dryRun: Bool = false, most: Int? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> [Int64?] {
        let verb: BulkRequest.Change =
            if let change { .modify(try RecordInput.readSingle(Array(#"{"fields":{\#(change)}}"#.utf8))) } else {
                .delete
            }
        let request = BulkRequest(
            query: try test.queryRequest(condition, arguments, as: caller), change: verb, isForAll: all,
            isDryRun: dryRun, maxAffected: most, idempotency: key)
        try test.reader.refresh()
        let response = try JSONValue.parse(try await test.reader.bulkChanges.perform(request).document)
        return [
            response["matched"]?.integer, response[change == nil ? "deleted" : "updated"]?.integer,
            response["skipped"]?.integer,
        ]
    }

    @Test func `random bulk changes agree with the oracle`() async throws {
        for seed in UInt64(1)...12 {
            var samples = OracleSamples(seed: 7_000 + seed)
            var database = try await OracleDatabase(&samples) { test in
                let ann = try await test.signUp("ann")
                return [(ann.caller, ann.session.user.recordName)]
            }
            let test = database.test
            for _ in 0..<6 {
                let condition = samples.condition(database.fields, database.oracle.records)
                let caller = samples.pick(database.callers)
                let binder = PredicateBinder(type: try database.currentType(), now: 0) { database.users[$0] }
                let bound = Result { () throws(RecordError) in
                    try binder.bind(try PredicateSyntax.parse(condition.text), positional: condition.arguments)
                }
                if case .failure(let error) = bound, error.reason.contains("needs a string that is not empty") {
                    continue
                }
                let predicate = try bound.get()
                let visible = database.isOwnOnly ? caller.userID : nil
                let expected = database.oracle.respond(predicate, sort: [], isPrivate: false, visibleTo: visible)
                let writable = expected.filter { !caller.isBoundByGrants || $0.creator == caller.userID }
                guard !condition.text.isEmpty else { continue }
                let isDryRun = samples.chance(30)
                let query = try test.queryRequest(
                    condition.text, condition.arguments, type: OracleDatabase.type, as: caller)
                let request = BulkRequest(
                    query: query, change: .delete, isForAll: false, isDryRun: isDryRun, maxAffected: nil,
                    idempotency: nil)
                try test.reader.refresh()
                let response: JSONValue
                do {
                    response = try JSONValue.parse(try await test.reader.bulkChanges.perform(request).document)
                } catch let error as RecordError where error.cause == .notIndexed && !database.isCovered {
                    continue
                }
                #expect(response["matched"]?.integer == Int64(expected.count), "\(seed): \(condition)")
                #expect(response["deleted"]?.integer == Int64(isDryRun ? 0 : writable.count), "\(seed): \(condition)")
                if isDryRun { continue }
                #expect(response["skipped"]?.integer == Int64(expected.count - writable.count), "\(seed): \(condition)")
                let gone = Set(writable.map(\.id))
                database.oracle.records.removeAll { gone.contains($0.id) }
                let left = database.oracle.records.filter { !$0.isPrivate }.map { Array($0.name.utf8) }
                let listed = try test.list(type: OracleDatabase.type, limit: 1_000).names.map { Array($0.utf8) }
                #expect(listed == left, "\(seed): \(condition)")
            }
        }
    }

    @Test func `a bulk change affects exactly the matching records`() async throws {
        let test = try await Self.filled()
        #expect(try await Self.perform(test, "g == 1", change: #""n":{"increment":100}"#) == [10, 10, 0])
        #expect(try await test.query("n >= 100").count == 10)
        // The matching records are fixed at the start: records that the change itself makes match are not changed
        // again.
        #expect(try await Self.perform(test, "n >= 100", change: #""n":{"increment":1}"#) == [10, 10, 0])
        #expect(try await Self.perform(test, "n >= 100", change: #""n":0,"g":9"#) == [10, 10, 0])
        #expect(try await test.query("g == 9 AND n == 0").count == 10)
        #expect(try await Self.perform(test, "g == 77") == [0, 0, 0])
    }

    @Test func `skipped records are reported with reason and names`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""g":{"type":"INT64","indexes":["QUERYABLE"]},"slug":{"type":"STRING"},"to":{"type":"REFERENCE"}"#,
            indexes: #"[{"fields":["slug"],"unique":true},{"fields":["to"]}]"#)
        try await test.createAll([
            ("a", #""g":1"#), ("b", #""g":1"#), ("c", #""g":2,"to":{"recordName":"a","action":"VALIDATE"}"#),
        ])
        func reasons(_ change: BulkRequest.Change) async throws -> [JSONValue] {
            try test.reader.refresh()
            let response = try await test.reader.bulkChanges.perform(
                BulkRequest(
                    query: try test.queryRequest("g == 1"), change: change, isForAll: false, isDryRun: false,
                    maxAffected: nil, idempotency: nil))
            return try JSONValue.parse(response.document)["skipReasons"]?.array ?? []
        }
        let input = try RecordInput.readSingle(Array(#"{"fields":{"slug":"x"}}"#.utf8))
        let taken = try await reasons(.modify(input))
        #expect(taken.count == 1 && taken[0]["cause"]?.string == "UNIQUE_VIOLATION")
        #expect(taken[0]["recordNames"]?.array?.compactMap(\.string) == ["b"])
        let held = try await reasons(.delete)
        #expect(held.count == 1 && held[0]["serverErrorCode"]?.string == "VALIDATING_REFERENCE_ERROR")
        #expect(held[0]["recordNames"]?.array?.compactMap(\.string) == ["a"] && held[0]["count"]?.integer == 1)
        #expect(try await reasons(.modify(input)).isEmpty)
        await test.close()
    }

    /// It would be missing for every record: nothing says so if all are skipped.
    @Test func `a change with a reference to nothing is rejected, and not skipped`() async throws {
        let test = try await Self.filled()
        let change = #""to":{"recordName":"nosuch","action":"VALIDATE"}"#
        #expect(
            await rejection { _ = try await Self.perform(test, "g == 1", change: change) }?.code
                == .validatingReferenceError)
        #expect(try await Self.perform(test, "g == 1", change: #""n":1"#) == [10, 10, 0])
    }

    @Test func `a bulk change keeps its limits`() async throws {
        var limits = DatabaseLimits()
        limits.setRecords = 12
        let test = try await Self.filled(limits: limits)
        #expect(await rejection { _ = try await Self.perform(test, " ") }?.code == .badRequest)
        #expect(try await Self.perform(test, "g == 0", dryRun: true) == [10, 0, 0])
        #expect(await rejection { _ = try await Self.perform(test, "g == 0", most: 9) }?.cause == .tooManyAffected)
        #expect(try await Self.perform(test, "g <= 1", dryRun: true) == [20, 0, 0])
        #expect(try test.list().names.count == 40)
        #expect(try await Self.perform(test, "g == 0", most: 10) == [10, 10, 0])
        #expect(try test.list().names.count == 30)
    }

    @Test func `one idempotency key executes one change`() async throws {
        let test = try await Self.filled()
        let key = try #require(IdempotencyKey("k", request: [1]))
        let change = #""n":{"increment":100}"#
        #expect(try await Self.perform(test, "g == 1", change: change, key: key) == [10, 10, 0])
        #expect(try await Self.perform(test, "g == 1", change: change, key: key) == [10, 10, 0])
        #expect(try await test.query("n >= 200").count == 0)
        let other = try #require(IdempotencyKey("k", request: [2]))
        #expect(await rejection { _ = try await Self.perform(test, "g == 1", change: change, key: other) } != nil)
    }

    @Test func `permissions and references exclude records one by one`() async throws {
        let test = try await Self.filled()
        let ann = try await test.signUp("ann").caller
        try await test.createAll((0..<5).map { ("ann\($0)", #""g":1,"n":50"#) }, as: ann)
        #expect(try await Self.perform(test, "g == 1", change: #""n":51"#, as: ann) == [15, 5, 10])
        let bob = try await test.signUp("bob").caller
        #expect(try await Self.perform(test, "g == 1", as: bob) == [15, 0, 15])
        let strange = await rejection { _ = try await Self.perform(test, "g == 1", as: .anonymous) }
        #expect(strange?.code == .authenticationRequired)
        try await test.create("holder", #""g":5,"to":{"recordName":"ann1","action":"VALIDATE"}"#)
        #expect(try await Self.perform(test, "n == 51", as: ann) == [5, 4, 1])
        #expect(try await test.query("n == 51").names == ["ann1"])
        // Both match: the holder is deleted first, or the target waits for the next request.
        let counts = try await Self.perform(test, "recordName IN {'ann1', 'holder'}")
        #expect(counts[0] == 2)
        #expect(await rejection { _ = try await test.change("r1", #""g":"text""#) } != nil)
        #expect(
            await rejection { _ = try await Self.perform(test, "g == 1", change: #""g":"text""#) }?.code == .badRequest)
    }

    @Test func `a disk that becomes full in the middle does not hide what was done`() async throws {
        let test = try await Self.filled(4_000)
        let full = StoreFailure(code: 13, message: "database or disk is full")
        var left: Int64 = 4_000
        for step in [10_000, 3_000, 200] {
            let plan = FaultPlan(failAt: step, with: full, losesTransaction: true, lasts: true)
            test.inject(plan)
            let error = await rejection { _ = try await Self.perform(test, "", all: true) }
            test.inject(nil)
            try #require(plan.hasFired)
            #expect(error?.cause == .storageFull)
            let now = try #require(try await test.query("g >= 0").count)
            let told = error?.details.first { $0.key == "changed" }?.value
            #expect(told == .number(left - now))
            #expect(error?.reason.contains("nothing was written") == (left == now))
            if left > now { #expect(error?.reason.contains("\(left - now) of \(left) records were changed") == true) }
            left = now
        }
        #expect(left > 0 && left < 4_000)
    }

    /// Breaks a change with a key off between two slices, and returns how many records were changed.
    private static func breakOff(
        _ test: TestDatabase, change: String?, key: IdempotencyKey
    ) async throws -> Int64 {
        let full = StoreFailure(code: 13, message: "database or disk is full")
        let plan = FaultPlan(failAt: change == nil ? 10_000 : 12_000, with: full, losesTransaction: true, lasts: true)
        test.inject(plan)
        let error = await rejection { _ = try await Self.perform(test, "", change: change, all: true, key: key) }
        test.inject(nil)
        try #require(plan.hasFired)
        guard case .number(let changed)? = error?.details.first(where: { $0.key == "changed" })?.value else { return 0 }
        return changed
    }

    /// A client that repeats the request must not increment the records again.
    @Test func `an interrupted bulk update is not restarted under its key`() async throws {
        let test = try await Self.filled(4_000)
        let key = try #require(IdempotencyKey("k", request: [1]))
        let change = #""n":{"increment":100}"#
        let changed = try await Self.breakOff(test, change: change, key: key)
        try #require(changed > 0 && changed < 4_000)
        for _ in 0..<2 {
            let again = await rejection { _ = try await Self.perform(test, "", change: change, all: true, key: key) }
            #expect(again?.cause == .setInterrupted)
            #expect(again?.details.map(\.key) == ["matched", "changed", "skipped"])
            #expect(again?.details.map(\.value) == [.number(4_000), .number(changed), .number(0)])
            #expect(again?.reason.contains("\(changed) of 4000 records were changed") == true)
        }
        #expect(try await test.query("n >= 100").count == changed)
        #expect(try await test.query("n >= 200").count == 0)
        // The rest, as the sentence says.
        let other = try #require(IdempotencyKey("other", request: [2]))
        let left = 4_000 - changed
        #expect(try await Self.perform(test, "n < 100", change: change, key: other) == [left, left, 0 as Int64])
        #expect(try await Self.perform(test, "n < 100", change: change, key: other) == [left, left, 0 as Int64])
    }

    @Test func `an interrupted bulk deletion resumes under its key`() async throws {
        let test = try await Self.filled(4_000)
        let key = try #require(IdempotencyKey("k", request: [1]))
        let deleted = try await Self.breakOff(test, change: nil, key: key)
        try #require(deleted > 0 && deleted < 4_000)
        let left = 4_000 - deleted
        #expect(try await Self.perform(test, "", all: true, key: key) == [left, left, 0 as Int64])
        #expect(try await Self.perform(test, "", all: true, key: key) == [left, left, 0 as Int64])
    }

    @Test func `records that change meanwhile are evaluated again`() async throws {
        let test = try await Self.filled(2_000)
        let change = #""n":1000"#
        let writes = Task { [database = test.database] in
            for number in stride(from: 1, to: 2_000, by: 97) {
                _ = try await database.modify(try Self.move("r\(number)"))
            }
        }
        let counts = try await Self.perform(test, "g == 1", change: change)
        try await writes.value
        #expect(counts[0] == (counts[1] ?? 0) + (counts[2] ?? 0))
        #expect(try await test.query("g == 99").count == 21)
        // Six of the moved records matched: they were changed before they moved, or skipped.
        #expect(try await test.query("g == 1").count == 494)
        #expect(try await test.query("g == 1 AND n != 1000").count == 0)
        let changed = try await test.query("g == 99 AND n == 1000")
        #expect(counts[1] == 494 + (changed.count ?? 0))
    }

    private static func move(_ name: String) throws -> WriteRequest {
        let input = try RecordInput.readSingle(Array(#"{"fields":{"g":99}}"#.utf8))
        let operation = RecordOperation(
            .modify(createsMissing: false, replacesAll: false), typeName: RecordTypeName("Post"), isTypeInPath: true,
            recordName: RecordName(name), input: input)
        return WriteRequest(
            caller: .administrator(.bootstrap), address: .publicDefault, shape: .single, operations: [operation])
    }
}
