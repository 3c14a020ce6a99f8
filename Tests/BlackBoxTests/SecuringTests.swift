import Foundation
import Testing

/// The page on securing a server is pasted into shells, too.
@Suite struct SecuringTests {
    private static let page = "Sources/fogbase/fogbase.docc/Securing.md"

    @Test func `every step of the page on securing works as printed`() throws {
        let blocks = try Shell.blocks(of: Self.page)
        #expect(blocks.count >= 10)
        let server = try ServerProcess(settings: ["FOGBASE_ACCOUNTS_SIGN_UP": "invitation"])
        let run = try Shell.run(
            blocks, port: server.port,
            variables: ["FOGBASE": ServerProcess.binary, "FOGBASE_DATA_PATH": server.data, "FOGBASE_ADMIN_TOKEN": ""])
        #expect(run.status == 0, "\(run.text)")
        try #require(run.answers.count == blocks.count, "\(run.text)")
        func answer(_ part: String) throws -> String {
            run.answers[try #require(blocks.firstIndex { $0.contains(part) }, "\(part)")]
        }
        #expect(try answer("admin add grace").contains("Added grace, an owner."))
        #expect(try answer("admin disable linus").contains("linus cannot sign in any more"))
        let access = try answer("access explain anonymous read Post --field score").split(separator: "\n")
            .filter { $0.first?.isLetter == true }
        #expect(access == ["ALLOWED", "AUTHENTICATION_REQUIRED", "AUTHENTICATION_REQUIRED"])
        let users = try answer("users invite")
        #expect(users.contains("NAME") && users.contains("ALLOWED") && users.contains("GRANT"))
        #expect(try answer("keys add newsletter").contains("ACCESS_DENIED"))
        #expect(try answer("audit --last 30d --limit 20").contains("key.revoke"))
        #expect(try answer("session.failed").contains("No problems found."))
    }

    @Test func `the configuration on the page is one`() throws {
        let files = try Shell.blocks(of: Self.page, language: "ini")
        try #require(files.count == 1)
        let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString + ".conf"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try files[0].write(toFile: path, atomically: true, encoding: .utf8)
        let shown = try Command.run(["config", "--config", path])
        #expect(shown.status == 0, "\(shown.text)")
        let text = shown.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for line in ["http.hosts = db.example.org", "accounts.sign_up = invitation", "data.environment = production"] {
            #expect(text.contains(line), "\(line)")
        }
    }
}
