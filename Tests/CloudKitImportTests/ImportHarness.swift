import Cryptography
import RecordWire
import TestSupport
import Threads

@testable import CloudKitImport

/// A clock that never waits, and interrupts where a test says.
final class StepClock: ImportClock {
    private let state: Locked<(now: Int64, steps: Int?)>

    init(steps: Int? = nil) { state = Locked((1_772_366_400_000, steps)) }

    var now: Int64 { state.withLock { $0.now } }

    func wait(milliseconds: Int64) async throws(ImportError) {
        state.withLock { $0.now += milliseconds }
        try checkInterruption()
    }

    func checkInterruption() throws(ImportError) {
        let isOver = state.withLock { state in
            state.steps = state.steps.map { $0 - 1 }
            return state.steps.map { $0 < 0 } ?? false
        }
        if isOver { throw .interrupted }
    }
}

/// Runs imports from a fake source to a fake target, with a state file in memory.
final class ImportHarness {
    let source: FakeSource
    let target = FakeTarget()
    var options = Importer.Options(types: ["A", "B"])
    /// The lines of the state file.
    var lines: [[UInt8]] = []
    let isPrivate: Bool
    private(set) var progress = ImportProgress()
    private(set) var tokens: [String] = []

    init(seed: UInt64, isPrivate: Bool) {
        source = FakeSource(seed: seed)
        self.isPrivate = isPrivate
        options.pageSize = 9
        options.users = UserMap(["_me": "_local"])
    }

    /// - Parameters:
    ///   - steps: The number of checks after which the operator interrupts the import.
    ///   - stored: The number of events after which the process is killed: the last one is not stored.
    func run(steps: Int? = nil, stored: Int? = nil) async throws(ImportError) -> ImportReport {
        var state = ImportState()
        for line in lines {
            guard let value = try? JSONValue.parse(line), let event = ImportEvent(value) else {
                throw .failed("A line is damaged: \(String(decoding: line, as: UTF8.self))")
            }
            state.apply(event)
        }
        let database = SourceDatabase(
            url: "https://source.example/base", container: "iCloud.org.example.Orchard", environment: "production",
            isPrivate: isPrivate)
        if state.identity == nil {
            let event = ImportEvent.begin(
                ImportIdentity(source: database, target: "here", owner: isPrivate ? "_local" : nil))
            lines.append(event.json.bytes)
            state.apply(event)
        }
        let clock = StepClock(steps: steps)
        var left = stored ?? .max
        let token = source.state.withLock { $0.expectsToken } ?? "token"
        let client = SourceClient(
            database, .user(apiToken: "api", webAuthToken: token), transport: source, clock: clock
        ) { token throws(ImportError) in self.tokens.append(token) }
        let importer = Importer(
            from: client, to: target, options, clock: clock, state: state,
            store: { event throws(ImportError) in
                left -= 1
                guard left >= 0 else { throw .interrupted }
                self.lines.append(event.json.bytes)
            }, observe: { self.progress = $0 })
        return try await importer.run()
    }

    /// The outcome of a run.
    func result(steps: Int? = nil, stored: Int? = nil) async -> Result<ImportReport, ImportError> {
        do throws(ImportError) {
            return .success(try await run(steps: steps, stored: stored))
        } catch {
            return .failure(error)
        }
    }

    /// The records of the source in the form in which the target has them.
    var expected: [String: [String: FakeTarget.Record]] {
        source.state.withLock { state in
            state.zones.mapValues { zone in
                zone.records.mapValues { record in
                    var fields = JSONObject()
                    for member in record.fields.members {
                        var value = member.value
                        if let checksum = value["value"]?["fileChecksum"], let size = value["value"]?["size"] {
                            value = [
                                "value": ["fileChecksum": checksum, "size": size, "receipt": checksum],
                                "type": "ASSETID",
                            ]
                        }
                        fields[member.key] = value
                    }
                    return FakeTarget.Record(
                        type: record.type, fields: fields, created: record.created, modified: record.modified,
                        creator: "_local")
                }
            }
        }
    }

    /// The records that differ between source and target, with what each has.
    func differences(in zone: String) -> [String] {
        let (expected, found) = (expected[zone] ?? [:], target.zones[zone] ?? [:])
        // A record that was deleted and created again at the source keeps its creation here.
        let ignoresCreation = lines.contains { String(decoding: $0, as: UTF8.self).contains("otherCreation") }
        let text = { (record: FakeTarget.Record) in Self.text(record, ignoresCreation: ignoresCreation) }
        return Set(expected.keys).union(found.keys).sorted().compactMap { name in
            let (left, right) = (expected[name].map(text), found[name].map(text))
            return left == right ? nil : "\(name): \(right ?? "nothing") instead of \(left ?? "nothing")"
        }
    }

    /// The order of fields does not count: writes of single fields change it.
    private static func text(_ record: FakeTarget.Record, ignoresCreation: Bool) -> String {
        let fields = JSONObject(record.fields.members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        return
            "\(record.type) \(ignoresCreation ? 0 : record.created ?? 0) \(record.modified ?? 0) \(record.creator ?? "") "
            + String(decoding: JSONValue.object(fields).bytes, as: UTF8.self)
    }
}
