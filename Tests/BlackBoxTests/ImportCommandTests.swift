import Foundation
import RecordWire
import TestSupport
import Testing

/// `fogbase import cloudkit` from one server to another one. The first plays CloudKit, and a proxy with faults stands
/// between them.
@Suite struct ImportCommandTests {
    private static let container = "iCloud.org.example.Orchard"
    private static let schema = """
        DEFINE SCHEMA
            RECORD TYPE Orchard (
                "___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE, place LOCATION, plan ASSET,
                best REFERENCE, GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator"
            );
            RECORD TYPE Tree (
                "___recordID" REFERENCE QUERYABLE, "___modTime" TIMESTAMP QUERYABLE, orchard REFERENCE, parents LIST<REFERENCE>,
                variety STRING QUERYABLE, rows INT64, yield DOUBLE, planted TIMESTAMP, code BYTES, names LIST<STRING>,
                photos LIST<ASSET>, GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator"
            );
        """

    /// Both servers, the proxy, and the directory in which the command runs.
    private final class Scene {
        let source: ServerProcess
        let target: ServerProcess
        let proxy: FaultProxy
        let directory: URL
        let process = ImportProcess()
        /// The record names at the source and here, by the name of the account.
        private(set) var users: [String: (source: String, target: String)] = [:]

        init() throws {
            source = try ServerProcess(settings: ["FOGBASE_DATA_CONTAINERS": ImportCommandTests.container])
            target = try ServerProcess()
            proxy = FaultProxy(to: source.port)
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("fogbase-import-\(UUID())")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(ImportCommandTests.schema.utf8).write(to: file("schema.ckdb"))
            let imported = try OperatorShell(source).run("schema import --file \(file("schema.ckdb").path)")
            try #require(imported.status == 0, "\(imported.errors)")
            for name in ["ann", "bob"] { users[name] = (try add(name, to: source), try add(name, to: target)) }
            let lines = users.map { "\($0.value.source),\($0.key)\n" }.sorted().joined()
            try Data(("# source, here\n" + lines).utf8).write(to: file("users.csv"))
        }

        deinit { try? FileManager.default.removeItem(at: directory) }

        func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

