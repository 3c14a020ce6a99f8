import Foundation
import RecordWire
import TestSupport
import Testing

/// The operator's commands on a data directory, with a running server and without one: the results are the same.
@Suite struct OperatorCommandTests {
    enum Place: CaseIterable, Sendable {
        case running, stopped
    }

    /// A data directory with the database that a first start makes, and a server on it or none.
    private static func shell(_ place: Place) throws -> OperatorShell {
        let server = try ServerProcess()
        if place == .stopped { #expect(server.terminate() == 0) }
        return OperatorShell(server)
    }

    @Test(arguments: Place.allCases)
    func `administrators are added, changed, disabled and removed`(place: Place) throws {
        let shell = try Self.shell(place)
        #expect(
            try shell.run("admin add grace --role owner", input: "correct horse\n").out == "Added grace, an owner.\n")
        let again = try shell.run("admin add grace", input: "correct horse\n")
        #expect(again.status == 1 && again.out.isEmpty)
        #expect(again.errors == "fogbase: An administrator has this name already. Choose another.\n")
        #expect(try shell.run("admin add x", input: "short\n").errors.contains("12 to 256 bytes"))
        #expect(try shell.run("audit --actor GRACE").status == 0)
        #expect(try shell.run("admin add Grace", input: "correct horse\n").errors.contains("small letters"))
        let role = try shell.run("admin set-role grace edtor")
        #expect(role.status == 64 && role.errors.contains("Did you mean editor?"))
        #expect(try shell.run("admin set-role grace developer").out.contains("now a developer"))
        #expect(try shell.run("admin set-password grace", input: "battery staple\n").status == 0)
        #expect(try shell.run("admin disable grace").status == 0)
        #expect(try shell.run("admin list").out.contains("disabled 20"))
        #expect(try shell.run("admin enable grace").status == 0)
        let list = try shell.json("admin list --json")["administrators"]?.array ?? []
        #expect(list.map { $0["name"] } == ["grace"] && list.first?["role"] == "developer")
        #expect(list.first?["disabled"] == false)
        #expect(try shell.run("admin remove grace").status == 0)
        #expect(try shell.run("admin remove grace").errors == "fogbase: There is no administrator with this name.\n")
        let log = try shell.json("audit --scope server --json")["entries"]?.array ?? []
        #expect(log.compactMap { $0["action"]?.string }.first == "administrator.delete")
        #expect(log.allSatisfy { $0["actor"]?["name"] == "_shell" && $0["actor"]?["kind"] == "operator" })
    }

    @Test func `the doctor repairs nothing while a server runs, and nothing in a sound directory`() throws {
        let shell = try Self.shell(.running)
        #expect(try shell.run("users add ada", input: "correct horse\n").status == 0)
        let busy = try shell.run("doctor --repair")
        #expect(busy.status == 1 && busy.errors.contains("in use by another Fogbase process"), "\(busy.errors)")
        #expect(shell.server.terminate() == 0)
        let sound = try shell.run("doctor --repair")
        #expect(sound.status == 0 && sound.out.contains("No problems found."), "\(sound.out)")
        #expect(!sound.out.contains("mended"))
    }

