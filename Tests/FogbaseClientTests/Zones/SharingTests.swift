import FogbaseClient
import Foundation
import Testing

/// Sharing through the client, on the double and on the real server.
@Suite(.serialized) struct SharingTests {
    private struct Item: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case title }
        var title: String
    }

    /// Two users of one server, and the zone `Lists` of the first.
    private struct World {
        let ann: Container
        let bob: Container
        let annUser: User
        let bobUser: User
        let lists: Database

        init(_ makeContainer: () -> Container) async throws {
            (ann, bob) = (makeContainer(), makeContainer())
            annUser = try await ann.signUp("ann", password: "correct horse")
            bobUser = try await bob.signUp("bob", password: "correct horse")
            try await ann.privateDatabase.zones.create("Lists")
            lists = try ann.privateDatabase.zone("Lists")
        }
    }

    private func both(_ body: (World) async throws -> Void) async throws {
        let live = try LiveServer()
        try await body(try await World { live.client() })
        let server = InMemoryServer()
        try await body(try await World { server.makeClient().container() })
    }

    /// The name of a call's error, or that there was none.
    private func word(_ body: () async throws -> some Any) async -> String {
        do {
            _ = try await body()
            return "done"
        } catch let error as FogbaseError {
            return "\(Mirror(reflecting: error).children.first?.label ?? "")"
        } catch {
            return "\(type(of: error))"
        }
    }

    @Test func `a hierarchy is shared with a named user, who reads and writes in it`() async throws {
        try await both { world in
            let home = try await world.lists.create(Item(title: "home"), named: "home")
            let milk = try await world.lists.create(Item(title: "milk"), named: "milk", under: "home")
            try await world.lists.create(Item(title: "secret"), named: "own")
            #expect(milk.metadata.parent == "home" && home.metadata.parent == nil)
            let share = try await world.lists.shares.create(
                for: home, title: "Home", participants: [.user(world.bobUser, .readWrite)])
            #expect(share.rootName == "home" && share.title == "Home" && share.owner?.user == world.annUser.recordName)
            #expect(share.participants.map(\.user) == [world.bobUser.recordName])
            #expect(share.participants.first?.hasAccepted == false && share.currentUser?.kind == .owner)
            let again = try await world.lists.fetch(Item.self, "home")
            #expect(try await world.lists.shares.fetch(for: again) == share)
            #expect(try await world.lists.shares.all() == [share])
            let link = try #require(share.link)
            let offer = try await world.bob.share(at: link)
            #expect(offer.permission == .readWrite && !offer.hasAccepted && offer.kind == .user)
            #expect(try await world.bob.sharedDatabase.zones.all().isEmpty)
            let joined = try await world.bob.acceptShare(link)
            #expect(joined.hasAccepted && joined.rootName == "home" && joined.share == share.id)
            #expect(joined.zone == Zone.ID(name: "Lists", owner: world.annUser.recordName))
            #expect(try await world.bob.sharedDatabase.zones.all().map(\.id) == [joined.zone])
            let zone = try world.bob.sharedDatabase.zone(joined.zone)
            #expect(zone.scope == .shared && zone.zoneName == "Lists" && zone.zoneOwner == world.annUser.recordName)
            #expect(try await zone.fetch(Query<Item>().sorted(by: .title)).items.map(\.title) == ["home", "milk"])
            var theirs = try await zone.fetch(Item.self, "milk")
            theirs.title = "oat milk"
            try await zone.save(theirs)
            try await zone.create(Item(title: "bread"), named: "bread", under: "home")
            #expect(await word { try await zone.create(Item(title: "stray")) } == "accessDenied")
            #expect(await word { try await zone.fetch(Item.self, "own") } == "notFound")
            #expect(try await world.lists.fetch(Item.self, "milk").title == "oat milk")
            #expect(try await zone.shares.fetch(joined.share).currentUser?.permission == .readWrite)
            // What is moved into the share is found, and out of it no longer.
            let own = try await world.lists.fetch(Item.self, "own")
            #expect(try await world.lists.shares.move(own, under: "home").metadata.parent == "home")
            #expect(try await zone.fetch(Item.self, "own").title == "secret")
            try await world.lists.shares.move(own, under: nil)
            #expect(await word { try await zone.fetch(Item.self, "own") } == "notFound")
            #expect(await word { try await world.lists.shares.move(home, under: "milk") } == "badRequest")
            #expect(await word { try await world.lists.shares.move(home, under: "none") } == "referenceViolation")
        }
    }

    @Test func `participants change, leave and lose the zone`() async throws {
        try await both { world in
            let home = try await world.lists.create(Item(title: "home"), named: "home")
            var share = try await world.lists.shares.create(
                for: home, participants: [.user(world.bobUser), .invitation("grandma")])
            let invitation = try #require(share.participants.last?.link)
            let joined = try await world.bob.acceptShare(try #require(share.link))
            let zone = try world.bob.sharedDatabase.zone(joined.zone)
            #expect(await word { try await zone.create(Item(title: "x"), under: "home") } == "accessDenied")
            // The share has changed, because Bob has joined.
            share.participants.removeAll { $0.label == "grandma" }
            #expect(await word { try await world.lists.shares.save(share) } == "conflict")
            share = try await world.lists.shares.fetch(share.id)
            #expect(share.participants.map(\.hasAccepted) == [true, false])
            share.participants.removeAll { $0.label == "grandma" }
            share.participants[0].permission = .readWrite
            (share.title, share.type, share.thumbnail) = ("Ours", "list", Data([1, 2, 3]))
            share = try await world.lists.shares.save(share)
            #expect(share.title == "Ours" && share.type == "list" && share.thumbnail == Data([1, 2, 3]))
            #expect(await word { try await world.bob.acceptShare(invitation) } == "notFound")
            try await zone.create(Item(title: "x"), named: "x", under: "home")
            let theirs = try await zone.shares.fetch(share.id)
            #expect(await word { try await zone.shares.save(theirs) } == "accessDenied")
            try await zone.shares.leave(theirs)
            #expect(await word { try await zone.fetch(Item.self, "home") } == "zoneNotFound")
            #expect(try await world.lists.shares.fetch(share.id).participants.isEmpty)
            // The link is public now.
            share = try await world.lists.shares.fetch(share.id)
            share.publicPermission = .readOnly
            share.title = nil
            share = try await world.lists.shares.save(share)
            #expect(share.title == nil)
            #expect(try await world.bob.acceptShare(try #require(share.link)).kind == .publicUser)
            #expect(try await zone.count(Query<Item>()) == 2)
            try await world.lists.shares.delete(try await world.lists.shares.fetch(share.id))
            #expect(await word { try await zone.count(Query<Item>()) } == "zoneNotFound")
            #expect(try await world.lists.count(Query<Item>()) == 2)
        }
    }

    @Test func `a whole zone is shared, and a database follows it`() async throws {
        try await both { world in
            try await world.lists.create(Item(title: "a"), named: "a")
            let share = try await world.lists.shares.createForZone(publicPermission: .readWrite)
            #expect(share.rootName == nil)
            var copy: [Zone.ID: Set<String>] = [:]
            var state: DatabaseChangeFeed.State?
            func follow() async throws {
                for try await event in world.bob.sharedDatabase.zones.changeFeed(since: state, types: ["Item"]) {
                    switch event.change {
                    case .zones(let changes): for case .deleted(let zone) in changes { copy[zone.id] = nil }
                    case .records(let page, let zone):
                        copy[zone, default: []].formUnion(page.changed.map(\.name))
                        copy[zone]?.subtract(page.deleted.map(\.name))
                    case .zoneStartsOver(let zone): copy[zone] = nil
                    case .startOver: copy = [:]
                    case .upToDate:
                        state = try JSONDecoder().decode(
                            DatabaseChangeFeed.State.self, from: JSONEncoder().encode(event.state))
                        return
                    }
                }
            }
            try await follow()
            #expect(copy.isEmpty)
            let joined = try await world.bob.acceptShare(try #require(share.link))
            try await follow()
            #expect(copy == [joined.zone: ["a"]])
            let zone = try world.bob.sharedDatabase.zone(joined.zone)
            try await zone.create(Item(title: "b"), named: "b")
            try await world.lists.delete(Item.self, "a")
            try await follow()
            #expect(copy == [joined.zone: ["b"]])
            try await zone.shares.leave(try await zone.shares.fetch(share.id))
            try await follow()
            #expect(copy.isEmpty)
            try await world.bob.acceptShare(try #require(share.link))
            try await follow()
            #expect(copy == [joined.zone: ["b"]])
            try await world.ann.privateDatabase.zones.delete("Lists")
            try await follow()
            #expect(copy.isEmpty)
        }
    }

    @Test func `a zone of a shared database needs its owner`() async throws {
        let database = InMemoryServer().makeClient().container().sharedDatabase
        #expect(throws: FogbaseError.self) { try database.zone("Lists") }
        #expect(throws: FogbaseError.self) { try database.zone(Zone.ID(name: "", owner: "_a")) }
        let zone = try database.zone(Zone.ID(name: "A", owner: "_a")).zone(Zone.ID(name: "B", owner: "_b"))
        #expect(zone.zoneName == "B" && zone.zoneOwner == "_b")
        #expect(
            Zone.ID(name: "e\u{301}") != Zone.ID(name: "\u{e9}")
                && Zone.ID(name: "A", owner: "_a") != Zone.ID(name: "A"))
    }

    @Test func `records without a model have their parents`() async throws {
        try await both { world in
            try await world.lists.create(Item(title: "home"), named: "home")
            var record = Record("Item", name: "a")
            (record["title"], record.parent) = ("a", "home")
            record = try await world.lists.save(record)
            #expect(record.parent == "home" && record.metadata?.parent == "home")
            record["title"] = "b"
            record = try await world.lists.save(record)
            #expect(record.parent == "home")
            record.parent = nil
            record = try await world.lists.save(record)
            #expect(record.parent == nil)
            #expect(try await world.lists.fetch("Item", "a").metadata?.parent == nil)
        }
    }

    @Test func `a feed of notifications and one of zones are woken by a change`() async throws {
        let live = try LiveServer()
        let world = try await World { live.client() }
        let home = try await world.lists.create(Item(title: "home"), named: "home")
        let share = try await world.lists.shares.create(for: home, participants: [.user(world.bobUser)])
        let joined = try await world.bob.acceptShare(try #require(share.link))
        let subscriptions = world.bob.sharedDatabase.subscriptions
        try await subscriptions.save(.database("all"))
        let one = Subscription.zone("one", of: "Lists", owner: world.annUser.recordName)
        #expect(try await subscriptions.save(one) == one)
        #expect(try await subscriptions.all().map(\.id) == ["all", "one"])
        let start = try await world.bob.notifications().token
        let bob = world.bob
        // Both wait on the server when the record changes.
        async let told: NotificationFeed.Event? = {
            for try await event in bob.notificationFeed(since: start) { return event }
            return nil
        }()
        var feed = bob.sharedDatabase.zones.changeFeed().makeAsyncIterator()
        while let event = try await feed.next(), event.change != .upToDate {}
        let lists = world.lists
        async let written = lists.save(home, policy: .allFields)
        var changes: [DatabaseChangeFeed.Change] = []
        while let event = try await feed.next(), event.change != .upToDate { changes.append(event.change) }
        _ = try await written
        guard case .zones(let zones)? = changes.first, case .records(let page, joined.zone)? = changes.last else {
            Issue.record("\(changes)")
            return
        }
        #expect(zones.map(\.zone.id) == [joined.zone] && page.changed.map(\.name) == ["home"])
        guard case .notifications(let notifications)? = try await told else {
            Issue.record("The feed started over")
            return
        }
        #expect(Set(notifications.notifications.map(\.subscriptionID)) == ["all", "one"])
        #expect(notifications.notifications.first { $0.zone != nil }?.owner == world.annUser.recordName)
    }
}