        private func add(_ name: String, to server: ServerProcess) throws -> String {
            let made = try HTTPClient(port: server.port).send(
                "POST", "/users", #"{"name":"\#(name)","password":"correct horse"}"#)
            return try #require(made.json?["user"]?["userRecordName"]?.string, "\(made.text)")
        }

        /// The arguments that all runs have.
        var words: [String] {
            [
                "--data", target.data, "--source-url", "http://127.0.0.1:\(proxy.port)", "--source-container",
                ImportCommandTests.container, "--source-environment", "development",
            ]
        }

        /// A server-to-server key of the source, and the arguments that name it.
        func key() throws -> [String] {
            let (secret, open) = (file("key.pem").path, file("key.pub").path)
            let made = try Shell.run(
                [
                    "openssl ecparam -name prime256v1 -genkey -noout -out \(secret) && openssl ec -in \(secret) -pubout -out \(open) 2>/dev/null"
                ], port: 0)
            try #require(made.status == 0, "\(made.text)")
            let added = try OperatorShell(source).run("keys add backend --public-key \(open) --actions read")
            let id = try #require(added.out.split(whereSeparator: \.isWhitespace).last.map(String.init), "\(added)")
            return ["--key-id", id, "--private-key", secret]
        }

        /// Signs ann in at the source. Returns the arguments with the tokens.
        func session() throws -> [String] {
            let client = try HTTPClient(port: source.port)
            let made = try client.send(
                "POST", "/cloudkit/tokens", #"{"name":"import"}"#, token: ServerProcess.administratorToken)
            let (id, token) = (try #require(made.json?["id"]?.string), try #require(made.json?["token"]?.string))
            let signedIn = try client.send(
                "POST", "/cloudkit/sign-in/\(id)", #"{"name":"ann","password":"correct horse"}"#)
            let session = try #require(signedIn.json?["webAuthToken"]?.string, "\(signedIn.text)")
            try Data(session.utf8).write(to: file("session"))
            return ["--api-token", token, "--web-auth-token-file", "session", "--owner", "ann"]
        }

        func batch(_ operations: [String], query: String = "") throws {
            let body = #"{"operations":[\#(operations.joined(separator: ","))],"preserve":["created","modified"]}"#
            let response = try HTTPClient(port: source.port).send(
                "POST", "/records\(query)", body, token: ServerProcess.administratorToken)
            let failures = (response.json?["records"]?.array ?? []).filter { $0["serverErrorCode"] != nil }
            try #require(response.status == 200 && failures.isEmpty, "\(response.text)")
        }

        func upload(_ text: String, query: String = "") throws -> String {
            let made = try HTTPClient(port: source.port).send(
                "POST", "/assets\(query)", bytes: Array(text.utf8), type: "text/plain",
                token: ServerProcess.administratorToken)
            return String(decoding: try #require(made.json?["asset"]).bytes, as: UTF8.self)
        }

        // MARK: Comparing

        /// All records of a type, without what may differ between servers.
        func records(_ type: String, on server: ServerProcess, query: String = "") throws -> [String: JSONValue] {
            let client = try HTTPClient(port: server.port)
            var records: [String: JSONValue] = [:]
            var cursor = ""
            repeat {
                let page = try client.send(
                    "GET", "/records/\(type)?limit=200\(query)\(cursor)", token: ServerProcess.administratorToken)
                try #require(page.status == 200, "\(page.text)")
                for record in page.json?["records"]?.array ?? [] {
                    records[record["recordName"]?.string ?? ""] = plain(record)
                }
                cursor = page.json?["cursor"]?.string.map { "&cursor=" + encoded($0) } ?? ""
            } while !cursor.isEmpty
            return records
        }

        private func plain(_ value: JSONValue) -> JSONValue {
            if let list = value.array { return .array(list.map(plain)) }
            guard var object = value.object else {
                // Users of the source by their record names here.
                let user = users.values.first { $0.source == value.string }
                return user.map { .string($0.target) } ?? value
            }
            for key in ["recordChangeTag", "downloadURL"] { object[key] = nil }
            return .object(
                JSONObject(object.members.sorted { $0.key < $1.key }.map { ($0.key, plain($0.value)) }))
        }

        func compare(_ types: [String] = ["Orchard", "Tree"], source query: String = "", target: String = "") throws {
            for type in types {
                let expected = try records(type, on: source, query: query)
                let found = try records(type, on: self.target, query: target)
                #expect(found.count == expected.count, "\(type): \(Set(expected.keys).symmetricDifference(found.keys))")
                for (name, record) in expected where found[name] != record {
                    Issue.record("\(type) \(name): \(String(describing: found[name])) instead of \(record)")
                    return
                }
            }
        }
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Orchards that refer to trees, and trees that refer to orchards and to each other.
    private static func fill(_ scene: Scene, query: String = "", trees: Int) throws {
        let zone = query
        let creator = { (name: String) in scene.users[name]?.source ?? "" }
        var operations = (0..<4).map { index -> String in
            #"""
            {"operationType":"create","record":{"recordType":"Orchard","recordName":"orchard/\#(index)",
            "created":{"timestamp":\#(1_600_000_000_000 + index),"userRecordName":"\#(creator("ann"))"},
            "modified":{"timestamp":1600000000500,"userRecordName":"\#(creator("bob"))"},
            "fields":{"title":"Orchard \#(index)","place":{"latitude":50.5,"longitude":\#(index)},
            "best":{"recordName":"tree-\#(index * 2)","action":"VALIDATE"}}}}
            """#
        }
        for index in 0..<trees {
            let file = index.isMultiple(of: 20) ? try scene.upload("photo \(index) of a tree", query: zone) : nil
            let photos = file.map { #","photos":[\#($0)]"# } ?? ""
            let parents =
                index > 2
                ? #","parents":[{"recordName":"tree-\#(index - 1)"},{"recordName":"tree-\#(index - 2)","action":"DELETE_SELF"}]"#
                : ""
            operations.append(
                #"""
                {"operationType":"create","record":{"recordType":"Tree","recordName":"tree-\#(index)",
                "created":{"timestamp":\#(1_650_000_000_000 + index),"userRecordName":"\#(creator(index.isMultiple(of: 2) ? "ann" : "bob"))"},
                "modified":{"timestamp":\#(1_660_000_000_000 + index),"userRecordName":"\#(creator("bob"))"},
                "fields":{"variety":"Bramley \#(index)","rows":\#(index),"yield":\#(index).5,"planted":{"value":\#(index),"type":"TIMESTAMP"},
                "code":{"value":"AQID","type":"BYTES"},"names":["a","b \#(index)"],
                "orchard":{"recordName":"orchard/\#(index % 4)","action":"VALIDATE"}\#(parents)\#(photos)}}}
                """#)
            if operations.count == 150 {
                try scene.batch(operations, query: zone)
                operations = []
            }
        }
        if !operations.isEmpty { try scene.batch(operations, query: zone) }
    }

    @Test func `a public database is copied through faults, kills and a full stop`() throws {
        let scene = try Scene()
        try Self.fill(scene, trees: 640)
        let words = scene.words + (try scene.key()) + ["--schema", "schema.ckdb", "--users", "users.csv"]

        let trial = try scene.process.run(words + ["--dry-run"], in: scene.directory)
        #expect(trial.status == 0, "\(trial.errors)")
        #expect(trial.out.contains("type Tree: added") && trial.out.contains("nothing was written"), "\(trial.out)")
        #expect(trial.out.contains("Tree     640   640"), "\(trial.out)")
        #expect(try HTTPClient(port: scene.target.port).send("GET", "/records/Tree").json?["records"] == [])

        // A page of orchards, and four of trees.
        let start = scene.proxy.requests
        #expect(start == 5)
        scene.proxy.plan([
            start + 1: .unavailable, start + 2: .item, start + 3: .drop, start + 7: .throttled, start + 8: .cut,
        ])
        let kill: @Sendable () -> Void = { [process = scene.process] in process.signal(SIGKILL) }
        scene.proxy.atDownload(8, kill)
        for number in [6, 10] { scene.proxy.atRequest(start + number, kill) }
        var kills = 0
        var run = try scene.process.run(words, in: scene.directory)
        while run.wasKilled, kills < 10 {
            kills += 1
            run = try scene.process.run(words, in: scene.directory)
        }
        #expect(kills == 3 && run.status == 0, "\(kills) \(run)")
        #expect(run.out.contains("There are no differences."), "\(run.out)")
        try scene.compare()
        // Nothing is left but the state.
        let left = try FileManager.default.contentsOfDirectory(atPath: scene.directory.path)
        #expect(left.filter { $0.hasPrefix("import-") } == ["import-\(Self.container).development.public.state"])

        // What has changed since is caught up with.
        try scene.batch([
            #"{"operationType":"forceUpdate","record":{"recordType":"Tree","recordName":"tree-7","fields":{"rows":700}}}"#,
            #"{"operationType":"create","record":{"recordType":"Tree","recordName":"new","fields":{"rows":1}}}"#,
        ])
        let again = try scene.process.run(words + ["--json"], in: scene.directory)
        let report = try JSONValue.parse(Array(again.out.utf8.dropLast()))
        let tree = report["counts"]?.array?.first { $0["type"] == "Tree" }
        #expect(again.status == 0 && tree?["onlyChanges"] == true && tree?["here"] == 641, "\(again)")
        #expect(report["users"]?["_administrator"] == nil)
        try scene.compare()
    }

    @Test func `a private database is copied, interrupted, continued, and followed`() throws {
        let scene = try Scene()
        let owner = try #require(scene.users["ann"])
        let client = try HTTPClient(port: scene.source.port)
        for zone in ["Garden", "Field"] {
            let made = try client.send(
                "PUT", "/zones/\(zone)?database=private&owner=\(owner.source)", token: ServerProcess.administratorToken)
            try #require(made.status == 201)
        }
        func query(_ zone: String) -> String { "database=private&owner=\(owner.source)&zone=\(zone)" }
        try Self.fill(scene, query: "?" + query("Garden"), trees: 450)
        try Self.fill(scene, query: "?" + query("Field"), trees: 30)
        try scene.batch(
            [
                #"{"operationType":"create","record":{"recordType":"Orchard","recordName":"plain","fields":{"title":"x"}}}"#
            ],
            query: "?" + query("_defaultZone"))
        let words = scene.words + (try scene.session()) + ["--schema", "schema.ckdb", "--users", "users.csv"]

        scene.proxy.plan([2: .unavailable, 4: .item, 6: .cut])
        // The server here is killed and started again on another port. The command waits for it.
        scene.proxy.atRequest(8) { [target = scene.target] in
            target.kill()
            try? target.start()
        }
        scene.proxy.atRequest(9) { [process = scene.process] in process.signal(SIGINT) }
        let first = try scene.process.run(words, in: scene.directory)
        #expect(first.status == 130 && !first.wasKilled, "\(first)")
        #expect(
            first.errors.contains("Interrupted. Run the same command again to continue; what is done is in import-"))
        let second = try scene.process.run(words, in: scene.directory)
        #expect(second.status == 0 && second.out.contains("There are no differences."), "\(second)")
        func compare() throws {
            for zone in ["Garden", "Field", "_defaultZone"] {
                try scene.compare(
                    source: "&" + query(zone), target: "&database=private&owner=\(owner.target)&zone=\(zone)")
            }
        }
        try compare()

        try scene.batch(
            [
                #"{"operationType":"forceUpdate","record":{"recordType":"Tree","recordName":"tree-9","fields":{"rows":900}}}"#,
                #"{"operationType":"forceDelete","record":{"recordType":"Tree","recordName":"tree-440"}}"#,
            ], query: "?" + query("Garden"))
        let deleted = try client.send(
            "DELETE", "/zones/Field?database=private&owner=\(owner.source)", token: ServerProcess.administratorToken)
        try #require(deleted.status == 204)
        let third = try scene.process.run(words, in: scene.directory)
        #expect(third.status == 0 && third.out.contains("Garden: 5 records deleted, as at the source."), "\(third)")
        for zone in ["Garden", "_defaultZone"] {
            try scene.compare(
                source: "&" + query(zone), target: "&database=private&owner=\(owner.target)&zone=\(zone)")
        }
        let gone = try HTTPClient(port: scene.target.port).send(
            "GET", "/zones/Field?database=private&owner=\(owner.target)", token: ServerProcess.administratorToken)
        #expect(gone.status == 404, "\(gone.text)")

        // Without its session, the command says where to sign in.
        try Data("ended".utf8).write(to: scene.file("session"))
        let ended = try scene.process.run(words, in: scene.directory)
        #expect(ended.status == 1 && ended.errors.contains("needs a new sign-in"), "\(ended)")
        #expect(ended.errors.contains("write the web auth token into the file of --web-auth-token-file"))
    }

    @Test func `mistakes are named before anything is written`() throws {
        let scene = try Scene()
        let key = try scene.key()
        try Data("x,eve\n".utf8).write(to: scene.file("nobody.csv"))
        try Data("x\n".utf8).write(to: scene.file("malformed.csv"))
        for (words, status, says) in [
            ([], 64, "The source needs a credential"),
            (Array(key.prefix(2)), 64, "needs both --key-id and --private-key"),
            (key + ["--owner", "ann"], 64, "cannot read a private database"),
            (key + ["--api-token", "x"], 64, "not both"),
            (["--key-id", "x", "--private-key", "schema.ckdb"], 1, "schema.ckdb has no private key as PEM text"),
            (key + ["--types", "Tree", "--users", "nobody.csv"], 1, "There is no account here named eve"),
            (key + ["--users", "malformed.csv"], 1, "malformed.csv:1: A line has the record name"),
            (key + ["--schema", "users.csv"], 1, "users.csv:1:1: "),
            (key, 1, "The schema here has no record types"),
            (["--key-id", "0", "--private-key", "key.pem", "--types", "Tree"], 1, "rejects the server-to-server key"),
        ] as [([String], Int32, String)] {
            let run = try scene.process.run(scene.words + words, in: scene.directory)
            #expect(run.status == status && run.errors.contains(says), "\(words): \(run)")
        }
        let other = try scene.process.run(
            scene.words + key + ["--types", "Tree", "--state", "import-\(Self.container).development.public.state"],
            in: scene.directory)
        #expect(other.status == 0, "\(other)")
        let mismatch = try scene.process.run(
            scene.words + ["--source-environment", "production"] + key, in: scene.directory)
        #expect(mismatch.status == 64 && mismatch.errors.contains("--source-environment is given twice"))
        _ = scene.target.terminate()
        let stopped = try scene.process.run(scene.words + key + ["--types", "Tree"], in: scene.directory)
        #expect(stopped.status == 1 && stopped.errors.contains("start it with 'fogbase serve'"), "\(stopped)")
    }
}
