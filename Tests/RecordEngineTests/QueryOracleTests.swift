import Foundation
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// For any schema, records, query and plan: pages and counts equal the result of filtering and sorting all records.
/// `FOGBASE_ORACLE_CASES` sets the number of queries, `FOGBASE_ORACLE_SEED` the first one.
@Suite struct QueryOracleTests {
    private static let casesPerDatabase = 100

    @Test func `pages and counts agree with the oracle for every plan`() async throws {
        let variables = ProcessInfo.processInfo.environment
        let cases = variables["FOGBASE_ORACLE_CASES"].flatMap(Int.init) ?? 1_500
        let first = variables["FOGBASE_ORACLE_SEED"].flatMap(UInt64.init) ?? 1
        let databases = UInt64(max(1, cases / Self.casesPerDatabase))
        let tally = try await withThrowingTaskGroup(of: PlanTally.self) { group in
            for worker in UInt64(0)..<2 {
                group.addTask {
                    var tally = PlanTally()
                    for number in stride(from: worker, to: databases, by: 2) {
                        tally.add(try await Self.run(seed: first + number))
                    }
                    return tally
                }
            }
            return try await group.reduce(into: PlanTally()) { $0.add($1) }
        }
        guard cases >= 1_500 else { return }
        // Random cases contain these often. Rare plans, such as backward scans of one creator and merges of them, have
        // their own tests.
        for kind in [
            "nothing", "sorted", "filter", "index forward", "index backward", "merged IN forward", "union, sorted",
            "name", "names", "creator forward", "records forward", "records backward", "members", "one key with ids",
            "refused", "form forward", "parts", "words", "places", "nearest",
        ] {
            #expect((tally.counts[kind] ?? 0) > 0, "no plan was: \(kind); there were \(tally.counts)")
        }
        // A query that both sides refuse compares nothing.
        #expect((tally.counts["refused"] ?? 0) * 5 < cases, "\(tally.counts)")
    }

    private static func run(seed: UInt64) async throws -> PlanTally {
        var samples = OracleSamples(seed: seed)
        samples.hasSearches = true
        let database = try await OracleDatabase(&samples) { test in
            var people: [(Caller, String)] = []
            for name in ["ann", "bob"] {
                let (caller, session) = try await test.signUp(name)
                people.append((caller, session.user.recordName))
            }
            return people
        }
        var tally = PlanTally()
        for number in 0..<casesPerDatabase {
            let query = OracleCase(&samples, database)
            if let failure = try await query.failure(in: database, &tally) {
                Issue.record("FOGBASE_ORACLE_SEED=\(seed), case \(number)\n\(query.description)\n\(failure)")
            }
        }
        return tally
    }
}
