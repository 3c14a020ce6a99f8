import CSQLite
import Cryptography
import StoreTestSupport
import TestSupport
import Testing

@testable import RecordStorage

@Suite struct AssetTableTests {
    /// Without statistics SQLite considers the indexes of both columns equal, and could scan all that an uploader has ever
    /// uploaded.
    @Test func `claims are found by asset and uploader, however many either has`() throws {
        let file = try TestFile()
        let faults = StoreFaults()
        file.writer.driver = faults.makeDriver(of: file.writer)
        _ = AssetTable(file.writer)
        let found = try file.writer.claimPlans(of: faults.statements)
        #expect(found.count == 4)
        for (sql, steps) in found {
            for step in steps where step.contains("asset_claim") {
                let isNarrow =
                    step.hasSuffix("asset_claim_by_asset (asset=? AND uploader=?)")
                    || step.hasSuffix("asset_claim_by_asset (asset=? AND uploader=? AND rowid<?)")
                    || step.hasSuffix("INTEGER PRIMARY KEY (rowid=?)")
                #expect(isNarrow, "\(step) of \(sql)")
            }
        }
    }

    /// An upload must not add up all earlier uploads of the same uploader.
    @Test func `an upload is as much work after a thousand as after two`() throws {
        let file = try TestFile()
        let table = AssetTable(file.writer)
        func upload(_ number: Int) throws -> Int {
            let before = file.writer.stepsDone
            _ = try table.reading.unusedBytes(of: 16)
            let row = AssetRow(
                id: 0, hash: SHA256.hash(utf8: "\(number)"), size: 5, file: Int64(number), orphaned: 1)
            let claim = AssetClaim(
                id: 0, asset: try table.insert(row), uploader: 16, scope: 0, owner: 0, contentType: nil, filename: nil,
                expires: 1)
            _ = try table.claim(claim, size: 5)
            return file.writer.stepsDone - before
        }
        try file.writer.execute("BEGIN")
        let work = try (0..<1_000).map(upload)
        #expect(try table.reading.unusedBytes(of: 16) == 5_000)
        try file.writer.execute("COMMIT")
        #expect(work[2] > 0 && Set(work[2...]) == [work[2]], "\(work[2]), then up to \(work.max() ?? 0)")
    }
}

extension Connection {
    /// The steps of SQLite's machine that all statements have taken which are there now, triggers among them.
    fileprivate var stepsDone: Int {
        var steps = 0
        var statement = sqlite3_next_stmt(handle, nil)
        while let known = statement {
            steps += Int(sqlite3_stmt_status(known, SQLITE_STMTSTATUS_VM_STEP, 0))
            statement = sqlite3_next_stmt(handle, known)
        }
        return steps
    }

    /// How SQLite carries out the statements that look for claims of an asset by their uploader.
    fileprivate func claimPlans(of statements: [String]) throws -> [(sql: String, steps: [String])] {
        try statements.filter { $0.contains("asset_claim") && $0.contains("uploader =") }.map { sql in
            let plan = prepareDirectly("EXPLAIN QUERY PLAN \(sql)")
            var steps: [String] = []
            while try plan.step() { steps.append(plan.text(3)) }
            return (sql, steps)
        }
    }
}
