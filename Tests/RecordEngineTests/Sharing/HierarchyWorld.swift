import Foundation
@testable import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// The zone of an owner with hierarchies, shares and two guests, and a plain model of what the guests may read.
///
/// No slice runs by itself: the tests say when. A request looks at `inline` records itself.
final class HierarchyWorld {
    struct Model: Sendable {
        var parents: [String: String?] = [:]
        /// The root of each share, and the guests that have joined it.
        var shares: [String: (root: String, guests: Set<Int>)] = [:]

        func wayUp(_ name: String) -> [String] {
            var way = [name]
            while let last = way.last, let parent = parents[last] ?? nil { way.append(parent) }
            return way
        }

        func readable(by guest: Int) -> Set<String> {
            let roots = Set(shares.values.filter { $0.guests.contains(guest) }.map(\.root))
            return Set(parents.keys.filter { !roots.isDisjoint(with: wayUp($0)) })
        }
    }

    /// What a guest has copied from the change feed.
    private struct Follower {
        var token: String?
        var copy: Set<String> = []
    }

    private(set) var test: TestDatabase
    private var options: IndexBuildOptions
    private let limits: DatabaseLimits
    let owner: Caller
    let guests: [Caller]
    let address: DatabaseAddress
    var model = Model()
    private var followers = [Follower(), Follower()]

    static func make(
        inline: Int = 2, perSlice: Int = 3, limits: DatabaseLimits = DatabaseLimits()
    ) async throws -> HierarchyWorld {
        var options = IndexBuildOptions()
        options.inlineAccessLists = inline
        options.recordsPerSlice = perSlice
        let test = try TestDatabase(limits: limits, keepsDirectory: true, indexBuilding: options)
        var callers: [Caller] = []
        for name in ["ann", "bob", "eve"] { callers.append(try await test.signUp(name).caller) }
        let world = HierarchyWorld(test, options, limits, callers)
        _ = try await test.database.zones.create(world.address, by: world.owner)
        return world
    }

    private init(_ test: TestDatabase, _ options: IndexBuildOptions, _ limits: DatabaseLimits, _ callers: [Caller]) {
        (self.test, self.options, self.limits) = (test, options, limits)
        owner = callers[0]
        guests = Array(callers[1...])
        address = DatabaseAddress(
            scope: .privateDatabase(owner: callers[0].writerID), zone: ZoneName("Lists") ?? .defaultZone)
    }

    deinit { try? FileManager.default.removeItem(atPath: test.directory) }

    // MARK: Writing

    /// Runs work in one transaction. What it leaves to slices waits.
    func write(_ work: @escaping @Sendable (WriteTransaction) throws(RecordError) -> Void) async throws {
        try await test.database.write { transaction throws(RecordError) in
            try work(transaction)
            transaction.leftBelow = []
        }
    }

    /// Returns a request of one operation of the owner.
    func request(
        _ verb: RecordOperation.Verb, _ name: String, _ body: String = "{}", type: String = "Item"
    ) throws -> WriteRequest {
        var input = try RecordInput.readSingle(Array(body.utf8))
        input.recordName = RecordName(name)
        let operation = RecordOperation(
            verb, precondition: .none, typeName: RecordTypeName(type), isTypeInPath: true,
            recordName: input.recordName, input: input)
        return WriteRequest(caller: owner, address: address, shape: .single, operations: [operation])
    }

    private func modify(_ request: WriteRequest) async throws {
        try await write { transaction throws(RecordError) in _ = try transaction.modify(request) }
    }

    private static func link(_ parent: String?) -> String {
        #"{"fields":{},"parent":\#(parent.map { #"{"recordName":"\#($0)"}"# } ?? "null")}"#
    }

    func create(_ name: String, under parent: String? = nil) async throws {
        try await modify(request(.create, name, Self.link(parent)))
        model.parents[name] = .some(parent)
    }

    /// The request that moves a record.
    func moving(_ name: String, under parent: String?) throws -> WriteRequest {
        try request(.modify(createsMissing: false, replacesAll: false), name, Self.link(parent))
    }

    func move(_ name: String, under parent: String?) async throws {
        try await modify(moving(name, under: parent))
        model.parents[name] = .some(parent)
    }

    func delete(_ name: String) async throws {
        try await modify(request(.delete(ignoresMissing: false), name))
        model.parents[name] = nil
        for (child, parent) in model.parents where parent == name { model.parents[child] = .some(nil) }
        for (share, value) in model.shares where value.root == name { model.shares[share] = nil }
    }

