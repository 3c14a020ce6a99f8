import RecordModel
import Cryptography
import Testing

@testable import RecordStorage

/// Sums stored next to the rows of a table match the rows after any change.
@Suite struct RunningTotalTests {
    /// The sums that a file keeps, and those of its rows.
    private static func check(_ connection: Connection, _ comment: String) throws {
        let pairs: [(kept: SQL, rows: SQL)] = [
            (
                "SELECT caller, bytes FROM idempotency_sum ORDER BY caller",
                "SELECT caller, sum(bytes) FROM idempotency GROUP BY caller ORDER BY caller"
            ),
            (
                "SELECT uploader, bytes FROM asset_unused WHERE bytes <> 0 ORDER BY uploader",
                "SELECT uploader, sum(size) FROM asset_claim WHERE used IN (0, 2) GROUP BY uploader ORDER BY uploader"
            ),
            (
                "SELECT outcome, entries FROM audit_count WHERE entries <> 0 ORDER BY outcome",
                "SELECT outcome, count(*) FROM audit GROUP BY outcome ORDER BY outcome"
            ),
        ]
        for pair in pairs {
            let kept: [String] = try connection.prepare(pair.kept).rows {
                "\($0.next(String.self)) \($0.next(Int64.self))"
            }
            let rows: [String] = try connection.prepare(pair.rows).rows {
                "\($0.next(String.self)) \($0.next(Int64.self))"
            }
            #expect(kept == rows, "\(comment): \(pair.kept.text)")
        }
    }

    /// Runs random statements that change stored responses, claims and the audit log.
    private struct Hand {
        let connection: Connection
        let responses: IdempotencyTable
        let assets: AssetTable
        let audit: AuditTable
        let removals: AccountRemovalTable
        var now: Int64 = 1
        var ids: [(asset: Int64, claim: Int64)] = []

        init(_ connection: Connection) throws {
            self.connection = connection
            responses = IdempotencyTable(connection)
            assets = AssetTable(connection)
            audit = AuditTable(connection)
            removals = AccountRemovalTable(connection)
        }

        mutating func act() throws -> String {
            now += 1
            let who = UserID(rawValue: .random(in: 16...19))
            let action = Int.random(in: 0..<13)
            switch action {
            case 0, 1:
                let body = [UInt8](repeating: 1, count: .random(in: 0...300))
                try responses.remember(
                    StoredResponse(request: [1], outcome: 1, name: "n", tag: "t", body: body), caller: CallerID(who),
                    key: "k\(Int.random(in: 0..<20))", created: now, limit: 1_000)
            case 2: _ = try responses.removeExpired(before: now - 40, limit: .random(in: 1...9))
            case 3, 4: try upload(who)
            case 5: if let one = ids.randomElement() { try assets.use(claim: one.claim) }
            case 6:
                if let one = ids.randomElement() {
                    _ = try assets.link(
                        record: RecordNumber(rawValue: who.rawValue), of: who, field: 1, asset: one.asset)
                }
            case 7: try assets.unlinkAll(record: RecordNumber(rawValue: who.rawValue), of: who, now: now, end: now + 30)
            case 8: _ = try assets.collect(before: now - 30, limit: .random(in: 1...3), keepsUnusedUploads: .random())
            case 9: _ = try assets.removeExpiredClaims(before: now, limit: .random(in: 1...9))
            case 10, 11:
                try audit.append(
                    AuditRow(
                        at: now, actorKind: "key", actor: "a", action: "b", target: "c",
                        outcome: ["done", "refused", "failed"].randomElement() ?? "", address: "", request: "",
                        detail: nil))
            default:
                if .random() {
                    _ = try audit.purge(before: now - 100, keeping: .random(in: 10...40), limit: .random(in: 1...9))
                } else {
                    _ = try removals.removeClaimsAndResponses(account: who, limit: .random(in: 1...9))
                }
            }
            return "action \(action) at \(now)"
        }

        private mutating func upload(_ who: UserID) throws {
            let hash = SHA256.hash(utf8: "\(Int.random(in: 0..<12))")
            let asset =
                try assets.reading.find(hash)?.id
                ?? assets.insert(AssetRow(id: 0, hash: hash, size: 5, file: now, orphaned: now))
            let claim = AssetClaim(
                id: 0, asset: asset, uploader: who, scope: 0, owner: .nobody, contentType: nil,
                filename: Bool.random() ? "f" : nil, expires: now + 20)
            ids.append((asset, try assets.claim(claim, size: .random(in: 1...9))))
        }
    }

    @Test func `sums match the rows after any change`() throws {
        let file = try TestFile()
        var hand = try Hand(file.writer)
        try file.writer.execute("BEGIN")
        for _ in 0..<3_000 { try Self.check(file.writer, hand.act()) }
        try file.writer.execute("COMMIT")
    }

    @Test func `a file of the previous version keeps its sums and loses its triggers`() throws {
        let file = try TestFile()
        let path = file.directory + "/before.sqlite"
        let connection = try Connection(path: path, role: .writer)
        let before = Migrations.all.prefix { $0.name != Migrations.runningTotalsName }
        try Migrations.run(Array(before), on: connection)
        try connection.execute(
            """
            INSERT INTO idempotency (caller, key, request, created, outcome, bytes) VALUES (16, 'a', x'01', 1, 1, 120);
            INSERT INTO asset_claim (asset, uploader, scope, owner, size, expires) VALUES (1, 16, 0, 0, 700, 9);
            INSERT INTO audit (at, actor_kind, actor, action, target, outcome, address, request)
            VALUES (1, 'key', 'a', 'b', 'c', 'done', '', '');
            """)
        #expect(try connection.integer("SELECT count(*) FROM idempotency_sum WHERE bytes = 120") == 1)
        try Migrations.run(on: connection)
        try Self.check(connection, "after the step")
        let left: [String] = try connection.prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name"
        ).rows { $0.next() }
        #expect(left == ["audit_is_final", "audit_is_kept", "audit_retention_rises"])
        var hand = try Hand(connection)
        for _ in 0..<300 { try Self.check(connection, hand.act()) }
        #expect(throws: (any Error).self) { try connection.execute("DELETE FROM audit WHERE id > 0; SELECT 1") }
    }

    @Test func `the administrators' file counts its log without triggers`() throws {
        let file = try TestFile()
        let connection = try Connection(path: ServerFile.path(in: file.directory), role: .writer)
        try ServerFile.migrate(connection)
        let triggers = try connection.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'")
        #expect(triggers == 3)
        let audit = AuditTable(connection)
        for number in 0..<4 {
            try audit.append(
                AuditRow(
                    at: 1, actorKind: "key", actor: "a", action: "b", target: "c",
                    outcome: number == 0 ? "refused" : "done", address: "", request: "", detail: nil))
        }
        #expect(try connection.integer("SELECT entries FROM audit_count WHERE outcome = 'done'") == 3)
        #expect(try connection.integer("SELECT entries FROM audit_count WHERE outcome = 'refused'") == 1)
    }
}
