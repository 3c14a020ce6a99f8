import Foundation
import RecordWire
import TestSupport
import Testing
import Threads

@Suite(.serialized) struct KillTests {
    // Thirty-two writers, each on its own connection and thread, log acknowledged writes. The server is killed
    // meanwhile and started again on the same directory, and all acknowledged records are read. FOGBASE_KILL_ROUNDS
    // sets the number of rounds.

    @Test func `kill -9 loses nothing that was acknowledged and leaves no half batch`() async throws {
        let rounds = Int(ProcessInfo.processInfo.environment["FOGBASE_KILL_ROUNDS"] ?? "") ?? 3
        let server = try ServerProcess()
        let ledger = Locked(Ledger())
        for round in 0..<rounds {
            let port = server.port
            let threads = (0..<32).map { number in
                Thread { Writer(round: round, number: number, port: port, ledger: ledger).run() }
            }
            for thread in threads { thread.start() }
            // A moment between some and many writes, counted in acknowledgements rather than in time.
            let target = ledger.withLock { $0.count } + Int.random(in: 50...1_500)
            var pauses = Pauses()
            while ledger.withLock({ $0.count }) < target { await pauses.pause() }
            server.kill()
            while threads.contains(where: { !$0.isFinished }) { await pauses.pause() }
            try server.start()
            try check(ledger.withLock { $0 }, on: server)
        }
        #expect(ledger.withLock { $0.created.count } > 50)
    }

    private func check(_ ledger: Ledger, on server: ServerProcess) throws {
        let table = try Follower.list("Note", on: server)
        let feed = try Follower.replay(on: server)
        #expect(
            feed.keys.count == table.count
                + (ledger.counters.isEmpty ? 0 : try Follower.list("Counter", on: server).count))
        for (name, record) in table { #expect(feed[name] == record) }
        for (name, value) in ledger.created {
            #expect(table[name]?["fields"]?["n"]?["value"]?.integer == value, "\(name) was acknowledged and is gone")
        }
        for (batch, isAcknowledged) in ledger.batches {
            let members = (0..<5).filter { table["\(batch)-\($0)"] != nil }.count
            #expect(members == 5 || (members == 0 && !isAcknowledged), "\(members) of 5 in batch \(batch)")
        }
        let counters = try Follower.list("Counter", on: server)
        for (name, acknowledged) in ledger.counters {
            let value = counters[name]?["fields"]?["n"]?["value"]?.integer ?? 0
            // The last increment may have been written although its response did not arrive.
            #expect(value == acknowledged || value == acknowledged + 1, "\(name): \(value) for \(acknowledged)")
        }
    }
}

/// The knowledge of the writers.
private struct Ledger {
    var created: [String: Int64] = [:]
    /// Batches that were begun, and whether they were acknowledged.
    var batches: [String: Bool] = [:]
    var counters: [String: Int64] = [:]
    var count = 0
}

private struct Writer: Sendable {
    let round: Int
    let number: Int
    let port: UInt16
    let ledger: Locked<Ledger>

    private func report(_ response: HTTPClient.Response) {
        Issue.record("The server refused a write: \(response.status) \(response.text)")
    }

    /// Writes until the server has ended.
    func run() {
        guard let client = try? HTTPClient(port: port) else { return }
        let token = ServerProcess.administratorToken
        let counter = "counter-\(round)-\(number)"
        for turn in 0... {
            let name = "note-\(round)-\(number)-\(turn)"
            do {
                switch turn % 3 {
                case 0:
                    let body = #"{"recordName":"\#(name)","fields":{"n":\#(turn)}}"#
                    let response = try client.send("POST", "/records/Note", body, token: token)
                    guard response.status == 201 else { return report(response) }
                    ledger.withLock {
                        $0.created[name] = Int64(turn)
                        $0.count += 1
                    }
                case 1:
                    let operations = (0..<5).map {
                        #"{"operationType":"create","record":{"recordType":"Note","recordName":"\#(name)-\#($0)","fields":{"n":1}}}"#
                    }
                    ledger.withLock { $0.batches[name] = false }
                    let body = #"{"operations":[\#(operations.joined(separator: ","))]}"#
                    let response = try client.send("POST", "/records", body, token: token)
                    guard response.status == 200, !response.text.contains("serverErrorCode") else {
                        return report(response)
                    }
                    ledger.withLock {
                        $0.batches[name] = true
                        $0.count += 5
                    }
                default:
                    let isNew = ledger.withLock { $0.counters[counter] == nil }
                    if isNew { ledger.withLock { $0.counters[counter] = 0 } }
                    let response =
                        isNew
                        ? try client.send(
                            "PUT", "/records/Counter/\(counter)", #"{"fields":{"n":{"increment":1}}}"#, token: token)
                        : try client.send(
                            "PATCH", "/records/Counter/\(counter)", #"{"fields":{"n":{"increment":1}}}"#, token: token)
                    guard (200...201).contains(response.status) else {
                        return report(response)
                    }
                    ledger.withLock {
                        $0.counters[counter, default: 0] += 1
                        $0.count += 1
                    }
                }
            } catch {
                return
            }
        }
    }
}

/// Reads everything through the public routes.
enum Follower {
    static func list(_ type: String, on server: ServerProcess) throws -> [String: JSONValue] {
        let client = try HTTPClient(port: server.port)
        var found: [String: JSONValue] = [:]
        var cursor: String?
        repeat {
            let place = cursor.map { "&cursor=\(encoded($0))" } ?? ""
            let response = try client.send(
                "GET", "/records/\(type)?limit=1000\(place)", token: ServerProcess.administratorToken)
            let page = try #require(response.json, "\(response.status) \(response.text)")
            for record in page["records"]?.array ?? [] {
                found[try #require(record["recordName"]?.string)] = record
            }
            cursor = page["cursor"]?.string
        } while cursor != nil
        return found
    }

    /// The live records after all changes of the public database.
    static func replay(on server: ServerProcess) throws -> [String: JSONValue] {
        let client = try HTTPClient(port: server.port)
        var live: [String: JSONValue] = [:]
        var token = ""
        var isMore = true
        while isMore {
            let response = try client.send(
                "GET", "/changes?limit=1000&since=\(encoded(token))", token: ServerProcess.administratorToken)
            let page = try #require(response.json, "\(response.status) \(response.text)")
            for change in page["changes"]?.array ?? [] {
                let name = try #require(change["recordName"]?.string)
                live[name] = change["deleted"] == .bool(true) ? nil : change
            }
            token = try #require(page["token"]?.string)
            isMore = page["moreComing"] == .bool(true)
        }
        return live
    }

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
