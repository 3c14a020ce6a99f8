#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @Suite struct SharingPageTests {
        @RecordCodable
        struct ShoppingList {
            var title: String
        }

        @RecordCodable
        struct ShoppingItem {
            var title: String
            var isBought = false
        }

        @Test func `a list is shared, joined, used, followed, left and ended`() async throws {
            let live = try LiveServer()
            let (container, hers) = (live.client(), live.client())
            try await container.signUp("vera", password: "correct horse battery")
            let walter = try await hers.signUp("walter", password: "correct horse battery")
            var copy: [Zone.ID: [String: String]] = [:]

            let database = container.privateDatabase
            try await database.zones.create("Shopping")
            let zone = try database.zone("Shopping")
            let home = try await zone.create(ShoppingList(title: "Home"))
            let milk = try await zone.create(ShoppingItem(title: "Milk"), under: home.id)

            var share = try await zone.shares.create(
                for: home, title: "Home", participants: [.user(walter, .readWrite), .invitation("grandma@example.org")])
            #expect(milk.metadata.parent == home.id && share.rootName == home.id && share.participants.count == 2)
            let link = try #require(share.link)
            let saved = try await hers.notifications().token

            let joined = try await hers.acceptShare(link)
            let list = try hers.sharedDatabase.zone(joined.zone)
            var items = try await list.fetch(Query<ShoppingItem>()).items
            items[0].isBought = true
            items[0] = try await list.save(items[0])
            try await list.create(ShoppingItem(title: "Bread"), under: joined.rootName)
            #expect(try await zone.count(Query<ShoppingItem>()) == 2)

            for shared in try await hers.sharedDatabase.zones.all() {
                print(shared.name, "of", shared.owner ?? "nobody")
            }
            let own = try await list.shares.fetch(joined.share)
            print(own.owner?.user ?? "", own.currentUser?.permission ?? .none)
            #expect(own.currentUser?.permission == .readWrite && own.title == "Home")

            try await hers.sharedDatabase.subscriptions.save(.database("shared"))
            try await zone.create(ShoppingItem(title: "Butter"), under: home.id)
            for try await event in hers.notificationFeed(since: saved) {
                guard case .notifications(let page) = event else { continue }
                print(page.notifications.map(\.subscriptionID))
                #expect(page.notifications.map(\.database) == ["shared"])
                break
            }

            for try await event in hers.sharedDatabase.zones.changeFeed() {
                switch event.change {
                case .zones(let changes):
                    for case .deleted(let zone) in changes { copy[zone.id] = nil }
                case .records(let page, let zone):
                    for record in page.changed { copy[zone, default: [:]][record.name] = record["title"] }
                    for record in page.deleted { copy[zone]?[record.name] = nil }
                case .zoneStartsOver(let zone): copy[zone] = nil
                case .startOver: copy = [:]
                case .upToDate: break
                }
                if event.change == .upToDate { break }
            }
            #expect(copy[joined.zone]?.values.sorted() == ["Bread", "Butter", "Home", "Milk"])

            share = try await zone.shares.fetch(share.id)
            share.participants.removeAll { $0.label == "grandma@example.org" }
            for index in share.participants.indices { share.participants[index].permission = .readOnly }
            share.publicPermission = .readOnly
            share = try await zone.shares.save(share)
            #expect(share.participants.map(\.permission) == [.readOnly] && share.publicPermission == .readOnly)

            try await list.shares.leave(own)
            try await zone.shares.delete(share)
            #expect(try await hers.sharedDatabase.zones.all().isEmpty)
            #expect(try await zone.count(Query<ShoppingItem>()) == 3)
        }
    }

#endif
