import Glibc
import RecordStorage
import TestSupport
import Testing

@testable import fogbase

/// Commands, run in this process against a data directory of their own.
@Suite struct CommandTests {
    private let directory = TemporaryDirectory()

    private var data: String { directory.path + "/data" }
    private var database: String { data + "/iCloud.fogbase.default/development" }

    private func run(_ line: String, environment: [String: String] = [:]) -> ExitCode {
        Fogbase.run(line.split(separator: " ").map(String.init) + ["--data", data], environment: environment)
    }

    /// The files that a first start creates.
    private func makeDatabase(in directory: String? = nil) throws {
        let path = directory ?? database
        try DataDirectory.makeDirectory(path)
        try Migrations.run(on: Connection(path: DataDirectory.databasePath(in: path), role: .writer))
    }

    private func write(_ text: String, to name: String) throws -> String {
        let path = directory.path + "/" + name
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        return path
    }

    /// The names of all accounts.
    private func names(in directory: String? = nil) throws -> [String] {
        let connection = try Connection(path: DataDirectory.databasePath(in: directory ?? database), role: .reader)
        return try AccountTable(connection).list(after: 0, limit: 100).map(\.name)
    }

    @Test func `accounts are added, listed, changed and removed`() throws {
        let password = try write("correct horse\n", to: "password")
        #expect(run("users list") == .failure)
        #expect(run("users remove ada") == .failure)
        #expect(run("users add ada --password-file \(password)") == .failure)
        try makeDatabase()
        #expect(run("users add ada --password-file \(password)") == .success)
        #expect(run("users add bob --password-file \(password)") == .success)
        #expect(run("users add ada --password-file \(password)") == .failure)
        #expect(run("users list") == .success)
        #expect(try names() == ["ada", "bob"])
        #expect(run("users set-password bob --password-file \(password)") == .success)
        #expect(run("users set-password eve --password-file \(password)") == .failure)
        #expect(run("users remove ada") == .success)
        #expect(try names() == ["bob"])
    }

    @Test func `names that look the same are listed together`() {
        #expect(
            OperatorCommand.confusableNames(["Ann", "bob", "ann", "zoe", "BOB"]) == [["Ann", "ann"], ["bob", "BOB"]])
        #expect(OperatorCommand.confusableNames(["ann", "anna"]).isEmpty)
    }

    @Test func `a look-alike of an existing name creates no account and finds the existing one`() throws {
        let password = try write("correct horse\n", to: "password")
        try makeDatabase()
        #expect(run("users add ada --password-file \(password)") == .success)
        #expect(run("users add ADA --password-file \(password)") == .failure)
        #expect(run("users disable Ada") == .success)
        #expect(run("roles add editors ADA --make") == .success)
        #expect(run("users remove aDA") == .success)
        #expect(try names() == [])
    }

    @Test func `a password that is too short creates no account`() throws {
        let password = try write("short\n", to: "password")
        try makeDatabase()
        #expect(run("users add ada --password-file \(password)") == .failure)
        #expect(try names() == [])
    }

    @Test func `accounts belong to a container and an environment`() throws {
        let password = try write("correct horse\n", to: "password")
        let place = "--container iCloud.other --environment production"
        try makeDatabase(in: data + "/iCloud.other/production")
        #expect(run("users add ada --password-file \(password) \(place)") == .success)
        #expect(try names(in: data + "/iCloud.other/production") == ["ada"])
        #expect(run("users list") == .failure)
    }

    @Test func `the doctor ends with 0 for a sound directory and with 1 for one that others may read`() throws {
        #expect(run("doctor") == .failure)
        let password = try write("correct horse\n", to: "password")
        try makeDatabase()
        #expect(run("users add ada --password-file \(password)") == .success)
        // The program's umask does this; a test shares its process with others.
        for file in [database + "/records.sqlite", data + "/server.sqlite"] { #expect(chmod(file, 0o600) == 0) }
        #expect(run("doctor") == .success)
        #expect(run("doctor --quick") == .success)
        #expect(chmod(database, 0o755) == 0)
        #expect(run("doctor") == .failure)
    }

    @Test func `exit codes distinguish mistakes of the command line from those of the configuration`() {
        #expect(Fogbase.run(["serv"], environment: [:]) == .usage)
        #expect(Fogbase.run(["serve", "--prot", "1"], environment: [:]) == .usage)
        #expect(Fogbase.run(["config", "--port", "x"], environment: [:]) == .usage)
        #expect(Fogbase.run(["config"], environment: ["FOGBASE_X": "1"]) == .configuration)
        #expect(Fogbase.run(["config", "--config", "/nowhere.conf"], environment: [:]) == .configuration)
        #expect(Fogbase.run(["version"], environment: ["FOGBASE_X": "1"]) == .success)
        #expect(Fogbase.run(["help"], environment: [:]) == .success)
    }

    @Test func `health fails if no server listens`() {
        #expect(Fogbase.run(["health", "--port", "1"], environment: [:]) == .failure)
    }

    @Test(arguments: [
        ("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("*", "127.0.0.1"), ("192.0.2.1", "192.0.2.1"),
        ("localhost", "localhost"),
    ])
    func `health uses the loopback for a server that listens on all addresses`(host: String, reachable: String) {
        #expect(HealthCommand.reachable(host) == reachable)
    }

    @Test func `the versions of all components are printed`() throws {
        let lines = VersionCommand.lines
        for name in ["Fogbase", "Swift", "SQLite", "OpenSSL", "zlib"] {
            #expect(lines.contains { $0.hasPrefix(name + " ") }, "\(name)")
        }
        let note = try #require(lines.last)
        #expect(note.contains("3.51.3") && (note.contains("has the fix") || note.contains("nothing to do")), "\(note)")
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("0.0.0.0", true), ("::1", true), ("[::1]", true), ("localhost", true), ("*", true),
        ("example.org", false), ("", false), ("127.0.0.1:80", false), ("256.0.0.1", false),
    ])
    func `a host to listen on is an address of the machine`(host: String, isAddress: Bool) {
        #expect(ListeningHost.isAddress(host) == isAddress)
    }
}
