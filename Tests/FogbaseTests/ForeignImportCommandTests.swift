import Foundation
import Testing

@testable import fogbase

/// `fogbase import pocketbase`, `parse` and `ncmb`, as far as they write a file.
@Suite struct ForeignImportCommandTests {
    private let directory = TemporaryDirectory()

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path + "/" + name))
    }

    private func read(_ name: String) -> String? {
        FileManager.default.contents(atPath: directory.path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    private func run(_ line: String) -> ExitCode {
        Fogbase.run(
            line.replacingOccurrences(of: "@", with: directory.path + "/").split(separator: " ").map(String.init)
                + ["--data", directory.path + "/data"], environment: [:])
    }

    @Test func `a converted file gets its name when it is complete`() throws {
        try write("Item.json", #"[{"objectId":"a","n":1}]"#)
        try write("Other.json", #"[{"objectId":"b","n":1}]"#)
        #expect(run("import ncmb @Item.json @Other.json --output @out.jsonl") == .success)
        let lines = try #require(read("out.jsonl")).split(separator: "\n")
        #expect(
            lines.first?.hasPrefix(
                #"{"fogbase":{"version":1,"container":"iCloud.fogbase.default","environment":"development""#) == true)
        #expect(lines.last == #"{"end":{"accounts":0,"roles":0,"zones":0,"files":0,"records":2}}"#)
        #expect(read("out.jsonl.partial") == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: directory.path + "/out.jsonl")[.posixPermissions]
        #expect(mode as? Int == 0o600)
        // An existing file stays as it is.
        #expect(run("import ncmb @Item.json --output @out.jsonl") == .failure)
        #expect(read("out.jsonl")?.hasSuffix("\"records\":2}}\n") == true)
    }

    @Test func `exit codes tell what was left out, and a damaged file leaves nothing`() throws {
        try write("Item.json", "[{\"objectId\":\"a\"},\n{\"n\":1}]")
        #expect(run("import ncmb @Item.json --dry-run") == .failure)
        #expect(run("import ncmb @Item.json --dry-run --json") == .failure)
        #expect(run("import ncmb @Item.json --output @part.jsonl") == .failure)
        #expect(read("part.jsonl")?.contains("\"records\":1}}\n") == true)
        try write("Item.json", "[{\"objectId\":\"a\"},\n")
        #expect(run("import parse @Item.json --output @none.jsonl") == .failure)
        #expect(read("none.jsonl") == nil && read("none.jsonl.partial") == nil)
        #expect(run("import parse @nothing --dry-run") == .failure)
        #expect(run("import pocketbase @ --dry-run") == .failure)
        #expect(run("import parse @Item.json --dry-run --output @x") == .usage)
        #expect(run("import parse") == .usage)
        #expect(run("import pocketbase @a @b") == .usage)
        #expect(run("import pocketbase @a --files @b") == .usage)
    }

    @Test func `users of the source can be accounts that are here`() throws {
        let account = "_" + String(repeating: "a", count: 32)
        try write("user.json", #"[{"objectId":"U1","userName":"ada"},{"objectId":"U2","userName":"bob"}]"#)
        try write("users.csv", "# known\nU1,\(account)\n")
        #expect(run("import ncmb @user.json --users @users.csv --output @out.jsonl") == .success)
        let text = try #require(read("out.jsonl"))
        #expect(
            text.contains(#""recordName":"\#(account)""#) && !text.contains(#""name":"ada""#)
                && text.contains(#""name":"bob""#))
        try write("users.csv", "U1\n")
        #expect(run("import ncmb @user.json --users @users.csv --output @other.jsonl") == .failure)
    }
}
