import Cryptography
import Foundation
import RecordWire
import TestSupport
import Testing
import Threads

@Suite(.serialized) struct AssetKillTests {
    // Clients upload, link and delete, and log acknowledged writes. The server is killed meanwhile and started again,
    // and all acknowledged bytes are read and compared. FOGBASE_KILL_ROUNDS sets the number of rounds.

    @Test func `kill -9 loses no acknowledged file and leaves no orphaned file`() async throws {
        let rounds = Int(ProcessInfo.processInfo.environment["FOGBASE_KILL_ROUNDS"] ?? "") ?? 3
        let server = try ServerProcess(settings: [
            "FOGBASE_ASSETS_UNREFERENCED_TIME": "1s", "FOGBASE_ASSETS_FREE_BYTES": "0",
        ])
        let ledger = Locked(AssetLedger())
        for round in 0..<rounds {
            let port = server.port
            let threads = (0..<8).map { number in
                Thread { AssetWriter(round: round, number: number, port: port, ledger: ledger).run() }
            }
            for thread in threads { thread.start() }
            let target = ledger.withLock { $0.count } + Int.random(in: 10...120)
            var pauses = Pauses()
            while ledger.withLock({ $0.count }) < target { await pauses.pause() }
            server.kill()
            while threads.contains(where: { !$0.isFinished }) { await pauses.pause() }
            try server.start()
            try check(ledger.withLock { $0 }, on: server)
        }
        let doctor = try Command.run(["doctor", "--data", server.data])
        #expect(!doctor.text.contains("sset number") && !doctor.text.contains("asset in field"), "\(doctor.text)")
        let client = try HTTPClient(port: server.port)
        for name in try Follower.list("File", on: server).keys {
            let response = try client.delete(name)
            #expect(response.status < 300, "\(response.text)")
        }
        #expect(try AssetFiles(server: server).becomeEmpty(), "\(AssetFiles(server: server).names)")
        #expect(ledger.withLock { $0.linked.count } > 10)
    }

    private func check(_ ledger: AssetLedger, on server: ServerProcess) throws {
        let client = try HTTPClient(port: server.port)
        let records = try Follower.list("File", on: server)
        for (name, checksum) in ledger.linked {
            #expect(
                records[name]?["fields"]?["file"]?["value"]?["fileChecksum"]?.string == checksum,
                "\(name) was acknowledged and is gone")
        }
        for name in ledger.deleted { #expect(records[name] == nil, "\(name) was deleted and is back") }
        // All existing files have their bytes, acknowledged or not.
        for (name, record) in records {
            let response = try client.download(name)
            #expect(response.status == 200, "\(name): \(response.text)")
            let checksum = record["fields"]?["file"]?["value"]?["fileChecksum"]?.string
            #expect(SHA256.hash(response.body).base64 == checksum, "\(name) has other bytes")
        }
    }
}

/// The knowledge of the writers.
private struct AssetLedger {
    /// Records and their contents' checksums.
    var linked: [String: String] = [:]
    var deleted: Set<String> = []
    var count = 0
}

private struct AssetWriter: Sendable {
    let round: Int
    let number: Int
    let port: UInt16
    let ledger: Locked<AssetLedger>

    func run() {
        guard let client = try? HTTPClient(port: port) else { return }
        var names: [String] = []
        for turn in 0... {
            // Some contents are everybody's, and come and go with their records.
            let isShared = turn % 3 == 0
            let content = sampleContent(
                isShared ? turn % 7 : (round * 100 + number) * 100_000 + turn,
                count: number == 0 ? 2_000_000 : 20_000)
            let name = "file-\(round)-\(number)-\(turn)"
            do {
                let upload = try client.upload(content)
                guard upload.status == 201 else { return report(upload) }
                let linked = try client.link(upload, to: name)
                // The receipt expires after a second, and machines are slow.
                if linked.status == 400, linked.text.contains("receipt") { continue }
                guard linked.status == 201 else { return report(linked) }
                let checksum = SHA256.hash(content).base64
                ledger.withLock {
                    $0.linked[name] = checksum
                    $0.count += 1
                }
                names.append(name)
                if turn % 2 == 1 {
                    let name = names.removeFirst()
                    ledger.withLock { _ = $0.linked.removeValue(forKey: name) }
                    let deleted = try client.delete(name)
                    guard deleted.status < 300 else { return report(deleted) }
                    ledger.withLock { _ = $0.deleted.insert(name) }
                }
            } catch {
                return
            }
        }
    }

    private func report(_ response: HTTPClient.Response) {
        Issue.record("The server refused: \(response.status) \(response.text)")
    }
}
