import Foundation
import RecordModel
import StoreTestSupport
import TestSupport
import Testing

@testable import RecordStorage

/// The properties of a store that the engine relies on. A second driver must pass this suite; here SQLite does, called
/// directly, and through the driver protocol, also with yields before its steps.
@Suite struct StoreInvariantTests {
    enum Driver: CaseIterable { case direct, driven, slow }

    /// A store in a directory of its own.
    final class TestStore {
        let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        let faults: StoreFaults
        let writer: StoreWriter
        private let driver: DriverMaker?

        init(_ driver: Driver = .driven) throws {
            let faults = driver == .slow ? StoreFaults(beforeStep: Self.dawdle) : StoreFaults()
            self.faults = faults
            if driver == .direct {
                self.driver = nil
            } else {
                self.driver = { faults.makeDriver(of: $0) }
            }
            writer = try Self.open(path, self.driver)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        @Sendable private static func dawdle() {
            // Others get their turn in the middle of it.
            for _ in 0..<Int.random(in: 0..<20) { sched_yield() }
        }

        private static func open(_ path: String, _ driver: DriverMaker?) throws -> StoreWriter {
            try StoreWriter(
                in: DataDirectory(opening: path), observer: Silence(), checkpoints: CheckpointPolicy(),
                longestQuery: .seconds(1), driver: driver)
        }

        func reader() throws -> StoreReader {
            try StoreReader(in: path, status: writer.status, length: .turn, driver: driver)
        }

        /// Commits a record for each name, and publishes it to readers.
        @discardableResult
        func commit(_ names: String..., publishes: Bool = true) throws -> [Int64] {
            try writer.begin()
            let numbers = try names.map { try insert($0) }
            try writer.commit {}
            if publishes { publish() }
            return numbers
        }

        func publish() {
            writer.status.clock.publish(rightsChanged: false, through: writer.head.sequence, epoch: writer.epoch)
        }

        func insert(_ name: String) throws -> Int64 {
            let number = try writer.nextSequence()
            let row = RecordRow(
                id: RecordNumber(rawValue: number), type: 1, sequence: number, revision: 1, creator: 0, created: 0,
                modifier: 0, modified: 0)
            try writer.records.insert(row, zone: ZoneTable.publicDefault, name: name, layout: [], fields: [])
            return number
        }

        /// The data that a start after a crash would find in the files now: names, and the next number.
        func afterCrash() throws -> (names: Set<String>, next: Int64) {
            let copy = path + "-copy-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: copy) }
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            for name in ["records.sqlite", "records.sqlite-wal"]
            where FileManager.default.fileExists(
                atPath: path + "/" + name)
            {
                try FileManager.default.copyItem(atPath: path + "/" + name, toPath: copy + "/" + name)
            }
            let again = try Self.open(copy, nil)
            let names = Set(try StoreReader(in: copy, status: again.status, length: .turn).names())
            try again.begin()
            return (names, try again.nextSequence())
        }
    }

    private struct Silence: StoreObserver {
        func didFail(_ text: String) {}
        func didCheckpoint() {}
        func didStepBack(_ milliseconds: Int64) {}
    }

    // MARK: Order

