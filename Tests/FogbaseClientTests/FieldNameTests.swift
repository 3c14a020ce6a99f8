#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    /// Fields that are called as a record's dictionary calls other things.
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

        @Test func `the type of a model does not hang on its property`() {
            #expect(Delivery.recordType == "Delivery")
            #expect(Delivery.field(for: \.recordType) == .recordType)
            #expect(Delivery.field(for: \.model)?.rawValue == "metadata")
        }

        @Test func `such fields are written, asked for, sorted by and followed, as others are`() async throws {
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