    @Test(arguments: Place.allCases)
    func `the log is filtered by a caller's name`(place: Place) throws {
        let shell = try Self.shell(place)
        for name in ["ann", "bob"] { #expect(try shell.run("users add \(name)", input: "correct horse\n").status == 0) }
        #expect(try shell.run("keys add shop --read-only").status == 0)
        let users = try shell.json("users list --json")["users"]?.array ?? []
        let ann = try #require(users.first?["userRecordName"]?.string)
        if place == .running {
            let client = try shell.client()
            let session = try client.send("POST", "/sessions", #"{"name":"ann","password":"correct horse"}"#)
            let token = try #require(session.json?["token"]?.string)
            #expect(try client.send("DELETE", "/sessions", token: token).status == 204)
            let entries = try shell.json("audit --actor ann --json")["entries"]?.array ?? []
            #expect(entries.compactMap { $0["actor"]?["name"] } == [.string(ann)], "\(entries)")
            #expect(try shell.json("audit --actor \(ann) --json")["entries"]?.array?.count == 1)
        }
        // The log has no entry of bob, but he is known.
        #expect(try shell.json("audit --actor bob --json")["entries"]?.array == [])
        #expect(try shell.json("audit --actor shop --json")["entries"]?.array == [])
        #expect(try shell.json("audit --actor _shell --json")["entries"]?.array?.isEmpty == false)
        let none = try shell.run("audit --actor eve")
        #expect(none.status == 1 && none.errors.contains("no user, key or administrator named eve"))
        let doctor = try shell.run("doctor")
        #expect(doctor.out.contains("  accounts 2, API keys 1, sessions"), "\(doctor.out)")
    }

    @Test(arguments: Place.allCases)
    func `accounts are added to roles and removed from them`(place: Place) throws {
        let shell = try Self.shell(place)
        #expect(try shell.run("users add ada", input: "correct horse\n").status == 0)
        #expect(try shell.run("roles list").out == "ROLE  MEMBER  RECORD NAME\n")
        let none = try shell.run("roles add editors ada")
        #expect(none.status == 1 && none.out.isEmpty)
        #expect(none.errors == "fogbase: There is no role with this name. --make creates it.\n", "\(none.errors)")
        #expect(try shell.run("roles add editors ada --make").out == "ada is in the role editors.\n")
        #expect(try shell.run("roles add editors ada --make").status == 0)
        #expect(try shell.run("users add bob", input: "correct horse\n").status == 0)
        #expect(try shell.run("roles add editors bob").status == 0)
        #expect(try shell.run("roles add staff role:editors --make").status == 0)
        let list = try shell.run("roles list").out
        #expect(list.contains("editors  ada") && list.contains("editors  bob") && list.contains("role:editors"))
        #expect(try shell.run("roles add editors eve").errors == "fogbase: There is no user with the name eve.\n")
        let builtIn = try shell.run("roles add _world ada")
        #expect(builtIn.status == 1 && builtIn.errors.contains("is built in"), "\(builtIn.errors)")
        // Members of a role stay when another command tries to create the role.
        #expect(try shell.run("roles add editors bob --make").status == 0)
        #expect(try shell.run("roles list").out.contains("editors  ada"))
        let roles = try shell.json("roles list --json")["roles"]?.array ?? []
        #expect(roles.map { $0["members"]?.array?.count } == [2, 1])
        let name = try #require(roles.first?["members"]?.array?.first?.string)
        #expect(try shell.run("roles remove editors \(name)").out.contains("is not in the role editors"))
        #expect(try shell.run("roles remove editors ada").status == 0)
        #expect(try shell.run("roles remove nope ada").errors == "fogbase: There is no role with this name.\n")
        #expect(try !shell.run("roles list").out.contains("editors  ada"))
        #expect(try shell.run("users list").out.contains("editors, staff"))
        let log = try shell.json("audit --action role.put --json")["entries"]?.array ?? []
        #expect(log.count == 4 && log.first?["detail"]?["removed"] == [.string(name)], "\(log)")
        #expect(log.allSatisfy { $0["actor"]?["name"] == "_shell" })
    }

    @Test(arguments: Place.allCases)
    func `accounts are added, invited, given passwords and removed`(place: Place) throws {
        let shell = try Self.shell(place)
        let added = try shell.run("users add ada", input: "correct horse\n")
        #expect(added.out.hasPrefix("Added ada, whose record name is _") && added.errors.isEmpty)
        #expect(try shell.run("users add ada", input: "correct horse\n").errors.contains("this name already"))
        #expect(try shell.run("users add bob", input: "short\n").errors.contains("8 to 256 bytes"))
        #expect(try shell.run("users set-password ada", input: "battery staple\n").status == 0)
        let unknown = try shell.run("users set-password eve", input: "battery staple\n")
        #expect(unknown.status == 1 && unknown.errors == "fogbase: There is no user with the name eve.\n")
        #expect(try shell.run("users disable ada").out.contains("all sessions have ended"))
        #expect(try shell.run("users list").out.contains("disabled"))
        #expect(try shell.run("users enable ada").status == 0)
        #expect(try !shell.run("users list").out.contains("disabled"))
        #expect(try shell.run("users disable eve").status == 1)
        let users = try shell.json("users list --json")["users"]?.array ?? []
        #expect(users.map { $0["name"] } == ["ada"])
        let name = try #require(users.first?["userRecordName"]?.string)
        #expect(try shell.run("users list").out.contains(name))
        // A shell's $(…) captures only the invitation.
        let invitation = try shell.run("users invite --expires-in 1d --uses 2")
        #expect(invitation.out.hasPrefix("fbi_") && invitation.out.split(separator: "\n").count == 1)
        #expect(invitation.errors.contains("2 accounts"))
        #expect(try shell.run("users invite --roles nobody").errors.contains("The role nobody does not exist"))
        #expect(try shell.run("users invite --expires-in soon").status == 64)

        // No session is left, and the new password is valid.
        let client = try shell.client()
        let body = #"{"name":"ada","password":"battery staple"}"#
        let session = try client.send("POST", "/sessions", body)
        let token = try #require(session.json?["token"]?.string, "\(session.text)")
        #expect(try client.send("GET", "/sessions", token: token).json?["sessions"]?.array?.count == 1)
        let guest =
            #"{"name":"guest","password":"correct horse","invitation":"\#(invitation.out.dropLast())"}"#
        #expect(try client.send("POST", "/users", guest).status == 201)
        try shell.leave(place)

        #expect(try shell.run("users remove \(name)").out.contains("private database"))
        #expect(try shell.run("users remove ada").status == 1)
        let log = (try shell.json("audit --scope database --json")["entries"]?.array ?? []).filter {
            // Caused by the user that accepted the invitation.
            $0["action"] != "user.signUp"
        }
        #expect(
            log.compactMap { $0["action"]?.string } == [
                "user.delete", "invitation.create", "user.enable", "user.disable", "user.password", "user.create",
            ])
        #expect(log.allSatisfy { $0["actor"]?["name"] == "_shell" })
    }

    @Test(arguments: Place.allCases)
    func `keys are created, shown, rotated and revoked, and tokens are printed alone`(place: Place) throws {
        let shell = try Self.shell(place)
        let made = try shell.run("keys add sync --types Post,Note --actions read,create --expires-in 90d")
        #expect(made.status == 0 && made.out.hasPrefix("fbk_") && made.out.split(separator: "\n").count == 1)
        #expect(made.errors.contains("read, create of Note, Post") && made.errors.contains("shown only once"))
        let wrong = try shell.run("keys add other")
        #expect(wrong.status == 64 && wrong.errors.contains("--read-only, --actions or --rights"))
        #expect(try shell.run("keys add sync --read-only").errors.contains("has this name already"))
        #expect(try shell.run("keys add x --actions fly").errors.contains(#""read", "create" and "write""#))
        let key = try shell.json("keys show sync --json")
        #expect(key["state"] == "active" && key["scope"]?["types"] == ["Note", "Post"] && key["token"] == nil)
        let rotated = try shell.run("keys rotate sync --overlap 0s")
        #expect(
            rotated.out.hasPrefix("fbk_") && rotated.out != made.out
                && rotated.errors.contains("the previous one is invalid"))
        #expect(try shell.run("keys list").out.contains("read, create of Note, Post"))

        let client = try shell.client()
        let token = String(rotated.out.dropLast())
        #expect(try client.send("GET", "/users/me", token: token).json?["name"] == "sync")
        #expect(try client.send("GET", "/users/me", token: String(made.out.dropLast())).status == 401)
        try shell.leave(place)

        #expect(try shell.run("keys rotate sync --overlap 0").status == 0)
        let hour = try shell.run("keys rotate sync --overlap 1")
        #expect(hour.status == 64 && hour.errors.contains("a time such as 90d, 12h or 30m, or 0"))

        let id = try #require(key["id"]?.string)
        #expect(try shell.run("keys revoke \(id)").status == 0)
        let gone = try shell.run("keys revoke sync")
        #expect(gone.status == 1 && gone.errors == "fogbase: There is no key with this id, or it was revoked.\n")
        #expect(try shell.run("keys show nothing").errors.contains("the name or id nothing"))
        #expect(try shell.run("keys list").out.contains("revoked"))
    }

