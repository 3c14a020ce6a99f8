#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    /// Fields with names that the record's dictionary uses for other keys.
    @RecordCodable
    struct Delivery: Equatable {
        var recordType: String
        var created: Date
        var modified: Date?
        var deleted: Bool
        var fields: [String] = []
        var acl = 0
        var id: String
        @Field("metadata") var model: String
    }

    @Suite struct FieldNameTests {
        private func delivery(_ id: String, deleted: Bool = false) -> Delivery {
            Delivery(
                recordType: "parcel", created: Date(timeIntervalSince1970: 5), modified: nil, deleted: deleted,
                fields: ["north"], acl: 3, id: id, model: "van")
        }

        @Test func `the record type of a model does not depend on its properties`() {
            #expect(Delivery.recordType == "Delivery")
            #expect(Delivery.field(for: \.recordType) == .recordType)
            #expect(Delivery.field(for: \.model)?.rawValue == "metadata")
        }

        @Test func `such fields are written, queried, sorted by and followed like others`() async throws {
            let live = try LiveServer()
            let double = InMemoryServer()
            for container in [live.client(), double.makeClient().container()] {
                try await container.signUp("ada", password: "correct horse")
                let database = container.publicDatabase
                var first = try await database.create(delivery("one"), named: "first")
                try await database.create(delivery("two", deleted: true), named: "second")
                #expect(first.model == delivery("one") && first.metadata.createdAt > first.model.created)
                first.modified = Date(timeIntervalSince1970: 7)
                first = try await database.save(first)
                #expect(first.modified == Date(timeIntervalSince1970: 7))
                #expect(first.id == "first" && first.model.id == "one")
                let query = Query<Delivery>().filter(.recordType, equals: "parcel")
                    .filter(.created, atLeast: Date.distantPast)
                let sorted = try await database.fetch(query.sorted(by: .deleted, ascending: false))
                #expect(sorted.items.map(\.model.id) == ["two", "one"])
                #expect(try await database.count(query.filter(\.deleted == true)) == 1)
                #expect(try await database.count(query.filter(\.modified != nil)) == 1)
                let page = try await database.changes(of: Delivery.self)
                #expect(page.items.map(\.id) == ["second", "first"] && page.deleted.isEmpty)
                let third = try await database.change(first, .set(.deleted, true), .increment(.acl))
                #expect(third.deleted && third.acl == 4)
            }
        }
    }

#endif
