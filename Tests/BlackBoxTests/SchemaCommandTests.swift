import Foundation
import RecordWire
import Testing

/// `fogbase schema …` and a running server.
@Suite struct SchemaCommandTests {
    @Test func `a schema moves from a file to development and production of a running server`() throws {
        let server = try ServerProcess()
        let shell = OperatorShell(server)
        let path = NSTemporaryDirectory() + "fogbase-\(UUID().uuidString.prefix(8)).ckdb"
        defer { unlink(path) }
        let text = """
            DEFINE SCHEMA
                CREATE ROLE editors;
                RECORD TYPE Post (title STRING QUERYABLE, n INT64, GRANT READ TO "_world", GRANT WRITE TO editors);
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let plan = try shell.run("schema validate --file \(path)")
        #expect(plan.status == 0, "\(plan.errors)")
        #expect(plan.out.contains("type Post: added\n") && plan.out.contains("Nothing was changed."), "\(plan.out)")
        let imported = try shell.run("schema import --file \(path) --environment development")
        #expect(imported.status == 0 && imported.out.contains("index Post (title): built\n"), "\(imported)")
        let exported = try shell.run("schema export")
        #expect(exported.out.hasPrefix("-- fogbase: {\"version\":1}\nDEFINE SCHEMA\n"), "\(exported)")
        let piped = try shell.run("schema import --file -", input: exported.out)
        #expect(piped.status == 0 && piped.out.contains("The schema is the same."), "\(piped)")

        let difference = try shell.run("schema diff")
        let added = "+ " + String(repeating: " ", count: 8) + "title"
        #expect(difference.status == 1 && difference.out.contains(added), "\(difference)")
        #expect(try shell.run("schema promote").out.contains("The earlier schema is snapshot 1."))
        #expect(try shell.run("schema diff").out == "The schemas are equal.\n")
        let snapshots = try shell.json("schema snapshots --environment production --json")["snapshots"]?.array ?? []
        #expect(snapshots.map { $0["by"]?["name"] } == ["_shell"])
        #expect(try shell.run("schema rollback 1 --environment production").out.contains("type Post: removed\n"))
        let refused = try shell.run("schema import --file \(path) --token none")
        #expect(refused.status == 1 && !refused.errors.contains("operator.json"), "\(refused.errors)")
    }

    @Test func `a rejected command advises commands`() throws {
        let server = try ServerProcess()
        let shell = OperatorShell(server)
        let made = try HTTPClient(port: server.port).send(
            "PUT", "/records/Note/a", #"{"fields":{"a":1}}"#, token: ServerProcess.administratorToken)
        try #require(made.status == 201)
        for (command, advice) in [
            ("schema rollback 99", "'fogbase schema snapshots' lists them."),
            ("users invite --roles editors", "Make it with 'fogbase roles add editors USER --make' first."),
            ("schema reset", "or use --delete-records, which deletes"),
        ] {
            let run = try shell.run(command)
            #expect(run.status == 1 && run.errors.contains(advice), "\(run)")
            #expect(run.errors.firstMatch(of: #/(GET|PUT|POST|PATCH|DELETE) /|send {/#) == nil, "\(run.errors)")
        }
    }
}
