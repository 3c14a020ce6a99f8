import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Random work on assets by several callers against a model in memory.
@Suite struct AssetModelTests {
    /// The assets of a record, by content numbers.
    private struct Model: Equatable {
        var file: Int?
        var files: [Int]?
    }

    private static let callers: [Caller] = [
        .user(16, roles: [:]), .user(17, roles: [:]), .administrator(.bootstrap), .anonymous,
    ]

    @Test(arguments: seeds(5)) func `records, links and files agree after any work`(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let test = try TestDatabase()
        let first = try await test.upload(sampleBytes(0))
        try await test.create("seed", #""file":\#(first.json()),"files":[\#(first.json())],"n":0"#)
        try await test.database.schemas.setGrants(
            Grants([.world: [.read, .write, .create]]), of: try #require(RecordTypeName("Post")))
        var model: [String: Model] = ["seed": Model(file: 0, files: [0])]
        for step in 0..<120 {
            let name = "r\(Int.random(in: 0..<5, using: &random))"
            let caller = Self.callers[Int.random(in: 0..<4, using: &random)]
            let number = Int.random(in: 0..<6, using: &random)
            let place = "seed \(seed) step \(step)"
            let asset = try await test.upload(sampleBytes(number), as: caller)
            let value = asset.json()
            let old = model[name]
            switch Int.random(in: 0..<12, using: &random) {
            case 0...1:
                let error = await rejection { try await test.create(name, #""file":\#(value)"#, as: caller) }
                #expect((error == nil) == (old == nil), "\(place) \(String(describing: error))")
                if old == nil { model[name] = Model(file: number) }
            case 2:
                let error = await rejection { try await test.delete(name, as: caller) }
                #expect((error == nil) == (old != nil), "\(place)")
                model[name] = nil
            case 3 where old != nil:
                try await test.change(name, #""file":null"#, as: caller)
                model[name]?.file = nil
            case 4 where old != nil:
                try await test.change(name, #""files":{"append":[\#(value)]}"#, as: caller)
                model[name]?.files = (old?.files ?? []) + [number]
            case 5 where old != nil:
                try await test.change(name, #""files":{"appendUnique":[\#(value)]}"#, as: caller)
                if old?.files?.contains(number) != true { model[name]?.files = (old?.files ?? []) + [number] }
            case 6 where old?.files != nil:
                try await test.change(name, #""files":{"remove":[\#(asset.json(receipt: false))]}"#, as: caller)
                model[name]?.files?.removeAll { $0 == number }
            case 7 where old != nil:
                try await test.change(name, #""file":{"setIfAbsent":\#(value)}"#, as: caller)
                if old?.file == nil { model[name]?.file = number }
            case 8:
                // The last operation fails: nothing is done if it is atomic, otherwise the first two are.
                let isAtomic = Bool.random(using: &random)
                let results = try await test.batch(
                    """
                    {"atomic":\(isAtomic),"operations":[
                    {"operationType":"forceReplace","record":{"recordType":"Post","recordName":"\(name)","fields":{"files":[\(value),\(value)]}}},
                    {"operationType":"forceDelete","record":{"recordName":"r0"}},
                    {"operationType":"create","record":{"recordType":"Post","recordName":"x\(step)","fields":{"file":\(value),"to":{"recordName":"nobody","action":"VALIDATE"}}}}]}
                    """, as: caller)
                #expect(results.count { $0["serverErrorCode"] != nil } == (isAtomic ? 3 : 1), "\(place): \(results)")
                if !isAtomic {
                    model[name] = Model(files: [number, number])
                    model["r0"] = nil
                }
            case 9:
                // Content that the record does not have, and no receipt for it.
                let strange = asset.json(receipt: false)
                let error = await rejection { try await test.change("seed", #""files":[\#(strange)]"#, as: caller) }
                #expect((error == nil) == (model["seed"]?.files?.contains(number) == true), "\(place)")
                if error == nil { model["seed"]?.files = [number] }
            case 10:
                try await test.database.assets.collect(unusedFor: -1)
            default:
                _ = try await test.perform(
                    .modify(createsMissing: true, replacesAll: true), "Post", name,
                    #"{"fields":{"file":\#(value),"files":[]}}"#, as: caller)
                model[name] = Model(file: number, files: [])
            }
            if step % 10 == 9 {
                #expect(try test.assetTroubles() == [], "\(place)")
                #expect(try Self.state(of: test) == model, "\(place)")
            }
        }
        for name in model.keys { try await test.delete(name) }
        try await test.database.assets.collect(unusedFor: -1)
        let audit = try AssetAudit(test.directory)
        #expect(audit.rows.isEmpty && audit.links.isEmpty && audit.files.isEmpty && audit.claims == (0, 0))
    }

    /// The table, read through the engine: each content by its bytes.
    private static func state(of test: TestDatabase) throws -> [String: Model] {
        let numbers = Dictionary(uniqueKeysWithValues: (0..<6).map { (sampleBytes($0), $0) })
        var state: [String: Model] = [:]
        for name in try test.list().names {
            var model = Model()
            let record = try test.read(name)
            if record.fields["file"] != nil { model.file = numbers[try test.content(name)] ?? -1 }
            if case .list(_, let members)? = record.fields["files"] {
                model.files = try members.indices.map { numbers[try test.content(name, "files", index: $0)] ?? -1 }
            }
            state[name] = model
        }
        return state
    }
}