    @Test(arguments: Place.allCases)
    func `API tokens and server-to-server keys are made, listed and revoked`(place: Place) throws {
        let shell = try Self.shell(place)
        let made = try shell.run("keys add web --api-token --origins https://a.example.org,https://*.b.org --notes x")
        #expect(made.status == 0 && made.out.count == 65 && made.errors.contains("https://a.example.org"))
        let shown = try shell.json("keys show web --json")
        #expect(shown["origins"] == ["https://a.example.org", "https://*.b.org"] && shown["token"] == nil)
        let path = NSTemporaryDirectory() + "fogbase-key-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE++NPMwobeJA0EhdqHX6mBeW5lajs
            PFn/dRa4DN1MBvNweWAvbMWCShqdpkCNMUUtve8LUDFLOxVNGcv95IwJWA==
            -----END PUBLIC KEY-----
            """
        try pem.write(toFile: path, atomically: true, encoding: .utf8)
        let key = try shell.run("keys add backend --public-key \(path) --read-only")
        #expect(key.status == 0 && key.out.count == 65 && !key.out.hasPrefix("fbk_"), "\(key.errors)")
        let list = try shell.run("keys list").out
        #expect(list.contains("server-to-server") && list.contains("API token"), "\(list)")
        for (command, reason) in [
            ("keys add x --api-token --read-only", "anonymous"), ("keys add x --read-only --notes y", "--api-token"),
            ("keys add x --read-only --public-key \(path)", "registered already"),
            ("keys add x --read-only --public-key /none", "no file"), ("keys rotate backend", "no token"),
            ("keys add x --api-token --callback ftp://a.org/", "https://"),
        ] {
            let result = try shell.run(command)
            #expect(result.status != 0 && result.errors.contains(reason), "\(command): \(result.errors)")
        }
        #expect(try shell.run("keys revoke web").out.contains("Deleted web"))
        #expect(try shell.run("keys revoke backend").out.contains("signatures"))
        try shell.leave(place)
    }

    @Test(arguments: Place.allCases)
    func `access is explained for users, keys, strangers and administrators`(place: Place) throws {
        let shell = try Self.shell(place)
        #expect(try shell.run("users add ada", input: "correct horse\n").status == 0)
        #expect(try shell.run("keys add reader --read-only --types Users").status == 0)
        let own = try shell.run("access explain ada write Users")
        #expect(own.out.hasPrefix("ALLOWED\n") && own.out.contains("_creator") && own.errors.isEmpty)
        let read = try shell.json("access explain key:reader read Users --json")
        #expect(read["decision"] == "ALLOWED" && read["rule"] == "KEY_SCOPE")
        #expect(try shell.json("access explain key:reader write Users --json")["decision"] == "ACCESS_DENIED")
        #expect(try shell.run("access explain anonymous write Users").out.hasPrefix("AUTHENTICATION_REQUIRED\n"))
        let viewer = try shell.run("access explain administrator:viewer write Users")
        #expect(viewer.out.contains("no  ADMINISTRATOR"))
        let type = try shell.run("access explain ada read Nothing")
        #expect(
            type.status == 1
                && type.errors.hasPrefix("fogbase: Unknown record type Nothing in the development environment of"))
        #expect(try shell.run("access explain nobody read Users").errors.contains("no user with the name nobody"))
        let typo = try shell.run("access explain administrator:vera write Users").errors
        #expect(typo.contains("one of owner, developer, editor, viewer") && !typo.contains("is an administrator"))
        #expect(try shell.run("admin add vera --role viewer", input: "correct horse\n").status == 0)
        for caller in ["administrator:vera", "vera"] {
            let errors = try shell.run("access explain \(caller) write Users").errors
            #expect(errors.contains("vera is an administrator: ask for administrator:viewer"), "\(errors)")
        }
        #expect(try shell.run("users disable ada").status == 0)
        let disabled = try shell.json("access explain ada read Users --json")
        #expect(disabled["decision"] == "ACCESS_DENIED" && disabled["rule"] == "ACCOUNT_DISABLED")
        #expect(try shell.run("keys revoke reader").status == 0)
        #expect(try shell.json("access explain key:reader read Users --json")["rule"] == "KEY_ENDED")
        #expect(try shell.run("access explain ada fly Users").errors.contains("create, read, write, query"))
        #expect(try shell.run("access explain ada read Users --record none").status == 1)
        #expect(try shell.run("access explain ada read Users --field none").errors.contains("no field"))
    }

    @Test(arguments: Place.allCases)
    func `the audit log is read by actor, action, time and number`(place: Place) throws {
        let shell = try Self.shell(place)
        for name in ["a", "b", "c"] { #expect(try shell.run("keys add \(name) --read-only").status == 0) }
        #expect(try shell.run("admin add grace", input: "correct horse\n").status == 0)
        func actions(_ line: String) throws -> [String] {
            (try shell.json("audit --json " + line)["entries"]?.array ?? []).compactMap { $0["action"]?.string }
        }
        #expect(try actions("") == ["administrator.create", "key.create", "key.create", "key.create"])
        #expect(try actions("--limit 2") == ["administrator.create", "key.create"])
        #expect(try actions("--action key.create").count == 3)
        #expect(try shell.run("audit --actor nobody").errors.contains("no user, key or administrator"))
        #expect(try actions("--last 1h").count == 4)
        #expect(try shell.run("audit --action key.creat").errors.contains("key.create"))
        #expect(try shell.run("audit --scope all").status == 64)
        let table = try shell.run("audit")
        #expect(table.out.hasPrefix("TIME") && table.out.contains("_shell"))
    }
}

/// Runs commands on the data directory of a server.
final class OperatorShell {
    struct Run {
        let status: Int32
        let out: String
        let errors: String
    }

    let server: ServerProcess
    private var isRunning: Bool

    init(_ server: ServerProcess) {
        self.server = server
        isRunning = server.isRunning
    }

    /// - Parameter takesData: Whether the command gets the server's data directory.
    func run(
        _ line: String, input: String = "", environment: [String: String] = [:], takesData: Bool = true
    ) throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: ServerProcess.binary)
        process.arguments = line.split(separator: " ").map(String.init) + (takesData ? ["--data", server.data] : [])
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FOGBASE_") }
            .merging(environment) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        // A file instead of a pipe: a command that fails at once ends before it reads, and a writer into a pipe without
        // a reader is ended by a signal.
        let words = URL(fileURLWithPath: NSTemporaryDirectory() + "fogbase-words-\(UUID().uuidString)")
        try Data(input.utf8).write(to: words)
        defer { try? FileManager.default.removeItem(at: words) }
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = try FileHandle(forReadingFrom: words)
        try process.start()
        let out = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Run(status: process.terminationStatus, out: out, errors: text)
    }

    func json(_ line: String) throws -> JSONValue {
        let run = try run(line)
        try #require(run.status == 0, "\(line): \(run.errors)")
        return try JSONValue.parse(Array(run.out.utf8.dropLast()))
    }

    /// A connection to the server, which is started if it does not run.
    func client() throws -> HTTPClient {
        if !isRunning {
            try server.start()
            isRunning = true
        }
        return try HTTPClient(port: server.port)
    }

    /// Stops a server that was started only for a check.
    func leave(_ place: OperatorCommandTests.Place) throws {
        guard place == .stopped, isRunning else { return }
        #expect(server.terminate() == 0)
        isRunning = false
    }
}