    @Test(arguments: Driver.allCases)
    func `a reader that shows a number shows all commits below it`(driver: Driver) async throws {
        let store = try TestStore(driver)
        let done = LockedFlag()
        let readers = try (0..<2).map { _ in UncheckedReader(try store.reader()) }
        let seen = try await withThrowingTaskGroup(of: [[Int64]].self) { group in
            for reader in readers {
                group.addTask {
                    var views: [[Int64]] = []
                    while !done.isSet {
                        try reader.value.refresh()
                        views.append(try reader.value.sequences())
                        reader.value.releaseSnapshot()
                    }
                    return views
                }
            }
            for round in 0..<40 {
                try store.writer.begin()
                for name in 0..<3 {
                    store.writer.beginRequest()
                    try store.writer.ensureSavepoint()
                    _ = try store.insert("\(round)-\(name)")
                    if Bool.random() { store.writer.undoRequest() } else { try store.writer.keepRequest() }
                }
                if round % 7 == 3 { store.writer.rollback() } else { try store.writer.commit {} }
                store.publish()
            }
            done.set()
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let reader = try store.reader()
        try reader.refresh()
        let all = try reader.sequences()
        #expect(all == all.sorted() && Set(all).count == all.count && all.count > 20)
        for view in seen { #expect(view.elementsEqual(all.prefix(view.count))) }
    }

    // MARK: Isolation

    @Test(arguments: Driver.allCases)
    func `a snapshot is one moment and shows no rolled-back write`(driver: Driver) throws {
        let store = try TestStore(driver)
        try store.commit("a")
        let reader = try store.reader()
        try reader.refresh()
        #expect(try reader.names() == ["a"])
        try store.writer.begin()
        store.writer.beginRequest()
        try store.writer.ensureSavepoint()
        _ = try store.insert("b")
        try store.writer.beginItem()
        _ = try store.insert("c")
        try store.writer.undoItem()
        try store.writer.beginItem()
        _ = try store.insert("d")
        try store.writer.keepItem()
        // A transaction reads its own writes, by name and by range.
        #expect(try store.writer.records.row(zone: ZoneTable.publicDefault, name: "d") != nil)
        #expect(try store.writer.records.row(zone: ZoneTable.publicDefault, name: "c") == nil)
        try store.writer.keepRequest()
        store.writer.beginRequest()
        try store.writer.ensureSavepoint()
        _ = try store.insert("e")
        store.writer.undoRequest()
        try store.writer.commit {}
        store.publish()
        #expect(try reader.names() == ["a"])
        try reader.refresh()
        #expect(try reader.names() == ["a", "b", "d"])
        try store.writer.begin()
        _ = try store.insert("f")
        store.writer.rollback()
        store.publish()
        try reader.refresh()
        #expect(try reader.names() == ["a", "b", "d"])
    }

    // MARK: What readers owe each other

    @Test(arguments: Driver.allCases)
    func `all readers see acknowledged writes and writes that any reader has seen`(driver: Driver) throws {
        let store = try TestStore(driver)
        let readers = [try store.reader(), try store.reader(), try store.reader()]
        for reader in readers { try reader.refresh() }
        try store.commit("a")
        for reader in readers {
            try reader.refresh()
            #expect(try reader.names() == ["a"])
        }
        // Between the commit and the moment in which it is published.
        try store.commit("b", publishes: false)
        let first = try store.reader()
        try first.refresh()
        let shown = try first.names()
        for reader in readers {
            try reader.refresh()
            #expect(try reader.names() == shown)
        }
        store.publish()
        for reader in readers {
            try reader.refresh()
            #expect(try reader.names() == ["a", "b"])
        }
    }

    // MARK: Durability and failures

    @Test func `a returned commit survives a crash, and a rejected one never appears`() throws {
        var acknowledged: Set<String> = []
        let store = try TestStore()
        for step in 0..<200 {
            let name = "n\(step)"
            let plan = FaultPlan(failAt: step % 9, with: StoreFailure(.full, "full"), losesTransaction: step % 2 == 0)
            store.faults.plan = plan
            do {
                try store.commit(name)
                acknowledged.insert(name)
                store.faults.plan = nil
            } catch {
                store.faults.plan = nil
                store.writer.rollback()
                #expect(plan.hasFired)
            }
            if step % 10 == 9 { #expect(try store.afterCrash().names == acknowledged) }
        }
        #expect(acknowledged.count > 20 && acknowledged.count < 200)
    }

    @Test func `after a failure statements can be used again, and clients see nothing of the store`() throws {
        let store = try TestStore()
        let kinds: [StoreFailure.Kind] = [.full, .quotaUsedUp, .readOnly, .other]
        for (step, kind) in (0..<12).map({ ($0 / 4, kinds[$0 % 4]) }) {
            store.faults.plan = FaultPlan(failAt: step, with: StoreFailure(kind, "table record, disk 7"))
            let error = #expect(throws: (any Error).self) { try store.commit("x\(step)\(kind)") }
            store.faults.plan = nil
            store.writer.rollback()
            let told: RecordError? =
                switch error {
                case CommitFailure.rejected(let error, let failure)?:
                    failure?.kind == kind ? error : nil
                case let error as RecordError: store.writer.failure?.kind == kind ? error : nil
                default: nil
                }
            guard error != nil else { continue }
            #expect(told.map { !$0.reason.contains("record,") && !$0.reason.contains("disk 7") } == true)
            try store.commit("y\(step)\(kind)")
        }
    }

    @Test func `nothing is written once the state of the disk is unknown`() throws {
        let store = try TestStore()
        try store.commit("a")
        try store.writer.begin()
        _ = try store.insert("b")
        store.faults.plan = FaultPlan(failAt: 0, with: StoreFailure(.syncFailed, "fsync"))
        #expect(throws: CommitFailure.self) { try store.writer.commit {} }
        store.faults.plan = nil
        #expect(store.writer.status.hasFailedPermanently && store.writer.status.blocker == .failedSync)
        #expect(throws: RecordError.databaseUnavailable) { try store.writer.begin() }
        store.writer.close()
        let reader = try store.reader()
        try reader.refresh()
        #expect(try reader.names() == ["a"])
    }

    @Test func `numbers ascend over starts and crashes and are not reused`() throws {
        let store = try TestStore()
        for round in 0..<5 {
            let last = try #require(try store.commit("a\(round)", "b\(round)").last)
            if round == 3 { store.writer.close() }
            let found = try store.afterCrash()
            #expect(found.next > last && found.names.count == 2 * (round + 1))
        }
    }
}

extension StoreReader {
    fileprivate func each(_ body: (RecordRowCursor) -> Void) throws {
        let cursor = try records.changes(
            zone: ZoneTable.publicDefault, after: 0, through: .max, limit: .max, filter: .everything)
        guard let cursor else { return }
        defer { cursor.finish() }
        repeat { body(cursor) } while try cursor.next()
    }

    fileprivate func names() throws -> [String] {
        var names: [String] = []
        try each { names.append(String(decoding: $0.name, as: UTF8.self)) }
        return names
    }

    fileprivate func sequences() throws -> [Int64] {
        var numbers: [Int64] = []
        try each { numbers.append($0.row.sequence) }
        return numbers
    }
}

/// A reader that one task has.
private struct UncheckedReader: @unchecked Sendable {
    let value: StoreReader

    init(_ value: StoreReader) { self.value = value }
}

private final class LockedFlag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
