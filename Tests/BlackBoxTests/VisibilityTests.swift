import Foundation
import RecordWire
import TestSupport
import Testing
import Threads

@Suite struct VisibilityTests {
    // New connections go to the loop with the fewest, so eight of them are spread over all loops. Four keep both loops
    // reading without a pause, so that each has an open snapshot; the others then read, one after the other, the writes
    // acknowledged on the first.

    @Test func `a read on any connection sees an acknowledged write while all loops are busy`() throws {
        let server = try ServerProcess()
        let token = ServerProcess.administratorToken
        let clients = try (0..<8).map { _ in try HTTPClient(port: server.port) }
        let made = try clients[0].send("PUT", "/records/Post/counter", #"{"fields":{"n":0}}"#, token: token)
        #expect(made.status == 201)
        let isOver = Locked(false)
        let port = server.port
        let busy = (0..<4).map { _ in
            Thread {
                guard let client = try? HTTPClient(port: port) else { return }
                while !isOver.withLock({ $0 }) {
                    guard (try? client.send("GET", "/records/Post/counter"))?.status == 200 else { return }
                }
            }
        }
        for thread in busy { thread.start() }
        defer { isOver.withLock { $0 = true } }
        for number in 1...60 {
            let written = try clients[number % 8].send(
                "PATCH", "/records/Post/counter", #"{"fields":{"n":{"increment":1}}}"#, token: token)
            #expect(written.status == 200)
            for client in clients {
                let seen = try client.send("GET", "/records/Post/counter")
                #expect(seen.json?["fields"]?["n"]?["value"]?.integer == Int64(number))
            }
        }
    }

    @Test func `a revoked session is rejected on every connection from the next request on`() throws {
        let server = try ServerProcess()
        let clients = try (0..<6).map { _ in try HTTPClient(port: server.port) }
        let signedUp = try clients[0].send("POST", "/users", #"{"name":"ada","password":"correct horse"}"#)
        let token = try #require(signedUp.json?["token"]?.string)
        for client in clients { #expect(try client.send("GET", "/users/me", token: token).status == 200) }
        #expect(try clients[3].send("DELETE", "/sessions/current", token: token).status == 204)
        for client in clients { #expect(try client.send("GET", "/users/me", token: token).status == 401) }
    }
}
