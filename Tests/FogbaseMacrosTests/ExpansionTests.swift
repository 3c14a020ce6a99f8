internal import Testing

/// The exact output of the macros.
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
            expansion.extensions == """
                nonisolated extension Post: RecordDecodable, RecordEncodable {
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
    @Test func `one half alone leaves the other out`() {
        let reading = Expansion("@RecordDecodable struct Post { var title: String }")
        #expect(
            reading.extensions == """
                nonisolated extension Post: RecordDecodable {
                    enum Fields: String, FogbaseClient.RecordFields, CaseIterable {
                        case title
                    }

                    static var recordType: String { "Post" }

                    static func field(for keyPath: PartialKeyPath<Self>) -> Fields? {
                        switch keyPath {
                        case \\Self.title: Fields.title
                        default: nil
                        }
                    }

                    init(fields reader: inout FogbaseClient.FieldReader) throws {
                        self.title = try reader.decode(for: "title")
                    }
                }
                """)
        let writing = Expansion("@RecordEncodable(\"Posting\") struct Post { var title: String }")
        #expect(
            writing.extensions == """
                nonisolated extension Post: RecordEncodable {
                    enum Fields: String, FogbaseClient.RecordFields, CaseIterable {
                        case title
                    }

                    static var recordType: String { "Posting" }

                    static func field(for keyPath: PartialKeyPath<Self>) -> Fields? {
                        switch keyPath {
                        case \\Self.title: Fields.title
                        default: nil
                        }
                    }

                    func encode(fields writer: inout FogbaseClient.FieldWriter) throws {
                        try writer.encode(self.title, for: "title")
                    }
                }
                """)
        #expect(reading.diagnostics + writing.diagnostics == [])
    }

    @Test(arguments: ["public", "package"])
    func `members are as visible as the struct`(access: String) {
        let expansion = Expansion("@RecordCodable \(access) struct Post { private var title: String }")
        let members = expansion.extensions.split(separator: "\n").filter {
            $0.hasPrefix("    ") && !$0.hasPrefix("     ")
        }
        let declarations = members.filter { $0 != "    }" }
        #expect(declarations.count == 5)
        #expect(declarations.allSatisfy { $0.hasPrefix("    \(access) ") })
        #expect(expansion.extensions.hasPrefix("nonisolated extension Post"))
    }

    @Test(arguments: ["", "internal", "fileprivate", "private"])
    func `members of an internal struct have no access modifier`(access: String) {
        let expansion = Expansion("@RecordCodable \(access) struct Post { var title: String }")
        #expect(expansion.extensions.contains("\n    init(fields"))
        #expect(expansion.extensions.contains("\n    enum Fields"))
        #expect(expansion.diagnostics == [])
    }

    @Test func `members that exist are not generated again`() {
        let expansion = Expansion(
            """
            @RecordCodable struct Post {
                var title: String
                static var recordType: String { "Posting" }
                enum Fields: String, RecordFields { case title }
                init(fields reader: inout FieldReader) throws { title = "" }
                func encode(fields writer: inout FieldWriter) throws {}
            }
            """)
        #expect(
            expansion.extensions == """
                nonisolated extension Post: RecordDecodable, RecordEncodable {
                    static func field(for keyPath: PartialKeyPath<Self>) -> Fields? {
                        switch keyPath {
                        case \\Self.title: Fields(rawValue: "title")
                        default: nil
                        }
                    }
                }
                """)
    }

    @Test func `members that are only similar are generated all the same`() {
        let expansion = Expansion(
            """
            @RecordCodable struct Post {
                var recordType: String
                init(fields: Int, more: Int) { recordType = "" }
                static func encode(fields writer: inout FieldWriter) throws {}
                func encode(fields: Int, with other: Int) {}
                func field(for keyPath: String) -> String { "" }
            }
            """.replacing("recordType", with: "kind"))
        for member in ["static var recordType", "enum Fields", "init(fields", "func encode(fields", "func field(for"] {
            #expect(expansion.extensions.contains(member), "\(member)")
        }
    }

    @Test func `an extension is as available as the struct and what is around it`() {
        let expansion = Expansion(
            """
            @available(macOS 16, *)
            struct Blog {
                @available(iOS 20, *) @RecordCodable struct Post { var title: String }
            }
            """)
        #expect(expansion.text.contains("@available(iOS 20, *)\n@available(macOS 16, *)\nnonisolated extension"))
    }

    @Test(
        arguments: [
            ("var title: String { short }", []),
            ("var title: String { get { short } set {} }", []),
            ("var title: String { _read { yield short } }", []),
            ("static var title = 1", []),
            ("static let title = 1", []),
            ("lazy var title = 1", []),
            ("let title = 1", []),
            ("let title: Int = 1", []),
            ("@Transient var title = 1", []),
            ("@Transient var title: Int?", []),
            ("@Transient @Clamped(0...9) var title: Int", []),
            ("func title() {}", []),
            ("struct title { var inner: Int }", []),
            ("var title: String = \"\" { didSet { print(title) } }", ["title"]),
            ("var title: String { willSet {} didSet {} }", ["title"]),
            ("private var title: String", ["title"]),
            ("private(set) var title: String", ["title"]),
            ("let title: String", ["title"]),
            ("var title, subtitle: String", ["title", "subtitle"]),
            ("var title = \"}\", subtitle = \"\\(1 + { 2 }())\", body: String", ["title", "subtitle", "body"]),
            ("@available(*, deprecated) var title: String", ["title"]),
            ("/* var no: Int */ var /* why */ title /* not */: /* a */ String // var no: Int", ["title"]),
        ] as [(String, [String])])
    func `stored properties that can be set are fields`(member: String, fields: [String]) {
        let expansion = Expansion("@RecordCodable struct Post { let short: String\n\(member)\n }")
        #expect(expansion.cases == ["short"] + fields)
        #expect(expansion.diagnostics == [])
    }

    @Test(
        arguments: [
            ("Int", "decode(for: \"a\")"),
            ("Int = 1", "decodeIfPresent(for: \"a\") ?? self.a"),
            ("Int?", "decodeIfPresent(for: \"a\")"),
            ("Int!", "decodeIfPresent(for: \"a\")"),
            ("(Int?)", "decodeIfPresent(for: \"a\")"),
            ("(Int)?", "decodeIfPresent(for: \"a\")"),
            ("Int? = 1", "decodeIfPresent(for: \"a\")"),
            ("Optional<Int>", "decodeIfPresent(for: \"a\")"),
            ("Swift.Optional<Int>", "decodeIfPresent(for: \"a\")"),
            ("Mine.Optional<Int>", "decode(for: \"a\")"),
            ("[Int?]", "decode(for: \"a\")"),
            ("[Int]? = []", "decodeIfPresent(for: \"a\")"),
            ("Int = 1, b: Int?", "decodeIfPresent(for: \"a\") ?? self.a"),
        ])
    func `an absent field is an error, nil or the default`(type: String, call: String) {
        let expansion = Expansion("@RecordCodable struct Post { var a: \(type) }")
        #expect(expansion.extensions.contains("self.a = try reader.\(call)\n"))
    }

    @Test func `a type counts for the names before it up to one with a value`() {
        let expansion = Expansion("@RecordCodable struct Post { var a = 1, b, c: Int?, d: Int }")
        let lines = expansion.extensions.split(separator: "\n").filter { $0.contains("= try reader") }
        #expect(
            lines.map { $0.split(separator: ".").last } == [
                "a", "decodeIfPresent(for: \"b\")", "decodeIfPresent(for: \"c\")", "decode(for: \"d\")",
            ])
    }

    @Test func `a property inside a condition is a field under that condition`() {
        let expansion = Expansion(
            """
            @RecordEncodable struct Post {
                var title: String
                #if DEBUG
                var trace: Int
                #if os(Linux) || os(Windows)
                var path: String
                #endif
                #elseif canImport(AppKit)
                var trace: String
                #else
                let fixed = 1
                var no: String { "" }
                #endif
            }
            """)
        let lines = expansion.extensions.split(separator: "\n").map { $0.drop { $0 == " " } }
        let start = lines.lastIndex { $0.hasPrefix("func encode") } ?? 0
        #expect(
            lines[(start + 1)...] == [
                "try writer.encode(self.title, for: \"title\")",
                "#if (DEBUG)",
                "try writer.encode(self.trace, for: \"trace\")",
                "#endif",
                "#if (DEBUG) && (os(Linux) || os(Windows))",
                "try writer.encode(self.path, for: \"path\")",
                "#endif",
                "#if !(DEBUG) && (canImport(AppKit))",
                "try writer.encode(self.trace, for: \"trace\")",
                "#endif",
                "}",
                "}",
            ])
        #expect(expansion.diagnostics == [])
    }

    @Test func `a name in backticks is one field without them`() {
        let expansion = Expansion("@RecordCodable struct `Class` { var `in`: Int; @Field(\"from\") var `for`: Int }")
        #expect(expansion.cases == ["`in`", "`for` = \"from\""])
        #expect(expansion.extensions.contains("case \\Self.`in`: Fields.`in`\n"))
        #expect(expansion.extensions.contains("self.`in` = try reader.decode(for: \"in\")\n"))
        #expect(expansion.extensions.contains("try writer.encode(self.`for`, for: \"from\")\n"))
        #expect(expansion.extensions.contains("recordType: String { \"Class\" }"))
        #expect(expansion.diagnostics == [])
    }

    @Test func `transient properties need no default with a decoder of the user's`() {
        let written = "init(fields reader: inout FieldReader) throws {}"
        #expect(
            Expansion("@RecordCodable struct A { var a: Int; @Transient var b: Int; \(written) }").diagnostics == [])
        #expect(Expansion("@RecordEncodable struct A { var a: Int; @Transient var b: Int }").diagnostics == [])
    }
}
