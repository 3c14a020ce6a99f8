internal import Testing

/// What the macros write, letter by letter.
@Suite struct ExpansionTests {
    @Test func `a model gets an extension that reads and writes its fields`() {
        let expansion = Expansion(
            """
            @RecordCodable
            struct Post {
                var title: String
                var good: Int = 0
                var image: Asset?
                let tags: [String]
                @Field("salesPrice") var price: Double
                @Transient var isSelected = false
                var a = 1, b = "x"
                var short: String { title }
            }
            """)
        #expect(expansion.diagnostics == [])
        #expect(
            expansion.text == """
                struct Post {
                    var title: String
                    var good: Int = 0
                    var image: Asset?
                    let tags: [String]
                    var price: Double
                    var isSelected = false
                    var a = 1, b = "x"
                    var short: String { title }
                }

                extension Post: RecordDecodable, RecordEncodable {
                    enum Fields: String, FogbaseClient.RecordFields, CaseIterable {
                        case title
                        case good
                        case image
                        case tags
                        case price = "salesPrice"
                        case a
                        case b
                    }

                    static var recordType: String { "Post" }

                    static func field(for keyPath: PartialKeyPath<Self>) -> Fields? {
                        switch keyPath {
                        case \\Self.title: Fields.title
                        case \\Self.good: Fields.good
                        case \\Self.image: Fields.image
                        case \\Self.tags: Fields.tags
                        case \\Self.price: Fields.price
                        case \\Self.a: Fields.a
                        case \\Self.b: Fields.b
                        default: nil
                        }
                    }

                    init(fields reader: inout FogbaseClient.FieldReader) throws {
                        self.title = try reader.decode(for: "title")
                        self.good = try reader.decodeIfPresent(for: "good") ?? self.good
                        self.image = try reader.decodeIfPresent(for: "image")
                        self.tags = try reader.decode(for: "tags")
                        self.price = try reader.decode(for: "salesPrice")
                        self.a = try reader.decodeIfPresent(for: "a") ?? self.a
                        self.b = try reader.decodeIfPresent(for: "b") ?? self.b
                    }

                    func encode(fields writer: inout FogbaseClient.FieldWriter) throws {
                        try writer.encode(self.title, for: "title")
                        try writer.encode(self.good, for: "good")
                        try writer.encode(self.image, for: "image")
                        try writer.encode(self.tags, for: "tags")
                        try writer.encode(self.price, for: "salesPrice")
                        try writer.encode(self.a, for: "a")
                        try writer.encode(self.b, for: "b")
                    }
                }
                """)
    }
}
