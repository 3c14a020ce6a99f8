import Foundation
import Testing

/// The page on securing a server is pasted into shells, too.
@Suite struct SecuringTests {
    private static let page = "Sources/fogbase/fogbase.docc/Securing.md"

    @Test func `every step of the page works as printed, with its configuration, and a second time`() throws {
        let blocks = try Shell.blocks(of: Self.page)
        #expect(blocks.count >= 10)
        let place = try Place()
        let server = try ServerProcess(settings: ["FOGBASE_CONFIG": place.configuration])
        // The last block prints the results of the page.
        let all = blocks + blocks + ["ls -A", #"cat "$SECRETS"/*[a-z]"#]
        let run = try Shell.run(
            all, port: server.port, variables: try place.variables.merging(["FOGBASE_DATA_PATH": server.data]) { $1 })
        #expect(run.status == 0, "\(run.text)")
        try #require(run.responses.count == all.count, "\(run.text)")
        for responses in [run.responses[..<blocks.count], run.responses[blocks.count..<(2 * blocks.count)]] {
            try Self.examine(blocks, Array(responses))
        }
        #expect(run.responses[2 * blocks.count] == "fogbase-secrets", "Nothing is left beside the sources")
        let directories = try FileManager.default.contentsOfDirectory(atPath: server.data)
        #expect(directories.contains("iCloud.org.example.Forum") && !directories.contains("iCloud.fogbase.default"))
        try place.examineCommandLines(passwords: try #require(run.responses.last))
    }

    private static func examine(_ blocks: [String], _ responses: [String]) throws {
        func respond(_ part: String) throws -> String {
            responses[try #require(blocks.firstIndex { $0.contains(part) }, "\(part)")]
        }
        #expect(try respond("admin add linus").contains("Added linus, a developer."))
        #expect(try respond("admin add linus").contains("grace"))
        #expect(try respond("admin disable linus").contains("linus can no longer sign in"))
        let access = try respond("access explain anonymous read Post --field score").split(separator: "\n")
            .filter { $0.first?.isLetter == true }
        #expect(access == ["ALLOWED", "AUTHENTICATION_REQUIRED", "AUTHENTICATION_REQUIRED"])
        let users = try respond("users invite")
        #expect(users.contains(#""title":{"value":"Hello""#) && users.contains("ALLOWED") && users.contains("GRANT"))
        #expect(try respond("users add bob").contains("NAME"))
        let found = try respond("where=nick == %@")
        #expect(found.components(separatedBy: "Ada L.").count == 3, "Written, and found by bob: \(found)")
        let removed = try respond("users remove ada")
        #expect(removed.contains(#"{"matched":1,"deleted":0,"skipped":0,"dryRun":true}"#), "\(removed)")
        #expect(removed.contains(#"{"matched":1,"deleted":1,"skipped":0}"#), "\(removed)")
        let key = try respond("keys add newsletter")
        #expect(key.contains("ACCESS_DENIED") && !key.contains("Hello"), "What ada wrote is gone: \(key)")
        #expect(try respond("audit --last 30d --limit 20").contains("key.revoke"))
        #expect(try respond("session.failed").contains("No problems found."))
    }

    @Test func `the configuration on the page is valid`() throws {
        let place = try Place()
        let shown = try Command.run(["config", "--config", place.configuration])
        #expect(shown.status == 0, "\(shown.text)")
        let text = shown.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for line in [
            "http.hosts = db.example.org, 127.0.0.1", "accounts.sign_up = invitation", "data.environment = production",
        ] {
            #expect(text.contains(line), "\(line)")
        }
    }

    /// A directory with the page's configuration, and with programs that write down how they are called.
    private final class Place {
        let directory: String
        var configuration: String { directory + "/fogbase.conf" }
        private var log: String { directory + "/command-lines" }

        init() throws {
            directory = NSTemporaryDirectory() + "fogbase-securing-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: directory + "/bin", withIntermediateDirectories: true)
            let files = try Shell.blocks(of: SecuringTests.page, language: "ini")
            try #require(files.count == 1)
            try files[0].write(toFile: configuration, atomically: true, encoding: .utf8)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: directory)
        }

        /// The environment of the page's shell: `FOGBASE` and curl are these programs.
        var variables: [String: String] {
            get throws {
                let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
                for (name, program) in [("fogbase", ServerProcess.binary), ("curl", "")] {
                    let real = program.isEmpty ? "$(PATH='\(path)' command -v \(name))" : "'\(program)'"
                    let script = "#!/bin/sh\nprintf '%s\\n' \"$*\" >> '\(log)'\nexec \(real) \"$@\"\n"
                    let file = directory + "/bin/" + name
                    try script.write(toFile: file, atomically: true, encoding: .utf8)
                    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
                }
                return [
                    "FOGBASE": directory + "/bin/fogbase", "FOGBASE_CONFIG": configuration, "FOGBASE_ADMIN_TOKEN": "",
                    "PATH": directory + "/bin:" + path,
                ]
            }
        }

        /// Other users of the machine see the command lines of all.
        func examineCommandLines(passwords: String) throws {
            let lines = try String(contentsOfFile: log, encoding: .utf8)
            #expect(lines.contains("admin add linus") && lines.contains("/query/Users"))
            let secrets = passwords.split(separator: "\n").map(String.init)
            #expect(secrets.count == 4)
            for secret in secrets + ["fba_", "fbs_", "fbk_", "fbi_", "fbo_", "fogadm_"] {
                #expect(!lines.contains(secret), "\(secret)")
            }
        }
    }
}
