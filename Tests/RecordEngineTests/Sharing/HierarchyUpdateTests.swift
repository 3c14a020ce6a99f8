@testable import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing
import Threads

/// Large hierarchies whose access lists are updated in slices.
@Suite struct HierarchyUpdateTests {
    /// A world with the hierarchy `top` of `count` records below each other in threes.
    private func makeWorld(
        _ count: Int, inline: Int = 2, perSlice: Int = 3, limits: DatabaseLimits = DatabaseLimits()
    ) async throws -> HierarchyWorld {
        let world = try await HierarchyWorld.make(inline: inline, perSlice: perSlice, limits: limits)
        try await world.create("top")
        for number in 0..<count {
            try await world.create("r\(number)", under: number < 3 ? "top" : "r\(number / 3 - 1)")
        }
        return world
    }

    @Test(arguments: seeds(3)) func `guests never read what a plain model forbids, while lists are left to slices`(
        seed: Int
    ) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let world = try await HierarchyWorld.make(inline: seed % 3)
        var (steps, whenLeft) = (0, 0)
        for made in 0..<160 {
            let names = world.model.parents.keys.sorted()
            let name = names.randomElement(using: &random)
            let parent = Int.random(in: 0..<4, using: &random) > 0 ? names.randomElement(using: &random) : nil
            if try world.isLeft() { whenLeft += 1 }
            switch Int.random(in: 0..<100, using: &random) {
            case ..<30: try await world.create("r\(made)", under: parent)
            case ..<48:
                guard let name, parent.map({ !world.model.wayUp($0).contains(name) }) ?? true else { continue }
                try await world.move(name, under: parent)
            case ..<54: if let name { try await world.delete(name) }
            case ..<70:
                guard let name, !world.model.shares.values.contains(where: { $0.root == name }) else { continue }
                let joined = [[0], [1], [0, 1]].randomElement(using: &random) ?? []
                try await world.share(name, as: "s\(made)", with: Set(joined))
            case ..<82:
                guard let share = world.model.shares.keys.sorted().randomElement(using: &random) else { continue }
                try await world.unshare(share)
            case ..<97: try await world.slice(records: Int.random(in: 1...3, using: &random))
            default:
                try await world.restart()
                #expect(try !world.isLeft())
            }
            steps += 1
            try world.check("after step \(made)")
        }
        #expect(steps > 100 && whenLeft > 20, "\(steps) steps, \(whenLeft) of them with lists left")
        while try world.isLeft() { try await world.slice(records: 2) }
        try world.check("at the end")
    }

    @Test func `a request waits for the slices of a large share, and is charged for them`() async throws {
        let world = try await makeWorld(40)
        var charged: [WriteCost] = []
        _ = try await world.test.database.modify(world.sharing("top", as: "share")) { charged.append($0) }
        #expect(try !world.isLeft())
        #expect(charged.map { $0.followers + $0.sliced } == [41])
        charged = []
        let ended = try world.request(.delete(ignoresMissing: false), "share", type: "cloudkit.share")
        _ = try await world.test.database.modify(ended) { charged.append($0) }
        #expect(try !world.isLeft())
        #expect(charged.map { $0.followers + $0.sliced } == [41])
    }

    @Test func `a small hierarchy is shared in the transaction of the request`() async throws {
        let world = try await makeWorld(8, inline: 8)
        try await world.share("top", as: "share", with: [0])
        #expect(try !world.isLeft())
        try world.check()
        try await world.unshare("share")
        #expect(try !world.isLeft())
        try world.check()
    }

    @Test func `other writes are committed between the slices of a share`() async throws {
        let world = try await makeWorld(40)
        // The numbers of shared records that commits find.
        let seen = Locked<Set<Int>>([])
        let (names, address) = (Array(world.model.parents.keys), world.address)
        let isOver = Locked(false)
        let watch = Watch { transaction throws(RecordError) in
            var shared = 0
            for name in names where try transaction.row(name, in: address)?.access != nil { shared += 1 }
            seen.withLock { _ = $0.insert(shared) }
            return isOver.withLock { !$0 }
        }
        let database = world.test.database
        database.slices.begin(watch, in: database)
        _ = try await database.modify(world.sharing("top", as: "share"))
        isOver.withLock { $0 = true }
        await database.slices.wait(for: watch)
        // 40 records, 3 in each slice.
        #expect(seen.withLock { $0.count } >= 10)
        #expect(seen.withLock { $0.max() } == 41)
    }

    @Test func `a share that ends takes its rights at once, however many lists name it`() async throws {
        let world = try await makeWorld(40, inline: 100)
        try await world.share("top", as: "share", with: [0])
        #expect(try world.found(by: 0).count == 41)
        try await world.restart(inline: 2)
        try await world.unshare("share")
        #expect(try world.isLeft())
        try world.check()
        // A new share of the same name in another place gives nothing of the old one.
        try await world.create("other")
        try await world.share("other", as: "share", with: [0])
        #expect(try world.found(by: 0) == ["other"])
        try await world.restart()
        #expect(try !world.isLeft())
        try world.check()
    }

    @Test func `a whole zone is shared while lists of an ended share are left`() async throws {
        let world = try await makeWorld(20)
        try await world.share("top", as: "share", with: [0])
        while try world.isLeft() { try await world.slice(records: 100) }
        try await world.unshare("share")
        #expect(try world.isLeft())
        try await world.shareZone(as: "all", with: 1)
        #expect(try world.found(by: 0) == [])
        #expect(try world.found(by: 1).count == 21)
        #expect(try world.copy(of: 1).count == 21)
    }

    @Test func `what leaves a share is changed in one transaction, up to the limit of the request`() async throws {
        var limits = DatabaseLimits()
        limits.cascadeRecords = 15
        let world = try await makeWorld(39, limits: limits)
        try await world.share("top", as: "share", with: [0])
        while try world.isLeft() { try await world.slice(records: 100) }
        // r0 has twelve records below it.
        try await world.move("r0", under: nil)
        #expect(try !world.isLeft())
        try world.check()
        // Two records with twelve below each are too many for one request.
        let both = try [world.moving("r1", under: nil), world.moving("r2", under: nil)]
        let batch = WriteRequest(
            caller: world.owner, address: world.address, shape: .batch(isAtomic: true),
            operations: both.flatMap(\.operations))
        let response = try await world.test.database.modify(batch)
        #expect(response.records.members.contains { $0["details"]?["cause"]?.string == "TOO_LARGE" })
        try world.check()
        // Without the share, nothing leaves it.
        try await world.unshare("share")
        _ = try await world.test.database.modify(batch)
        (world.model.parents["r1"], world.model.parents["r2"]) = (.some(nil), .some(nil))
        try world.check()
    }

    @Test func `a deleted zone leaves no lists behind`() async throws {
        let world = try await makeWorld(20)
        try await world.share("top", as: "share", with: [0])
        #expect(try world.isLeft())
        try await world.test.database.zones.remove(world.address, by: world.owner)
        try await world.restart()
        #expect(try !world.isLeft())
        #expect(try world.found(by: 0) == [])
    }

    @Test func `a record that cannot be written keeps its list and stops no others`() async throws {
        let world = try await makeWorld(12)
        try await world.test.putSchema(
            #"{"types":{"Item":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"]}}}}}"#)
        await world.test.database.indexes.waitUntilBuilt()
        let address = world.address
        try await world.write { transaction throws(RecordError) in
            guard let row = try transaction.row("r5", in: address) else { return }
            try transaction.records.update(row, layout: [], fields: Array("x".utf8))
        }
        try await world.share("top", as: "share", with: [0])
        for _ in 0..<10 { try await world.slice(records: 3) }
        #expect(try !world.isLeft())
        #expect(try world.found(by: 0) == Set(world.model.parents.keys).subtracting(["r5"]))
    }

    @Test func `a share that has ended does not fill the former readers of records`() async throws {
        let world = try await makeWorld(3, inline: 100)
        for round in 0..<3 {
            try await world.share("top", as: "share\(round)", with: [0])
            try await world.unshare("share\(round)")
        }
        let address = world.address
        try await world.write { transaction throws(RecordError) in
            let row = try transaction.row("r0", in: address)
            #expect(row != nil && row?.access == nil && row?.formerReaders == nil)
        }
    }
}

/// Sliced work that looks at each commit.
///
/// Unchecked: see `SlicedWork`.
private final class Watch: SlicedWork, @unchecked Sendable {
    private let look: @Sendable (WriteTransaction) throws(RecordError) -> Bool

    /// - Parameter look: Returns whether to look again.
    init(_ look: @escaping @Sendable (WriteTransaction) throws(RecordError) -> Bool) { self.look = look }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        SliceProgress(hasMore: try look(transaction))
    }

    func didCommit(_ progress: SliceProgress) -> AfterCommit? { nil }
    func didFail(_ error: RecordError) -> SliceRetry { .end(error) }
}