    /// The request that shares a hierarchy.
    func sharing(_ root: String, as share: String) throws -> WriteRequest {
        try request(.create, share, #"{"fields":{},"forRecord":{"recordName":"\#(root)"}}"#, type: "cloudkit.share")
    }

    /// Shares a hierarchy with guests, who join at once.
    func share(_ root: String, as share: String, with joined: Set<Int>) async throws {
        try await perform(sharing(root, as: share), joined)
        model.shares[share] = (root, joined)
    }

    /// Shares the whole zone with a guest.
    func shareZone(as share: String, with guest: Int) async throws {
        try await perform(request(.create, share, #"{"fields":{}}"#, type: "cloudkit.share"), [guest])
    }

    private func perform(_ request: WriteRequest, _ joined: Set<Int>) async throws {
        let (address, share) = (address, request.operations.first?.recordName?.text ?? "")
        let accounts = joined.sorted().map { guests[$0].writerID }
        try await write { transaction throws(RecordError) in
            _ = try transaction.modify(request)
            guard let row = try transaction.row(share, in: address) else { return }
            for account in accounts {
                try transaction.store.shares.add(
                    ParticipantRow(
                        share: ShareID(rawValue: row.id.rawValue), account: account, kind: .user,
                        permission: .readWrite, status: .accepted, changed: try transaction.nextSequence()))
            }
            transaction.rightsChanged = true
        }
    }

    func unshare(_ share: String) async throws {
        try await modify(request(.delete(ignoresMissing: false), share, type: "cloudkit.share"))
        model.shares[share] = nil
    }

    /// Runs one slice of what is left.
    func slice(records: Int) async throws {
        try await write { transaction throws(RecordError) in
            var budget = SliceBudget(nanoseconds: .max, limit: records)
            _ = try HierarchyWork().slice(transaction, &budget)
        }
    }

    /// Closes the database, opens it again and waits for the work that it finds.
    ///
    /// - Parameter inline: The number of records that a request looks at from then on.
    func restart(inline: Int? = nil) async throws {
        options.inlineAccessLists = inline ?? options.inlineAccessLists
        await test.close()
        test = try TestDatabase(
            limits: limits, directory: test.directory, keepsDirectory: true, indexBuilding: options)
        while test.database.slices.count > 0 { await Task.yield() }
    }

    // MARK: Reading

    /// Whether access lists are left to slices.
    func isLeft() throws -> Bool {
        try test.reader.refresh()
        return try test.reader.store.hierarchies.firstUpdate() != nil
    }

    /// The records that a guest finds.
    func found(by guest: Int) throws -> Set<String> {
        try test.reader.refresh()
        guard let caller = try? test.reader.participant(guests[guest], in: address) else { return [] }
        return Set(try test.list(type: "Item", as: caller, limit: 1_000, in: address).names)
    }

    /// Reads what is new in the change feed of a guest, and returns its whole copy.
    func copy(of guest: Int) throws -> Set<String> {
        var follower = followers[guest]
        defer { followers[guest] = follower }
        try test.reader.refresh()
        guard let caller = try? test.reader.participant(guests[guest], in: address) else {
            follower = Follower()
            return []
        }
        var more = true
        while more {
            do {
                let page = try test.changes(since: follower.token, as: caller, limit: 3, in: address)
                for change in page.changes where change["recordType"] != "cloudkit.share" {
                    let name = change["recordName"]?.string ?? ""
                    if change["deleted"] == .bool(true) {
                        follower.copy.remove(name)
                    } else {
                        follower.copy.insert(name)
                    }
                }
                (follower.token, more) = (page.token, page.moreComing)
            } catch let error as RecordError where error.isOfLostPosition {
                follower = Follower()
            }
        }
        return follower.copy
    }

    /// Checks that each guest finds nothing that the model forbids, and all that it allows if no lists are left; and that
    /// its copy has what it finds.
    func check(_ comment: String = "") throws {
        let isLeft = try isLeft()
        for guest in guests.indices {
            let (found, allowed) = (try found(by: guest), model.readable(by: guest))
            #expect(found.isSubset(of: allowed), "guest \(guest) reads too much \(comment)")
            if !isLeft { #expect(found == allowed, "guest \(guest) \(comment)") }
            #expect(try copy(of: guest) == found, "the copy of guest \(guest) \(comment)")
        }
    }
}

extension WriteTransaction {
    /// Returns the row of a record by its name.
    func row(_ name: String, in address: DatabaseAddress) throws(RecordError) -> RecordRow? {
        let key = address.key
        guard let zone = try zones.find(scope: key.scope, owner: key.owner, name: address.zone.text) else { return nil }
        return try records.row(zone: zone.id, name: name)
    }
}
