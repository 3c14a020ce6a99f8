#if FOGBASE_MACROS

    import Foundation
    import FogbaseClient
    import RecordModel
    import Testing

    /// Models that the macros write, with all that their properties may be.
    @Suite struct MacroModelTests {
        private static let post = Post(
            title: "sea", good: 4, image: nil, tags: ["a", "b"], price: 2.5, isSelected: true, first: 7, second: "y",
            mood: .calm, since: Date(timeIntervalSince1970: 2), nights: [1, 2], in: 3, none: true)

        private func writer(of model: some RecordEncodable) throws -> FieldWriter {
            var writer = FieldWriter(removesAbsent: true)
            try model.encode(fields: &writer)
            return writer
        }

        @Test func `a model round-trips except for properties that are not fields`() throws {
            let record = try Record("Post", name: "a", fields: writer(of: Self.post))
            var expected = Self.post
            expected.isSelected = false
            #expect(try record.decode(Post.self) == expected)
            #expect(Set(record.fields.keys) == Set(Post.Fields.allCases.map(\.rawValue)).subtracting(["image"]))
        }

        @Test func `what is absent is nil, or the default, or an error`() throws {
            var record = try Record("Post", name: "a", fields: writer(of: Self.post))
            for field in ["good", "image", "first", "second", "mood"] { record.fields[field] = nil }
            let post = try record.decode(Post.self)
            #expect(post.good == 0)
            #expect(post.image == nil)
            #expect(post.first == 1)
            #expect(post.second == "x")
            #expect(post.mood == .wild)
            record.fields["salesPrice"] = nil
            let missing = DecodingProblem(.missing, field: "salesPrice", recordName: "a")
            #expect(throws: FogbaseError.decoding(missing)) { _ = try record.decode(Post.self) }
        }

        @Test func `nil removes a field, even one with a default`() throws {
            var model = Defaults()
            model.count = nil
            let text = String(decoding: try writer(of: model).text, as: UTF8.self)
            #expect(text == #""count":null"#)
            #expect(try Record("Defaults").decode(Defaults.self) == model)
        }

        @Test func `a key path leads to its field`() {
            #expect(Post.field(for: \.title) == .title)
            #expect(Post.field(for: \.price)?.rawValue == "salesPrice")
            #expect(Post.field(for: \.`in`) == .in)
            #expect(Post.field(for: \.none) == Post.Fields.none)
            #expect(Post.field(for: \.isSelected) == nil)
            #expect(Post.field(for: \.short) == nil)
            #expect(Pair<Int>.field(for: \.right)?.rawValue == "right")
            #expect(Outer.Inner.field(for: \.kind)?.rawValue == "kind")
        }

        @Test func `the record type is the struct's name or the macro's argument`() {
            #expect(Post.recordType == "Post")
            #expect(Outer.Inner.recordType == "Inner")
            #expect(Pair<String>.recordType == "Two")
        }

        @Test func `queries know all fields of a model`() {
            #expect(Pair<Int>.Fields.all?.map(\.rawValue) == ["left", "right", "others"])
        }

        @Test func `generic and nested models round-trip`() throws {
            let pair = Pair(left: 1, right: nil, others: [2])
            #expect(try Record("Two", name: "a", fields: writer(of: pair)).decode(Pair<Int>.self) == pair)
            let inner = Outer.Inner(kind: .large)
            #expect(try Record("Inner", name: "a", fields: writer(of: inner)).decode(Outer.Inner.self) == inner)
        }

        @Test func `one half is enough to read or to write`() throws {
            let written = try Record("Sent", name: "a", fields: writer(of: Sent(text: "x", drafts: [:])))
            #expect(try written.decode(Received.self) == Received(text: "x"))
        }

        @Test func `the properties of the active branch are fields`() {
            #expect(Conditional.Fields.allCases.map(\.rawValue) == ["always", "here", "inside"])
        }

        @Test func `a user's own member is kept`() throws {
            let record = try Record("Own", name: "a", fields: writer(of: Own(number: 4)))
            #expect(record["number"] == 4)
            #expect(try record.decode(Own.self) == Own(number: 5))
        }
    }

    @RecordCodable
    private struct Post: Equatable {
        enum Mood: String, FieldConvertible { case calm, wild }

        var title: String
        var good: Int = 0
        var image: Data?
        let tags: [String]
        @Field("salesPrice") var price: Double
        @Transient var isSelected = false
        var first = 1, second = "x"
        var mood = Mood.wild
        var since: Date { didSet { isSelected = false } }
        var nights: [Int]
        var `in`: Int
        var none: Bool
        let constant = 5
        static let shared = "x"
        var short: String { title }
    }

    @RecordCodable
    private struct Defaults: Equatable {
        var count: Int? = 5
    }

    @RecordCodable("Two")
    private struct Pair<Value: FieldConvertible & Equatable>: Equatable {
        var left: Value
        var right: Value?
        var others: [Value]
    }

    private enum Outer {
        enum Kind: Int, FieldConvertible { case small, large }

        @RecordCodable
        fileprivate struct Inner: Equatable {
            // Only Outer knows the name of this type.
            var kind: Kind
        }
    }

    @RecordEncodable
    private struct Sent {
        var text: String
        @Transient var drafts: [String: String]
    }

    @RecordDecodable("Sent")
    private struct Received: Equatable {
        var text: String
    }

    @RecordCodable
    private struct Conditional {
        var always: Int
        #if canImport(Foundation)
            var here: Int
            #if !FOGBASE_MACROS
                var nowhere: Int
            #else
                var inside: Int
            #endif
        #else
            var elsewhere: Int
        #endif
    }

    @RecordCodable
    private struct Own: Equatable {
        var number: Int

        init(number: Int) {
            self.number = number
        }

        init(fields reader: inout FieldReader) throws {
            number = try reader.decode(for: "number") + 1
        }
    }

#endif
