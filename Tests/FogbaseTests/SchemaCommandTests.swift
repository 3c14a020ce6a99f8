import Glibc
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import fogbase

/// `fogbase schema …`, run in this process against a data directory of its own.
@Suite struct SchemaCommandTests {
    private let directory = TemporaryDirectory()

    private var data: String { directory.path + "/data" }

    private func run(_ line: String) -> ExitCode {
        Fogbase.run(line.split(separator: " ").map(String.init) + ["--data", data], environment: [:])
    }

    /// The files that a first start creates.
    private func makeDatabase() throws {
        let path = data + "/iCloud.fogbase.default/development"
        try DataDirectory.makeDirectory(path)
        try Migrations.run(on: Connection(path: DataDirectory.databasePath(in: path), role: .writer))
    }

    private func file(_ name: String) -> String { directory.path + "/" + name }

    private func write(_ text: String, to name: String) throws -> String {
        try TextFile.write(text, to: file(name))
        return file(name)
    }

    private func export(_ flags: String = "") throws -> String {
        #expect(run("schema export --output-file \(file("exported")) \(flags)") == .success)
        return try #require(try TextFile.read(file("exported")))
    }

    private static let schema = """
        DEFINE SCHEMA
            CREATE ROLE editors;
            CREATE ROLE unused;
            RECORD TYPE Post (title STRING QUERYABLE, GRANT READ TO "_world", GRANT WRITE TO editors);
        """

    @Test func `a schema is checked, imported, exported, promoted, rolled back and reset`() throws {
        let path = try write(Self.schema, to: "schema.ckdb")
        #expect(run("schema export") == .failure)
        try makeDatabase()
        let empty = try export()
        #expect(run("schema validate --file \(path)") == .success)
        #expect(run("schema import --validate --file \(path)") == .success)
        #expect(try export() == empty)
        #expect(run("schema import --file \(path) --container-id iCloud.fogbase.default") == .success)
        let exported = try export("--environment development")
        #expect(exported.contains("title         STRING QUERYABLE") && exported.contains("CREATE ROLE editors;"))
        // Importing what was exported changes nothing.
        #expect(run("schema import --file \(file("exported"))") == .success)
        #expect(try export() == exported)

        #expect(run("schema diff") == .failure)
        #expect(run("schema promote --dry-run") == .success)
        #expect(run("schema diff") == .failure)
        #expect(run("schema promote") == .success)
        #expect(run("schema diff") == .success)
        #expect(run("schema diff --file \(path)") == .success)
        #expect(run("schema snapshots --environment production --json") == .success)
        #expect(run("schema rollback 1 --environment production --dry-run") == .success)
        #expect(run("schema rollback 1 --environment production") == .success)
        #expect(run("schema diff") == .failure)
        #expect(run("schema rollback 9 --environment production") == .failure)
        #expect(run("schema rollback one --environment production") == .usage)
        #expect(run("schema reset --delete-records --dry-run") == .success)
        #expect(run("schema reset --delete-records") == .success)
        #expect(run("schema diff") == .success)
    }

    @Test func `a file may be JSON, and a mistake ends with 1`() throws {
        try makeDatabase()
        let json = try write(#" {"types":{"Post":{"fields":{"n":{"type":"INT64"}}}}}"#, to: "schema.json")
        #expect(run("schema import --file \(json)") == .success)
        #expect(try export().contains("n             INT64"))
        #expect(run("schema import") == .usage)
        #expect(run("schema import --file \(file("none"))") == .failure)
        #expect(run("schema import --file \(try write("DEFINE", to: "bad.ckdb"))") == .failure)
        #expect(run("schema import --file \(try write("{", to: "bad.json"))") == .failure)
        #expect(run("schema import --file \(json) --token none") == .failure)
    }

    private func rejection(_ text: String) -> String? {
        do throws(Failure) {
            try SchemaCommand.check(text, of: "a.ckdb")
            return nil
        } catch {
            return error.sentences.first
        }
    }

    @Test func `problems have the form that editors know`() {
        let text = rejection("DEFINE SCHEMA\n  RECORD TYPE Post (a STRNG);")
        #expect(text?.hasPrefix("a.ckdb:2:23: 'STRNG' is no type of a field") == true, "\(text ?? "")")
        let json = rejection(#"{"types":{"Post":{"fields":{"a":{"type":"STRNG"}}}}}"#)
        #expect(json?.hasPrefix("a.ckdb at types.Post.fields.a.type: 'STRNG'") == true, "\(json ?? "")")
        #expect(rejection(Self.schema) == nil)
    }

    @Test func `a plan has one line for each change`() throws {
        let changes = try JSONValue.parse(
            Array(
                #"""
                {"types":{"added":["A"],"changed":["B"],"removed":[]},
                "fields":{"added":[],"changed":["B.x"],"removed":["B.y"]},
                "indexes":{"added":[{"recordType":"B","fields":["x[cd]","-n"],"unique":true}],
                "removed":[{"recordType":"B","fields":["y"]}]},"rights":["B"],"roles":["r"],
                "records":{"A":0,"B":1200},"kept":["It has records."],"deletedRecords":3,"snapshot":4}
                """#.utf8))
        #expect(
            SchemaPlan.lines(of: changes) == [
                "role r: added", "type A: added", "type B: changed", "field B.x: changed", "field B.y: removed",
                "unique index B (x[cd], -n): built", "index B (y): dropped", "permissions of B: changed",
                "1,200 records of B: read for indexes", "3 records: deleted", "kept: It has records.",
                "The earlier schema is snapshot 4.",
            ])
        #expect(SchemaPlan.lines(of: [:]) == ["The schema is the same."])
    }

    @Test func `differences are shown below the head of their type`() {
        func text(_ members: String) -> String {
            "DEFINE SCHEMA\n    RECORD TYPE A (\n        a STRING\n    );\n    RECORD TYPE B (\n\(members)\n    );\n"
        }
        let old = text("        b STRING,\n        c BYTES")
        let new = text("        b INT64,\n        c BYTES,\n        d BYTES")
        #expect(
            LineDifference.lines(from: old, to: new) == [
                "      RECORD TYPE B (", "-         b STRING", "+         b INT64", "+         d BYTES",
            ])
        #expect(LineDifference.lines(from: old, to: old) == [])
    }
}
