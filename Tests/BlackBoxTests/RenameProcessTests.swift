import Foundation
import RecordWire
import TestSupport
import Testing

/// Renames in a running server that is killed meanwhile.
@Suite struct RenameProcessTests {
    @Test func `kill -9 while records are rewritten loses no value and no name`() async throws {
        let server = try ServerProcess()
        let shell = OperatorShell(server)
        let token = ServerProcess.administratorToken
        let records = 6_000
        let client = try HTTPClient(port: server.port)
        for start in stride(from: 0, to: records, by: 200) {
            let operations = (start..<start + 200).map {
                #"{"operationType":"create","record":{"recordType":"Note","recordName":"n\#($0)","fields":{"n":\#($0),"title":"t\#($0)"}}}"#
            }
            let response = try client.send(
                "POST", "/records", #"{"operations":[\#(operations.joined(separator: ","))]}"#, token: token)
            try #require(response.status == 200)
        }
        var name = "title"
        for (round, next) in ["headline", "heading", "title"].enumerated() {
            let renamed = try shell.run("schema rename Note.\(name) Note.\(next)")
            #expect(renamed.status == 0 && renamed.out == "Note.\(name) is now called Note.\(next).\n", "\(renamed)")
            name = next
            // The work has hardly begun.
            server.kill()
            try server.start()
            let table = try Follower.list("Note", on: server)
            #expect(table.count == records + round)
            for (record, value) in table where record.hasPrefix("n") {
                let fields = value["fields"]?.object?.members.map(\.key) ?? []
                #expect(Set(fields) == ["n", name], "\(record)")
                #expect(value["fields"]?[name]?["value"]?.string == "t\(record.dropFirst())")
            }
            let written = try HTTPClient(port: server.port).send(
                "PUT", "/records/Note/w\(round)", #"{"fields":{"n":1,"\#(name)":"new"}}"#, token: token)
            #expect(written.status == 201)
        }
        // The work ends, as its job shows.
        var pauses = Pauses()
        while try shell.json("jobs list --unfinished --json")["jobs"]?.array?.isEmpty != true { await pauses.pause() }
        let jobs = try shell.json("jobs list --json")["jobs"]?.array ?? []
        #expect(jobs.contains { $0["kind"] == "renameFields" && $0["state"] == "succeeded" }, "\(jobs)")
        let doctor = try shell.run("doctor")
        #expect(doctor.status == 0, "\(doctor)")
        let wrong = try shell.run("schema rename Note.title Post.title")
        #expect(wrong.status == 64 && wrong.errors.contains("two fields of one type"), "\(wrong)")
        let old = try shell.run("schema rename Note.heading Note.x")
        #expect(old.status == 1, "\(old)")
        let type = try shell.run("schema rename Note Memo")
        #expect(type.out == "Note is now called Memo.\n", "\(type)")
    }
}
