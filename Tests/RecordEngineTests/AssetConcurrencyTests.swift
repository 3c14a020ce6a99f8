import Cryptography
import Foundation
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing
import Threads

/// A hundred workers upload, link, unlink, read and collect the same few contents on several loops concurrently. No
/// record ever lacks its bytes, and nothing is left at the end. FOGBASE_ASSET_ROUNDS sets the number of rounds.
@Suite struct AssetConcurrencyTests {
    @Test func `a record always has its bytes, whatever is collected concurrently`() async throws {
        let rounds = UInt64(ProcessInfo.processInfo.environment["FOGBASE_ASSET_ROUNDS"] ?? "") ?? 2
        for seed in 1...rounds { try await run(seed: seed) }
    }

    private func run(seed: UInt64) async throws {
        let test = try TestDatabase()
        let first = try await test.upload(Worker.contents[0])
        try await test.create("seed", #""file":\#(first.json()),"files":[\#(first.json())]"#)
        let loops = (0..<6).map { ThreadExecutor(name: "loop-\($0)") }
        var readers: [AssetLoopReader] = []
        for loop in loops {
            let database = test.database
            readers.append(try await Task(executorPreference: loop) { try AssetLoopReader(database) }.value)
        }
        let collector = Task { [database = test.database] in
            while !Task.isCancelled { try await database.assets.collect(unusedFor: 0) }
        }
        // Nothing crashes here, so there is never a file to be swept.
        let sweeper = Task { [database = test.database] in
            while !Task.isCancelled { try await database.assets.sweep() }
        }
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for number in 0..<100 {
                let (loop, reader) = (loops[number % loops.count], readers[number % loops.count])
                group.addTask(executorPreference: loop) {
                    var worker = Worker(reader: reader, random: SeededGenerator(seed: seed &* 1_000 &+ UInt64(number)))
                    await worker.run()
                    return worker.outcome
                }
            }
            return await group.reduce(into: Outcome()) { $0.add($1) }
        }
        collector.cancel()
        sweeper.cancel()
        _ = await collector.result
        _ = await sweeper.result
        #expect(outcomes.failures == [], "seed \(seed)")
        #expect(outcomes.links > 50 && outcomes.reads > 50, "seed \(seed): \(outcomes)")
        let troubles = try test.assetTroubles()
        #expect(troubles == [], "seed \(seed)")
        for name in try test.list().names { try await test.delete(name) }
        try await test.database.assets.collect(unusedFor: -1)
        let audit = try AssetAudit(test.directory)
        #expect(audit.rows.isEmpty && audit.links.isEmpty && audit.claims == (0, 0), "seed \(seed)")
        #expect(audit.files == [], "seed \(seed)")
        for loop in loops { await loop.end() }
    }
}

private struct Outcome: Sendable {
    var failures: [String] = []
    var links = 0
    var reads = 0
    var uploads = 0
    var rejected = 0

    mutating func add(_ other: Outcome) {
        failures += other.failures
        links += other.links
        reads += other.reads
        uploads += other.uploads
        rejected += other.rejected
    }
}

/// Unchecked: the reader stays on its loop's thread.
private final class AssetLoopReader: @unchecked Sendable {
    let reader: RecordReader

    init(_ database: RecordDatabase) throws { reader = try database.makeReader() }
}

private struct Worker {
    static let contents: [[UInt8]] = [0, 1, 1_000, 70_000, 300_000].enumerated().map { sampleBytes($0, count: $1) }

    let reader: AssetLoopReader
    var random: SeededGenerator
    var outcome = Outcome()
    var assets: [Asset] = []

    mutating func run() async {
        for _ in 0..<14 {
            do {
                switch Int.random(in: 0..<10, using: &random) {
                case 0...1: try await upload()
                case 2...4:
                    try await upload()
                    try await link(assets.last)
                case 5: try await link(assets.randomElement(using: &random))
                case 6: try await unlink()
                case 7: try await reader.reader.database.assets.collect(unusedFor: 0)
                default: try read()
                }
            } catch {
                outcome.failures.append("\(error)")
            }
        }
    }

    private var name: String { mutating get { "r\(Int.random(in: 0..<10, using: &random))" } }

    private mutating func upload() async throws {
        let content = Self.contents[Int.random(in: 0..<5, using: &random)]
        var pieces = stride(from: 0, to: content.count, by: 50_000).map {
            Array(content[$0..<min($0 + 50_000, content.count)])
        }[...]
        let upload = AssetUpload(
            caller: .administrator(.bootstrap), address: .publicDefault, length: Int64(content.count))
        assets.append(try await reader.reader.assets.receive(upload) { pieces.popFirst() }.asset)
        outcome.uploads += 1
    }

    private mutating func link(_ asset: Asset?) async throws {
        guard let asset else { return }
        let fields =
            Bool.random(using: &random) ? #""file":\#(asset.json())"# : #""files":{"append":[\#(asset.json())]}"#
        do throws(RecordError) {
            try await perform(.modify(createsMissing: true, replacesAll: false), fields)
            outcome.links += 1
        } catch {
            // Collected before it was linked: the client uploads it again.
            guard error.cause == .tokenInvalid else { throw error }
            outcome.rejected += 1
        }
    }

    private mutating func unlink() async throws {
        if Bool.random(using: &random) {
            try await perform(.delete(ignoresMissing: true), "")
        } else {
            try await perform(.modify(createsMissing: true, replacesAll: false), #""file":null,"files":[]"#)
        }
    }

    private mutating func perform(_ verb: RecordOperation.Verb, _ fields: String) async throws(RecordError) {
        let operation = RecordOperation(
            verb, typeName: RecordTypeName("Post"), isTypeInPath: true, recordName: RecordName(name),
            input: try RecordInput.readSingle(Array("{\"fields\":{\(fields)}}".utf8)))
        _ = try await reader.reader.database.modify(
            WriteRequest(
                caller: .administrator(.bootstrap), address: .publicDefault, shape: .single, operations: [operation]))
    }

    /// Reads each field of a record with all its bytes.
    private mutating func read() throws {
        let name = name
        for field in ["file", "files"] {
            var attempts = 0
            while true {
                do throws(RecordError) {
                    try readOnce(name, field)
                    break
                } catch {
                    guard error.code == .notFound else { throw error }
                    guard error.reason.hasPrefix("The asset is not here") else { break }
                    // The snapshot was older than an unlinking and a collection. A newer snapshot shows them.
                    attempts += 1
                    guard attempts < 20 else { throw error }
                }
            }
        }
    }

    private mutating func readOnce(_ name: String, _ field: String) throws(RecordError) {
        let reader = reader.reader
        try reader.refresh()
        guard let record = RecordName(name), let type = RecordTypeName("Post") else { return }
        let content = try reader.content(
            of: field, index: 0, in: record, type: type, at: .publicDefault, for: .administrator(.bootstrap))
        guard case .asset(let asset) = content else { return }
        let bytes = try? asset.bytes()
        outcome.reads += 1
        if bytes.map(SHA256.hash) != asset.hash { outcome.failures.append("\(name)/\(field) has other bytes") }
    }
}
