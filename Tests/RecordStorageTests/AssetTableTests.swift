import CSQLite
import Testing

@testable import RecordStorage

@Suite struct AssetTableTests {
    /// Without statistics SQLite takes the index of one column to be as good as that of another: each upload once walked
    /// through all that its uploader had ever uploaded.
    @Test func `claims are found by asset and uploader, however many either has`() throws {
        let file = try TestFile()
        let table = try AssetTable(file.writer)
        let found = try withExtendedLifetime(table) { try file.writer.claimPlans() }
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
}

extension Connection {
    /// How SQLite carries out the statements that look for claims of an asset by their uploader.
    fileprivate func claimPlans() throws -> [(sql: String, steps: [String])] {
        var found: [String] = []
        var statement = sqlite3_next_stmt(handle, nil)
        while let known = statement {
            if let text = sqlite3_sql(known) { found.append(String(cString: text)) }
            statement = sqlite3_next_stmt(handle, known)
        }
        return try found.filter { $0.contains("asset_claim") && $0.contains("uploader =") }.map { sql in
            let plan = try prepare("EXPLAIN QUERY PLAN " + sql)
            var steps: [String] = []
            while try plan.step() { steps.append(plan.text(3)) }
            return (sql, steps)
        }
    }
}
