import Foundation
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing
import Threads

@testable import RecordEngine

/// Whichever store call fails: an upload, a link and a collection take effect completely or not at all, and no
/// unreferenced file is left.
@Suite struct AssetFaultTests {
    private static let errors: [(name: String, error: StoreFailure, losesTransaction: Bool)] = [
        ("I/O error", StoreFailure(code: 266, message: "disk I/O error"), false),
        ("full disk that rolls back", StoreFailure(code: 13, message: "database or disk is full"), true),
    ]

    private enum Work: CaseIterable { case upload, uploadAgain, create, change, batch, delete, collect }

    /// Removing a missing file on them would cost two thread switches for each such upload.
    @Test func `an upload that ends before its first piece uses no thread`() async throws {
        let test = try TestDatabase()
        let database = test.database
        // The threads that there are get something to wait in.
        let mayEnd = Gate()
        let jobs = (0..<4).map { _ in
            let begun = Gate()
            let job = Task {
                try await database.assetStore.run { () throws(RecordError) in
                    begun.open()
                    mayEnd.waitBlocking()
                }
            }
            return (begun, job)
        }
        for job in jobs { await job.0.wait() }
        let isOver = Locked(false)
        let uploading = Task {
            let reader = try database.makeReader()
            try reader.refresh()
            let upload = AssetUpload(
                caller: .administrator(.bootstrap), address: .publicDefault, contentType: nil, filename: nil,
                length: 300_000)
            await #expect(throws: AssetTestFailure.stopped) {
                _ = try await reader.assets.receive(upload) { throw AssetTestFailure.stopped }
            }
            isOver.withLock { $0 = true }
        }
        #expect(await eventually { isOver.withLock { $0 } })
        mayEnd.open()
        try await uploading.value
        for job in jobs { try await job.1.value }
    }

    @Test(arguments: errors.indices) func `a fault at every step leaves nothing half done`(_ kind: Int) async throws {
        let fault = Self.errors[kind]
        let template = try TestDatabase()
        defer { withExtendedLifetime(template) {} }
        let (old, new) = (try await template.upload(sampleBytes(1)), try await template.upload(sampleBytes(2)))
        try await template.create("a", #""file":\#(old.json()),"files":[\#(old.json())]"#)
        await template.close()
        for work in Work.allCases {
            var step = 0
            var fired = true
            while fired {
                let test = try TestDatabase(copying: template.directory)
                let plan = FaultPlan(failAt: step, with: fault.error, losesTransaction: fault.losesTransaction)
                test.inject(plan)
                let error = await rejection { try await Self.perform(work, new, on: test) }
                test.inject(nil)
                fired = plan.hasFired
                let troubles = try test.assetTroubles()
                #expect(troubles == [], "\(fault.name) at step \(step) of \(work)")
                if fired, error == nil {
                    // A fault that the work survived, such as of a checkpoint.
                    step += 1
                    continue
                }
                if error != nil {
                    #expect(try test.content("a") == sampleBytes(1), "\(work) \(step)")
                    try await Self.perform(work, new, on: test)
                }
                #expect(try test.assetTroubles() == [], "\(fault.name) at step \(step) of \(work), done again")
                step += 1
                try #require(step < 200)
            }
            #expect(step > 3, "\(work)")
        }
    }

    private static func perform(_ work: Work, _ asset: Asset, on test: TestDatabase) async throws {
        switch work {
        case .upload: try await test.upload(sampleBytes(3))
        case .uploadAgain: try await test.upload(sampleBytes(2), filename: "again")
        case .create: try await test.create("b", #""file":\#(asset.json())"#)
        case .change: try await test.change("a", #""file":\#(asset.json()),"files":null"#)
        case .batch:
            let results = try await test.batch(
                """
                {"atomic":false,"operations":[
                {"operationType":"forceReplace","record":{"recordType":"Post","recordName":"a","fields":{"file":\(asset.json())}}},
                {"operationType":"create","record":{"recordType":"Post","recordName":"c","fields":{"files":[\(asset.json())]}}}]}
                """)
            if results.contains(where: { $0["serverErrorCode"] != nil }) {
                throw RecordError(.internalError, "an item")
            }
        case .delete: try await test.delete("a")
        case .collect: try await test.database.assets.collect(unusedFor: -1)
        }
    }

    @Test func `after a failed sync the file stays, since the row may be there`() async throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        do {
            let test = try TestDatabase(directory: directory, keepsDirectory: true)
            var step = 0
            while test.database.isHealthy {
                let plan = FaultPlan(
                    failAt: step, with: StoreFailure(code: 1034, message: "fsync"), losesTransaction: true)
                test.inject(plan)
                _ = await rejection { try await test.upload(sampleBytes(10 + step)) }
                test.inject(nil)
                step += 1
                try #require(step < 50)
            }
            #expect(try AssetAudit(directory).files.count >= 1)
            await test.close()
        }
        let test = try TestDatabase(directory: directory, keepsDirectory: true)
        try await test.database.assets.sweep()
        #expect(try test.assetTroubles() == [])
        await test.close()
    }
}
